"""Writes the tables of a results.json into docs/benchmarks.md, between its marks: page.py RESULTS.JSON PAGE.MD"""

import json
import pathlib
import re
import sys

import goals
import summary

SIZES = [1_000, 10_000, 100_000, 1_000_000]
PEERS = ["weaktimer", "weaktimer-owned", "swift", "limit", "heap4", "libuv", "libevent", "libev", "glib", "asio", "libdispatch", "timerfd"]
COSTS = ["schedule_cold", "schedule", "schedule_absolute", "schedule_tolerant", "cancel", "churn", "reschedule", "reschedule_later",
         "reschedule_later_absolute", "reschedule_later_tolerant", "fire", "fire_in_order"]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def short(n):
    return f"1e{len(str(n)) - 1}"


def verdict(text, good):
    return text if good else f"**{text}**"


def ratios(figures):
    rows = {}
    for goal in goals.GOALS:
        against = goal.peer if goal.against == goal.figure else f"{goal.peer}'s {goal.against}"
        sizes = figures.sizes(goal.figure)
        row = rows.setdefault((goal.figure, against), {"limits": [], "cells": {}})
        for n in sizes:
            if goal.sizes and n not in goal.sizes:
                continue
            ratio = figures.ratio(goal, n)
            if ratio is not None:
                if goal.limit not in row["limits"]:
                    row["limits"].append(goal.limit)
                row["cells"][n] = verdict(f"{ratio:.2f}", ratio <= goal.limit)
    body = []
    for (figure, against), row in rows.items():
        if not row["cells"]:
            continue
        by_size = set(row["cells"]) <= set(SIZES) and len(figures.sizes(figure)) > 1
        cells = [row["cells"].get(n, "") for n in SIZES] if by_size else [" ".join(row["cells"].values()), "", "", ""]
        body.append([figure, against, ", ".join(f"{limit:g}" for limit in row["limits"])] + cells)
    return table(["figure", "against", "at most", "1e3 (or the one N)", "1e4", "1e5", "1e6"], body)


def alone(figures, library):
    rows = []
    for bound in goals.BOUNDS:
        for n in figures.sizes(bound.figure):
            value = figures.median(bound.figure, n, bound.variant or "", bound.ours)
            if value is not None:
                good = value >= bound.limit if bound.at_least else value <= bound.limit
                sign = "at least" if bound.at_least else "at most"
                rows.append([bound.figure, bound.ours, short(n) if n > 1 else "1", f"{sign} {bound.limit:,g}", verdict(f"{value:,.1f}", good)])
    for figure, limit in goals.SCALES:
        small, large = (figures.median(figure, n, "", "weaktimer") for n in (10_000, 1_000_000))
        if small and large:
            rows.append([f"{figure}, cost at 1e6 over that at 1e4", "weaktimer", "", f"at most {limit:g}", verdict(f"{large / small:.2f}", large / small <= limit)])
    for figure, limit, more in summary.added(figures):
        rows.append([f"{figure}, ns that the Swift layer adds", "swift", "1e4", f"at most {limit:g}", verdict(f"{more:.1f}", more <= limit)])
    for key, limit in goals.LIBRARY.items():
        if key in library:
            rows.append([f"library, {key.replace('_', ' ')}", "weaktimer", "", f"at most {limit:,}", verdict(f"{library[key]:,.0f}", library[key] <= limit)])
    return table(["figure", "of", "N", "goal", "measured"], rows)


def costs(figures):
    rows = []
    for figure in COSTS:
        for n in SIZES:
            values = [figures.median(figure, n, "", peer) for peer in PEERS]
            if any(value is not None for value in values):
                rows.append([figure, short(n)] + [summary.number(value) if value is not None else "" for value in values])
    used = [i for i in range(len(PEERS)) if any(row[i + 2] for row in rows)]
    return table(["ns of CPU", "N"] + [PEERS[i] for i in used], [row[:2] + [row[i + 2] for i in used] for row in rows])


def others(figures):
    wanted = [("ticks_delivered_percent", 10_000, ""), ("ticks_cpu", 10_000, ""), ("fire_spread", 100_000, ""),
              ("fire_spread_tolerant", 100_000, "tolerance 5 ms"), ("cross", 10_000, ""), ("cross2", 10_000, ""), ("cross2_fairness", 10_000, ""),
              ("bytes", 1_000_000, ""), ("lateness_p50", 1, "1 ms"), ("lateness_p99", 1, "1 ms"), ("lateness_p50", 1000, "10 ms"),
              ("lateness_p99", 1000, "10 ms"), ("wakeups_per_second", 10_000, "1 s, 10 %"), ("idle_wakeups", 100_000, "")]
    wanted += [(figure, n, "") for figure in ("touch", "touch_locked", "touch_clock") for n in (10_000, 1_000_000)]
    rows = []
    for figure, n, variant in wanted:
        cells = [f"{peer} {summary.number(figures.median(figure, n, variant, peer))}" for peer in summary.ORDER
                 if figures.median(figure, n, variant, peer) is not None]
        if cells:
            rows.append([f"{figure}{', ' + variant if variant else ''}, N = {n:,}", ", ".join(cells)])
    return table(["figure", "medians"], rows)


def instructions(counts):
    operations = sorted({operation for peer in counts for operation in counts[peer]})
    rows = []
    for operation in operations:
        limit = goals.INSTRUCTIONS.get(operation)
        cells = []
        for peer in counts:
            value = counts[peer].get(operation)
            text = "" if value is None else f"{value:.0f}"
            cells.append(verdict(text, not (limit and value and peer == "weaktimer-host" and value > limit)))
        rows.append([operation, str(limit or "")] + cells)
    return table(["instructions at 1e5", "at most"] + list(counts), rows)


def main():
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    figures = summary.Figures(results["records"])
    parts = {"run": [f"Measured {results['date']} on {results['machine']}."], "ratios": ratios(figures), "alone": alone(figures, results["library"]),
             "costs": costs(figures), "others": others(figures), "instructions": instructions(results["instructions"])}
    page = pathlib.Path(sys.argv[2])
    text = page.read_text()
    for name, lines in parts.items():
        block = f"<!-- {name} -->\n" + "\n".join(lines) + f"\n<!-- end of {name} -->"
        text, found = re.subn(f"<!-- {name} -->.*?<!-- end of {name} -->", lambda _: block, text, flags=re.S)
        if not found:
            sys.exit(f"{page} has no marks for {name}")
    page.write_text(text)


if __name__ == "__main__":
    main()
