/* reschedule, set_next, get_next: from outside, from callbacks, and against ticks that are due or queued already. */
#include "exec_hand.h"
#include "time_record.h"

TEST(reschedule_counts_from_now_and_lays_the_grid_anew) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 250);
    CHECK_OK(wtm_timer_reschedule(t, 30));
    CHECK_U64(next_of(t), 280);
    th_advance(s, 250);
    CHECK_EQ(rec.count, 5);
    EXPECT_TICK(2, 3, 0, 280, 280, 380);
    EXPECT_TICK(3, 4, 0, 380, 380, 480);
    EXPECT_TICK(4, 5, 0, 480, 480, 580);
    th_shutdown(s);
}

TEST(a_one_shot_moves_later_and_sooner_and_to_now) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100);
    th_advance(s, 50);
    CHECK_OK(wtm_timer_reschedule(t, 500));
    CHECK_U64(th_advance(s, 400), 0);
    CHECK_OK(wtm_timer_reschedule(t, 5));
    CHECK_U64(next_of(t), 455);
    CHECK_OK(wtm_timer_reschedule(t, 0));
    CHECK_U64(next_of(t), 450);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(0, 1, 0, 450, 450, WTM_NEVER);
    th_shutdown(s);
}

TEST(set_next_is_absolute_and_may_lie_in_the_past) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 1000);
    forget();
    CHECK_OK(wtm_timer_set_next(t, 1234));
    CHECK_U64(next_of(t), 1234);
    th_advance(s, 234);
    EXPECT_TICK(0, 11, 0, 1234, 1234, 1334);
    CHECK_OK(wtm_timer_set_next(t, 900)); /* 900, 1000, 1100, 1200 are due */
    CHECK_U64(next_of(t), 900);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(1, 15, 3, 1200, 1234, 1300);
    th_shutdown(s);
}

/* covers: time.range */
TEST(a_timer_moved_to_never_waits_there_until_it_is_moved_again) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100);
    CHECK_OK(wtm_timer_reschedule(t, WTM_NEVER));
    CHECK_U64(next_of(t), WTM_NEVER);
    CHECK_EQ(th_info(t).state, WTM_STATE_ARMED);
    CHECK_U64(th_advance(s, 300 * YEAR), 0);
    CHECK_OK(wtm_timer_set_next(t, WTM_NEVER));
    CHECK_U64(th_advance(s, YEAR), 0);
    CHECK_OK(wtm_timer_reschedule(t, 7));
    CHECK_U64(th_advance(s, 7), 1);
    EXPECT_TICK(0, 1, 0, 301 * YEAR + 7, 301 * YEAR + 7, WTM_NEVER);
    th_shutdown(s);
}

static wtm_timer other;
static uint64_t move_by;
static bool move_absolute;

static void move_the_other(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag != 1) return;
    if (move_absolute) CHECK_OK(wtm_timer_set_next(other, move_by));
    else CHECK_OK(wtm_timer_reschedule(other, move_by));
}

/* The other timer is due in the very same pass and has not had its turn. */
TEST(a_due_tick_does_not_start_after_its_timer_was_moved) {
    for (int absolute = 0; absolute < 2; absolute++) {
        wtm_scheduler s = manual_scheduler();
        START(s, TAG(1), .delay_ns = 100);
        other = START(s, TAG(2), .delay_ns = 100);
        START(s, TAG(3), .delay_ns = 100);
        move_absolute = absolute != 0;
        move_by = absolute ? 400 : 300;
        rec.during = move_the_other;
        CHECK_U64(th_advance(s, 100), 2);
        CHECK_EQ(rec.at[1].tag, 3);
        CHECK_U64(next_of(other), 400);
        CHECK_U64(th_advance(s, 300), 1);
        EXPECT_TICK(2, 1, 0, 400, 400, WTM_NEVER);
        th_shutdown(s);
    }
}

TEST(a_queued_tick_does_not_start_after_its_timer_was_moved) {
    for (int absolute = 0; absolute < 2; absolute++) {
        hand h;
        wtm_scheduler s = manual_scheduler();
        wtm_executor e = hand_executor(&h);
        wtm_timer t = START(s, .delay_ns = 100, .executor = e);
        th_advance(s, 100);
        CHECK_EQ(hand_waiting(&h), 1);
        CHECK_U64(next_of(t), 100);
        if (absolute) CHECK_OK(wtm_timer_set_next(t, 300));
        else CHECK_OK(wtm_timer_reschedule(t, 200));
        hand_run_one(&h);
        CHECK_EQ(rec.count, 0);
        CHECK_U64(next_of(t), 300);
        th_advance(s, 200);
        hand_run_all(&h);
        CHECK_EQ(rec.count, 1);
        EXPECT_TICK(0, 1, 0, 300, 300, WTM_NEVER);
        CHECK_EQ(rec.ended, 1);
        th_shutdown(s);
    }
}

static void move_itself(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tag;
    CHECK_EQ(th_info(timer).state, WTM_STATE_RUNNING);
    CHECK_U64(next_of(timer), tick->next_ns); /* while running: the tick after this one */
    if (rec.count == 2) {
        CHECK_OK(wtm_timer_reschedule(timer, 7));
        CHECK_U64(next_of(timer), tick->now_ns + 7);
    }
    if (rec.count == 3) {
        CHECK_OK(wtm_timer_set_next(timer, tick->now_ns)); /* due at once, but after this callback */
        CHECK_U64(next_of(timer), tick->now_ns);
    }
}

TEST(a_repeating_timer_moves_itself_from_its_callback) {
    wtm_scheduler s = manual_scheduler();
    rec.during = move_itself;
    START(s, .interval_ns = 100);
    th_advance(s, 307);
    CHECK_EQ(rec.count, 5);
    EXPECT_TICK(1, 2, 0, 200, 200, 300);
    EXPECT_TICK(2, 3, 0, 207, 207, 307);
    EXPECT_TICK(3, 4, 0, 207, 207, 307);
    EXPECT_TICK(4, 5, 0, 307, 307, 407);
    th_shutdown(s);
}

static void rearm_three_times(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tag;
    CHECK(wtm_timer_is_valid(timer));
    CHECK_U64(tick->next_ns, WTM_NEVER);
    if (rec.count < 4) CHECK_OK(wtm_timer_reschedule(timer, tick->ordinal * 10));
}

/* field report: 48 */
TEST(a_one_shot_arms_itself_again_within_one_advance) {
    wtm_scheduler s = manual_scheduler();
    rec.during = rearm_three_times;
    wtm_timer t = START(s, .delay_ns = 100);
    CHECK_U64(th_advance(s, 1000), 4);
    EXPECT_TICK(1, 2, 0, 110, 110, WTM_NEVER);
    EXPECT_TICK(2, 3, 0, 130, 130, WTM_NEVER);
    EXPECT_TICK(3, 4, 0, 160, 160, WTM_NEVER);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    CHECK_EQ(rec.ended, 1);
    th_shutdown(s);
}

/* The pattern of an I/O timeout: pushed back a thousand times, fires once, when the pushing ends. */
TEST(a_timeout_pushed_back_again_and_again_fires_once) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 30 * SEC);
    for (int i = 0; i < 1000; i++) {
        CHECK_U64(th_advance(s, 20 * SEC), 0);
        CHECK_OK(wtm_timer_reschedule(t, 30 * SEC));
    }
    CHECK_U64(th_advance(s, 30 * SEC - 1), 0);
    CHECK_U64(th_advance(s, 1), 1);
    EXPECT_TICK(0, 1, 0, 20030 * SEC, 20030 * SEC, WTM_NEVER);
    th_shutdown(s);
}

/* covers: stop.sticky */
/* field report: 14 */
TEST(moving_an_ended_timer_answers_gone_and_never_fires) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100);
    uint64_t next = 7;
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_STATUS(wtm_timer_reschedule(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_next(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_interval(t, 1, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_pause(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_resume(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_fire(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_get_next(t, &next), WTM_ERR_GONE);
    CHECK_U64(next, 0);
    CHECK_U64(th_advance(s, 1000), 0);
    th_shutdown(s);
}
