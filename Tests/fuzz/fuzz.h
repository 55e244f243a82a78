/* What the fuzzers share: the input, the checks, and the reference model of schedulers, targets and timers.
 *
 * One input is one life of the library: bytes become calls, the model says what each must answer and which callbacks and
 * hooks may come, and at the end everything is shut down and the books must balance. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weaktimer.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A failed check aborts, so that the fuzzer keeps the input. */
#define FZ_CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr); \
            abort(); \
        } \
    } while (0)

/* The input; past its end everything reads as zero. */
typedef struct fz_input {
    const uint8_t *at, *end;
} fz_input;
extern fz_input fz_in;
bool fz_more(void);
uint8_t fz_u8(void);
uint32_t fz_u32(void);
uint64_t fz_u64(void);
uint64_t fz_time(void); /* zero, small, usual and extreme times */

/* Set by FUZZ_TRACE=1 in the environment: tells each call. */
extern bool fz_tracing;
#define FZ_TRACE(...) \
    do { \
        if (fz_tracing) fprintf(stderr, __VA_ARGS__); \
    } while (0)

enum { FZ_TIMERS = 96, FZ_SCHEDULERS = 4, FZ_TARGETS = 8, FZ_TICKS = 1500, FZ_DEPTH = 4 };

typedef struct fz_scheduler {
    wtm_scheduler handle;
    bool used, manual, down;
    bool advancing;  /* advance or run_due is on the stack */
    bool shaky;      /* shut down from one of its own callbacks: its timers end at a moment that is not ours to say */
    bool pooled;     /* it has timers on a pool, whose threads may be at work in any call */
    unsigned unsure; /* timers of which the model does not know whether they live */
    uint64_t created, ticks_seen, inline_ticks;
    uint64_t now;                     /* manual: monotonic time */
    uint64_t last_now, last_sequence; /* of the tick before this one, for the order */
} fz_scheduler;

typedef struct fz_target {
    wtm_target handle;
    bool used, dead;
    uint64_t references;
    unsigned hooks;
} fz_target;

typedef struct fz_timer {
    wtm_timer handle;
    bool used, known, live; /* known: the handle was handed out or seen */
    int scheduler, target;  /* target -1: none */
    bool hooked, on_executor, queued_executor, weak, weak_dead, keep;
    bool unsure; /* liveness is seen through the hooks only */
    bool loose;  /* times are only checked against being early */
    unsigned ticks_seen, ended, released, locks, unlocks, frames, in_tick;
    bool must_not_tick;
    /* the schedule */
    uint32_t clock, missed_policy, rate_numerator, rate_denominator;
    uint64_t next, base, k, interval, tolerance, remaining, limit, ticks, ordinal, sequence, running_scheduled;
    unsigned fires;
    bool armed, paused, paused_absolute, idle, in_fired, limit_reached;
} fz_timer;

extern fz_scheduler fz_schedulers[FZ_SCHEDULERS];
extern fz_target fz_targets[FZ_TARGETS];
extern fz_timer fz_timers[FZ_TIMERS];
extern unsigned fz_timer_count, fz_depth, fz_total_ticks;
extern uint64_t fz_sequence;

/* schedule.c: the grid, as the contract has it. */
uint64_t fz_add(uint64_t a, uint64_t b);
bool fz_repeats(const fz_timer *t);
uint64_t fz_point(const fz_timer *t, uint64_t k);
uint64_t fz_tolerance(const fz_timer *t);
void fz_lay(fz_timer *t, uint64_t deadline);
uint64_t fz_now(const fz_timer *t);
void fz_begin_tick(fz_timer *t, const wtm_tick *tick);
void fz_end_tick(fz_timer *t, bool fired);

/* hooks.c: what the library calls. */
void fz_on_tick(wtm_timer timer, const wtm_tick *tick, void *context);
void fz_on_release(void *context);
void fz_on_ended(wtm_timer timer, wtm_reason reason, void *context);
void fz_on_target(void *context);
void *fz_lock(void *weak);
void fz_unlock(void *strong);
void fz_died(fz_timer *t);
void fz_unsure(fz_timer *t);

/* calls_*.c: one call each, drawn from the input. */
void fz_call(void);
void fz_call_timer(unsigned which);
void fz_call_start(unsigned which);
void fz_call_target(unsigned which);
void fz_call_scheduler(unsigned which);
void fz_call_executor(unsigned which);
void fz_after_advance(fz_scheduler *s);
void fz_check_books(fz_scheduler *s);
void fz_executors_begin(void);
void fz_executors_end(void);
void fz_executors_check(void);
wtm_executor fz_queue_executor(void);
bool fz_queue_is_down(void);

#endif
