/* CPU time per callback: N one-shots that are all due when the pass begins, in order or with deadlines shuffled over 10 ms, and N that
 * fall due over 200 ms. The time from the last start call on counts, so work that a library does ahead of its callbacks is not lost. */
#include "bench.h"

#include <semaphore.h>

static size_t n;
static atomic_size_t fired;
static atomic_bool done, gate_entered;
static sem_t gate;
static uint64_t cpu_begin, cpu_end;

static void count_tick(size_t i) {
    (void)i;
    if (atomic_fetch_add_explicit(&fired, 1, memory_order_relaxed) + 1 == n) {
        cpu_end = bench_process_cpu();
        atomic_store_explicit(&done, true, memory_order_release);
    }
}

/* Timer n holds the library's own thread in its callback until all others are due. */
static void gated_tick(size_t i) {
    if (i != n) {
        /* One thread delivers, so a plain count will do; an atomic one would cost as much as some peers' whole tick. */
        size_t count = atomic_load_explicit(&fired, memory_order_relaxed) + 1;
        atomic_store_explicit(&fired, count, memory_order_relaxed);
        if (count == n) {
            cpu_end = bench_process_cpu();
            atomic_store_explicit(&done, true, memory_order_release);
        }
        return;
    }
    atomic_store(&gate_entered, true);
    while (sem_wait(&gate) != 0) continue;
}

static double run_fire(size_t count, const uint64_t *delays) {
    bool own_thread = peer_features & PEER_OWN_THREAD;
    n = count;
    atomic_store(&fired, 0);
    atomic_store(&done, false);
    atomic_store(&gate_entered, false);
    if (own_thread) {
        peer_start(n, 0);
        while (!atomic_load(&gate_entered)) bench_sleep(NS_PER_MS / 10);
    }
    for (size_t i = 0; i < n; i++) peer_start(i, delays ? delays[i] : 0);
    cpu_begin = bench_process_cpu();
    bench_sleep(20 * NS_PER_MS);
    if (own_thread) sem_post(&gate);
    bench_run_until(&done);
    for (size_t i = 0; (peer_features & PEER_KEEPS_FIRED) && i < count + own_thread; i++) peer_cancel(i);
    peer_flush();
    return (double)(cpu_end - cpu_begin) / (double)count;
}

void workload_fire(const bench_arguments *arguments) {
    size_t count = arguments->n, rounds = 500000 / count;
    double in_order[101], shuffled[101];
    rounds = rounds < 3 ? 3 : rounds > 101 ? 101 : rounds;
    uint64_t *delays = bench_random_delays(count, 0, 10 * NS_PER_MS);
    sem_init(&gate, 0, 0);
    bench_set_handler(gated_tick);
    peer_open(count + 1, false);
    for (size_t round = 0; round < rounds; round++) in_order[round] = run_fire(count, NULL);
    for (size_t round = 0; round < rounds; round++) shuffled[round] = run_fire(count, delays);
    bench_report("fire", bench_median(shuffled, rounds));
    bench_report("fire_in_order", bench_median(in_order, rounds));
}

void workload_fire_spread(const bench_arguments *arguments) {
    bool tolerant = arguments->tolerance_ns != 0;
    n = arguments->n;
    if (tolerant && !(peer_features & PEER_TOLERANCE)) bench_fail("no tolerance here");
    uint64_t *delays = bench_random_delays(n, 100 * NS_PER_MS, 300 * NS_PER_MS);
    bench_set_handler(count_tick);
    peer_open(n + 1, false);
    uint64_t switches = bench_context_switches();
    for (size_t i = 0; i < n; i++)
        if (tolerant) peer_start_tolerant(i, delays[i], arguments->tolerance_ns);
        else peer_start(i, delays[i]);
    peer_flush();
    cpu_begin = bench_process_cpu();
    bench_run_until(&done);
    bench_report(tolerant ? "fire_spread_tolerant" : "fire_spread", (double)(cpu_end - cpu_begin) / (double)n);
    bench_report(tolerant ? "spread_wakeups_tolerant" : "spread_wakeups", (double)(bench_context_switches() - switches));
}
