"""Counts an operation's instructions with callgrind and compares them with budget.txt: check.py PROGRAM BUDGET OPERATION"""

import sys

sys.dont_write_bytecode = True

import counting

COUNT = 100_000  # as in budget.c


def allowed(path, operation):
    for line in open(path, encoding="ascii"):
        words = line.split()
        if words[:1] == [operation]:
            return int(words[1])
    sys.exit(f"budget: no line for {operation} in {path}")


def main():
    program, budget, operation = sys.argv[1:]
    limit = allowed(budget, operation)
    try:
        total, said = counting.count(program, [operation], f"measured_{operation}")
    except FileNotFoundError:
        sys.exit("budget: valgrind is missing (package valgrind)")
    if total is None:
        sys.exit(f"budget: {operation} did not run to its end\n{said}")
    each = total / COUNT
    if each < 1:
        sys.exit(f"budget: nothing was counted for {operation}")
    print(f"{operation}: {each:.1f} instructions of {limit}")
    if each > limit:
        sys.exit(f"budget: {operation} takes {each - limit:.1f} instructions too many")


main()
