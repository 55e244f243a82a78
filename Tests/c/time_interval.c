/* set_interval: the phase is kept, the grid is laid from the next deadline. */
#include "exec_hand.h"
#include "time_record.h"

TEST(set_interval_leaves_the_next_deadline_alone) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 130);
    CHECK_OK(wtm_timer_set_interval(t, 40, 0));
    CHECK_U64(next_of(t), 200);
    CHECK_U64(th_info(t).interval_ns, 40);
    CHECK_U64(th_advance(s, 150), 3);
    EXPECT_TICK(1, 2, 0, 200, 200, 240);
    EXPECT_TICK(2, 3, 0, 240, 240, 280);
    EXPECT_TICK(3, 4, 0, 280, 280, 320);
    th_shutdown(s);
}

TEST(an_interval_of_zero_makes_the_next_tick_the_last) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 130);
    CHECK_OK(wtm_timer_set_interval(t, 0, 0));
    CHECK_U64(next_of(t), 200);
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_TICK(1, 2, 0, 200, 200, WTM_NEVER);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(an_interval_makes_a_one_shot_repeat) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100);
    th_advance(s, 50);
    CHECK_OK(wtm_timer_set_interval(t, 30, 0));
    CHECK_U64(th_advance(s, 110), 3);
    EXPECT_TICK(0, 1, 0, 100, 100, 130);
    EXPECT_TICK(1, 2, 0, 130, 130, 160);
    EXPECT_TICK(2, 3, 0, 160, 160, 190);
    CHECK(wtm_timer_is_valid(t));
    th_shutdown(s);
}

static uint64_t interval_in_callback;

static void set_once(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    if (rec.count == 1) CHECK_OK(wtm_timer_set_interval(timer, interval_in_callback, 0));
}

TEST(a_one_shot_made_repeating_in_its_own_callback_goes_on_one_interval_later) {
    wtm_scheduler s = manual_scheduler();
    rec.during = set_once;
    interval_in_callback = 30;
    START(s, .delay_ns = 100);
    CHECK_U64(th_advance(s, 165), 3);
    EXPECT_TICK(1, 2, 0, 130, 130, 160);
    EXPECT_TICK(2, 3, 0, 160, 160, 190);
    th_shutdown(s);
}

TEST(in_its_own_callback_a_repeating_timer_changes_what_comes_after_the_next_tick) {
    wtm_scheduler s = manual_scheduler();
    rec.during = set_once;
    interval_in_callback = 30;
    START(s, .interval_ns = 100);
    CHECK_U64(th_advance(s, 235), 3);
    EXPECT_TICK(1, 2, 0, 200, 200, 230);
    EXPECT_TICK(2, 3, 0, 230, 230, 260);
    th_shutdown(s);
    s = manual_scheduler();
    rec.during = set_once;
    interval_in_callback = 0;
    START(s, .interval_ns = 100);
    CHECK_U64(th_advance(s, 1000), 2);
    EXPECT_TICK(1, 2, 0, 200, 200, WTM_NEVER);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(a_paused_timer_keeps_what_remains_and_takes_the_new_interval) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 130);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_set_interval(t, 40, 0));
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    th_advance(s, 100);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 300);
    th_advance(s, 110);
    EXPECT_TICK(1, 2, 0, 300, 300, 340);
    EXPECT_TICK(2, 3, 0, 340, 340, 380);
    th_shutdown(s);
}

TEST(a_queued_tick_is_not_taken_back) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 100);
    CHECK_OK(wtm_timer_set_interval(t, 30, 0));
    CHECK_U64(next_of(t), 100);
    hand_run_one(&h);
    CHECK_EQ(rec.count, 1);
    CHECK_U64(rec.at[0].tick.scheduled_ns, 100);
    th_shutdown(s);
}

/* covers: time.tolerance */
TEST(tolerance_is_capped_at_half_the_interval_of_a_repeating_timer_only) {
    static const struct {
        uint64_t interval, tolerance, effective;
    } rows[] = { { 100, 0, 0 },
                 { 100, 50, 50 },
                 { 100, 51, 50 },
                 { 101, 99, 50 },
                 { 1, 1, 0 },
                 { 100, WTM_NEVER, 50 },
                 { 0, 99, 99 },
                 { 0, WTM_NEVER, WTM_NEVER },
                 { WTM_NEVER, WTM_NEVER, WTM_NEVER / 2 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wtm_scheduler s = manual_scheduler();
        wtm_timer t = START(s, .delay_ns = 1000, .interval_ns = rows[i].interval, .tolerance_ns = rows[i].tolerance);
        CHECK_U64(th_info(t).tolerance_ns, rows[i].effective);
        CHECK_U64(th_info(t).interval_ns, rows[i].interval);
        wtm_timer u = START(s, .delay_ns = 1000, .interval_ns = 7);
        CHECK_OK(wtm_timer_set_interval(u, rows[i].interval, rows[i].tolerance));
        CHECK_U64(th_info(u).tolerance_ns, rows[i].effective);
        CHECK_U64(next_of(u), 1000); /* neither moves the phase */
        th_shutdown(s);
    }
}

/* An idle one-shot that is being fired: its schedule is still empty until the fired tick's callback, `lock` included, has begun. */
static wtm_timer idle;
static bool is_armed;
static void *set_in_lock(void *weak) {
    if (is_armed) CHECK_OK(wtm_timer_set_interval(idle, 50, 0));
    is_armed = false;
    return weak;
}
static void give_back(void *strong) { (void)strong; }

TEST(an_interval_set_in_the_lock_of_a_fired_tick_counts_from_that_tick) {
    wtm_weak_ops ops = { sizeof ops, 0, set_in_lock, give_back };
    for (uint32_t policy = WTM_MISSED_COALESCE; policy <= WTM_MISSED_DELAY; policy++) {
        wtm_scheduler s = manual_scheduler();
        idle = START(s, TAG(1), .weak = &ops, .flags = WTM_TIMER_KEEP, .missed = policy);
        CHECK_U64(th_advance(s, 1000000), 1);
        is_armed = true;
        CHECK_OK(wtm_timer_fire(idle));
        CHECK_U64(th_advance(s, 0), 1);
        CHECK(rec.at[1].tick.flags & WTM_TICK_FIRED);
        CHECK_U64(th_info(idle).ticks, 2);
        CHECK_U64(next_of(idle), 1000050);
        CHECK_U64(th_advance(s, 50), 1);
        EXPECT_TICK(2, 2, 0, 1000050, 1000050, 1000100);
        th_shutdown(s);

        /* The first callback of all is a fired one. */
        s = manual_scheduler();
        idle = START(s, TAG(1), .weak = &ops, .flags = WTM_TIMER_KEEP, .delay_ns = WTM_NEVER, .missed = policy);
        th_advance(s, 1000);
        is_armed = true;
        CHECK_OK(wtm_timer_fire(idle));
        CHECK_U64(th_advance(s, 0), 1);
        CHECK_U64(th_info(idle).ticks, 1);
        th_shutdown(s);
    }
}

TEST(a_fired_tick_that_is_queued_leaves_an_idle_one_shot_idle) {
    for (int fires = 0; fires < 2; fires++) {
        wtm_scheduler s = manual_scheduler();
        hand h;
        wtm_executor e = hand_executor(&h);
        idle = START(s, .executor = e, .flags = WTM_TIMER_KEEP, .delay_ns = 100);
        th_advance(s, 1000);
        hand_run_all(&h);
        if (fires) CHECK_OK(wtm_timer_fire(idle));
        th_advance(s, 500);
        CHECK_OK(wtm_timer_set_interval(idle, 50, 0));
        CHECK_U64(next_of(idle), WTM_NEVER);
        hand_run_all(&h);
        CHECK_U64(next_of(idle), WTM_NEVER);
        CHECK_OK(wtm_timer_reschedule(idle, 10));
        CHECK_U64(next_of(idle), 1510);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(e, WTM_NEVER));
    }
}

/* KEEP does nothing on a repeating timer, so its last tick is its end. */
TEST(the_last_tick_of_a_timer_that_was_started_repeating_is_its_end) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100, .flags = WTM_TIMER_KEEP);
    wtm_timer rate = START(s, .rate_hz_numerator = 10000000, .rate_hz_denominator = 1, .flags = WTM_TIMER_KEEP);
    CHECK_U64(th_advance(s, 100), 2);
    CHECK_OK(wtm_timer_set_interval(t, 0, 0));
    CHECK_OK(wtm_timer_set_interval(rate, 0, 0));
    CHECK_U64(th_advance(s, 100), 2);
    CHECK(!wtm_timer_is_valid(t));
    CHECK(!wtm_timer_is_valid(rate));
    th_shutdown(s);
}

/* covers: time.tolerance */
TEST(a_tolerance_alone_moves_neither_deadline_nor_grid_nor_rate) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer rate = START(s, TAG(1), .rate_hz_numerator = 3, .rate_hz_denominator = 1);
    th_advance(s, 100);
    CHECK_OK(wtm_timer_set_tolerance(rate, WTM_NEVER));
    CHECK_U64(th_info(rate).tolerance_ns, 333333334 / 2);
    CHECK_OK(wtm_timer_set_tolerance(rate, 7));
    CHECK_U64(th_info(rate).tolerance_ns, 7);
    CHECK_OK(wtm_timer_set_tolerance(rate, 0));
    th_advance(s, SEC);
    EXPECT_TICK(0, 1, 0, 333333334, 333333334, 666666668);
    EXPECT_TICK(1, 2, 0, 666666668, 666666668, SEC + 1);
    EXPECT_TICK(2, 3, 0, SEC + 1, SEC + 1, SEC + 333333334);
    CHECK_OK(wtm_timer_invalidate(rate));

    wtm_timer t = START(s, .interval_ns = 1000);
    uint64_t next = next_of(t);
    th_advance(s, 300);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_set_tolerance(t, 400));
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), next);
    CHECK_U64(th_info(t).interval_ns, 1000);
    th_shutdown(s);
}

/* Below 2^31 ns and in whole milliseconds a plain one-shot needs no memory for it. */
TEST(the_tolerance_of_a_one_shot_has_no_cap) {
    static const uint64_t values[] = { 0, 1, 5000 * MS, 5000 * MS + 1, WTM_NEVER };
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 1000);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        CHECK_OK(wtm_timer_set_tolerance(t, values[i]));
        CHECK_U64(th_info(t).tolerance_ns, values[i]);
        CHECK_U64(th_info(t).interval_ns, 0);
        CHECK_U64(next_of(t), 1000);
    }
    CHECK_OK(wtm_timer_set_tolerance(t, 0));
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_TICK(0, 1, 0, 1000, 1000, WTM_NEVER);
    CHECK(!wtm_timer_is_valid(t));
    th_shutdown(s);
}

TEST(another_tolerance_is_in_force_at_once) {
    uint64_t delay = 0;
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = SEC);
    CHECK_OK(wtm_timer_set_tolerance(t, 100 * SEC));
    CHECK_OK(wtm_scheduler_next_delay(s, &delay));
    CHECK_GE(delay, 2 * SEC);
    CHECK_OK(wtm_timer_set_tolerance(t, 0));
    CHECK_OK(wtm_scheduler_next_delay(s, &delay));
    CHECK_U64(delay, SEC);
    th_shutdown(s);
}

TEST(an_interval_alone_keeps_the_tolerance_as_far_as_it_fits) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 1000, .tolerance_ns = 300);
    CHECK_OK(wtm_timer_set_interval_only(t, 900));
    CHECK_U64(th_info(t).interval_ns, 900);
    CHECK_U64(th_info(t).tolerance_ns, 300);
    CHECK_U64(next_of(t), 1000);
    CHECK_OK(wtm_timer_set_interval_only(t, 200));
    CHECK_U64(th_info(t).tolerance_ns, 100);
    CHECK_OK(wtm_timer_set_interval_only(t, 900));
    CHECK_U64(th_info(t).tolerance_ns, 100); /* what was cut is gone */
    CHECK_OK(wtm_timer_set_interval_only(t, 0));
    CHECK_U64(th_info(t).interval_ns, 0);
    CHECK_U64(th_info(t).tolerance_ns, 100);
    CHECK_U64(th_advance(s, 5000), 1);
    CHECK(!wtm_timer_is_valid(t));
    th_shutdown(s);
}
