/* How long the library keeps a 1 ms timer waiting by its own work while n others, due over a minute, are live: what a user feels of
 * cascades, sorting and the like. A gap between two ticks counts by what it is longer than a millisecond, and by no more than the
 * CPU time that the thread used in it, so that other programs' turns do not count. */
#include "bench.h"

static size_t probe, background, probes, at_longest;
static uint64_t last_cpu, last_time, last_background, longest, end_at;
static uint64_t *gaps;
static atomic_bool done;
enum { GAPS_MOST = 100000 };

static void tick(size_t i) {
    if (i != probe) {
        background++;
        return;
    }
    uint64_t cpu = bench_thread_cpu(), now = bench_now();
    if (last_cpu && probes < GAPS_MOST) {
        uint64_t worked = cpu - last_cpu, passed = now - last_time;
        uint64_t gap = passed <= NS_PER_MS ? 0 : passed - NS_PER_MS;
        if (gap > worked) gap = worked;
        gaps[probes++] = gap;
        if (gap > longest) {
            longest = gap;
            at_longest = background - last_background;
        }
    }
    last_background = background;
    last_cpu = cpu;
    last_time = now;
    if (now >= end_at) atomic_store_explicit(&done, true, memory_order_release);
}

void workload_pause(const bench_arguments *arguments) {
    size_t n = arguments->n;
    uint64_t *delays = bench_random_delays(n, NS_PER_S, 60 * NS_PER_S);
    gaps = bench_allocate(GAPS_MOST * sizeof *gaps);
    probe = n;
    bench_set_handler(tick);
    peer_open(n + 1, false);
    for (size_t i = 0; i < n; i++) peer_start(i, delays[i]);
    peer_flush();
    end_at = bench_now() + arguments->duration_ns;
    peer_start_every(probe, NS_PER_MS);
    bench_run_until(&done);
    bench_report("longest_pause", (double)longest);
    bench_report("longest_pause_ticks", (double)at_longest);
    bench_report("pause_p999", bench_percentile(gaps, probes, 0.999));
    bench_report("pause_p50", bench_percentile(gaps, probes, 0.5));
}
