#!/usr/bin/env python3
"""Traces the promises in docs/promises.list to the tests that name them.

    promises.py            writes docs/promises.md
    promises.py --check    writes nothing

A test names tags in a comment: "covers: life.eager stop.none-after". Both forms fail when a promise has no test, or when a
test names a tag that is not in the list.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "promises.list"
PAGE = ROOT / "docs" / "promises.md"
FOLDERS = ("Tests", "examples-c", "Benchmarks")
SUFFIXES = {".c", ".h", ".cpp", ".swift", ".sh", ".py", ".pml", ".rs"}
TAG = re.compile(r"[a-z]+(?:\.[a-z]+(?:-[a-z]+)*)+$")
NAME = re.compile(r"\bTEST\((\w+)|\bfunc (test\w*)|^static \w+ (test_\w+)\(|^@Test.*func (\w+)")


def listed_in(path, columns):
    """(section, first column, second, ...) for each line of a list; two spaces end a column."""
    section, found = "", []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            found.append((section, *line.rstrip().split("  ", columns - 1)))
    return found


def tags_of(lines, start):
    """The tags from "covers:" on, and the line after the last of them."""
    words, number = lines[start].split("covers:", 1)[1], start
    tags = []
    while True:
        more = [word for word in re.split(r"[\s,]+", words.replace("*/", " ").strip(" */#")) if word]
        if not more or not all(TAG.match(word) for word in more):
            tags += [word for word in more if TAG.match(word)] if number == start else []
            return tags, number if number > start else start + 1
        tags += more
        number += 1
        if number >= len(lines) or "*/" in lines[number - 1]:
            return tags, number
        words = lines[number]


def name_of(match):
    return next(group for group in match.groups() if group)


def traces(path):
    """(tag, name of the test that follows, or "" for the whole file) in one file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    seen_test, found = False, []
    for number, line in enumerate(lines):
        seen_test = seen_test or bool(NAME.search(line))
        if "covers:" not in line:
            continue
        tags, after = tags_of(lines, number)
        following = next((m for m in map(NAME.search, lines[after:]) if m), None)
        whole = not seen_test and number < 4 and not (following and NAME.search(lines[after]))
        name = "" if whole or not following else name_of(following)
        found += [(tag, name) for tag in tags]
    return found


def sources():
    """All files that may name what they test."""
    return sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in SUFFIXES)


def write_or_compare(path, text, name):
    """Writes a page, or with --check tells whether it is older than the tests."""
    if not sys.argv[1:]:
        path.write_text(text, encoding="utf-8")
        return False
    is_stale = not path.exists() or path.read_text(encoding="utf-8") != text
    if is_stale:
        print(f"{name}: docs/{path.name} is older than the tests: make promises writes it anew", file=sys.stderr)
    return is_stale


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    listed = listed_in(LIST, 2)
    tests = {tag: {} for _, tag, _ in listed}
    unknown = []
    files = sources()
    for path in files:
        relative = path.relative_to(ROOT).as_posix()
        for tag, name in traces(path):
            if tag in tests:
                tests[tag].setdefault(relative, set()).add(name)
            else:
                unknown.append(f"{relative}: {tag}")
    bare = [tag for tag, where in tests.items() if not where]
    for tag in bare:
        print(f"promises: no test names {tag}", file=sys.stderr)
    for line in unknown:
        print(f"promises: not in docs/promises.list: {line}", file=sys.stderr)

    is_stale = write_or_compare(PAGE, page(listed, tests), "promises")
    print(f"promises: {len(listed) - len(bare)} of {len(listed)} named by tests, in {len(files)} files")
    sys.exit(1 if bare or unknown or is_stale else 0)


def page(listed, tests):
    lines = ["# Promises and the tests that prove them", "", "Written by `scripts/promises.py`; do not edit.", ""]
    section = ""
    for part, tag, statement in listed:
        if part != section:
            section = part
            lines += [f"## {section}", "", "| promise | what it says | tests |", "| --- | --- | --- |"]
        cell = "<br>".join(
            f"[{where}](../{where})" + (": " + ", ".join(sorted(names)) if (names := found - {""}) else "")
            for where, found in sorted(tests[tag].items()))
        lines.append(f"| `{tag}` | {statement} | {cell or 'none'} |")
        following = listed.index((part, tag, statement)) + 1
        if following == len(listed) or listed[following][0] != section:
            lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
