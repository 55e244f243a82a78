/* fire: one extra tick a call, through the executor, never inside the call, the schedule left alone. */
#include "exec_hand.h"
#include "time_record.h"

/* covers: time.fire */
TEST(fire_delivers_one_extra_tick_and_leaves_the_schedule_alone) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 30);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_EQ(rec.count, 0);
    CHECK_U64(next_of(t), 100);
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_FIRED(0, 0, 30);
    CHECK_U64(rec.at[0].tick.next_ns, 100);
    CHECK_U64(th_advance(s, 200), 2);
    EXPECT_TICK(1, 1, 0, 100, 100, 200);
    EXPECT_TICK(2, 2, 0, 200, 200, 300);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_FIRED(3, 2, 230);
    CHECK_U64(th_advance(s, 70), 1);
    EXPECT_TICK(4, 3, 0, 300, 300, 400);
    CHECK_U64(th_info(t).ticks, 5);
    th_shutdown(s);
}

static wtm_timer fired_first;
static void fire_the_first(wtm_timer timer, const wtm_tick *tick, void *context) {
    record(timer, tick, context);
    if (tick->flags & WTM_TICK_FIRED) CHECK_OK(wtm_timer_fire(fired_first));
}

/* covers: time.order */
TEST(a_fire_takes_no_due_timers_turn) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer a = START(s, .fn = fire_the_first, TAG(1), .interval_ns = 100);
    fired_first = START(s, TAG(2), .interval_ns = 100, .flags = WTM_TIMER_IMMEDIATE);
    START(s, TAG(3), .interval_ns = 100, .flags = WTM_TIMER_IMMEDIATE);
    CHECK_OK(wtm_timer_fire(a));
    CHECK_U64(th_advance(s, 0), 4);
    static const unsigned order[] = { 1, 2, 3, 2 };
    for (unsigned i = 0; i < 4; i++) CHECK_EQ(rec.at[i].tag, order[i]);
    CHECK_EQ(rec.at[1].tick.flags & WTM_TICK_FIRED, 0);
    CHECK_EQ(rec.at[3].tick.flags & WTM_TICK_FIRED, WTM_TICK_FIRED);
    th_shutdown(s);
}

static unsigned fired_ticks, scheduled_ticks;
static void fire_itself(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)context;
    if (tick->flags & WTM_TICK_FIRED) fired_ticks++;
    else scheduled_ticks++;
    CHECK_OK(wtm_timer_fire(timer));
}

TEST(a_timer_that_always_fires_itself_has_its_scheduled_ticks) {
    wtm_scheduler s = th_host();
    START(s, .fn = fire_itself, .interval_ns = MS);
    while (scheduled_ticks < 20) th_run_due(s);
    CHECK_GE(fired_ticks, 19);
    th_shutdown(s);
}

TEST(each_call_delivers_its_own_tick) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    for (int i = 0; i < 50; i++) CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 0), 50);
    for (int i = 0; i < 50; i++) EXPECT_FIRED(i, 0, 0);
    CHECK_U64(th_advance(s, 100), 1);
    th_shutdown(s);
}

TEST(fire_works_on_a_paused_timer_which_stays_paused) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    th_advance(s, 130);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 500), 1);
    EXPECT_FIRED(1, 1, 130);
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 700);
    th_shutdown(s);
}

/* A fire that is pending when its timer is paused still comes. */
TEST(pause_does_not_take_a_fire_back) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_OK(wtm_timer_pause(t));
    CHECK_U64(th_advance(s, 500), 1);
    EXPECT_FIRED(0, 0, 0);
    th_shutdown(s);
}

TEST(fire_works_on_an_idle_timer_which_stays_idle) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100, .flags = WTM_TIMER_KEEP);
    th_advance(s, 150);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 500), 2);
    EXPECT_FIRED(1, 1, 150);
    EXPECT_FIRED(2, 1, 150);
    CHECK_EQ(th_info(t).state, WTM_STATE_IDLE);
    CHECK_EQ(rec.ended, 0);
    CHECK_OK(wtm_timer_reschedule(t, 10));
    CHECK_U64(th_advance(s, 10), 1);
    EXPECT_TICK(3, 2, 0, 660, 660, WTM_NEVER);
    th_shutdown(s);
}

TEST(fire_completes_a_one_shot_and_discards_what_is_pending) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_fire(t));
    CHECK(wtm_timer_is_valid(t));
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_FIRED(0, 0, 0);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    CHECK_EQ(rec.released, 1);
    th_shutdown(s);
}

TEST(a_kept_one_shot_keeps_its_deadline_when_fired) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 100, .flags = WTM_TIMER_KEEP);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 1000), 2);
    EXPECT_FIRED(0, 0, 0);
    EXPECT_TICK(1, 1, 0, 100, 100, WTM_NEVER);
    CHECK_EQ(th_info(t).state, WTM_STATE_IDLE);
    th_shutdown(s);
}

TEST(fires_pending_when_a_timer_ends_are_discarded) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_fire(t));
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_OK);
    CHECK_U64(th_advance(s, 1000), 0);
    CHECK_STATUS(wtm_timer_fire(t), WTM_ERR_GONE);
    CHECK_EQ(rec.released, 1);
    th_shutdown(s);
}

static void fire_itself_once(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    size_t before = rec.count;
    (void)tag;
    if (tick->flags & WTM_TICK_FIRED) return;
    CHECK_OK(wtm_timer_fire(timer));
    CHECK_EQ(rec.count, before); /* never inside fire itself */
}

TEST(a_fire_from_its_own_callback_comes_after_it) {
    wtm_scheduler s = manual_scheduler();
    rec.during = fire_itself_once;
    START(s, .interval_ns = 100);
    CHECK_U64(th_advance(s, 200), 4);
    EXPECT_TICK(0, 1, 0, 100, 100, 200);
    EXPECT_FIRED(1, 1, 100);
    EXPECT_TICK(2, 2, 0, 200, 200, 300);
    EXPECT_FIRED(3, 2, 200);
    th_shutdown(s);
}

TEST(a_one_shot_that_fires_itself_in_its_callback_still_ends_there) {
    wtm_scheduler s = manual_scheduler();
    rec.during = fire_itself_once;
    START(s, .delay_ns = 100);
    CHECK_U64(th_advance(s, 1000), 1);
    CHECK_EQ(rec.ended, 1);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

static void rearm_when_fired(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tag;
    if (tick->flags & WTM_TICK_FIRED) CHECK_OK(wtm_timer_reschedule(timer, 50));
}

TEST(a_fired_one_shot_may_be_rescheduled_in_that_callback) {
    wtm_scheduler s = manual_scheduler();
    rec.during = rearm_when_fired;
    wtm_timer t = START(s, .delay_ns = 100);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 1000), 2);
    EXPECT_FIRED(0, 0, 0);
    EXPECT_TICK(1, 1, 0, 50, 50, WTM_NEVER);
    CHECK_EQ(rec.ended, 1);
    th_shutdown(s);
}

TEST(fire_goes_through_the_executor) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    CHECK_OK(wtm_timer_fire(t));
    th_advance(s, 0);
    CHECK_EQ(rec.count, 0);
    CHECK_EQ(hand_waiting(&h), 1);
    hand_run_one(&h);
    EXPECT_FIRED(0, 0, 0);
    CHECK_OK(wtm_timer_fire(t));
    th_advance(s, 0);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_OK);
    hand_run_all(&h);
    CHECK_EQ(rec.count, 1);
    th_shutdown(s);
}

/* covers: time.fire */
TEST(fires_leave_lateness_alone_and_count_as_ticks) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100);
    for (int i = 0; i < 7; i++) CHECK_OK(wtm_timer_fire(t));
    th_advance(s, 300);
    wtm_scheduler_stats stats = th_stats(s);
    uint64_t late = 0, called = 0;
    for (int i = 0; i < 32; i++) {
        late += stats.lateness_log2[i];
        called += stats.callback_log2[i];
    }
    CHECK_U64(stats.ticks, 10);
    CHECK_U64(called, 10);
    CHECK_U64(late, 3);
    CHECK_U64(th_info(t).ticks, 10);
    th_shutdown(s);
}

static struct {
    th_counter count;
    pthread_t thread;
} real_fire;

static void note_thread(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    CHECK_EQ(tick->flags, WTM_TICK_FIRED);
    CHECK_U64(tick->scheduled_ns, tick->now_ns);
    real_fire.thread = pthread_self();
    th_counter_add(&real_fire.count, 1);
}

TEST(fire_wakes_the_schedulers_thread) {
    wtm_scheduler s = th_real();
    wtm_timer t = { 0 };
    th_counter_init(&real_fire.count);
    CHECK_OK(wtm_timer_every(s, TH_HOUR, note_thread, NULL, NULL, &t));
    for (uint64_t i = 1; i <= 100; i++) {
        CHECK_OK(wtm_timer_fire(t));
        th_counter_wait(&real_fire.count, i);
    }
    for (int i = 0; i < 1000; i++) CHECK_OK(wtm_timer_fire(t));
    th_counter_wait(&real_fire.count, 1100);
    CHECK(!pthread_equal(real_fire.thread, pthread_self()));
    th_shutdown(s);
    CHECK_U64(th_counter_get(&real_fire.count), 1100);
}
