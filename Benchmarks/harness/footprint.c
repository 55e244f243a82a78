/* What live timers cost while nothing happens: memory, wake-ups, CPU; and how far tolerance lowers the wake-ups. */
#include "bench.h"

#include <pthread.h>

static const uint64_t HOUR_NS = 3600 * NS_PER_S;

static void *run_loop(void *unused) {
    (void)unused;
    for (;;) peer_run_once(true);
    return NULL;
}

static void run_in_background(void) {
    pthread_t loop;
    if (!(peer_features & PEER_OWN_THREAD) && pthread_create(&loop, NULL, run_loop, NULL) != 0) bench_fail("no thread");
    bench_sleep(100 * NS_PER_MS);
}

/* Voluntary switches of a second, less this thread's own two (reading /proc does not block; the sleep does). */
static double wakeups_in(uint64_t duration_ns, double *out_cpu_ns) {
    uint64_t cpu = bench_process_cpu(), switches = bench_context_switches();
    bench_sleep(duration_ns);
    uint64_t after = bench_context_switches();
    *out_cpu_ns = (double)(bench_process_cpu() - cpu);
    return after - switches <= 1 ? 0 : (double)(after - switches - 1);
}

void workload_memory(const bench_arguments *arguments) {
    size_t n = arguments->n;
    uint64_t *delays = bench_random_delays(n, HOUR_NS, 2 * HOUR_NS);
    peer_open(n, false);
    peer_start(0, HOUR_NS);
    peer_cancel(0);
    peer_flush();
    size_t before = bench_resident_bytes();
    for (size_t i = 0; i < n; i++) peer_start(i, delays[i]);
    bench_report("bytes", (double)(bench_resident_bytes() - before) / (double)n);
}

void workload_idle(const bench_arguments *arguments) {
    double cpu;
    peer_open(arguments->n, !(peer_features & PEER_OWN_THREAD));
    peer_start(0, HOUR_NS);
    peer_cancel(0);
    peer_flush();
    if (peer_features & PEER_OWN_THREAD) {
        run_in_background();
        bench_report("idle_wakeups_none", wakeups_in(NS_PER_S, &cpu));
        bench_report("idle_cpu_none", cpu);
    }
    for (size_t i = 0; i < arguments->n; i++) peer_start(i, HOUR_NS + i * 1000);
    run_in_background();
    bench_report("idle_wakeups", wakeups_in(NS_PER_S, &cpu));
    bench_report("idle_cpu", cpu);
}

void workload_wakeups(const bench_arguments *arguments) {
    double cpu;
    uint64_t gap = arguments->interval_ns / arguments->n;
    if (arguments->tolerance_ns && !(peer_features & PEER_TOLERANCE)) bench_fail("no tolerance here");
    peer_open(arguments->n, false);
    uint64_t begin = bench_now();
    for (size_t i = 0; i < arguments->n; i++) {
        /* Phases spread evenly over the interval by the moment of the start call. */
        uint64_t at = begin + i * gap, now = bench_now();
        if (now < at) bench_sleep(at - now);
        if (arguments->tolerance_ns) peer_start_every_tolerant(i, arguments->interval_ns, arguments->tolerance_ns);
        else peer_start_every(i, arguments->interval_ns);
    }
    run_in_background();
    bench_sleep(arguments->interval_ns);
    double wakeups = wakeups_in(arguments->duration_ns, &cpu);
    bench_report("wakeups_per_second", wakeups * 1e9 / (double)arguments->duration_ns);
    bench_report("wakeups_cpu_percent", 100 * cpu / (double)arguments->duration_ns);
}
