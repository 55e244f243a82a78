/* Extreme numbers in every parameter that is a number: accepted, saturating, never shortened; limits answer LIMIT.
 * covers: time.range
 * field report: 68, 69, 70, 72, 86 */
#include "harness.h"

static const uint64_t edges[] = { 0,
                                  1,
                                  UINT64_C(2147483647) * TH_MS,
                                  UINT64_C(2147483648) * TH_MS,
                                  INT64_MAX - 1u,
                                  INT64_MAX,
                                  UINT64_C(1) << 63,
                                  UINT64_MAX - 1,
                                  UINT64_MAX };
enum { edge_count = sizeof edges / sizeof edges[0] };

static uint64_t saturating_sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

static uint64_t next_of(wtm_timer t) {
    uint64_t next = 7;
    CHECK_OK(wtm_timer_get_next(t, &next));
    return next;
}

TEST(every_delay_interval_and_tolerance_is_taken_as_it_is) {
    static const uint64_t ages[] = { 0, 1, UINT64_C(100) * 365 * 24 * TH_HOUR };
    for (size_t a = 0; a < 3; a++) {
        wtm_scheduler s = th_manual();
        th_probe probe;
        th_probe_init(&probe);
        th_advance(s, ages[a]);
        for (int i = 0; i < edge_count; i++) {
            wtm_timer t = { 0 };
            CHECK_OK(wtm_timer_after(s, edges[i], th_tick, &probe, NULL, &t));
            CHECK_U64(next_of(t), saturating_sum(ages[a], edges[i]));
            for (int k = 0; k < edge_count; k++) {
                CHECK_OK(wtm_timer_reschedule(t, edges[k]));
                CHECK_U64(next_of(t), saturating_sum(ages[a], edges[k]));
                CHECK_OK(wtm_timer_set_next(t, edges[k]));
                CHECK_U64(next_of(t), edges[k]);
            }
            CHECK_OK(wtm_timer_invalidate(t));
            if (edges[i] == 0) continue;
            CHECK_OK(wtm_timer_every(s, edges[i], th_tick, &probe, NULL, &t));
            CHECK_U64(next_of(t), saturating_sum(ages[a], edges[i]));
            CHECK_U64(th_info(t).interval_ns, edges[i]);
            for (int k = 0; k < edge_count; k++) {
                CHECK_OK(wtm_timer_set_interval(t, edges[i], edges[k]));
                uint64_t cap = edges[i] / 2;
                CHECK_U64(th_info(t).tolerance_ns, edges[k] < cap ? edges[k] : cap);
                CHECK_OK(wtm_timer_set_tolerance(t, edges[edge_count - 1 - k]));
                CHECK_U64(th_info(t).tolerance_ns, edges[edge_count - 1 - k] < cap ? edges[edge_count - 1 - k] : cap);
            }
            CHECK_OK(wtm_timer_invalidate(t));
        }
        CHECK_EQ(probe.ticks, 0);
        th_shutdown(s);
    }
}

TEST(nothing_far_away_fires_early) {
    wtm_scheduler s = th_manual();
    th_probe probe, never;
    th_probe_init(&probe);
    th_probe_init(&never);
    wtm_timer t = { 0 };
    for (int i = 2; i < edge_count - 1; i++) { CHECK_OK(wtm_timer_after(s, edges[i] - 1, th_tick, &probe, NULL, NULL)); }
    CHECK_OK(wtm_timer_after(s, WTM_NEVER, th_tick, &never, NULL, &t));
    uint64_t now = 0;
    for (int i = 2; i < edge_count - 1; i++) {
        unsigned before = probe.ticks;
        th_advance(s, edges[i] - 2 - now);
        CHECK_EQ(probe.ticks, before);
        now = edges[i] - 2;
        CHECK_U64(th_advance(s, 1), 1);
        now++;
        CHECK_U64(probe.tick.scheduled_ns, edges[i] - 1);
    }
    CHECK_U64(th_advance(s, UINT64_MAX), 0);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), WTM_NEVER - 1);
    CHECK_EQ(never.ticks, 0);
    CHECK(wtm_timer_is_valid(t));
    th_shutdown(s);
}

TEST(an_advance_of_zero_and_beyond_the_end_are_both_fine) {
    wtm_scheduler s = th_manual();
    th_advance(s, 0);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), 0);
    th_advance(s, UINT64_MAX);
    th_advance(s, UINT64_MAX);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), UINT64_MAX - 1);
    for (int i = 0; i < edge_count; i++) CHECK_OK(wtm_scheduler_set_wall(s, edges[i]));
    th_shutdown(s);
}

TEST(scheduler_numbers_are_accepted) {
    for (int i = 0; i < edge_count; i++) {
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        options.slow_callback_ns = edges[i];
        options.timer_slack_ns = edges[i];
        options.max_timers = edges[i];
        wtm_scheduler s = { 0 };
        CHECK_OK(wtm_scheduler_create(&options, &s));
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, NULL, NULL, &t));
        th_shutdown(s);
    }
}

TEST(thread_stack_is_raised_to_the_minimum_and_refused_beyond_all) {
    th_probe probe;
    th_probe_init(&probe);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    options.context = &probe;
    options.release = th_release;
    options.thread_stack_bytes = 1;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    th_shutdown(s);
    CHECK_EQ(probe.released, 1);
    options.thread_stack_bytes = UINT64_MAX;
    s.id = 7;
    CHECK_STATUS(wtm_scheduler_create(&options, &s), WTM_ERR_SYSTEM);
    CHECK_U64(s.id, 0);
    options.thread_stack_bytes = UINT64_C(1) << 62;
    CHECK_STATUS(wtm_scheduler_create(&options, &s), WTM_ERR_SYSTEM);
    CHECK_EQ(probe.released, 1);
}

TEST(max_timers_counts_live_timers) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    options.max_timers = 2;
    wtm_scheduler s = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_scheduler_create(&options, &s));
    wtm_timer a = { 0 }, b = { 0 }, c = { 7 };
    CHECK_OK(wtm_timer_after(s, 10, th_tick, &probe, th_release, &a));
    CHECK_OK(wtm_timer_after(s, 20, th_tick, &probe, th_release, &b));
    CHECK_STATUS(wtm_timer_after(s, 1, th_tick, &probe, th_release, &c), WTM_ERR_LIMIT);
    CHECK_U64(c.id, 0);
    CHECK_U64(th_stats(s).live, 2);
    CHECK_STR(probe.order, "");
    CHECK_OK(wtm_timer_invalidate(a));
    CHECK_OK(wtm_timer_after(s, 1, th_tick, &probe, th_release, &c));
    CHECK_STATUS(wtm_timer_after(s, 1, th_tick, &probe, th_release, &a), WTM_ERR_LIMIT);
    CHECK_U64(th_advance(s, 20), 2);
    CHECK_OK(wtm_timer_after(s, 1, th_tick, &probe, th_release, &a));
    th_shutdown(s);
    CHECK_EQ(probe.released, 4);
}

TEST(a_pool_has_at_most_1024_threads) {
    wtm_executor e = { 7 };
    CHECK_STATUS(wtm_executor_create_pool(1025, NULL, &e), WTM_ERR_LIMIT);
    CHECK_U64(e.id, 0);
    e.id = 7;
    CHECK_STATUS(wtm_executor_create_pool(UINT32_MAX, NULL, &e), WTM_ERR_LIMIT);
    CHECK_U64(e.id, 0);
    CHECK_OK(wtm_executor_create_pool(0, NULL, &e));
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(timeouts_of_every_size_are_accepted) {
    wtm_scheduler s = th_manual();
    for (int i = 0; i < edge_count; i++) {
        wtm_timer t = { 0 };
        wtm_target target = { 0 };
        wtm_scheduler other = th_manual();
        CHECK_OK(wtm_timer_after(s, 5, th_tick, NULL, NULL, &t));
        CHECK_OK(wtm_timer_invalidate_and_wait(t, edges[i]));
        CHECK_OK(wtm_target_create(NULL, NULL, &target));
        CHECK_OK(wtm_target_close(target, edges[i]));
        CHECK_OK(wtm_scheduler_shutdown(other, edges[i]));
    }
    th_shutdown(s);
}

static void tick_nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }

TEST(tick_limits_of_every_size_are_accepted) {
    wtm_scheduler s = th_manual();
    for (int i = 0; i < edge_count; i++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = tick_nothing;
        options.interval_ns = 1;
        options.tick_limit = edges[i];
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_start(s, &options, &t));
        CHECK_U64(th_advance(s, 1), 1);
        CHECK_EQ(wtm_timer_is_valid(t), edges[i] != 1);
        if (edges[i] != 1) CHECK_OK(wtm_timer_invalidate(t));
    }
    th_shutdown(s);
}
