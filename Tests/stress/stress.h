/* The stress program's parts: random numbers, the record of each timer and target, random operations. */
#ifndef TESTS_STRESS_STRESS_H
#define TESTS_STRESS_STRESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <weaktimer.h>

_Noreturn void fail(const char *file, int line, const char *what, long long value);
#define REQUIRE(condition) REQUIRE_VALUE(condition, 0)
#define REQUIRE_VALUE(condition, value) \
    do { \
        if (!(condition)) fail(__FILE__, __LINE__, #condition, (long long)(value)); \
    } while (0)

/* A thread's random numbers. A library thread seeds its own from the run's seed at its first use. */
uint64_t random_number(void);
static inline uint64_t random_below(uint64_t limit) { return random_number() % limit; }
void seed_thread(uint64_t seed);
extern uint64_t run_seed;

/* What is known of one target. It is freed with its last reference: one for the hook, one for each timer's record bound to it
 * and one for the cell that it is in. */
typedef struct host {
    uint64_t magic;
    atomic_int references;
    atomic_int hooks;
    atomic_bool closing, close_returned;
    wtm_target target;
} host;

/* What is known of one timer. References: one for the release hook, one for the cell, one for each thread at work with it. */
typedef struct record {
    uint64_t magic;
    atomic_int references;
    atomic_int running;  /* callbacks inside now */
    atomic_int released; /* release hooks that have run */
    bool is_told;        /* has an ended hook */
    atomic_int ended;
    atomic_uint begun;        /* callbacks begun */
    atomic_bool no_more;      /* a stop returned WTM_OK: no callback may begin */
    atomic_uint most_begun;   /* a stop returned WTM_RUNNING: the one in progress is the last */
    bool serial, on_executor; /* callbacks may not overlap; the hook runs on the executor */
    unsigned plain;           /* written by callbacks and hooks without a lock: the library orders them */
    wtm_timer timer;          /* written before the record is put in a cell */
    host *host;
} record;

host *host_create(void);
void host_drop(host *h);
record *record_create(host *h);
void record_drop(record *r);

void on_tick(wtm_timer timer, const wtm_tick *tick, void *context);
void on_ended(wtm_timer timer, wtm_reason reason, void *context);
void on_release(void *context);

/* After each stop: what its answer promises. */
void check_invalidate(record *r, wtm_status status);
void check_wait(record *r, wtm_status status, bool from_callback);

/* Cells hold what threads pick from. Taking out gives a reference. */
enum { timer_cells = 512, target_cells = 64 };
record *cell_get(uint64_t index);
record *cell_swap(uint64_t index, record *next);
host *target_cell_get(uint64_t index);
host *target_cell_swap(uint64_t index, host *next);

/* Two with threads of their own (the second with the pool as its default), a manual and a host-driven one, each of these with a
 * thread that drives it. */
enum { scheduler_count = 4, manual_scheduler = 2, host_scheduler = 3 };
extern wtm_scheduler schedulers[scheduler_count];
extern wtm_executor pool, serial_queue;
extern atomic_bool shutting_down; /* from here on starts may be refused */

/* One random operation; `from_callback` when a callback or hook of this library is on the stack. */
void operate(bool from_callback);
void start_one(void);
/* One that waits for nobody. */
void operate_without_waiting(void);
/* Set on a driving thread while it does not drive: a wait there, also from a hook, could be for what only its drive would do. */
extern _Thread_local bool must_not_wait;

extern _Atomic(uint64_t) started, released_all, ended_all, ticked, targets_made, targets_hooked, records_live, operations,
    told_deadlock;

#endif
