#!/usr/bin/env python3
"""All code in the documentation comes from files that are compiled and run.

A block of C, C++ or Swift in a Markdown file (or a @code block in the header) follows a line such as

    <!-- snippet: retry.c#retry -->

which names a file below docs/snippets (or, with a slash, a path from the root of the repository) and a region of it, between
`region: NAME` and `end region` in comments. The block must equal the region, but for the indentation that all of its lines
share. Lines between `region-cut` and `end region-cut` are left out of the text.

    check_snippets.py          compares; exits 1 and names each block that differs or has no source
    check_snippets.py --write  puts the regions into the blocks
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
SNIPPETS = ROOT / "docs" / "snippets"
LANGUAGES = {"c", "cpp", "c++", "swift"}
MARK = re.compile(r"<!-- snippet: (\S+)#(\S+) -->")
# Pages that others keep, whose code is checked in other ways, are left out.
LEFT_OUT = {"docs/coming-from.md", "docs/benchmarks.md", "docs/promises.md"}


def region(source, name):
    """The lines of a region, or None."""
    path = ROOT / source if "/" in source else SNIPPETS / source
    if not path.exists():
        return None
    lines, inside, cut = [], False, False
    found = False
    for line in path.read_text().splitlines():
        if re.search(r"(/\*|//) region: " + re.escape(name) + r"( \*/)?$", line.strip()):
            inside = found = True
        elif re.search(r"(/\*|//) end region( \*/)?$", line.strip()):
            inside = False
        elif re.search(r"(/\*|//) region-cut( \*/)?$", line.strip()):
            cut = True
        elif re.search(r"(/\*|//) end region-cut( \*/)?$", line.strip()):
            cut = False
        elif inside and not cut:
            lines.append(line)
    if not found:
        return None
    return textwrap.dedent("\n".join(lines)).strip("\n").split("\n")


def blocks(path):
    """Yields (number of the first line of code, end, prefix of the lines, mark or None) for each block of code."""
    lines = path.read_text().splitlines()
    header = path.suffix in (".h", ".hpp")
    mark, i = None, 0
    while i < len(lines):
        text = re.sub(r"^\s*\* ?", "", lines[i]) if header else lines[i]
        found = MARK.match(text.strip())
        opened = re.match(r"@code\{\.?(\S+)\}" if header else r"```(\S+)", text.strip())
        if found:
            mark = found.groups()
        elif opened:
            start = i + 1
            end = start
            closing = "@endcode" if header else "```"
            while closing not in lines[end]:
                end += 1
            if opened.group(1) in LANGUAGES:
                yield start, end, (" * " if header else ""), mark
            mark, i = None, end
        elif text.strip():
            mark = None
        i += 1


def main():
    write = "--write" in sys.argv[1:]
    pages = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md")) + [ROOT / "include" / "weaktimer.h"]
    wrong = checked = 0
    for page in pages:
        name = page.relative_to(ROOT).as_posix()
        if name in LEFT_OUT:
            continue
        lines = page.read_text().splitlines()
        for start, end, prefix, mark in reversed(list(blocks(page))):
            where = f"{name}:{start}"
            if mark is None:
                print(f"{where}: a block of code without a source", file=sys.stderr)
                wrong += 1
                continue
            wanted = region(*mark)
            if wanted is None:
                print(f"{where}: there is no {mark[0]}#{mark[1]}", file=sys.stderr)
                wrong += 1
                continue
            wanted = [(prefix + line).rstrip() for line in wanted]
            checked += 1
            if lines[start:end] == wanted:
                continue
            if write:
                lines[start:end] = wanted
            else:
                print(f"{where}: differs from {mark[0]}#{mark[1]} (check_snippets.py --write mends it)", file=sys.stderr)
                wrong += 1
        if write:
            page.write_text("\n".join(lines) + "\n")
    print(f"{checked} blocks of code checked, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
