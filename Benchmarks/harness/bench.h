/* Shared tools of the workloads. */
#ifndef BENCH_H
#define BENCH_H

#include "peer.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define NS_PER_MS 1000000ull
#define NS_PER_S 1000000000ull

typedef struct bench_arguments {
    const char *workload;
    size_t n;
    uint64_t duration_ns;
    uint64_t tolerance_ns;
    uint64_t interval_ns;
} bench_arguments;

/* Each workload prints its figures with bench_report; the runner reads the line of JSON. */
void bench_report(const char *key, double value);

/* What bench_tick does during the workload at hand. */
typedef void (*bench_handler)(size_t i);
void bench_set_handler(bench_handler handler);
void bench_set_skip_handler(void (*handler)(size_t i, uint64_t ticks));

uint64_t bench_clock(clockid_t clock);
static inline uint64_t bench_now(void) { return bench_clock(CLOCK_MONOTONIC); }
static inline uint64_t bench_process_cpu(void) { return bench_clock(CLOCK_PROCESS_CPUTIME_ID); }
static inline uint64_t bench_thread_cpu(void) { return bench_clock(CLOCK_THREAD_CPUTIME_ID); }

/* Pseudo-random numbers of a fixed seed, so that every peer gets the same sequence. */
uint64_t bench_random(void);
static inline uint64_t bench_random_below(uint64_t bound) { return (uint64_t)(((__uint128_t)bench_random() * bound) >> 64); }
uint64_t *bench_random_delays(size_t count, uint64_t low_ns, uint64_t high_ns);
uint32_t *bench_permutation(size_t count);
uint32_t *bench_random_indices(size_t count, size_t bound);

double bench_percentile(uint64_t *values, size_t count, double fraction); /* sorts */
double bench_median(double *values, size_t count);                        /* sorts */
size_t bench_resident_bytes(void);
uint64_t bench_context_switches(void); /* voluntary, of all threads of the process */

/* Lets ticks come until *done, on this thread or on the library's own. */
void bench_run_until(atomic_bool *done);
/* Sleeps on this thread: with a library that has its own thread, or to let deadlines pass. */
void bench_sleep(uint64_t ns);

void *bench_allocate(size_t bytes); /* touched, so that it does not count as the library's memory later */
_Noreturn void bench_fail(const char *message);

void workload_operations(const bench_arguments *arguments);
void workload_fire(const bench_arguments *arguments);
void workload_fire_spread(const bench_arguments *arguments);
void workload_ticks(const bench_arguments *arguments);
void workload_lateness(const bench_arguments *arguments);
void workload_cross(const bench_arguments *arguments);
void workload_memory(const bench_arguments *arguments);
void workload_idle(const bench_arguments *arguments);
void workload_wakeups(const bench_arguments *arguments);
void workload_pause(const bench_arguments *arguments);
void workload_touch(const bench_arguments *arguments);

/* For callgrind: N operations inside functions named measured_*, collected with --toggle-collect. */
void workload_instructions(const bench_arguments *arguments);

#endif
