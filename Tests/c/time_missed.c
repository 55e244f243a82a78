/* What a late timer delivers: the three missed policies, with exact ordinals, counts and deadlines. */
#include "exec_hand.h"
#include "time_record.h"

/* covers: time.missed */
/* field report: 56 */
static wtm_timer past(wtm_scheduler s, uint32_t policy, uint64_t limit) {
    th_advance(s, 1050);
    return START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100, .missed = policy, .tick_limit = limit);
}

TEST(coalesce_gives_one_tick_that_stands_for_all) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = past(s, WTM_MISSED_COALESCE, 0);
    CHECK_EQ(rec.count, 0);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(0, 10, 9, 1000, 1050, 1100);
    CHECK_U64(th_info(t).missed, 9);
    CHECK_U64(th_info(t).ticks, 1);
    CHECK_U64(th_info(t).max_lateness_ns, 950); /* from the earliest ideal tick that it stands for */
    CHECK_U64(th_stats(s).missed, 9);
    CHECK_U64(th_stats(s).max_lateness_ns, 950);
    CHECK_U64(th_advance(s, 50), 1);
    EXPECT_TICK(1, 11, 0, 1100, 1100, 1200);
    th_shutdown(s);
}

TEST(a_deadline_that_equals_now_belongs_to_the_coalesced_ones) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 1000);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100);
    th_advance(s, 0);
    EXPECT_TICK(0, 10, 9, 1000, 1000, 1100);
    th_shutdown(s);
    s = manual_scheduler();
    th_advance(s, 999);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100);
    th_advance(s, 1);
    CHECK_EQ(rec.count, 2);
    EXPECT_TICK(0, 9, 8, 900, 999, 1000);
    EXPECT_TICK(1, 10, 0, 1000, 1000, 1100);
    th_shutdown(s);
}

TEST(a_successor_that_falls_due_at_this_very_moment_is_coalesced) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 200);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(0, 2, 1, 200, 200, 300);
    th_shutdown(s);
}

/* A timer that is set back to the beginning of time again and again counts more ticks than there are numbers. */
TEST(ordinals_and_counts_stay_at_their_highest) {
    const uint64_t far = UINT64_MAX - 1000;
    wtm_scheduler s = manual_scheduler();
    th_advance(s, far);
    wtm_timer t = START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 1, .interval_ns = 1);
    th_advance(s, 0);
    EXPECT_TICK(0, far, far - 1, far, far, far + 1);
    CHECK_OK(wtm_timer_set_next(t, 1));
    th_advance(s, 0);
    EXPECT_TICK(1, UINT64_MAX, far - 1, far, far, far + 1);
    CHECK_U64(th_info(t).missed, UINT64_MAX);
    th_advance(s, 2); /* on time: nothing comes round */
    EXPECT_TICK(2, UINT64_MAX, 0, far + 1, far + 1, far + 2);
    EXPECT_TICK(3, UINT64_MAX, 0, far + 2, far + 2, far + 3);
    CHECK_U64(th_stats(s).missed, UINT64_MAX);
    CHECK_U64(th_info(t).ticks, 4);
    th_shutdown(s);
}

TEST(burst_gives_every_tick_one_after_the_other) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = past(s, WTM_MISSED_BURST, 0);
    CHECK_U64(th_advance(s, 0), 10);
    for (uint64_t k = 1; k <= 10; k++) EXPECT_TICK(k - 1, k, 0, 100 * k, 1050, 100 * k + 100);
    CHECK_U64(th_info(t).missed, 0);
    CHECK_U64(th_info(t).max_lateness_ns, 950);
    CHECK_U64(next_of(t), 1100);
    CHECK_U64(th_advance(s, 50), 1);
    EXPECT_TICK(10, 11, 0, 1100, 1100, 1200);
    th_shutdown(s);
}

/* field report: 58 */
TEST(delay_lays_the_grid_one_interval_after_the_late_start) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = past(s, WTM_MISSED_DELAY, 0);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(0, 1, 0, 100, 1050, 1150);
    CHECK_U64(th_info(t).missed, 0);
    CHECK_U64(th_advance(s, 200), 2);
    EXPECT_TICK(1, 2, 0, 1150, 1150, 1250);
    EXPECT_TICK(2, 3, 0, 1250, 1250, 1350);
    th_shutdown(s);
}

TEST(delay_lets_the_grid_stand_while_the_successor_is_not_due) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 199);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100, .missed = WTM_MISSED_DELAY);
    th_advance(s, 1);
    EXPECT_TICK(0, 1, 0, 100, 199, 200);
    EXPECT_TICK(1, 2, 0, 200, 200, 300);
    th_shutdown(s);
    s = manual_scheduler();
    th_advance(s, 200); /* here the successor is due already */
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100, .missed = WTM_MISSED_DELAY);
    th_advance(s, 100);
    EXPECT_TICK(0, 1, 0, 100, 200, 300);
    EXPECT_TICK(1, 2, 0, 300, 300, 400);
    th_shutdown(s);
}

TEST(a_late_one_shot_ticks_once_with_its_own_deadline) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 1050);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(0, 1, 0, 100, 1050, WTM_NEVER);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(a_limit_counts_a_coalesced_tick_once_and_burst_ticks_each) {
    wtm_scheduler s = manual_scheduler();
    past(s, WTM_MISSED_COALESCE, 2);
    CHECK_U64(th_advance(s, 1000), 2);
    EXPECT_TICK(0, 10, 9, 1000, 1050, 1100);
    EXPECT_TICK(1, 11, 0, 1100, 1100, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    th_shutdown(s);
    s = manual_scheduler();
    past(s, WTM_MISSED_BURST, 3);
    CHECK_U64(th_advance(s, 1000), 3);
    EXPECT_TICK(2, 3, 0, 300, 1050, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    th_shutdown(s);
}

/* A queued tick that its executor runs late: reckoned when the callback starts. */
static wtm_timer queued(wtm_scheduler s, hand *h, uint32_t policy) {
    wtm_executor e = hand_executor(h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e, .missed = policy);
    th_advance(s, 100);
    CHECK_EQ(hand_waiting(h), 1);
    CHECK_EQ(rec.count, 0);
    CHECK_EQ(th_info(t).state, WTM_STATE_QUEUED);
    CHECK_U64(next_of(t), 100);
    th_advance(s, 250); /* 350: 200 and 300 have passed, the tick of 100 still waits */
    CHECK_EQ(hand_waiting(h), 1);
    return t;
}

TEST(a_tick_that_waited_coalesces_what_passed_meanwhile) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = queued(s, &h, WTM_MISSED_COALESCE);
    hand_run_one(&h);
    EXPECT_TICK(0, 3, 2, 300, 350, 400);
    CHECK_U64(th_info(t).missed, 2);
    th_advance(s, 50);
    hand_run_one(&h);
    EXPECT_TICK(1, 4, 0, 400, 400, 500);
    th_shutdown(s);
}

TEST(a_tick_that_waited_bursts_what_passed_meanwhile) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    queued(s, &h, WTM_MISSED_BURST);
    for (unsigned i = 0; i < 3; i++) {
        hand_run_one(&h);
        th_advance(s, 0);
    }
    CHECK_EQ(hand_waiting(&h), 0);
    EXPECT_TICK(0, 1, 0, 100, 350, 200);
    EXPECT_TICK(1, 2, 0, 200, 350, 300);
    EXPECT_TICK(2, 3, 0, 300, 350, 400);
    th_shutdown(s);
}

TEST(a_tick_that_waited_delays_the_grid) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    queued(s, &h, WTM_MISSED_DELAY);
    hand_run_one(&h);
    EXPECT_TICK(0, 1, 0, 100, 350, 450);
    th_advance(s, 99);
    CHECK_EQ(hand_waiting(&h), 0);
    th_advance(s, 1);
    hand_run_one(&h);
    EXPECT_TICK(1, 2, 0, 450, 450, 550);
    th_shutdown(s);
}

/* Real time: a callback of 12 ms on a 5 ms timer. */
static struct {
    th_counter count;
    uint64_t expected_ordinal, missed;
} real_late;

static void slow_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    CHECK_U64(tick->ordinal, real_late.expected_ordinal + tick->missed);
    real_late.expected_ordinal = tick->ordinal + 1;
    real_late.missed += tick->missed;
    CHECK_LE(tick->scheduled_ns, tick->now_ns);
    CHECK_GE(tick->next_ns, tick->now_ns + 1); /* the latest that is not after now */
    uint64_t until = th_now() + 12 * MS;
    while (th_now() < until) continue;
    th_counter_add(&real_late.count, 1);
}

TEST(a_slow_callback_coalesces_in_real_time) {
    wtm_scheduler s = th_real();
    wtm_timer t = { 0 };
    th_counter_init(&real_late.count);
    real_late.expected_ordinal = 1;
    CHECK_OK(wtm_timer_every(s, 5 * MS, slow_tick, NULL, NULL, &t));
    th_counter_wait(&real_late.count, 20);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_OK);
    CHECK_GE(real_late.missed, 19);
    CHECK_U64(th_stats(s).missed, real_late.missed);
    th_shutdown(s);
}
