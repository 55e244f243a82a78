"""Counts an operation's instructions with callgrind and compares them with budget.txt: check.py PROGRAM BUDGET OPERATION"""

import re
import subprocess
import sys
import tempfile

COUNT = 100_000  # as in budget.c


def allowed(path, operation):
    for line in open(path, encoding="ascii"):
        words = line.split()
        if words[:1] == [operation]:
            return int(words[1])
    sys.exit(f"budget: no line for {operation} in {path}")


def counted(program, operation):
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
                   f"--toggle-collect=measured_{operation}", program, operation]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            sys.exit("budget: valgrind is missing (package valgrind)")
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"budget: {operation} did not run to its end\n{done.stderr}")
    return int(found.group(1)) / COUNT


def main():
    program, budget, operation = sys.argv[1:]
    limit, count = allowed(budget, operation), counted(program, operation)
    if count < 1:
        sys.exit(f"budget: nothing was counted for {operation}")
    print(f"{operation}: {count:.1f} instructions of {limit}")
    if count > limit:
        sys.exit(f"budget: {operation} takes {count - limit:.1f} instructions too many")


main()
