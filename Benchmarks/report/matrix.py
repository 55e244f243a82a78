"""Which workloads run with which peers, and at which N."""

OURS = ["weaktimer"]
LOOPS = ["libuv", "libevent", "libev", "glib", "asio", "libdispatch"]
PLAIN = ["limit", "heap4", "timerfd"]
RAW = ["raw-epoll_pwait2", "raw-clock_nanosleep", "raw-timerfd"]
ALL = OURS + ["weaktimer-owned", "swift"] + PLAIN + LOOPS  # the Swift API through its own driver
QUICK_PEERS = set(OURS + RAW + ["swift", "weaktimer-owned", "weaktimer-spin", "weaktimer-burst", "limit", "limit-1ms", "libuv", "libuv-locked", "libev", "libevent"])
LARGEST_N = {"timerfd": 10_000}


# These hardly differ between runs: two are enough, whatever the number of runs.
STEADY = {"memory", "idle", "wakeups"}
# The slow ones take most of the time at a million timers, and no goal needs them to the last per cent: three runs there.
SLOW = {"glib", "asio", "libdispatch", "libevent", "heap4", "swift"}


class Job:
    """One call of one program, repeated and alternated by the runner."""

    def __init__(self, peer, workload, n, variant="", **arguments):
        self.peer, self.workload, self.n, self.variant, self.arguments = peer, workload, n, variant, arguments
        self.runs_most = 2 if workload in STEADY else 3 if peer in SLOW and n >= 1_000_000 else 100

    def command(self, folder):
        words = [f"{folder}/bench-{self.peer}", self.workload, f"n={self.n}"]
        return words + [f"{key}={value}" for key, value in self.arguments.items()]


def groups(quick, ns, largest):
    """Lists of jobs: the members of a group are run one after the other, so that they share the machine's mood."""
    sizes = ns or ([10_000, 100_000] if quick else [1_000, 10_000, 100_000, 1_000_000])
    seconds = 1 if quick else 3
    result = []

    def group(workload, n, peers, variant="", **arguments):
        peers = [peer for peer in peers if n <= LARGEST_N.get(peer, n)]
        result.append([Job(peer, workload, n, variant, **arguments) for peer in peers])

    for n in sizes:
        group("operations", n, ALL)
    for n in sizes:
        group("touch", n, ["limit"])
    for n in sizes:
        group("fire", n, ["weaktimer", "weaktimer-owned", "swift", "limit", "heap4", "libuv", "libevent", "libev", "glib", "asio", "libdispatch"])
    if largest:
        group("operations", 10_000_000, ["weaktimer", "limit"])
    group("fire_spread", 100_000, ["weaktimer", "limit", "limit-1ms", "libuv", "libev", "libevent", "libdispatch"])
    group("fire_spread", 100_000, ["weaktimer", "libdispatch"], "tolerance 5 ms", tolerance_us=5000)
    group("ticks", 10_000, ["weaktimer", "weaktimer-burst", "swift", "limit", "limit-1ms", "heap4", "libuv", "libevent", "libev", "glib", "asio", "libdispatch", "timerfd"],
          duration_ms=seconds * 1000)
    lateness = RAW + ["weaktimer", "weaktimer-spin", "limit", "libuv", "libevent", "libev", "asio", "libdispatch", "timerfd"]
    group("lateness", 1, lateness, "1 ms", interval_us=1000, duration_ms=1000)
    group("lateness", 1000, ["weaktimer", "limit", "libuv", "libevent", "libev", "asio", "libdispatch", "timerfd"], "10 ms",
          interval_us=10000, duration_ms=1000)
    group("cross", 10_000, ["weaktimer", "swift", "limit", "heap4", "libuv-locked", "libevent", "glib", "asio", "libdispatch", "timerfd"])
    group("memory", 1_000_000, ["weaktimer", "swift", "limit", "heap4", "libuv", "libevent", "libev", "glib", "asio", "libdispatch"])
    group("idle", 100_000, ["weaktimer", "limit", "libuv", "libev"])
    group("wakeups", 10_000, ["weaktimer", "libdispatch"], "1 s, 10 %", interval_us=1_000_000, tolerance_us=100_000, duration_ms=2000)
    if not quick:
        for tolerance_ms in (0, 1, 2, 5, 10, 20, 50, 100, 200, 400):
            group("wakeups", 1000, ["weaktimer", "libdispatch"], f"tolerance {tolerance_ms} ms",
                  interval_us=1_000_000, tolerance_us=tolerance_ms * 1000, duration_ms=2000)
    group("pause", 1_000_000, ["weaktimer", "limit", "libev"], duration_ms=20_000)
    return [jobs for jobs in result if jobs]
