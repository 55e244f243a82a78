/* The least that an operation on a random timer can cost on this machine, without any library: a handle is read, and the line that it
 * names is looked at and written to. `touch` does no more; `touch_locked` holds a spin lock meanwhile, which is an exchange and a store; and
 * `touch_clock` reads the clock first, as a deadline that is given as a delay needs. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, TOUCHES_WANTED = 1000000 };

typedef struct line {
    uint64_t name, words[7];
} line;

static size_t n;
static line *lines;
static uint64_t *handles;
static uint32_t *order;
static atomic_uint lock;

static inline void touch(size_t i, uint64_t value) {
    line *at = &lines[handles[order[i]]];
    if (at->name != handles[order[i]]) bench_fail("a line has lost its name");
    at->words[0] = value;
    at->words[3] = value;
}

static inline void touch_locked(size_t i, uint64_t value) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {}
    touch(i, value);
    atomic_store_explicit(&lock, 0, memory_order_release);
}

static void plain(size_t i) { touch(i, i); }
static void locked(size_t i) { touch_locked(i, i); }
static void with_clock(size_t i) { touch_locked(i, bench_now()); }

static inline __attribute__((always_inline)) void measure(void (*operation)(size_t), const char *key) {
    double costs[ROUNDS];
    size_t passes = n < TOUCHES_WANTED ? TOUCHES_WANTED / n : 1;
    for (size_t round = 0; round < ROUNDS; round++) {
        uint64_t began = bench_process_cpu();
        for (size_t pass = 0; pass < passes; pass++)
            for (size_t i = 0; i < n; i++) operation(i);
        costs[round] = (double)(bench_process_cpu() - began) / (double)(n * passes);
    }
    bench_report(key, bench_median(costs, ROUNDS));
}

void workload_touch(const bench_arguments *arguments) {
    n = arguments->n;
    lines = aligned_alloc(64, n * sizeof *lines);
    handles = bench_allocate(n * sizeof *handles);
    order = bench_permutation(n);
    if (!lines) bench_fail("no memory");
    memset(lines, 0, n * sizeof *lines);
    for (size_t i = 0; i < n; i++) lines[i].name = handles[i] = i;
    measure(plain, "touch");
    measure(locked, "touch_locked");
    measure(with_clock, "touch_clock");
}
