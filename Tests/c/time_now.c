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

/* What is called at a timer's end takes its time before the next callback begins, which is told so. */
static uint64_t end_over;

static void take_time(void *context) {
    (void)context;
    uint64_t begin = th_now();
    do end_over = th_now();
    while (end_over - begin < 2 * TH_MS);
}

static void take_time_at_end(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer;
    (void)reason;
    take_time(context);
}

static void let_target_go(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    CHECK_OK(wtm_target_release(*(wtm_target *)context));
}

static void keep_now(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    *(uint64_t *)context = tick->now_ns;
}

TEST(a_tick_after_a_slow_end_is_told_the_time) {
    for (int kind = 0; kind < 3; kind++) {
        wtm_scheduler host = th_host();
        wtm_target target = { 0 };
        uint64_t now = 0, unused = 0;
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = kind == 2 ? let_target_go : keep_now;
        options.context = kind == 2 ? (void *)&target : &unused;
        if (kind == 0) options.ended = take_time_at_end;
        if (kind == 1) options.release = take_time, options.name = "named";
        if (kind == 2) {
            CHECK_OK(wtm_target_create(&target, take_time, &target));
            options.target = target;
        }
        end_over = 0;
        CHECK_OK(wtm_timer_start(host, &options, NULL));
        CHECK_OK(wtm_timer_after(host, 0, keep_now, &now, NULL, NULL));
        CHECK_EQ(th_run_due(host), 2);
        CHECK_GE(end_over, 1);
        CHECK_GE(now, end_over);
        th_shutdown(host);
    }
}
