"""The ratios to reach. A goal compares our figure with a peer's in the same repetition, and takes the median of the ratios."""

RANDOM = [1_000, 10_000, 100_000]
MILLION = [1_000_000]
EVERY = RANDOM + MILLION


class Goal:
    def __init__(self, figure, limit, peer="limit", against=None, sizes=None, ours="weaktimer", variant=None, theirs_variant=None):
        self.figure, self.limit, self.peer, self.against = figure, limit, peer, against or figure
        self.sizes, self.ours, self.variant = sizes, ours, variant
        self.theirs_variant = variant if theirs_variant is None else theirs_variant


class Bound:
    """A figure of ours alone."""

    def __init__(self, figure, limit, ours="weaktimer", at_least=False, variant=None):
        self.figure, self.limit, self.ours, self.at_least, self.variant = figure, limit, ours, at_least, variant


GOALS = [
    Goal("schedule", 1.15),
    Goal("schedule", 0.9, "libuv"),
    Goal("schedule_cold", 0.5, "libuv"),
    Goal("schedule_tolerant", 0.75, against="schedule"),
    Goal("schedule_absolute", 0.75, against="schedule"),
    Goal("cancel", 1.15),
    Goal("cancel", 0.3, "libuv"),
    Goal("churn", 1.15, sizes=RANDOM),
    Goal("churn", 1.1, sizes=MILLION),
    Goal("churn", 0.55, "libuv", sizes=[1_000, 10_000]),
    Goal("churn", 0.35, "libuv", sizes=[100_000, 1_000_000]),
    Goal("churn", 1.0, "libevent"),
    Goal("churn", 1.0, "glib"),
    Goal("churn", 1.0, "asio"),
    Goal("churn", 1.0, "libdispatch"),
    Goal("churn", 1.0, "heap4"),
    Goal("reschedule", 1.15, sizes=RANDOM),
    Goal("reschedule", 1.1, sizes=MILLION),
    Goal("reschedule_later", 0.8),
    Goal("reschedule_later_absolute", 0.4, against="reschedule_later"),
    Goal("reschedule_later_tolerant", 0.4, against="reschedule_later"),
    Goal("fire", 1.3),
    Goal("fire", 0.2, "libuv"),
    Goal("fire", 0.4, "libev"),
    Goal("fire_in_order", 1.3),
    Goal("fire_spread_tolerant", 1.2, "limit-1ms", against="fire_spread", variant="tolerance 5 ms", theirs_variant=""),
    Goal("ticks_cpu", 1.2),
    Goal("ticks_cpu", 1.0, "libev"),
    Goal("lateness_p50", 1.1, "raw-epoll_pwait2", variant="1 ms"),
    Goal("lateness_p99", 1.25, "raw-epoll_pwait2", variant="1 ms"),
    Goal("cross", 1.15),
    Goal("cross", 0.5, "libuv-locked"),
]

BOUNDS = [
    Bound("ticks_delivered_percent", 99.95, at_least=True),
    Bound("ticks_delivered_percent", 99.95, "weaktimer-burst", at_least=True),
    Bound("lateness_early", 0, variant="1 ms"),
    Bound("lateness_p50", 1_000, "weaktimer-spin", variant="1 ms"),
    Bound("lateness_p99", 5_000, "weaktimer-spin", variant="1 ms"),
    Bound("wakeups_per_second", 16, variant="1 s, 10 %"),
    Bound("cross_switches_per_1000", 0.5),
    Bound("bytes", 64.5),
    Bound("idle_wakeups_none", 0),
    Bound("idle_wakeups", 0),
    Bound("longest_pause", 1_000_000),
]

# Cost at a million against ten thousand, for random access and for access in order.
SCALES = [("churn", 2.5), ("cancel", 2.5), ("reschedule", 2.5), ("schedule_cold", 1.3), ("fire_in_order", 1.3)]

# What the Swift layer adds to the C call at most, in ns, with ten thousand timers.
ADDED = [("cancel", 15), ("reschedule", 15)]

# Of the shipped library: bytes stripped, and microseconds to load it.
LIBRARY = {"stripped_bytes": 150_000, "load_us": 200}

INSTRUCTIONS = {"schedule": 220, "cancel": 140, "reschedule": 200}
