#!/usr/bin/env python3
"""Breaks the core in one way after the other, and tells which breaks the fast tests do not notice.

    mutate.py                 all mutants
    mutate.py --part 2/4      the second quarter
    mutate.py --tree FOLDER   work in this folder and keep it, so that the next run need not build the tests again
    mutate.py NAME ...        these
    mutate.py --list          names them and checks that each still applies

Works in a copy of the tree. Each mutant costs a compilation of the core and, when it is noticed late or not at all, a run of
the fast tests: the C tests, the fuzzer's corpus, the model and a little stress. (The schedule explorer needs a build of its own.)
"""

import argparse
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from mutants import MUTANTS  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
CORE = Path("Sources/WeakTimerCore")
SLOW = {"c_time_century", "c_life_memory_long"}
LIMIT = 60  # seconds for one test program
FUZZ_LIMIT = 20  # the corpus takes less than one
JOBS = int(os.environ.get("JOBS", "2"))


def applied(mutant, root):
    """The mutated text of the file, or None when the mutant does not apply."""
    _, _, file, text, replacement = mutant
    source = (root / CORE / file).read_text(encoding="utf-8")
    return source.replace(text, replacement) if source.count(text) == 1 else None


def copy_tree(to):
    for name in ("Sources", "include", "cmake", "CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md"):
        path = ROOT / name
        if path.is_dir():
            copy_folder(path, to / name)
        elif path.exists():
            shutil.copy2(path, to / name)
    for name in ("c", "fuzz", "model", "stress"):
        copy_folder(ROOT / "Tests" / name, to / "Tests" / name)


def copy_folder(source, target):
    """Makes the target like the source; what is there already and the same keeps its date, so that it is not built again."""
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for path in [path for path in target.rglob("*") if path.is_file() and path.relative_to(target) not in wanted]:
        path.unlink()
    for path in sorted(wanted):
        to = target / path
        if not to.exists() or to.read_bytes() != (source / path).read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / path, to)
            shutil.copymode(source / path, to)


def build(tree, target):
    return subprocess.run(["cmake", "--build", str(tree / "build"), "--parallel", str(JOBS), "--target", target],
                          capture_output=True, text=True, check=False)


def programs(tree):
    """The tests as command lines, those first that notice most."""
    tests = tree / "build" / "Tests"
    found = [[str(tests / "fuzz" / "fuzz_calls"), str(tree / "Tests/fuzz/corpus/calls")]]
    for path in sorted((tests / "c").glob("c_*")):
        if path.is_file() and os.access(path, os.X_OK) and path.name not in SLOW and path.suffix == "":
            arguments = [str(tree / "build" / "libweaktimer.so")] if path.name == "c_world_unload" else []
            found.append([str(path), *arguments])
    found.insert(1, [str(tests / "model" / "model"), "1", "50000"])
    found.append([str(tests / "stress" / "stress"), "3", "1"])
    return found


def run(command):
    """None, or how the program failed. Its children die with it."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        status = process.wait(FUZZ_LIMIT if "fuzz" in command[0] else LIMIT)
    except subprocess.TimeoutExpired:
        status = "hangs"
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return None if status == 0 else f"{Path(command[0]).name}: {status}"


def first_failure(commands):
    """How the first test failed, and its command; (None, None) when none did."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        waiting = iter(commands)
        running = {pool.submit(run, command): command for command in [c for _, c in zip(range(JOBS), waiting)]}
        failure = None, None
        while running:
            for result in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
                command = running.pop(result)
                if result.result() and not failure[0]:
                    failure = result.result(), command
                command = None if failure[0] else next(waiting, None)
                if command:
                    running[pool.submit(run, command)] = command
        return failure


def chosen(arguments):
    mutants = MUTANTS
    if arguments.names:
        mutants = [m for m in mutants if m[1] in arguments.names]
    if arguments.part:
        part, parts = map(int, arguments.part.split("/"))
        mutants = mutants[part - 1::parts]
    return mutants


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part")
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    mutants = chosen(arguments)
    stale = [m[1] for m in mutants if applied(m, ROOT) is None]
    if arguments.list:
        for kind, name, *_ in mutants:
            print(f"{name:42} {kind}{'   DOES NOT APPLY' if name in stale else ''}")
    if stale:
        print(f"mutation: {len(stale)} mutants do not apply: {' '.join(stale)}")
        return 1
    if arguments.list:
        print(f"mutation: {len(mutants)} mutants of {len({m[0] for m in mutants})} kinds")
        return 0
    if arguments.tree:
        arguments.tree.mkdir(parents=True, exist_ok=True)
        return judge(mutants, arguments.tree.resolve())
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        return judge(mutants, Path(folder))


def judge(mutants, tree):
    copy_tree(tree)
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", str(tree), "-B", str(tree / "build"), *generator, "-DWEAKTIMER_BUILD_EXAMPLES=OFF"],
                   check=True, stdout=subprocess.DEVNULL)
    built = build(tree, "all")
    if built.returncode != 0:
        print(built.stdout[-4000:])
        return 2
    tests = programs(tree)
    sound = [test for test in tests if run(test) is None]
    for test in tests:
        if test not in sound:
            print(f"mutation: {Path(test[0]).name} fails on the core as it is, and takes no part")
    survivors = []
    for mutant in mutants:
        kind, name, file, _, _ = mutant
        path = tree / CORE / file
        original = path.read_text(encoding="utf-8")
        path.write_text(applied(mutant, tree), encoding="utf-8")
        try:
            built = build(tree, "weaktimer")
            outcome, noticed_by = ("does not compile", None) if built.returncode != 0 else first_failure(sound)
        finally:
            path.write_text(original, encoding="utf-8")
        if outcome == "does not compile":
            print(f"{name}: does not compile:\n{built.stdout[-1500:]}")
            survivors.append(name)
        elif outcome is None:
            survivors.append(name)
            print(f"{name} ({kind}): SURVIVES")
        else:
            print(f"{name} ({kind}): noticed by {outcome}")
            # The next mutant breaks something near by: what noticed this one goes first.
            sound.remove(noticed_by)
            sound.insert(0, noticed_by)
        sys.stdout.flush()
    print(f"mutation: {len(mutants) - len(survivors)} of {len(mutants)} mutants noticed"
          + (f"; not: {' '.join(survivors)}" if survivors else ""))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
