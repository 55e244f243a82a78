"""SVG plots of results.json: python3 plots.py RESULTS.JSON FOLDER"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams.update({"svg.hashsalt": "weaktimer", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
                            "axes.spines.top": False, "axes.spines.right": False, "figure.figsize": (6.4, 4.0)})

import matplotlib.pyplot as plt

import summary

STYLE = {"weaktimer": ("#c1121f", "o", 2.4), "limit": ("#111111", "x", 1.4), "libuv": ("#1f77b4", "s", 1.2), "libevent": ("#2ca02c", "^", 1.2),
         "libev": ("#9467bd", "v", 1.2), "glib": ("#8c564b", "D", 1.2), "asio": ("#e377c2", "P", 1.2), "libdispatch": ("#ff7f0e", "*", 1.2),
         "heap4": ("#7f7f7f", ".", 1.0), "timerfd": ("#17becf", "+", 1.0), "swift": ("#f4a261", "o", 1.6)}
TITLES = {"schedule": "Schedule a one-shot (warm)", "schedule_cold": "Schedule a one-shot (first use of the memory)", "cancel": "Cancel in random order",
          "churn": "Cancel a random one and schedule a new one", "reschedule": "Reschedule a random one", "fire": "Fire, already due, shuffled deadlines"}


def save(figure, folder, name):
    path = folder / f"{name}.svg"
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
    # One line a file: plots are pictures to git, not text.
    path.write_text(" ".join(path.read_text().split()) + "\n")


def cost_against_n(figures, name, folder):
    figure, axes = plt.subplots()
    for peer, (colour, marker, width) in STYLE.items():
        points = [(n, figures.median(name, n, "", peer)) for n in figures.sizes(name)]
        points = [(n, value) for n, value in points if value]
        if points:
            axes.plot(*zip(*points), color=colour, marker=marker, linewidth=width, markersize=5, label=peer)
    if not axes.lines:
        plt.close(figure)
        return
    axes.set(xscale="log", yscale="log", xlabel="live timers", ylabel="ns of CPU per operation", title=TITLES[name])
    axes.legend(fontsize=7, ncols=2)
    save(figure, folder, name)


def lateness(figures, folder):
    peers = ["raw-epoll_pwait2", "weaktimer", "weaktimer-spin", "limit", "asio", "timerfd", "libdispatch", "libevent", "libev", "libuv"]
    marks = [("lateness_p50", 50), ("lateness_p90", 90), ("lateness_p99", 99), ("lateness_p999", 99.9)]
    figure, axes = plt.subplots()
    for peer in peers:
        values = [figures.median(key, 1, "1 ms", peer) for key, _ in marks]
        if all(value is not None for value in values):
            colour, marker, width = STYLE.get(peer, ("#555555", ".", 1.2))
            axes.plot([str(mark) for _, mark in marks], [max(value, 10) / 1000 for value in values], marker=marker, linewidth=width, label=peer,
                      color=colour, linestyle="--" if peer.startswith("raw") or peer.endswith("spin") else "-")
    if axes.lines:
        axes.set(yscale="log", xlabel="percentile", ylabel="us after the ideal grid", title="Lateness of one 1 ms timer")
        axes.legend(fontsize=7, ncols=2)
        save(figure, folder, "lateness")
    else:
        plt.close(figure)


def wakeups(figures, folder):
    figure, axes = plt.subplots()
    for peer in ("weaktimer", "libdispatch"):
        points = []
        for _, n, variant, who in figures.values:
            if _ == "wakeups_per_second" and who == peer and variant.startswith("tolerance"):
                points.append((float(variant.split()[1]), figures.median(_, n, variant, peer)))
        if points:
            colour, marker, width = STYLE[peer]
            axes.plot(*zip(*sorted(points)), color=colour, marker=marker, linewidth=width, label=peer)
    if axes.lines:
        axes.set(xscale="symlog", yscale="log", xlabel="tolerance, ms", ylabel="wake-ups a second",
                 title="1,000 repeating timers of 1 s, phases spread evenly")
        axes.legend(fontsize=7)
        save(figure, folder, "wakeups")
    else:
        plt.close(figure)


def bars(figures, folder, figure_name, n, variant, title, unit, file_name):
    peers = [peer for peer in summary.ORDER if figures.median(figure_name, n, variant, peer) is not None]
    if not peers:
        return
    figure, axes = plt.subplots(figsize=(6.4, 0.35 * len(peers) + 1))
    values = [figures.median(figure_name, n, variant, peer) for peer in peers]
    drawn = axes.barh(peers, values, color=[STYLE.get(peer, ("#777777",))[0] for peer in peers])
    axes.bar_label(drawn, [summary.number(value) for value in values], padding=3, fontsize=7)
    axes.invert_yaxis()
    axes.set(xlabel=unit, title=title)
    save(figure, folder, file_name)


def draw(results, folder):
    figures = summary.Figures(results["records"])
    for name in TITLES:
        cost_against_n(figures, name, folder)
    lateness(figures, folder)
    wakeups(figures, folder)
    bars(figures, folder, "bytes", 1_000_000, "", "Resident memory per live timer, a million of them", "bytes", "memory")
    bars(figures, folder, "ticks_cpu", 10_000, "", "10,000 repeating timers of 1 ms", "ns of CPU per tick delivered", "ticks")
    bars(figures, folder, "cross", 10_000, "", "Cancel and schedule while another thread fires", "ns of CPU per pair", "cross")


if __name__ == "__main__":
    draw(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))
