"""Reads what the public header declares.

    header.py functions HEADER          the names of its functions, one a line
    header.py stub HEADER               C source that defines each of them with an empty body
    header.py bare HEADER               the header without its comments: the form in which a baseline is kept
"""

import re
import sys


def bare(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def declarations(text):
    """(result type, name, parameters) for each function that the header declares."""
    text = re.sub(r"\\\n", " ", bare(text))
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\bWTM_(NULLABLE|NONNULL)\b", "", text)
    text = re.sub(r"\{[^{}]*\}", "{}", text)
    pattern = re.compile(r"(?:^|[;}\"{])\s*([A-Za-z_][\w\s*]*?)\b(wtm_\w+)\s*\(([^;]*)\)\s*;", re.DOTALL)
    found, position = [], 0
    while match := pattern.search(text, position):
        position = match.end() - 1  # the semicolon begins the next one
        result = " ".join(match.group(1).split())
        if not result.startswith("typedef"):
            found.append((result, match.group(2), " ".join(match.group(3).split())))
    return found


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("functions", "stub", "bare"):
        sys.exit(__doc__)
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    if sys.argv[1] == "bare":
        print(bare(text), end="")
        return
    found = declarations(text)
    if not found:
        sys.exit(f"{sys.argv[2]}: no function was found")
    if sys.argv[1] == "functions":
        print("\n".join(sorted(name for _, name, _ in found)))
        return
    print("#include <weaktimer.h>\n")
    for result, name, parameters in found:
        body = "" if result == "void" else f"{result} none = {{0}}; return none; "
        print(f"{result} {name}({parameters}) {{ {body}}}")


if __name__ == "__main__":
    main()
