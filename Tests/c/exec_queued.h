/* A pool whose threads are all held by callbacks, so that whatever is handed over stays queued until they are let go. */
#ifndef EXEC_QUEUED_H
#define EXEC_QUEUED_H

#include "time_record.h"

#include <poll.h>
#include <sched.h>

enum { QUEUED_THREADS = 2 };

static struct {
    wtm_executor pool;
    th_counter inside, go, ticks;
    uint64_t ordinals, earliest; /* the sum, and the first scheduled time */
} queued;

static void queued_hold(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    th_counter_add(&queued.inside, 1);
    th_counter_wait(&queued.go, 1);
}

static void queued_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    __atomic_fetch_add(&queued.ordinals, tick->ordinal, __ATOMIC_SEQ_CST);
    if (tick->ordinal == 1) queued.earliest = tick->scheduled_ns;
    th_counter_add(&queued.ticks, 1);
}

/* A host-driven scheduler whose pool is held. */
static wtm_scheduler queued_begin(void) {
    wtm_scheduler s = th_host();
    memset(&queued, 0, sizeof queued);
    th_counter_init(&queued.inside);
    th_counter_init(&queued.go);
    th_counter_init(&queued.ticks);
    CHECK_OK(wtm_executor_create_pool(QUEUED_THREADS, NULL, &queued.pool));
    for (int i = 0; i < QUEUED_THREADS; i++) start_with(s, (wtm_timer_options){ .fn = queued_hold, .executor = queued.pool });
    CHECK_EQ(th_run_due(s), QUEUED_THREADS);
    th_counter_wait(&queued.inside, QUEUED_THREADS);
    return s;
}

static void queued_end(wtm_scheduler s) {
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(queued.pool, TH_LIMIT));
}

/* Drives the scheduler until so many more ticks were handed over. */
static inline void queued_drive(wtm_scheduler s, uint32_t count) {
    struct pollfd fd = { .fd = wtm_scheduler_fd(s), .events = POLLIN };
    while (count > 0) {
        CHECK_EQ(poll(&fd, 1, (int)(TH_LIMIT / MS)), 1);
        count -= th_run_due(s);
    }
}

static inline void queued_await_state(wtm_timer t, wtm_timer_state state) {
    uint64_t until = th_now() + TH_LIMIT;
    while (th_info(t).state != (uint32_t)state) {
        CHECK(th_now() < until);
        sched_yield();
    }
}

#endif
