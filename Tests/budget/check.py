"""Counts an operation's instructions with callgrind and compares them with budget.txt: check.py PROGRAM BUDGET OPERATION"""

import sys

sys.dont_write_bytecode = True

import counting

COUNT = 100_000  # as in budget.c


def limits(path):
    lines = [line.split() for line in open(path, encoding="ascii") if not line.startswith("#")]
    return {words[0]: int(words[1]) for words in lines if words}


def main():
    program, budget, operation = sys.argv[1:]
    budgets = limits(budget)
    if operation not in budgets:
        sys.exit(f"budget: no line for {operation} in {budget}")
    limit = budgets[operation]
    try:
        counts, said = counting.count(program, [operation], list(budgets))
    except FileNotFoundError:
        sys.exit("budget: valgrind is missing (package valgrind)")
    total = counts.get(operation)
    if total is None:
        sys.exit(f"budget: {operation} did not run to its end\n{said}")
    each = total / COUNT
    if each < 1:
        sys.exit(f"budget: nothing was counted for {operation}")
    print(f"{operation}: {each:.1f} instructions of {limit}")
    if each > limit:
        sys.exit(f"budget: {operation} takes {each - limit:.1f} instructions too many")


main()
