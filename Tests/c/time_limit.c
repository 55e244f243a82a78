/* Tick limits, kept one-shots, and what a last callback may still do. */
#include "exec_hand.h"
#include "time_record.h"

TEST(a_limit_ends_the_timer_with_its_last_callback) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, TAG(4), .interval_ns = 100, .tick_limit = 3);
    CHECK_U64(th_advance(s, 1000), 3);
    EXPECT_TICK(1, 2, 0, 200, 200, 300);
    EXPECT_TICK(2, 3, 0, 300, 300, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    CHECK_EQ(rec.ended_tag, 4);
    CHECK_EQ(rec.released, 1);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    th_shutdown(s);
}

static bool last_seen;

static void move_in_the_last(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tag;
    CHECK(wtm_timer_is_valid(timer));
    if (rec.count < 2) return;
    uint64_t next = 0;
    last_seen = true;
    CHECK_U64(tick->next_ns, WTM_NEVER);
    CHECK_STATUS(wtm_timer_reschedule(timer, 10), WTM_ERR_LIMIT);
    CHECK_STATUS(wtm_timer_set_next(timer, 5000), WTM_ERR_LIMIT);
    CHECK_OK(wtm_timer_get_next(timer, &next));
    CHECK_U64(next, WTM_NEVER);
    CHECK_EQ(rec.ended, 0);
}

TEST(moving_in_the_last_callback_answers_limit) {
    wtm_scheduler s = manual_scheduler();
    rec.during = move_in_the_last;
    last_seen = false;
    START(s, .interval_ns = 100, .tick_limit = 2);
    CHECK_U64(th_advance(s, 1000), 2);
    CHECK(last_seen);
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

static void rearm_always(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    CHECK_STATUS(wtm_timer_reschedule(timer, 10), rec.count < 4 ? WTM_OK : WTM_ERR_LIMIT);
}

TEST(a_one_shot_rescheduled_in_its_callback_lives_on_up_to_its_limit) {
    wtm_scheduler s = manual_scheduler();
    rec.during = rearm_always;
    START(s, .delay_ns = 100, .tick_limit = 4);
    CHECK_U64(th_advance(s, 1000), 4);
    for (uint64_t k = 0; k < 4; k++) EXPECT_TICK(k, k + 1, 0, 100 + 10 * k, 100 + 10 * k, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.released, 1);
    th_shutdown(s);
}

TEST(a_kept_one_shot_is_idle_between_uses) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100, .flags = WTM_TIMER_KEEP);
    CHECK_EQ(th_info(t).state, WTM_STATE_ARMED);
    CHECK_U64(th_advance(s, 1000), 1);
    CHECK_EQ(th_info(t).state, WTM_STATE_IDLE);
    CHECK(wtm_timer_is_valid(t));
    CHECK_U64(next_of(t), WTM_NEVER);
    CHECK_EQ(rec.ended, 0);
    CHECK_OK(wtm_timer_reschedule(t, 50));
    CHECK_EQ(th_info(t).state, WTM_STATE_ARMED);
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_TICK(1, 2, 0, 1050, 1050, WTM_NEVER);
    CHECK_OK(wtm_timer_set_next(t, 2500));
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_TICK(2, 3, 0, 2500, 2500, WTM_NEVER);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_OK);
    CHECK_EQ(rec.reason, WTM_REASON_INVALIDATED);
    CHECK_EQ(rec.released, 1);
    th_shutdown(s);
}

TEST(a_limit_is_final_for_a_kept_one_shot_too) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100, .flags = WTM_TIMER_KEEP, .tick_limit = 2);
    th_advance(s, 100);
    CHECK(wtm_timer_is_valid(t));
    CHECK_OK(wtm_timer_reschedule(t, 100));
    rec.during = move_in_the_last;
    last_seen = false;
    th_advance(s, 100);
    CHECK(last_seen);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(keep_does_nothing_on_a_repeating_timer) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100, .flags = WTM_TIMER_KEEP, .tick_limit = 2);
    CHECK_U64(th_advance(s, 1000), 2);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(a_limit_does_not_count_fired_ticks) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100, .tick_limit = 2);
    for (int i = 0; i < 5; i++) CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 0), 5);
    CHECK_U64(th_advance(s, 1000), 2);
    EXPECT_TICK(5, 1, 0, 100, 100, 200);
    EXPECT_TICK(6, 2, 0, 200, 200, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    th_shutdown(s);
}

TEST(a_limit_does_not_count_dropped_ticks) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .tick_limit = 2, .executor = e);
    h.refuse = true;
    th_advance(s, 300);
    CHECK_EQ(h.refused, 3);
    CHECK_U64(th_info(t).dropped, 3);
    CHECK_U64(th_info(t).ticks, 0);
    h.refuse = false;
    for (int i = 0; i < 2; i++) {
        CHECK(wtm_timer_is_valid(t));
        th_advance(s, 100);
        hand_run_all(&h);
    }
    EXPECT_TICK(0, 4, 0, 400, 400, 500); /* the refused ones took their ordinals */
    EXPECT_TICK(1, 5, 0, 500, 500, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    th_shutdown(s);
}

static void invalidate_in_it(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    CHECK_STATUS(wtm_timer_invalidate(timer), WTM_RUNNING);
    CHECK_STATUS(wtm_timer_invalidate(timer), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(timer, 10), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_fire(timer), WTM_ERR_GONE);
}

/* covers: stop.sticky */
TEST(an_invalidate_in_the_last_callback_is_the_reason) {
    static const uint64_t intervals[] = { 0, 100 };
    for (int i = 0; i < 2; i++) {
        wtm_scheduler s = manual_scheduler();
        rec.during = invalidate_in_it;
        START(s, .delay_ns = 100, .interval_ns = intervals[i], .tick_limit = 1);
        CHECK_U64(th_advance(s, 1000), 1);
        CHECK_EQ(rec.ended, 1);
        CHECK_EQ(rec.reason, WTM_REASON_INVALIDATED);
        CHECK_EQ(rec.released, 1);
        th_shutdown(s);
    }
}
