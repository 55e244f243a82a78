/* A timer that ends from inside its own callback, in every way, and what its handle answers there and in its hooks.
 * covers: life.release.once life.release.last life.release.when stop.self stop.sticky stop.nonblocking life.borrow
 * field report: 14, 17, 19, 23, 24, 25, 41, 93 */
#include "harness.h"

static wtm_scheduler s;
static wtm_target target;

/* Runs one callback on manual time, on this thread, and checks what followed. */
static void run(void (*on_tick)(th_probe *), wtm_timer_options changes, wtm_reason reason, const char *order) {
    static th_probe probe;
    th_probe_init(&probe);
    probe.on_tick = on_tick;
    s = th_manual();
    CHECK_OK(wtm_target_create(&probe, th_target_hook, &target));
    wtm_timer_options options = th_options(&probe);
    options.interval_ns = changes.interval_ns;
    options.tick_limit = changes.tick_limit;
    options.flags = changes.flags;
    options.target = target;
    options.delay_ns = 1;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(s, &options, &t));
    uint64_t ran = 7;
    wtm_status status = wtm_scheduler_advance(s, 1, &ran);
    bool shut = status == WTM_ERR_SHUT_DOWN;
    CHECK(shut || status == WTM_OK);
    CHECK_U64(ran, shut ? 0 : 1);
    CHECK_STR(probe.order, order);
    CHECK_EQ(probe.reason, reason);
    CHECK_EQ(probe.ticks, 1);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    if (!shut) {
        th_advance(s, 100);
        CHECK_U64(th_stats(s).ended[reason], 1);
        CHECK_U64(th_stats(s).live, 0);
        th_shutdown(s);
    } else {
        CHECK_STATUS(wtm_scheduler_shutdown(s, TH_LIMIT), WTM_ERR_GONE);
    }
    if (wtm_target_is_alive(target)) CHECK_OK(wtm_target_release(target));
    CHECK_EQ(probe.released, 1);
    CHECK_EQ(probe.ended, 1);
    CHECK_EQ(probe.hooks, 1);
    CHECK_EQ(probe.ticks, 1);
}

static const wtm_timer_options one_shot = { .flags = 0 };
static const wtm_timer_options kept = { .flags = WTM_TIMER_KEEP };
static const wtm_timer_options repeating = { .interval_ns = 10 };
static const wtm_timer_options limited = { .interval_ns = 10, .tick_limit = 1 };
static const wtm_timer_options kept_limited = { .flags = WTM_TIMER_KEEP, .tick_limit = 1 };

static void do_nothing(th_probe *probe) { CHECK(wtm_timer_is_valid(probe->timer)); }

/* After its own end the timer cannot be revived, also from here. */
static void check_sticky(th_probe *probe) {
    wtm_timer t = probe->timer;
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    uint64_t next = 7;
    CHECK(!wtm_timer_is_valid(t));
    CHECK_STATUS(wtm_timer_reschedule(t, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_next(t, 5), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_get_next(t, &next), WTM_ERR_GONE);
    CHECK_U64(next, 0);
    CHECK_STATUS(wtm_timer_set_interval(t, 1, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_pause(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_resume(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_fire(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_get_info(t, &info), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STR(probe->order, "t");
}

static void invalidate(th_probe *probe) {
    CHECK_STATUS(wtm_timer_invalidate(probe->timer), WTM_RUNNING);
    check_sticky(probe);
}
static void wait_for_ever(th_probe *probe) {
    CHECK_STATUS(wtm_timer_invalidate_and_wait(probe->timer, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    check_sticky(probe);
}
static void wait_not_at_all(th_probe *probe) {
    CHECK_STATUS(wtm_timer_invalidate_and_wait(probe->timer, 0), WTM_ERR_WOULD_DEADLOCK);
    check_sticky(probe);
}
static void invalidate_all_of_target(th_probe *probe) {
    CHECK_OK(wtm_target_invalidate_timers(target));
    CHECK(wtm_target_is_alive(target));
    check_sticky(probe);
}
static void check_target_dead(void) {
    void *context = &context;
    CHECK(!wtm_target_is_alive(target));
    CHECK_STATUS(wtm_target_try_retain(target, &context), WTM_ERR_GONE);
    CHECK(context == NULL);
    CHECK_STATUS(wtm_target_retain(target), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_release(target), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_after_target(s, 0, th_tick, target, NULL), WTM_ERR_TARGET_GONE);
}
static void release_target(th_probe *probe) {
    CHECK_OK(wtm_target_release(target));
    check_sticky(probe);
    check_target_dead();
    CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    CHECK_EQ(probe->hooks, 0); /* borrowed until the callback returns */
}
static void close_target(th_probe *probe) {
    CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    check_sticky(probe);
    check_target_dead();
    CHECK_EQ(probe->hooks, 0);
}
static void shut_down(th_probe *probe) {
    uint64_t ran = 7;
    wtm_timer t = { 7 };
    CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_timer_after(s, 0, th_tick, probe, NULL, &t), WTM_ERR_SHUT_DOWN);
    CHECK_U64(t.id, 0);
    wtm_status status = wtm_scheduler_advance(s, 0, &ran);
    CHECK(status == WTM_ERR_WOULD_DEADLOCK || status == WTM_ERR_SHUT_DOWN);
    check_sticky(probe);
}
static void make_next_the_last(th_probe *probe) {
    CHECK_OK(wtm_timer_set_interval(probe->timer, 0, 0));
    CHECK_STATUS(wtm_timer_invalidate(probe->timer), WTM_RUNNING);
}
static void rearm_then_invalidate(th_probe *probe) {
    CHECK_OK(wtm_timer_reschedule(probe->timer, 5));
    CHECK_OK(wtm_timer_fire(probe->timer)); /* pending when the timer ends: discarded */
    CHECK_STATUS(wtm_timer_invalidate(probe->timer), WTM_RUNNING);
}
static void rearm_over_the_limit(th_probe *probe) {
    CHECK_STATUS(wtm_timer_reschedule(probe->timer, 5), WTM_ERR_LIMIT);
    CHECK_STATUS(wtm_timer_set_next(probe->timer, 500), WTM_ERR_LIMIT);
    CHECK(wtm_timer_is_valid(probe->timer));
}

TEST(a_one_shot_completes) { run(do_nothing, one_shot, WTM_REASON_COMPLETED, "tTer"); }
TEST(a_limited_timer_completes) { run(do_nothing, limited, WTM_REASON_COMPLETED, "tTer"); }
TEST(a_limited_timer_cannot_be_moved_beyond_its_limit) {
    run(rearm_over_the_limit, limited, WTM_REASON_COMPLETED, "tTer");
    run(rearm_over_the_limit, kept_limited, WTM_REASON_COMPLETED, "tTer");
}
TEST(invalidate_in_own_callback) {
    run(invalidate, one_shot, WTM_REASON_INVALIDATED, "tTer");
    run(invalidate, repeating, WTM_REASON_INVALIDATED, "tTer");
    run(invalidate, kept, WTM_REASON_INVALIDATED, "tTer");
    run(invalidate, limited, WTM_REASON_INVALIDATED, "tTer");
}
TEST(wait_in_own_callback) {
    run(wait_for_ever, one_shot, WTM_REASON_INVALIDATED, "tTer");
    run(wait_for_ever, repeating, WTM_REASON_INVALIDATED, "tTer");
    run(wait_not_at_all, repeating, WTM_REASON_INVALIDATED, "tTer");
    run(wait_not_at_all, kept, WTM_REASON_INVALIDATED, "tTer");
}
TEST(invalidate_timers_in_own_callback) { run(invalidate_all_of_target, repeating, WTM_REASON_INVALIDATED, "tTer"); }
TEST(release_target_in_own_callback) {
    run(release_target, one_shot, WTM_REASON_TARGET_GONE, "tTerh");
    run(release_target, repeating, WTM_REASON_TARGET_GONE, "tTerh");
}
TEST(close_target_in_own_callback) {
    run(close_target, one_shot, WTM_REASON_TARGET_GONE, "tTerh");
    run(close_target, repeating, WTM_REASON_TARGET_GONE, "tTerh");
}
TEST(shutdown_in_own_callback) {
    run(shut_down, one_shot, WTM_REASON_SHUTDOWN, "tTer");
    run(shut_down, repeating, WTM_REASON_SHUTDOWN, "tTer");
}
TEST(moves_before_invalidate_in_own_callback_do_not_revive) {
    run(make_next_the_last, repeating, WTM_REASON_INVALIDATED, "tTer");
    run(rearm_then_invalidate, one_shot, WTM_REASON_INVALIDATED, "tTer");
    run(rearm_then_invalidate, kept, WTM_REASON_INVALIDATED, "tTer");
}

/* In the hooks the handle is gone already, and a wait for the own timer would be a wait for itself. */
static void check_in_hook(th_probe *probe) {
    CHECK(!wtm_timer_is_valid(probe->timer));
    CHECK_STATUS(wtm_timer_invalidate(probe->timer), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(probe->timer, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(probe->timer, 0), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(probe->timer, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}

TEST(hooks_find_their_timer_gone) {
    for (int completes = 0; completes < 2; completes++) {
        th_probe probe;
        th_probe_init(&probe);
        probe.on_ended = probe.on_release = check_in_hook;
        s = th_manual();
        wtm_timer_options options = th_options(&probe);
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_start(s, &options, &t));
        if (completes) CHECK_U64(th_advance(s, 0), 1);
        else CHECK_OK(wtm_timer_invalidate(t));
        CHECK_STR(probe.order, completes ? "tTer" : "er");
        th_shutdown(s);
    }
}
