/* Operations at one N inside functions of their own, for `valgrind --tool=callgrind --toggle-collect=measured_…`. */
#include "bench.h"

static size_t n;
static uint64_t *delays;
static uint32_t *order;
static size_t fired;
static atomic_bool done;

#define MEASURED __attribute__((noinline))

static MEASURED void measured_schedule(void) {
    for (size_t i = 0; i < n; i++) peer_start(i, delays[i]);
    peer_flush();
}

static MEASURED void measured_cancel(void) {
    for (size_t i = 0; i < n; i++) peer_cancel(order[i]);
    peer_flush();
}

static MEASURED void measured_reschedule(void) {
    for (size_t i = 0; i < n; i++) peer_move(order[i], delays[i]);
}

static MEASURED void measured_reschedule_later(void) {
    for (size_t i = 0; i < n; i++) peer_move(order[i], 100000 * NS_PER_S);
}

static MEASURED void measured_fire_shuffled(void) {
    while (!atomic_load_explicit(&done, memory_order_relaxed)) peer_run_once(true);
}

static void count_tick(size_t i) {
    (void)i;
    if (++fired == n) atomic_store_explicit(&done, true, memory_order_relaxed);
}

void workload_instructions(const bench_arguments *arguments) {
    n = arguments->n;
    delays = bench_random_delays(n, 1000 * NS_PER_S, 60000 * NS_PER_S); /* valgrind is slow: none may fall due */
    order = bench_permutation(n);
    bench_set_handler(count_tick);
    peer_open(n, false);
    for (size_t i = 0; i < n; i++) { /* the memory's first use is no part of it */
        peer_start(i, delays[i]);
    }
    for (size_t i = 0; i < n; i++) peer_cancel(i);
    peer_flush();
    measured_schedule();
    if (peer_features & PEER_MOVES) {
        measured_reschedule();
        measured_reschedule_later();
    }
    measured_cancel();
    if (!(peer_features & PEER_OWN_THREAD)) {
        for (size_t i = 0; i < n; i++) peer_start(i, delays[i] % (10 * NS_PER_MS));
        bench_sleep(50 * NS_PER_MS);
        measured_fire_shuffled();
    }
}
