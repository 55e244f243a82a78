#!/usr/bin/env python3
"""Puts doxygen's manual pages into shape: man_pages.py FROM TO

Kept are weaktimer(3) and one page a group. Doxygen names a page after its group's title; man(1) and apropos(1) want
"name - what it is". The date is taken out, so that the same sources give the same pages.
"""
import pathlib
import re
import sys

GROUPS = ["weaktimer", "weaktimer_library", "weaktimer_scheduler", "weaktimer_target", "weaktimer_timer", "weaktimer_executor"]


def shaped(name, text):
    text = re.sub(r'^\.TH .*$', f'.TH "{name.upper()}" 3 "" "WeakTimer" "WeakTimer"', text, count=1, flags=re.M)
    head = re.compile(r'(\.SH NAME\n)' + name + r' \\- [^\n]*\n\.PP\n \\- (.*?)(?:\\&\.)?\s*\n', re.S)
    text, count = head.subn(lambda m: f"{m.group(1)}{name} \\- {m.group(2)}\n", text, count=1)
    if count != 1:
        raise SystemExit(f"man_pages.py: {name}: no NAME section where doxygen puts it")
    others = [other for other in GROUPS if other != name]
    see = ",\n".join(f".BR {other} (3)" for other in others)
    text = re.split(r'^\.SH "Author"', text, flags=re.M)[0]
    return text.rstrip() + f'\n.SH "SEE ALSO"\n{see.replace(",", " ,")}\n'


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    source, out = map(pathlib.Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    for name in GROUPS:
        (out / f"{name}.3").write_text(shaped(name, (source / f"{name}.3").read_text()))
    print(f"{len(GROUPS)} manual pages in {out}")


if __name__ == "__main__":
    main()
