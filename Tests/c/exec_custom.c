/* Custom executors that behave badly: they lose, repeat, delay, forge, refuse, or run work inside submit. */
#include "exec_hand.h"
#include "time_record.h"

static wtm_executor custom(bool (*submit)(void *, void (*)(uint64_t), uint64_t), void *context) {
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    wtm_executor e = { 0 };
    ops.submit = submit;
    CHECK_OK(wtm_executor_create_custom(&ops, context, NULL, &e));
    return e;
}

TEST(lost_work_keeps_nobody_waiting) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 1000);
    CHECK_EQ(h.submitted, 1);
    h.taken = h.submitted; /* lost */
    CHECK_EQ(th_info(t).state, WTM_STATE_QUEUED);
    CHECK_OK(wtm_timer_reschedule(t, 50)); /* takes the lost tick back */
    th_advance(s, 50);
    CHECK_EQ(h.submitted, 2);
    hand_run_one(&h);
    CHECK_EQ(rec.count, 1);
    th_advance(s, 100);
    h.taken = h.submitted;
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_OK); /* queued is not running */
    CHECK_EQ(rec.released, 1);
    START(s, .delay_ns = 10, .executor = e);
    th_advance(s, 10);
    h.taken = h.submitted;
    th_shutdown(s);
    CHECK_EQ(rec.released, 2);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
    CHECK_EQ(h.released, 1);
}

TEST(work_run_twice_ticks_once) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    for (uint64_t k = 1; k <= 5; k++) {
        th_advance(s, 100);
        hand_run_one(&h);
        for (unsigned i = 0; i < h.submitted; i++) h.run(h.work[i]); /* all that ever was, again */
        CHECK_EQ(rec.count, k);
        EXPECT_TICK(k - 1, k, 0, 100 * k, 100 * k, 100 * k + 100);
    }
    CHECK_U64(th_info(t).ticks, 5);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(work_run_late_does_nothing) {
    for (int when = 0; when < 4; when++) {
        hand h;
        wtm_scheduler s = manual_scheduler();
        wtm_executor e = hand_executor(&h);
        wtm_timer t = START(s, .interval_ns = 100, .executor = e);
        th_advance(s, 100);
        CHECK_EQ(hand_waiting(&h), 1);
        if (when == 0) CHECK_OK(wtm_timer_invalidate(t));
        if (when == 1) th_shutdown(s);
        if (when >= 2) CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        if (when == 3) th_shutdown(s);
        hand_run_one(&h);
        h.run(h.work[0]);
        CHECK_EQ(rec.count, 0);
        if (when != 1 && when != 3) th_shutdown(s);
        h.run(h.work[0]);
        if (when < 2) CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        h.run(h.work[0]);
        CHECK_EQ(rec.count, 0);
        CHECK_EQ(rec.ended, 1);
        CHECK_EQ(rec.released, 1);
        CHECK_EQ(h.released, 1);
    }
}

TEST(forged_numbers_do_nothing) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 100);
    uint64_t real = h.work[0];
    static const uint64_t forged[] = { 0, 1, 2, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, UINT64_C(1) << 32 };
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
        if (forged[i] != real) h.run(forged[i]);
    }
    for (int bit = 0; bit < 64; bit++) h.run(real ^ UINT64_C(1) << bit);
    CHECK_EQ(rec.count, 0);
    hand_run_one(&h);
    CHECK_EQ(rec.count, 1);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

static bool run_inside(void *context, void (*run)(uint64_t), uint64_t work) {
    run(work);
    run(work);
    return context == NULL; /* what it answers afterwards does not matter */
}

TEST(work_may_run_inside_submit_whatever_submit_then_answers) {
    static int marker;
    for (int answer = 0; answer < 2; answer++) {
        wtm_scheduler s = manual_scheduler();
        wtm_executor e = custom(run_inside, answer ? &marker : NULL);
        wtm_timer t = START(s, TAG(1), .interval_ns = 100, .executor = e);
        START(s, TAG(2), .delay_ns = 250, .executor = e);
        CHECK_U64(th_advance(s, 300), 4);
        CHECK_EQ(rec.count, 4);
        EXPECT_TICK(0, 1, 0, 100, 100, 200);
        EXPECT_TICK(1, 2, 0, 200, 200, 300);
        EXPECT_TICK(2, 1, 0, 250, 250, WTM_NEVER);
        EXPECT_TICK(3, 3, 0, 300, 300, 400);
        CHECK_U64(th_info(t).dropped, 0);
        CHECK_EQ(rec.released, 1);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
    }
}

static void rearm_now(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    if (rec.count < 1000) CHECK_OK(wtm_timer_reschedule(timer, 0));
}

TEST(work_inside_submit_does_not_recurse) {
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = custom(run_inside, NULL);
    rec.during = rearm_now;
    START(s, .delay_ns = 0, .executor = e);
    CHECK_U64(th_advance(s, 0), 1000);
    CHECK_EQ(rec.count, 1000);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(a_refused_tick_is_dropped_and_the_timer_goes_on) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    h.refuse = true;
    th_advance(s, 300);
    CHECK_U64(th_info(t).dropped, 3);
    CHECK_EQ(th_info(t).state, WTM_STATE_ARMED);
    h.refuse = false;
    th_advance(s, 100);
    hand_run_one(&h);
    EXPECT_TICK(0, 4, 0, 400, 400, 500);
    CHECK_U64(th_info(t).missed, 0);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(what_a_refused_late_tick_stood_for_is_missed) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    th_advance(s, 1000);
    wtm_timer t = START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100, .executor = e);
    h.refuse = true;
    th_advance(s, 0);
    h.refuse = false;
    CHECK_U64(th_info(t).dropped, 1);
    CHECK_U64(th_info(t).missed, 9);
    CHECK_U64(th_stats(s).dropped, 1);
    CHECK_U64(th_stats(s).missed, 9);
    th_advance(s, 100);
    hand_run_one(&h);
    EXPECT_TICK(0, 11, 0, 1100, 1100, 1200);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(a_refused_one_shot_has_had_its_tick) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    h.refuse = true;
    wtm_timer once = START(s, .delay_ns = 100, .executor = e);
    wtm_timer kept = START(s, .delay_ns = 100, .executor = e, .flags = WTM_TIMER_KEEP);
    th_advance(s, 100);
    CHECK(!wtm_timer_is_valid(once));
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    CHECK_EQ(rec.released, 1);
    CHECK_EQ(th_info(kept).state, WTM_STATE_IDLE);
    CHECK_U64(th_info(kept).dropped, 1);
    h.refuse = false;
    CHECK_OK(wtm_timer_reschedule(kept, 10));
    th_advance(s, 10);
    hand_run_one(&h);
    EXPECT_TICK(0, 2, 0, 110, 110, WTM_NEVER);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

static wtm_timer in_submit;
static wtm_scheduler in_submit_scheduler;
static unsigned submits;

static bool end_it_inside(void *context, void (*run)(uint64_t), uint64_t work) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    (void)context;
    submits++;
    CHECK_OK(wtm_scheduler_get_stats(in_submit_scheduler, &stats));
    wtm_status status = wtm_timer_invalidate(in_submit);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    run(work);
    return true;
}

/* covers: life.unlocked stop.none-after */
TEST(submit_may_call_the_library_and_end_the_timer) {
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = custom(end_it_inside, NULL);
    in_submit_scheduler = s;
    submits = 0;
    in_submit = START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 500);
    CHECK_EQ(submits, 1);
    CHECK_EQ(rec.count, 0);
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.released, 1);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

static void *run_on_a_thread(void *argument) {
    hand_run_all(argument);
    return NULL;
}

TEST(work_may_run_on_any_thread) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    START(s, .interval_ns = 100, .executor = e);
    for (int i = 0; i < 5; i++) {
        th_advance(s, 100);
        th_join(th_thread(run_on_a_thread, &h));
    }
    CHECK_EQ(rec.count, 5);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(release_runs_once_after_the_last_run_has_returned) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 100);
    CHECK_EQ(h.released, 0);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
    CHECK_EQ(h.released, 1);
    CHECK_STATUS(wtm_executor_shutdown(e, TH_LIMIT), WTM_ERR_GONE);
    CHECK_EQ(h.released, 1);
    th_shutdown(s);
    CHECK_EQ(h.released, 1);
}
