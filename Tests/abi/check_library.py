"""Checks the built libraries: check_library.py HEADER SHARED STATIC

Exported are the header's functions, all of them and nothing else, under one version node; the shared library needs libc
alone, resolves everything at load, stays mapped, and is small once stripped.
"""

import os
import re
import subprocess
import sys
import tempfile

import header

LARGEST = 150_000
failures = []


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(condition, message):
    print(f"  {'ok' if condition else 'FAILED'}: {message}")
    if not condition:
        failures.append(message)


def same(found, declared, where):
    for name in sorted(declared - found):
        check(False, f"{name} is declared, but {where} does not export it")
    for name in sorted(found - declared):
        check(False, f"{where} exports {name}, which the header does not declare")
    check(found == declared, f"{where} exports the header's {len(declared)} functions and nothing else")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    shared, static = sys.argv[2:]
    declared = {name for _, name, _ in header.declarations(text)}
    major = re.search(r"#define WTM_VERSION_MAJOR (\d+)", text).group(1)
    node = f"WEAKTIMER_{major}"

    rows = [line.split() for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", shared).splitlines()]
    functions = [row[-1] for row in rows if row[1] != "A"]
    same({name.split("@")[0] for name in functions}, declared, "the shared library")
    check(all(name.split("@")[-1] == node for name in functions), f"every symbol has the version {node}")
    rows = [line.split() for line in run("nm", "-g", "--defined-only", static).splitlines()]
    same({row[2] for row in rows if len(row) == 3}, declared, "the static library")

    dynamic = run("readelf", "-dW", shared)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    check(needed == ["libc.so.6"], f"libc alone is needed: {' '.join(needed)}")
    check(f"[libweaktimer.so.{major}]" in dynamic, f"the SONAME is libweaktimer.so.{major}")
    check("NODELETE" in dynamic, "the library stays mapped (nodelete)")
    check("BIND_NOW" in dynamic and "NOW" in dynamic, "everything is resolved at load (now)")
    check("TEXTREL" not in dynamic, "there are no text relocations")
    check("FINI_ARRAYSZ) 8 (bytes)" in re.sub(r" +", " ", dynamic), "there are no global destructors but the compiler's own")
    imported = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--undefined-only", shared).splitlines()}
    for name in ("atexit", "__cxa_atexit", "sigaction", "signal"):
        check(name not in imported, f"{name} is not called")
    headers = run("readelf", "-lW", shared)
    check("GNU_RELRO" in headers, "relocated data is read-only (relro)")
    check("RWE" not in headers, "no memory is writable and executable")

    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped.so")
        run("strip", "-o", stripped, shared)
        size = os.path.getsize(stripped)
    check(size <= LARGEST, f"stripped it has {size} bytes, at most {LARGEST}")
    sys.exit(f"{len(failures)} checks failed" if failures else 0)


if __name__ == "__main__":
    main()
