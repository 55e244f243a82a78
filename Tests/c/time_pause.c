/* Pause and resume: what remains is kept, both are idempotent, and nothing scheduled starts in between. */
#include "exec_hand.h"
#include "time_record.h"

/* covers: time.pause */
TEST(pause_keeps_the_remaining_time) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 130);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_U64(next_of(t), WTM_NEVER);
    CHECK_U64(th_info(t).next_ns, WTM_NEVER);
    CHECK_U64(th_advance(s, 1000), 0);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_EQ(th_info(t).state, WTM_STATE_ARMED);
    CHECK_U64(next_of(t), 1200);
    CHECK_U64(th_advance(s, 170), 2);
    EXPECT_TICK(1, 2, 0, 1200, 1200, 1300);
    EXPECT_TICK(2, 3, 0, 1300, 1300, 1400);
    th_shutdown(s);
}

/* field report: 44, 46 */
TEST(pause_and_resume_are_idempotent_in_any_order_and_number) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 100);
    th_advance(s, 40);
    for (int i = 0; i < 5; i++) {
        CHECK_OK(wtm_timer_pause(t));
        th_advance(s, 10); /* a second pause does not shorten what remains */
    }
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 150);
    th_advance(s, 20);
    CHECK_OK(wtm_timer_resume(t)); /* nor does a second resume start over */
    CHECK_U64(next_of(t), 150);
    CHECK_U64(th_advance(s, 40), 1);
    EXPECT_TICK(0, 1, 0, 150, 150, WTM_NEVER);
    th_shutdown(s);
}

static wtm_timer other;

static void pause_the_other(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag == 1) CHECK_OK(wtm_timer_pause(other));
}

TEST(pausing_a_due_timer_keeps_nothing_and_resume_makes_it_due) {
    wtm_scheduler s = manual_scheduler();
    rec.during = pause_the_other;
    START(s, TAG(1), .delay_ns = 100);
    other = START(s, TAG(2), .delay_ns = 100);
    CHECK_U64(th_advance(s, 500), 1);
    CHECK_OK(wtm_timer_resume(other));
    CHECK_U64(next_of(other), 500);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(1, 1, 0, 500, 500, WTM_NEVER);
    th_shutdown(s);
}

static void pause_and_resume_the_other(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    pause_the_other(timer, tick, tag);
    if (tag == 1) CHECK_OK(wtm_timer_resume(other));
}

TEST(resume_is_arming_so_the_timer_goes_behind_its_equals) {
    wtm_scheduler s = manual_scheduler();
    rec.during = pause_and_resume_the_other;
    START(s, TAG(1), .delay_ns = 100);
    other = START(s, TAG(2), .delay_ns = 100);
    START(s, TAG(3), .delay_ns = 100);
    CHECK_U64(th_advance(s, 100), 3);
    CHECK_EQ(rec.at[1].tag, 3);
    CHECK_EQ(rec.at[2].tag, 2);
    EXPECT_TICK(2, 1, 0, 100, 100, WTM_NEVER);
    th_shutdown(s);
}

TEST(a_queued_tick_does_not_start_after_pause) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 100);
    CHECK_EQ(th_info(t).state, WTM_STATE_QUEUED);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    hand_run_one(&h);
    CHECK_EQ(rec.count, 0);
    th_advance(s, 50);
    CHECK_OK(wtm_timer_resume(t));
    th_advance(s, 0);
    hand_run_one(&h);
    EXPECT_TICK(0, 1, 0, 150, 150, 250);
    th_shutdown(s);
}

static void pause_itself(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    CHECK_OK(wtm_timer_pause(timer));
    CHECK_U64(next_of(timer), WTM_NEVER);
}

TEST(a_repeating_timer_pauses_itself) {
    wtm_scheduler s = manual_scheduler();
    rec.during = pause_itself;
    wtm_timer t = START(s, .interval_ns = 100);
    CHECK_U64(th_advance(s, 450), 1);
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 550); /* a whole interval remained */
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_TICK(1, 2, 0, 550, 550, 650);
    th_shutdown(s);
}

static void rearm_and_pause(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    if (rec.count > 1) return;
    CHECK_OK(wtm_timer_reschedule(timer, 30));
    CHECK_OK(wtm_timer_pause(timer));
}

TEST(a_one_shot_rescheduled_and_paused_in_its_callback_stays) {
    wtm_scheduler s = manual_scheduler();
    rec.during = rearm_and_pause;
    wtm_timer t = START(s, .delay_ns = 100);
    CHECK_U64(th_advance(s, 500), 1);
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 530);
    CHECK_U64(th_advance(s, 500), 1);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

/* field report: 47, 48 */
TEST(a_timer_made_paused_starts_at_resume) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, TAG(1), .flags = WTM_TIMER_PAUSED, .delay_ns = 50, .interval_ns = 100);
    wtm_timer i = START(s, TAG(2), .flags = WTM_TIMER_PAUSED | WTM_TIMER_IMMEDIATE, .interval_ns = 100);
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_U64(th_advance(s, 1000), 0);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_OK(wtm_timer_resume(i));
    CHECK_U64(th_advance(s, 150), 4);
    EXPECT_TICK(0, 1, 0, 1000, 1000, 1100);
    EXPECT_TICK(1, 1, 0, 1050, 1050, 1150);
    EXPECT_TICK(2, 2, 0, 1100, 1100, 1200);
    EXPECT_TICK(3, 2, 0, 1150, 1150, 1250);
    th_shutdown(s);
}

/* field report: 44, 47 */
TEST(a_timer_that_was_never_started_ends_cleanly) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .flags = WTM_TIMER_PAUSED, .interval_ns = 100);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_OK);
    CHECK_EQ(rec.released, 1);
    START(s, .flags = WTM_TIMER_PAUSED, .interval_ns = 100);
    th_shutdown(s);
    CHECK_EQ(rec.released, 2);
    CHECK_EQ(rec.reason, WTM_REASON_SHUTDOWN);
    CHECK_EQ(rec.count, 0);
}

TEST(on_a_paused_timer_reschedule_counts_from_resume) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_reschedule(t, 30));
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_U64(next_of(t), WTM_NEVER);
    CHECK_U64(th_advance(s, 500), 0);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 530);
    th_advance(s, 130);
    EXPECT_TICK(0, 1, 0, 530, 530, 630);
    EXPECT_TICK(1, 2, 0, 630, 630, 730);
    th_shutdown(s);
}

TEST(on_a_paused_timer_set_next_stays_absolute) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_set_next(t, 2000));
    CHECK_U64(next_of(t), WTM_NEVER);
    th_advance(s, 700);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 2000);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_set_next(t, 2000));
    CHECK_U64(th_advance(s, 2350), 0); /* 3050 */
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(0, 11, 10, 3000, 3050, 3100);
    th_shutdown(s);
}

TEST(a_paused_kept_one_shot_and_a_paused_never_come_back_as_they_were) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer never = START(s, .delay_ns = WTM_NEVER);
    CHECK_OK(wtm_timer_pause(never));
    th_advance(s, 5);
    CHECK_OK(wtm_timer_resume(never));
    CHECK_U64(next_of(never), WTM_NEVER);
    wtm_timer idle = START(s, .delay_ns = 1, .flags = WTM_TIMER_KEEP);
    th_advance(s, 1);
    CHECK_OK(wtm_timer_pause(idle));
    CHECK_OK(wtm_timer_resume(idle));
    CHECK_U64(th_advance(s, YEAR), 0);
    CHECK_OK(wtm_timer_reschedule(idle, 1));
    CHECK_U64(th_advance(s, 1), 1);
    th_shutdown(s);
}
