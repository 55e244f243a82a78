/* What a tick says of the time, among callbacks of a few nanoseconds and of some microseconds, on real time.
 * covers: time.never-early time.fresh time.order */
#include "harness.h"

#include <stdatomic.h>

enum { WARM_UP = 20, TIMERS = 2000, SPIN_NS = 20000 };
static th_counter warm = TH_COUNTER_INIT, done = TH_COUNTER_INIT;
static uint64_t deadline, last_end, last_now, spins;

static void count(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    th_counter_add(context, 1);
}

static void look(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    size_t i = (size_t)(uintptr_t)context;
    CHECK_GE(tick->now_ns, deadline);
    CHECK_U64(tick->scheduled_ns, deadline);
    CHECK_GE(tick->now_ns, last_now);
    CHECK_GE(tick->now_ns, last_end); /* of the last one that took its time */
    CHECK_LE(tick->now_ns, th_now());
    last_now = tick->now_ns;
    if (i % 7 == 0) {
        uint64_t until = th_now() + SPIN_NS;
        while ((last_end = th_now()) < until) continue;
        spins++;
    }
    if (i == TIMERS - 1) th_counter_add(&done, 1);
}

/* Ticks of a millisecond, meanwhile the scheduler measures what it measures. */
static void warm_up(wtm_scheduler s) {
    wtm_timer t;
    uint64_t before = th_counter_get(&warm);
    CHECK_OK(wtm_timer_every(s, TH_MS, count, &warm, NULL, &t));
    th_counter_wait(&warm, before + WARM_UP);
    CHECK_OK(wtm_timer_invalidate_and_wait(t, TH_LIMIT));
}

TEST(a_long_callback_is_noticed_among_short_ones) {
    wtm_scheduler s = th_real();
    warm_up(s);
    wtm_scheduler_stats before = th_stats(s);
    deadline = th_now() + 5 * TH_MS;
    for (size_t i = 0; i < TIMERS; i++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = look;
        o.context = (void *)(uintptr_t)i;
        o.flags = WTM_TIMER_ABSOLUTE;
        o.deadline_ns = deadline;
        CHECK_OK(wtm_timer_start(s, &o, NULL));
    }
    th_counter_wait(&done, 1);
    /* When the next callback runs, the last of these is in the books. */
    uint64_t seen = th_counter_get(&warm);
    CHECK_OK(wtm_timer_after(s, 0, count, &warm, NULL, NULL));
    th_counter_wait(&warm, seen + 1);
    wtm_scheduler_stats after = th_stats(s);
    uint64_t callbacks = 0, took_their_time = 0;
    for (int i = 0; i < 32; i++) {
        callbacks += after.callback_log2[i] - before.callback_log2[i];
        if (i >= 14) took_their_time += after.callback_log2[i] - before.callback_log2[i]; /* 2^14 ns are 16 us */
    }
    CHECK_GE(callbacks, TIMERS);
    CHECK_GE(took_their_time, spins);
    CHECK_GE(after.max_callback_ns, SPIN_NS);
    CHECK_GE(after.max_lateness_ns, (spins - 1) * SPIN_NS); /* the last of them waited for all others */
    th_shutdown(s);
}

/* However short callbacks are, one that is slow by the user's own measure is told. */
static _Atomic unsigned slow_ones;
static void sink(void *context, wtm_log_level level, const char *message) {
    (void)context, (void)message;
    if (level == WTM_LOG_WARNING) atomic_fetch_add(&slow_ones, 1);
}

TEST(callbacks_of_a_nanosecond_are_slow_if_so_wanted) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    options.slow_callback_ns = 1;
    options.log = sink;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    warm_up(s);
    th_shutdown(s);
    CHECK_GE(atomic_load(&slow_ones), 1);
}
