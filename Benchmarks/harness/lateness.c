/* How long after its ideal grid point each tick of a repeating timer comes. The grid is laid by the clock read just before the start
 * call. */
#include "bench.h"

enum { SAMPLES_MOST = 400000 };

static uint64_t interval, end_at;
static uint64_t *ideal, *samples;
static size_t taken, early;
static atomic_bool done;

static void skip(size_t i, uint64_t ticks) { ideal[i] += ticks * interval; }

static void take_sample(size_t i) {
    uint64_t now = bench_now();
    if (atomic_load_explicit(&done, memory_order_relaxed)) return;
    if (now < ideal[i]) early++;
    samples[taken++] = now < ideal[i] ? 0 : now - ideal[i];
    ideal[i] += interval;
    if (now >= end_at || taken == SAMPLES_MOST) atomic_store_explicit(&done, true, memory_order_release);
}

void workload_lateness(const bench_arguments *arguments) {
    size_t n = arguments->n;
    interval = arguments->interval_ns;
    ideal = bench_allocate((n + 1) * sizeof *ideal);
    samples = bench_allocate(SAMPLES_MOST * sizeof *samples);
    bench_set_handler(take_sample);
    bench_set_skip_handler(skip);
    peer_open(n + 1, false);
    if (!(peer_features & PEER_RAW)) { /* the grid is laid by a call whose code has been paged in */
        peer_start_every(n, 3600 * NS_PER_S);
        peer_cancel(n);
        peer_flush();
    }
    end_at = bench_now() + arguments->duration_ns;
    uint64_t cpu = bench_process_cpu();
    uint64_t begin = bench_now();
    for (size_t i = 0; i < n; i++) {
        /* Random phases by the moment of the start call, since not every peer has a first delay. */
        uint64_t at = begin + (i * interval + bench_random_below(interval)) / n;
        while (n > 1 && bench_now() < at) continue;
        ideal[i] = bench_now() + interval;
        peer_start_every(i, interval);
    }
    bench_run_until(&done);
    cpu = bench_process_cpu() - cpu;
    uint64_t sum_first = 0, sum_last = 0;
    size_t quarter = taken / 4;
    for (size_t k = 0; k < quarter; k++) {
        sum_first += samples[k];
        sum_last += samples[taken - 1 - k];
    }
    bench_report("lateness_drift", quarter ? ((double)sum_last - (double)sum_first) / (double)quarter : 0);
    bench_report("lateness_p50", bench_percentile(samples, taken, 0.50));
    bench_report("lateness_p90", bench_percentile(samples, taken, 0.90));
    bench_report("lateness_p99", bench_percentile(samples, taken, 0.99));
    bench_report("lateness_p999", bench_percentile(samples, taken, 0.999));
    bench_report("lateness_samples", (double)taken);
    bench_report("lateness_early", (double)early);
    bench_report("lateness_cpu_per_tick", (double)cpu / (double)(taken ? taken : 1));
}
