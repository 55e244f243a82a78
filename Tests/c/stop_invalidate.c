/* The stop that never blocks: its three answers, and that nothing starts after it.
 * covers: stop.none-after stop.nonblocking stop.sticky
 * field report: 6, 11, 14, 17, 20, 43, 50, 51, 93 */
#include "harness.h"

static wtm_timer victims[5];

static void kill_the_others(th_probe *probe) {
    for (int i = 0; i < 5; i++) {
        if (victims[i].id != probe->timer.id) CHECK_OK(wtm_timer_invalidate(victims[i]));
    }
}

TEST(a_due_timer_of_the_same_batch_does_not_start) {
    wtm_scheduler s = th_manual();
    th_probe first, rest;
    th_probe_init(&first);
    th_probe_init(&rest);
    first.on_tick = kill_the_others;
    for (int i = 0; i < 5; i++) CHECK_OK(wtm_timer_after(s, 10, th_tick, i == 0 ? &first : &rest, th_release, &victims[i]));
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_EQ(rest.ticks, 0);
    CHECK_STR(rest.order, "rrrr");
    CHECK_STR(first.order, "tTr");
    th_shutdown(s);
}

TEST(a_due_timer_does_not_start_after_an_ok_even_if_its_turn_had_come) {
    wtm_scheduler s = th_host();
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, 0, th_tick, &probe, th_release, &t));
    CHECK_OK(wtm_timer_invalidate(t)); /* due already, not yet served */
    CHECK_EQ(th_run_due(s), 0);
    CHECK_STR(probe.order, "r");
    th_shutdown(s);
}

static void *run_advance(void *argument) {
    CHECK_OK(wtm_scheduler_advance(*(wtm_scheduler *)argument, 1, NULL));
    return NULL;
}

TEST(the_three_answers) {
    wtm_scheduler s = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = options.interval_ns = 1;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_OK(wtm_timer_invalidate(t)); /* nothing is running */
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_probe_hold(&probe);
    pthread_t helper = th_thread(run_advance, &s);
    th_probe_wait_holding(&probe);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_RUNNING); /* a last callback is in progress */
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK(!wtm_timer_is_valid(t));
    th_probe_let_go(&probe);
    th_join(helper);
    CHECK_STR(probe.order, "ertTer");
    CHECK_U64(th_advance(s, 100), 0);
    th_shutdown(s);
}

static pthread_mutex_t callers_lock = PTHREAD_MUTEX_INITIALIZER;
static void take_callers_lock(th_probe *probe) {
    (void)probe;
    pthread_mutex_lock(&callers_lock);
    pthread_mutex_unlock(&callers_lock);
}

/* The stop is called with a lock that the callback wants: it must not wait for the callback. */
TEST(a_stop_under_the_callbacks_own_lock_returns) {
    wtm_scheduler s = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    probe.on_tick = take_callers_lock;
    th_probe_hold(&probe);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, &t));
    pthread_mutex_lock(&callers_lock);
    pthread_t helper = th_thread(run_advance, &s);
    th_probe_wait_holding(&probe);
    th_probe_let_go(&probe);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_RUNNING);
    pthread_mutex_unlock(&callers_lock);
    th_join(helper);
    CHECK_STR(probe.order, "tTr");
    th_shutdown(s);
}

TEST(an_invalidated_timer_cannot_be_revived) {
    wtm_scheduler s = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    for (int state = 0; state < 4; state++) {
        wtm_timer_options options = th_options(&probe);
        options.delay_ns = 5;
        if (state == 1) options.flags = WTM_TIMER_PAUSED;
        if (state == 2) options.flags = WTM_TIMER_KEEP;
        if (state == 3) options.interval_ns = 5;
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_start(s, &options, &t));
        if (state == 2) CHECK_U64(th_advance(s, 5), 1);
        CHECK_OK(wtm_timer_invalidate(t));
        CHECK_STATUS(wtm_timer_reschedule(t, 1), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_set_next(t, 1), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_set_interval(t, 1, 0), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_set_interval_only(t, 1), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_set_tolerance(t, 1), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_resume(t), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_pause(t), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_fire(t), WTM_ERR_GONE);
        CHECK_U64(th_advance(s, 1000), 0);
    }
    CHECK_EQ(probe.ticks, 1);
    th_shutdown(s);
}

TEST(a_stop_on_a_finished_one_shot_answers_gone) {
    wtm_scheduler s = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, 1, th_tick, &probe, th_release, &t));
    CHECK_U64(th_advance(s, 1), 1);
    for (int i = 0; i < 3; i++) CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STR(probe.order, "tTr");
    th_shutdown(s);
}

/* A tick that an executor holds does not run once its timer was stopped, moved or paused. */
TEST(a_queued_tick_is_taken_back) {
    for (int how = 0; how < 5; how++) {
        wtm_scheduler s = th_manual();
        static th_queue queue;
        th_queue_init(&queue);
        th_probe probe;
        th_probe_init(&probe);
        wtm_timer t = { 0 };
        wtm_timer_options options = th_options(&probe);
        options.executor = queue.executor;
        CHECK_OK(wtm_timer_start(s, &options, &t));
        CHECK_U64(th_advance(s, 0), 1);
        CHECK_EQ(th_info(t).state, WTM_STATE_QUEUED);
        CHECK_EQ(queue.submitted, 1);
        if (how == 0) CHECK_OK(wtm_timer_invalidate(t));
        if (how == 1) CHECK_OK(wtm_timer_invalidate_and_wait(t, 0));
        if (how == 2) CHECK_OK(wtm_timer_reschedule(t, 10));
        if (how == 3) CHECK_OK(wtm_timer_set_next(t, 10));
        if (how == 4) CHECK_OK(wtm_timer_pause(t));
        th_queue_run(&queue, 10);
        CHECK_EQ(probe.ticks, 0);
        CHECK_EQ(probe.released, how < 2);
        CHECK_EQ(wtm_timer_is_valid(t), how >= 2);
        if (how == 4) CHECK_OK(wtm_timer_resume(t));
        th_advance(s, 10);
        th_queue_run(&queue, 10);
        CHECK_EQ(probe.ticks, how >= 2);
        CHECK_EQ(probe.released, 1);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(queue.executor, TH_LIMIT));
    }
}
