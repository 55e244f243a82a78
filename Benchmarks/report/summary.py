"""Medians, the table of figures and the table of ratios against the goals."""

import statistics

import goals

ORDER = ["weaktimer", "weaktimer-burst", "weaktimer-spin", "weaktimer-owned", "swift", "limit", "limit-1ms", "heap4", "timerfd", "libuv", "libuv-locked", "libevent", "libev",
         "glib", "asio", "libdispatch", "raw-epoll_pwait2", "raw-clock_nanosleep", "raw-timerfd"]


class Figures:
    """(figure, n, variant, peer) to {run: value}."""

    def __init__(self, records):
        self.values = {}
        for record in records:
            for figure, value in record["figures"].items():
                key = (figure, record["n"], record["variant"], record["peer"])
                self.values.setdefault(key, {})[record["run"]] = value

    def median(self, figure, n, variant, peer):
        runs = self.values.get((figure, n, variant, peer))
        return statistics.median(runs.values()) if runs else None

    def spread(self, figure, n, variant, peer):
        runs = sorted(self.values[(figure, n, variant, peer)].values())
        middle = statistics.median(runs)
        return (runs[-1] - runs[0]) / middle if middle else 0

    def ratio(self, goal, n):
        """Of each repetition's two figures, then the median: what the machine did to one it did to the other."""
        variant = goal.variant if goal.variant is not None else ""
        theirs_variant = goal.theirs_variant if goal.theirs_variant is not None else ""
        ours = self.values.get((goal.figure, n, variant, goal.ours), {})
        theirs = self.values.get((goal.against, n, theirs_variant, goal.peer), {})
        ratios = [ours[run] / theirs[run] for run in ours if run in theirs and theirs[run]]
        return statistics.median(ratios) if ratios else None

    def sizes(self, figure):
        return sorted({key[1] for key in self.values if key[0] == figure})


def mark(good):
    return "reached" if good else "MISSED"


def ratio_rows(figures):
    for goal in goals.GOALS:
        for n in figures.sizes(goal.figure):
            if goal.sizes and n not in goal.sizes:
                continue
            ratio = figures.ratio(goal, n)
            if ratio is not None:
                against = goal.peer if goal.against == goal.figure else f"{goal.peer} {goal.against}"
                yield f"{goal.figure:<28}{n:>9} {against:<26}{ratio:>8.2f} {goal.limit:>7.2f}  {mark(ratio <= goal.limit)}"


def bound_rows(figures):
    for bound in goals.BOUNDS:
        for n in figures.sizes(bound.figure):
            value = figures.median(bound.figure, n, bound.variant or "", bound.ours)
            if value is not None:
                good = value >= bound.limit if bound.at_least else value <= bound.limit
                sign = ">=" if bound.at_least else "<="
                yield f"{bound.figure:<28}{n:>9} {bound.ours:<26}{value:>8.1f} {sign} {bound.limit:<9g} {mark(good)}"
    for figure, limit in goals.SCALES:
        small, large = (figures.median(figure, n, "", "weaktimer") for n in (10_000, 1_000_000))
        if small and large:
            yield f"{figure + ', 1e6 against 1e4':<37} {'weaktimer':<26}{large / small:>8.2f} <= {limit:<9g} {mark(large / small <= limit)}"
    for figure, limit, more in added(figures):
        yield f"{figure + ', ns that Swift adds':<37} {'swift':<26}{more:>8.1f} <= {limit:<9g} {mark(more <= limit)}"


def added(figures):
    """What the Swift layer adds to a C timer that owns an allocated context, as a Swift timer owns its closure: (figure, limit, ns)."""
    for figure, limit in goals.ADDED:
        ours = figures.values.get((figure, 10_000, "", "weaktimer-owned"), {})
        swift = figures.values.get((figure, 10_000, "", "swift"), {})
        both = [swift[run] - ours[run] for run in ours if run in swift]
        if both:
            yield figure, limit, statistics.median(both)


def instruction_rows(counts):
    peers = list(counts)
    operations = sorted({operation for peer in peers for operation in counts[peer]})
    yield f"{'instructions, N = 100,000':<28}" + "".join(f"{peer:>16}" for peer in peers) + f"{'budget':>10}"
    for operation in operations:
        cells = "".join(f"{counts[peer][operation]:>16.0f}" if operation in counts[peer] else f"{'-':>16}" for peer in peers)
        limit = goals.INSTRUCTIONS.get(operation)
        ours = counts.get("weaktimer-host", {}).get(operation)
        verdict = mark(ours <= limit) if limit and ours else ""
        yield f"{operation:<28}{cells}{limit or '-':>10}  {verdict}"


def library_rows(library):
    for key, limit in goals.LIBRARY.items():
        if key in library:
            yield f"{'library ' + key:<37} {'weaktimer':<26}{library[key]:>8.0f} <= {limit:<9g} {mark(library[key] <= limit)}"
    yield f"{'library needs':<37} {library['needs']:<26}"


def number(value):
    return f"{value:.1f}" if abs(value) < 100 else f"{value:,.0f}"


def figure_rows(figures):
    keys = sorted({key[:3] for key in figures.values}, key=lambda key: (key[0], key[2], key[1]))
    for figure, n, variant in keys:
        cells = []
        for peer in ORDER:
            value = figures.median(figure, n, variant, peer)
            if value is not None:
                cells.append(f"{peer} {number(value)} (±{50 * figures.spread(figure, n, variant, peer):.0f}%)")
        yield f"{figure} n={n} {variant}".rstrip() + ": " + ", ".join(cells)


def report(results):
    figures = Figures(results["records"])
    lines = [f"{results['date']}; {results['machine']}", results["command"], ""]
    ratios = list(ratio_rows(figures))
    if ratios:
        lines += [f"{'figure':<28}{'N':>9} {'against':<26}{'ratio':>8} {'goal':>7}"] + ratios + [""]
    bounds = list(bound_rows(figures)) + (list(library_rows(results["library"])) if results.get("library") else [])
    if bounds:
        lines += ["alone"] + bounds + [""]
    if results["instructions"]:
        lines += list(instruction_rows(results["instructions"])) + [""]
    lines += ["medians (half the spread between the runs); times in ns of CPU per operation unless the name says otherwise"]
    lines += list(figure_rows(figures))
    if results["failures"]:
        lines += ["", "not measured"] + [f"{key}: {why}" for key, why in results["failures"].items()]
    return "\n".join(lines) + "\n"
