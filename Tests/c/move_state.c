/* A timer's state as it is moved, paused, fired and runs, and what moving calls do in each state.
 * covers: time.pause time.fire stop.none-after
 * field report: 46 */
#include "harness.h"

static wtm_scheduler s;
static wtm_timer t;
static th_probe probe;

static void begin(uint32_t flags, uint64_t delay, uint64_t interval) {
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.flags = flags;
    options.delay_ns = delay;
    options.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &options, &t));
}

static uint64_t next(void) {
    uint64_t deadline = 7;
    CHECK_OK(wtm_timer_get_next(t, &deadline));
    return deadline;
}

static unsigned state(void) { return th_info(t).state; }

static void check_running_one_shot(th_probe *p) {
    (void)p;
    CHECK_EQ(state(), WTM_STATE_RUNNING);
    CHECK_U64(next(), WTM_NEVER);
}
TEST(a_one_shot_is_armed_running_gone) {
    begin(0, 10, 0);
    CHECK_EQ(state(), WTM_STATE_ARMED);
    CHECK_U64(next(), 10);
    probe.on_tick = check_running_one_shot;
    CHECK_U64(th_advance(s, 10), 1);
    CHECK(!wtm_timer_is_valid(t));
    th_shutdown(s);
}

static void check_running_repeating(th_probe *p) {
    CHECK_EQ(state(), WTM_STATE_RUNNING);
    CHECK_U64(next(), p->tick.scheduled_ns + 5); /* the tick after this one */
    CHECK_U64(p->tick.next_ns, p->tick.scheduled_ns + 5);
}
TEST(a_repeating_timer_is_armed_running_armed) {
    begin(0, 10, 5);
    probe.on_tick = check_running_repeating;
    CHECK_U64(th_advance(s, 20), 3);
    CHECK_EQ(state(), WTM_STATE_ARMED);
    CHECK_U64(next(), 25);
    th_shutdown(s);
}

static void rearm(th_probe *p) {
    CHECK(wtm_timer_is_valid(p->timer));
    if (p->ticks >= 3) return;
    CHECK_OK(wtm_timer_reschedule(p->timer, 7));
    CHECK_U64(next(), p->tick.now_ns + 7);
}
TEST(a_one_shot_is_armed_again_from_its_callback) {
    begin(0, 10, 0);
    probe.on_tick = rearm;
    CHECK_U64(th_advance(s, 100), 4);
    CHECK_STR(probe.order, "tTtTtTtTer");
    CHECK_EQ(probe.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(a_kept_one_shot_goes_idle_and_is_used_again) {
    begin(WTM_TIMER_KEEP, 10, 0);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(state(), WTM_STATE_ARMED);
        CHECK_U64(th_advance(s, 10), 1);
        CHECK_EQ(state(), WTM_STATE_IDLE);
        CHECK(wtm_timer_is_valid(t));
        CHECK_U64(th_advance(s, 1000), 0);
        CHECK_OK(wtm_timer_fire(t)); /* an idle one stays idle */
        CHECK_U64(th_advance(s, 0), 1);
        CHECK_EQ(probe.tick.flags, WTM_TICK_FIRED);
        CHECK_EQ(state(), WTM_STATE_IDLE);
        if (i % 2) CHECK_OK(wtm_timer_reschedule(t, 10));
        else CHECK_OK(wtm_timer_set_next(t, wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC) + 10));
    }
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_EQ(probe.ticks, 6);
    CHECK_EQ(probe.released, 1);
    th_shutdown(s);
}

TEST(a_kept_one_shot_with_a_limit_ends_at_it) {
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.flags = WTM_TIMER_KEEP;
    options.tick_limit = 2;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_EQ(state(), WTM_STATE_IDLE);
    CHECK_OK(wtm_timer_fire(t)); /* does not count towards the limit */
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_OK(wtm_timer_reschedule(t, 0));
    CHECK_U64(th_advance(s, 0), 1);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(probe.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(pause_and_resume_are_idempotent_and_keep_what_remains) {
    begin(0, 100, 50);
    th_advance(s, 30);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_pause(t));
    CHECK_EQ(state(), WTM_STATE_PAUSED);
    CHECK_U64(next(), WTM_NEVER);
    CHECK_U64(th_advance(s, 1000), 0);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_resume(t));
    CHECK_EQ(state(), WTM_STATE_ARMED);
    CHECK_U64(next(), 1030 + 70);
    CHECK_U64(th_advance(s, 69), 0);
    CHECK_U64(th_advance(s, 1), 1);
    CHECK_U64(next(), 1150);
    th_shutdown(s);
}

TEST(moves_of_a_paused_timer) {
    begin(WTM_TIMER_PAUSED, 100, 0);
    CHECK_OK(wtm_timer_reschedule(t, 40)); /* counts from resume */
    th_advance(s, 500);
    CHECK_U64(next(), WTM_NEVER);
    CHECK_EQ(state(), WTM_STATE_PAUSED);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next(), 540);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_set_next(t, 700)); /* stays absolute */
    th_advance(s, 100);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next(), 700);
    CHECK_U64(th_advance(s, 100), 1);
    CHECK(!wtm_timer_is_valid(t));
    th_shutdown(s);
}

TEST(fires_of_a_paused_timer) {
    begin(WTM_TIMER_PAUSED, 100, 10);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_OK(wtm_timer_fire(t));
    CHECK_EQ(probe.ticks, 0); /* never inside fire itself */
    CHECK_U64(th_advance(s, 0), 2);
    CHECK_EQ(state(), WTM_STATE_PAUSED);
    CHECK_U64(next(), WTM_NEVER);
    CHECK_OK(wtm_timer_set_interval(t, 0, 0)); /* the next scheduled tick is the last */
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(th_advance(s, 1000), 1);
    CHECK(!wtm_timer_is_valid(t));
    th_shutdown(s);
    begin(WTM_TIMER_PAUSED, 100, 0);
    CHECK_OK(wtm_timer_fire(t)); /* completes a one-shot */
    CHECK_U64(th_advance(s, 0), 1);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(probe.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

static void pause_here(th_probe *p) { CHECK_OK(wtm_timer_pause(p->timer)); }
TEST(a_timer_that_pauses_itself) {
    begin(0, 10, 10);
    probe.on_tick = pause_here;
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_EQ(state(), WTM_STATE_PAUSED);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next(), 110);
    th_shutdown(s);
}

static void fire_here(th_probe *p) {
    if (p->ticks == 0) CHECK_OK(wtm_timer_fire(p->timer));
}
TEST(a_fire_during_a_callback_comes_after_it) {
    begin(0, 10, 10);
    probe.on_tick = fire_here;
    uint64_t ran = th_advance(s, 10);
    CHECK_U64(ran + th_advance(s, 0), 2);
    CHECK_STR(probe.order, "tTtT");
    CHECK_EQ(probe.most_inside, 1);
    CHECK_EQ(probe.tick.flags, WTM_TICK_FIRED);
    CHECK_U64(next(), 20);
    th_shutdown(s);
}

TEST(pending_fires_are_discarded_at_the_end) {
    begin(0, 10, 10);
    for (int i = 0; i < 5; i++) CHECK_OK(wtm_timer_fire(t));
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_U64(th_advance(s, 100), 0);
    CHECK_STR(probe.order, "er");
    th_shutdown(s);
}

TEST(a_queued_timer_shows_the_deadline_of_its_tick) {
    static th_queue queue;
    th_queue_init(&queue);
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.executor = queue.executor;
    options.delay_ns = 10;
    options.interval_ns = 5;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_U64(th_advance(s, 10), 1);
    CHECK_EQ(state(), WTM_STATE_QUEUED);
    CHECK_U64(next(), 10);
    CHECK_EQ(th_queue_run(&queue, 1), 1);
    CHECK_EQ(state(), WTM_STATE_ARMED);
    CHECK_U64(next(), 15);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(queue.executor, TH_LIMIT));
}

static th_counter inside, go;
static void block(th_probe *p) {
    (void)p;
    th_counter_add(&inside, 1);
    th_counter_wait(&go, 1);
}
static void *run_advance(void *argument) {
    CHECK_OK(wtm_scheduler_advance(*(wtm_scheduler *)argument, 10, NULL));
    return NULL;
}
TEST(once_the_last_callback_has_returned_the_handle_is_gone_while_hooks_run) {
    begin(0, 10, 0);
    th_counter_init(&inside), th_counter_init(&go);
    probe.on_ended = block;
    pthread_t helper = th_thread(run_advance, &s);
    th_counter_wait(&inside, 1);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT);
    th_counter_add(&go, 1);
    th_join(helper);
    CHECK_EQ(probe.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}
