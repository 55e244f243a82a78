/* Ticks of a concurrent timer that wait in a pool's queue: what is told of them, and that a pause or a move takes them back. */
#include "exec_queued.h"

/* covers: time.pause stop.none-after */
static wtm_timer two_queued(wtm_scheduler s, uint64_t date) {
    wtm_timer t = START(s, .fn = queued_tick, .executor = queued.pool, .deadline_ns = date, .interval_ns = MS, .tick_limit = 2,
                        .flags = WTM_TIMER_CONCURRENT | WTM_TIMER_ABSOLUTE, .missed = WTM_MISSED_BURST);
    queued_drive(s, 2);
    CHECK_EQ(th_info(t).state, WTM_STATE_QUEUED);
    CHECK_U64(next_of(t), date);
    return t;
}

/* Both run now, and the second is the last. */
static void expect_both(wtm_scheduler s, wtm_timer t) {
    queued_drive(s, 2);
    th_counter_wait(&queued.ticks, 2);
    while (wtm_timer_is_valid(t)) sched_yield(); /* the last callback has yet to return */
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, TH_LIMIT), WTM_ERR_GONE);
    CHECK_U64(queued.ordinals, 1 + 2);
    CHECK_EQ(rec.reason, WTM_REASON_COMPLETED);
    queued_end(s);
    CHECK_U64(th_counter_get(&queued.ticks), 2);
}

TEST(a_pause_takes_queued_ticks_back_and_their_share_of_the_limit) {
    wtm_scheduler s = queued_begin();
    wtm_timer t = two_queued(s, th_now());
    CHECK_OK(wtm_timer_pause(t));
    CHECK_U64(next_of(t), WTM_NEVER);
    th_counter_add(&queued.go, 1);
    CHECK_OK(wtm_timer_resume(t));
    expect_both(s, t);
}

TEST(so_does_a_move) {
    wtm_scheduler s = queued_begin();
    wtm_timer t = two_queued(s, th_now());
    uint64_t date = th_now();
    CHECK_OK(wtm_timer_set_next(t, date));
    CHECK_U64(next_of(t), date);
    th_counter_add(&queued.go, 1);
    expect_both(s, t);
    CHECK_U64(queued.earliest, date);
}

/* A fired tick says when its callback began, however long it was queued. */
static th_counter fired;
static void check_fired(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    CHECK(tick->flags & WTM_TICK_FIRED);
    CHECK_U64(tick->scheduled_ns, tick->now_ns);
    CHECK_U64(tick->missed, 0);
    th_counter_add(&fired, 1);
}

TEST(fired_ticks_that_were_queued_begin_when_they_run) {
    for (uint32_t flags = 0; flags <= WTM_TIMER_CONCURRENT; flags += WTM_TIMER_CONCURRENT) {
        wtm_scheduler s = queued_begin();
        th_counter_init(&fired);
        wtm_timer t = START(s, .fn = check_fired, .executor = queued.pool, .interval_ns = TH_HOUR, .flags = flags);
        CHECK_OK(wtm_timer_fire(t));
        CHECK_OK(wtm_timer_fire(t));
        th_run_due(s);
        uint64_t began = th_now();
        while (th_now() < began + MS) continue;
        th_counter_add(&queued.go, 1);
        while (th_counter_get(&fired) < 2) th_run_due(s);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, TH_LIMIT), WTM_OK);
        queued_end(s);
    }
}
