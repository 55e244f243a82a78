/* Real clocks: what `now` says, never early on any of them, fresh relative times, neighbours in manual time. */
#include "time_record.h"

#include <time.h>

static uint64_t clock_ns(wtm_clock clock) {
    static const clockid_t ids[] = { CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME };
    struct timespec t;
    CHECK_EQ(clock_gettime(ids[clock], &t), 0);
    return (uint64_t)t.tv_sec * SEC + (uint64_t)t.tv_nsec;
}

TEST(now_is_the_systems_clock) {
    wtm_scheduler s = th_real();
    for (uint32_t clock = 0; clock < 3; clock++) {
        uint64_t before = clock_ns((wtm_clock)clock);
        uint64_t now = wtm_scheduler_now(s, (wtm_clock)clock);
        CHECK_GE(now, before);
        CHECK_LE(now, clock_ns((wtm_clock)clock));
    }
    CHECK_U64(wtm_scheduler_now(s, (wtm_clock)3), 0);
    CHECK_U64(wtm_scheduler_now(s, (wtm_clock)-1), 0);
    CHECK_U64(wtm_scheduler_now((wtm_scheduler){ 12345 }, WTM_CLOCK_MONOTONIC), 0);
    th_shutdown(s);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), 0);
}

static th_counter ticked;

static void check_not_early(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t now = clock_ns((wtm_clock)tick->clock);
    (void)timer;
    CHECK_EQ(tick->clock, (uint32_t)(uintptr_t)context);
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    CHECK_GE(now, tick->now_ns);
    th_counter_add(&ticked, 1);
}

/* covers: time.never-early time.clocks */
/* field report: 55, 63, 64 */
TEST(no_callback_starts_before_its_deadline_on_its_own_clock) {
    wtm_scheduler s = th_real();
    th_counter_init(&ticked);
    for (uint32_t clock = 0; clock < 3; clock++) {
        for (uint64_t i = 1; i <= 20; i++) {
            wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
            options.fn = check_not_early;
            options.context = (void *)(uintptr_t)clock;
            options.clock = clock;
            options.interval_ns = i * 777777;
            CHECK_OK(wtm_timer_start(s, &options, NULL));
        }
    }
    th_counter_wait(&ticked, 3000);
    th_shutdown(s);
}

static struct {
    th_counter done;
    uint64_t asked, deadline, ticked_at;
    uint32_t clock;
} one;

static void note_one(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    one.deadline = tick->scheduled_ns;
    one.ticked_at = clock_ns((wtm_clock)one.clock);
    th_counter_add(&one.done, 1);
}

/* field report: 63 */
TEST(delays_land_in_range_on_every_clock) {
    for (uint32_t clock = 0; clock < 3; clock++) {
        wtm_scheduler s = th_real();
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        th_counter_init(&one.done);
        one.clock = clock;
        options.fn = note_one;
        options.clock = clock;
        options.delay_ns = 40 * MS * (clock + 1);
        uint64_t before = clock_ns((wtm_clock)clock);
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        uint64_t after = clock_ns((wtm_clock)clock);
        th_counter_wait(&one.done, 1);
        CHECK_GE(one.deadline, before + options.delay_ns);
        CHECK_LE(one.deadline, after + options.delay_ns);
        CHECK_GE(one.ticked_at, one.deadline);
        CHECK_LE(one.ticked_at, one.deadline + 5 * SEC);
        CHECK_LE(th_stats(s).wakeups, 10); /* no hot loop towards it */
        th_shutdown(s);
    }
}

static void burn_then_start(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    wtm_scheduler s = *(wtm_scheduler *)context;
    uint64_t until = th_now() + 30 * MS;
    while (th_now() < until) continue;
    one.clock = 0;
    one.asked = th_now();
    CHECK_GE(one.asked, tick->now_ns + 30 * MS);
    CHECK_OK(wtm_timer_after(s, MS, note_one, NULL, NULL, NULL));
}

/* covers: time.fresh */
/* field report: 80 */
TEST(a_relative_time_counts_from_the_call_and_not_from_a_cached_clock) {
    wtm_scheduler s = th_real();
    th_counter_init(&one.done);
    CHECK_OK(wtm_timer_after(s, MS, burn_then_start, &s, NULL, NULL));
    th_counter_wait(&one.done, 1);
    CHECK_GE(one.deadline, one.asked + MS);
    th_shutdown(s);
}

/* covers: time.fresh */
TEST(with_a_tolerance_the_tick_stays_inside_the_exact_window) {
    wtm_scheduler s = th_real();
    for (int i = 0; i < 20; i++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        th_counter_init(&one.done);
        one.clock = 0;
        options.fn = note_one;
        options.delay_ns = 3 * MS;
        options.tolerance_ns = 20 * MS;
        uint64_t before = th_now();
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        th_counter_wait(&one.done, 1);
        CHECK_GE(one.ticked_at, before + 3 * MS);
    }
    th_shutdown(s);
}

TEST(manual_and_real_schedulers_live_side_by_side) {
    wtm_scheduler a = manual_scheduler(), b = th_manual(), c = th_real();
    wtm_timer x = { 0 };
    th_counter_init(&ticked);
    START(a, TAG(1), .interval_ns = 100);
    CHECK_OK(wtm_timer_every(b, 100, record, (void *)2, NULL, NULL));
    CHECK_OK(wtm_timer_every(c, MS, check_not_early, NULL, NULL, &x));
    th_advance(a, 1000);
    CHECK_EQ(rec.count, 10);
    CHECK_U64(mono(b), 0);
    th_advance(b, 500);
    CHECK_EQ(rec.count, 15);
    CHECK_U64(mono(a), 1000);
    th_counter_wait(&ticked, 10);
    CHECK_EQ(rec.count, 15);
    th_shutdown(b);
    CHECK(wtm_timer_is_valid(x));
    th_shutdown(c);
    th_shutdown(a);
}
