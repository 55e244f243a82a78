/* Cancel-and-schedule pairs from one thread and from two, while the library's thread (or, for a loop, a thread that runs it) fires
 * 100 timers of 1 ms. */
#define _GNU_SOURCE
#include "bench.h"

#include <pthread.h>
#include <sys/resource.h>

enum { HOT = 100 };

typedef struct worker {
    size_t first, count, pairs;
    uint64_t cpu_ns, wall_ns, switches;
    const uint64_t *delays;
    const uint32_t *picks;
    size_t pick_count;
} worker;

static atomic_bool stop;

static void *run_loop(void *unused) {
    (void)unused;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) peer_run_once(true);
    return NULL;
}

static void *churn(void *context) {
    worker *w = context;
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    uint64_t cpu = bench_thread_cpu(), wall = bench_now();
    for (size_t k = 0; k < w->pairs; k++) {
        size_t i = w->first + w->picks[k % w->pick_count] % w->count;
        peer_cancel(i);
        peer_start(i, w->delays[k % w->pick_count]);
    }
    w->cpu_ns = bench_thread_cpu() - cpu;
    w->wall_ns = bench_now() - wall;
    getrusage(RUSAGE_THREAD, &after);
    w->switches = (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
    return NULL;
}

void workload_cross(const bench_arguments *arguments) {
    size_t n = arguments->n;
    pthread_t loop, second;
    if (!(peer_features & PEER_THREAD_SAFE)) bench_fail("not allowed: one thread only");
    size_t pick_count = 200000;
    uint64_t *delays = bench_random_delays(pick_count, 10 * NS_PER_S, 60 * NS_PER_S);
    uint32_t *picks = bench_random_indices(pick_count, n);
    peer_open(n + HOT, true);
    if (!(peer_features & PEER_OWN_THREAD) && pthread_create(&loop, NULL, run_loop, NULL) != 0) bench_fail("no thread");
    for (size_t i = 0; i < n; i++) peer_start(i, delays[i % pick_count]);
    for (size_t i = 0; i < HOT; i++) peer_start_every(n + i, NS_PER_MS);

    worker one = { .first = 0, .count = n, .pairs = 2 * pick_count, .delays = delays, .picks = picks, .pick_count = pick_count };
    churn(&one);
    bench_report("cross", (double)one.cpu_ns / (double)one.pairs);
    bench_report("cross_wall", (double)one.wall_ns / (double)one.pairs);
    bench_report("cross_switches_per_1000", 1000.0 * (double)one.switches / (double)one.pairs);

    worker a = one, b = one;
    a.count = b.count = n / 2;
    b.first = n / 2;
    uint64_t wall = bench_now();
    if (pthread_create(&second, NULL, churn, &b) != 0) bench_fail("no thread");
    churn(&a);
    pthread_join(second, NULL);
    wall = bench_now() - wall;
    bench_report("cross2", (double)(a.cpu_ns + b.cpu_ns) / (double)(a.pairs + b.pairs));
    bench_report("cross2_pairs_per_us", (double)(a.pairs + b.pairs) * 1000.0 / (double)wall);
    bench_report("cross2_fairness",
                 (double)(a.cpu_ns < b.cpu_ns ? a.cpu_ns : b.cpu_ns) / (double)(a.cpu_ns < b.cpu_ns ? b.cpu_ns : a.cpu_ns));
    bench_report("cross2_switches_per_1000", 1000.0 * (double)(a.switches + b.switches) / (double)(a.pairs + b.pairs));
}
