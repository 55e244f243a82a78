/* N repeating timers for some seconds: of each one's ideal ticks in that time, how many came (a tick that stands for several counts
 * once), and the CPU time per million. Late ones have another 50 ms to come. */
#include "bench.h"

static const uint64_t GRACE_NS = 50 * NS_PER_MS;

static uint32_t *position, quota;
static atomic_size_t delivered, callbacks;
static atomic_bool done;
static uint64_t end_at;

static void count_tick(size_t i) {
    size_t count = atomic_load_explicit(&delivered, memory_order_relaxed);
    atomic_store_explicit(&callbacks, atomic_load_explicit(&callbacks, memory_order_relaxed) + 1, memory_order_relaxed);
    if (position[i]++ < quota) atomic_store_explicit(&delivered, count + 1, memory_order_relaxed);
    if (!(peer_features & PEER_OWN_THREAD) && i == 0 && bench_now() >= end_at)
        atomic_store_explicit(&done, true, memory_order_relaxed);
}

static void skip(size_t i, uint64_t ticks) { position[i] += (uint32_t)ticks; }

void workload_ticks(const bench_arguments *arguments) {
    size_t n = arguments->n;
    position = bench_allocate(n * sizeof *position);
    quota = (uint32_t)(arguments->duration_ns / arguments->interval_ns);
    bench_set_handler(count_tick);
    bench_set_skip_handler(skip);
    peer_open(n, false);
    uint64_t cpu = bench_process_cpu(), switches = bench_context_switches(), begin = bench_now();
    for (size_t i = 0; i < n; i++) {
        position[i] = 0;
        peer_start_every(i, arguments->interval_ns);
    }
    end_at = bench_now() + arguments->duration_ns + GRACE_NS;
    if (peer_features & PEER_OWN_THREAD) bench_sleep(end_at - bench_now());
    else bench_run_until(&done);
    cpu = bench_process_cpu() - cpu;
    double elapsed = (double)(bench_now() - begin);
    bench_report("ticks_delivered_percent", 100.0 * (double)atomic_load(&delivered) / ((double)n * quota));
    bench_report("ticks_cpu", (double)cpu / (double)atomic_load(&callbacks));
    bench_report("ticks_wakeups_per_second", (double)(bench_context_switches() - switches) * 1e9 / elapsed);
}
