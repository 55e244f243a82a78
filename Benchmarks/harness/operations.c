/* schedule (cold, warm, absolute, with tolerance), cancel, churn and reschedule, at one N, as CPU time of the whole process:
 * work that a library hands to a thread of its own counts, and a busy machine does not. Deadlines lie over 59 seconds, the first far enough ahead
 * that none falls due while it is measured, also on a busy machine. */
#include "bench.h"

#include <stdlib.h>

enum { ROUNDS_MOST = 401, OPERATIONS_WANTED = 400000 };
static const uint64_t FIRST_NS = 40 * NS_PER_S, LAST_NS = 99 * NS_PER_S;
static const uint64_t PHASE_MOST_NS = 600 * NS_PER_MS;
static const uint64_t TOLERANCE_NS = 10 * NS_PER_MS;

static size_t n, rounds;
static uint64_t *delays;
static uint32_t *order, *picks;
static size_t pick_count;

typedef enum { RELATIVE, ABSOLUTE, TOLERANT } manner;

static void schedule_all(manner how, const uint64_t *delay) {
    uint64_t base = how == ABSOLUTE ? bench_now() : 0;
    for (size_t i = 0; i < n; i++) {
        if (how == RELATIVE) peer_start(i, delay[i]);
        else if (how == ABSOLUTE) peer_start_at(i, base + delay[i]);
        else peer_start_tolerant(i, delay[i], TOLERANCE_NS);
    }
    peer_flush();
}

static void cancel_all(void) {
    for (size_t i = 0; i < n; i++) peer_cancel(order[i]);
    peer_flush();
}

/* Rounds of schedule and cancel: the median round is the figure. The cancels are reported for the relative ones. */
static void measure_schedule(manner how, const char *key, const char *cancel_key) {
    double schedules[ROUNDS_MOST], cancels[ROUNDS_MOST];
    for (size_t round = 0; round < rounds; round++) {
        uint64_t t0 = bench_process_cpu();
        schedule_all(how, delays);
        uint64_t t1 = bench_process_cpu();
        cancel_all();
        uint64_t t2 = bench_process_cpu();
        schedules[round] = (double)(t1 - t0) / (double)n;
        cancels[round] = (double)(t2 - t1) / (double)n;
    }
    bench_report(key, bench_median(schedules, rounds));
    if (cancel_key) bench_report(cancel_key, bench_median(cancels, rounds));
}

typedef void (*operation)(size_t i, uint64_t delay_ns, uint64_t base);

static void churn(size_t i, uint64_t delay_ns, uint64_t base) {
    (void)base;
    peer_cancel(i);
    peer_start(i, delay_ns);
}
static void move(size_t i, uint64_t delay_ns, uint64_t base) {
    (void)base;
    peer_move(i, delay_ns);
}
static void move_at(size_t i, uint64_t delay_ns, uint64_t base) { peer_move_at(i, base + delay_ns); }
static void move_tolerant(size_t i, uint64_t delay_ns, uint64_t base) {
    (void)base;
    peer_move_tolerant(i, delay_ns);
}

/* The operation on random live timers, in slices; the median slice is the figure. `later` is the timeout that is pushed back: the same
 * delay each time, beyond all first deadlines, so that no deadline ever moves back. */
static void measure(manner how, operation run, bool later, const char *key) {
    enum { SLICES = 40 };
    double slices[SLICES];
    size_t done = 0, slice = 0, each = pick_count / SLICES;
    uint64_t base = bench_now(), last = base + PHASE_MOST_NS;
    schedule_all(how == TOLERANT ? TOLERANT : RELATIVE, delays);
    for (; slice < SLICES && (slice < 4 || bench_now() < last); slice++) {
        uint64_t t0 = bench_process_cpu();
        for (size_t k = 0; k < each; k++, done++) {
            uint64_t later_ns = LAST_NS + (how == ABSOLUTE ? done * 50 : 0);
            run(picks[done], later ? later_ns : delays[done % n], base);
        }
        peer_flush();
        slices[slice] = (double)(bench_process_cpu() - t0) / (double)each;
    }
    bench_report(key, bench_median(slices, slice));
    cancel_all();
}

void workload_operations(const bench_arguments *arguments) {
    n = arguments->n;
    rounds = OPERATIONS_WANTED / n;
    rounds = rounds < 3 ? 3 : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds | 1;
    pick_count = n > OPERATIONS_WANTED ? n : OPERATIONS_WANTED;
    delays = bench_random_delays(n, FIRST_NS, LAST_NS);
    order = bench_permutation(n);
    picks = bench_random_indices(pick_count, n);
    peer_open(n, false);

    uint64_t t0 = bench_process_cpu();
    schedule_all(RELATIVE, delays);
    bench_report("schedule_cold", (double)(bench_process_cpu() - t0) / (double)n);
    cancel_all();
    measure_schedule(RELATIVE, "schedule", "cancel");
    if (peer_features & PEER_ABSOLUTE) measure_schedule(ABSOLUTE, "schedule_absolute", NULL);
    if (peer_features & PEER_TOLERANCE) measure_schedule(TOLERANT, "schedule_tolerant", NULL);
    measure(RELATIVE, churn, false, "churn");
    if (peer_features & PEER_MOVES) {
        measure(RELATIVE, move, false, "reschedule");
        measure(RELATIVE, move, true, "reschedule_later");
    }
    if (peer_features & PEER_ABSOLUTE) measure(ABSOLUTE, move_at, true, "reschedule_later_absolute");
    if (peer_features & PEER_TOLERANCE) measure(TOLERANT, move_tolerant, true, "reschedule_later_tolerant");
}
