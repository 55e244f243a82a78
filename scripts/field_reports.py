#!/usr/bin/env python3
"""Traces the rows of docs/field-reports.list to the tests that name them.

    field_reports.py            writes docs/field-reports.md
    field_reports.py --check    writes nothing

A test names rows in a comment: "field report: 12, 13". Both forms fail when a row has no test, or when a test names a row that is not in
the list.
"""

import re
import sys

sys.dont_write_bytecode = True
import promises  # noqa: E402

LIST = promises.ROOT / "docs" / "field-reports.list"
PAGE = promises.ROOT / "docs" / "field-reports.md"
NAMED = re.compile(r"field reports?: *(\d+(?:, *\d+)*)")


def link(sources):
    """Names of repositories with "issues/1, 2, pull/3" after them, as links."""
    parts = []
    for source in sources.split("; "):
        repository, _, numbers = source.partition(" ")
        kind, links = "issues", []
        for number in re.findall(r"(?:(issues|pull)/)?(\d+)", numbers):
            kind = number[0] or kind
            links.append(f"[{number[1]}](https://github.com/{repository}/{kind}/{number[1]})")
        parts.append(f"{repository} {', '.join(links)}" if links else source)
    return "; ".join(parts)


def page(listed, tests):
    lines = ["# Field reports and the tests that answer them", "", "Written by `scripts/field_reports.py`; do not edit.", "",
             "What went wrong for people who use timers elsewhere, and what holds here. Tests name a row as `field report: 12`.", ""]
    section = ""
    for part, number, sources, holds in listed:
        if part != section:
            section = part
            lines += ["", f"## {section}", "", "| | reported in | what holds here | tests |", "| --- | --- | --- | --- |"]
        cell = "<br>".join(f"[{where}](../{where})" for where in sorted(tests[number]))
        lines.append(f"| {number} | {link(sources)} | {holds} | {cell or 'none'} |")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    listed = [(part, int(number), sources, holds) for part, number, sources, holds in promises.listed_in(LIST, 3)]
    tests = {number: set() for _, number, _, _ in listed}
    unknown = []
    for path in promises.sources():
        where = path.relative_to(promises.ROOT).as_posix()
        for named in NAMED.findall(path.read_text(encoding="utf-8", errors="replace")):
            for number in map(int, named.split(",")):
                if number in tests:
                    tests[number].add(where)
                else:
                    unknown.append(f"{where}: {number}")
    bare = [number for number, where in tests.items() if not where]
    for number in bare:
        print(f"field reports: no test names {number}", file=sys.stderr)
    for line in unknown:
        print(f"field reports: not in docs/field-reports.list: {line}", file=sys.stderr)
    is_stale = promises.write_or_compare(PAGE, page(listed, tests), "field reports")
    print(f"field reports: {len(listed) - len(bare)} of {len(listed)} named by tests")
    sys.exit(1 if bare or unknown or is_stale else 0)


if __name__ == "__main__":
    main()
