"""Runs the programs, alternating the peers, and writes results.json, table.txt and the plots."""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import instructions
import library
import matrix
import summary


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", required=True, help="the folder of the bench-PEER programs")
    parser.add_argument("--library", help="libweaktimer.so, for its size and loading time")
    parser.add_argument("--out", required=True, help="the folder for the results")
    parser.add_argument("--quick", action="store_true", help="fewer peers, sizes and repetitions: at most three minutes")
    parser.add_argument("--runs", type=int, help="repetitions of everything (5; 3 when quick)")
    parser.add_argument("--workloads", default="", help="only these, by commas (operations,fire,…,instructions)")
    parser.add_argument("--peers", default="", help="only these, by commas")
    parser.add_argument("--sizes", default="", help="only these N, by commas")
    parser.add_argument("--add", help="a results.json whose figures are kept where this run has none: a run in parts")
    parser.add_argument("--largest", action="store_true", help="ten million timers as well")
    return parser.parse_args()


def split(text):
    return [word for word in text.split(",") if word]


def chosen_words():
    """The command line less the folders of this machine."""
    words = iter(sys.argv[1:])
    kept = []
    for word in words:
        if word in ("--programs", "--library", "--out", "--add"):
            next(words)
        else:
            kept.append(word)
    return kept


def select(options):
    """Groups of jobs whose programs were built, as far as the command line wants them."""
    workloads, peers = split(options.workloads), split(options.peers)
    wanted = []
    sizes = [int(float(size)) for size in split(options.sizes)]
    for group in matrix.groups(options.quick, sizes, options.largest):
        jobs = [job for job in group
                if os.path.exists(job.command(options.programs)[0])
                and (not workloads or job.workload in workloads)
                and (not peers or job.peer in peers)
                and (not options.quick or peers or job.peer in matrix.QUICK_PEERS)]
        if jobs:
            wanted.append(jobs)
    return wanted


def run(job, programs):
    try:
        done = subprocess.run(job.command(programs), capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        return None, "took more than 180 s"
    if done.returncode != 0:
        return None, done.stderr.strip()[-200:] or f"exit status {done.returncode}"
    return json.loads(done.stdout)["figures"], None


def measure(options):
    records, failures = [], {}
    runs = options.runs or (3 if options.quick else 5)
    chosen = select(options)
    try:
        repeat(chosen, runs, options.programs, records, failures)
    except KeyboardInterrupt:
        print("stopped: what there is counts", file=sys.stderr)
    return records, failures


def repeat(chosen, runs, programs, records, failures):
    tries = {}
    for repetition in range(runs):
        for jobs in chosen:
            # Every second round goes backwards, so that nobody always runs after the same neighbour.
            for job in jobs if repetition % 2 == 0 else reversed(jobs):
                key = f"{job.peer} {job.workload} n={job.n} {job.variant}".strip()
                if tries.get(key, 0) == 2 or repetition >= job.runs_most:
                    continue
                began = time.monotonic()
                figures, failure = run(job, programs)
                if failure:
                    failures[key] = failure
                    tries[key] = tries.get(key, 0) + 1
                    print(f"  {key}: {failure}", file=sys.stderr)
                    continue
                records.append({"peer": job.peer, "workload": job.workload, "n": job.n, "variant": job.variant,
                                "run": repetition, "seconds": round(time.monotonic() - began, 1), "figures": figures})
        print(f"run {repetition + 1} of {runs} done, load {os.getloadavg()[0]:.1f}", file=sys.stderr)


def main():
    options = arguments()
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    records, failures = measure(options)
    earlier = json.loads(pathlib.Path(options.add).read_text()) if options.add else {}
    offset = 1 + max((record["run"] for record in earlier.get("records", [])), default=-1)
    records = [{**record, "run": record["run"] + offset} for record in records]
    measured = {tuple(record[key] for key in ("peer", "workload", "n", "variant")) for record in records}
    records += [record for record in earlier.get("records", [])
                if tuple(record[key] for key in ("peer", "workload", "n", "variant")) not in measured]
    failures = {**earlier.get("failures", {}), **failures}
    workloads = split(options.workloads)
    counts = {}
    if not workloads or "instructions" in workloads:
        counts = instructions.measure(options.programs, options.quick, split(options.peers))
    results = {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}",
        "command": " ".join(["Benchmarks/run.sh"] + chosen_words()),
        "records": records, "instructions": counts or earlier.get("instructions", {}), "failures": failures,
        "library": library.measure(options.library, options.programs) if not workloads or "library" in workloads else earlier.get("library", {}),
    }
    with open(out / "results.json", "w") as file:
        json.dump(results, file, separators=(",", ":"))
    text = summary.report(results)
    (out / "table.txt").write_text(text)
    print(text)
    try:
        import plots
    except ImportError:
        print("no plots: matplotlib is missing", file=sys.stderr)
        return
    plots.draw(results, out)


if __name__ == "__main__":
    main()
