/* Targets: weakness, eager ends, the count, close, and the order of a death.
 * covers: life.weak life.eager life.borrow life.release.last
 * field report: 8, 29, 31 */
#include "harness.h"

static wtm_scheduler s;
static wtm_target target;
static th_probe host; /* the target's context */

static void begin(void) {
    s = th_manual();
    th_probe_init(&host);
    CHECK_OK(wtm_target_create(&host, th_target_hook, &target));
}

TEST(timers_do_not_keep_their_target_alive) {
    begin();
    for (int i = 0; i < 10; i++) CHECK_OK(wtm_timer_every_target(s, 1, th_tick, target, NULL));
    CHECK_OK(wtm_timer_after_target(s, WTM_NEVER, th_tick, target, NULL));
    CHECK_U64(th_advance(s, 3), 30);
    CHECK_EQ(host.hooks, 0);
    CHECK_OK(wtm_target_release(target));
    CHECK_EQ(host.hooks, 1); /* on return, not at the next tick */
    CHECK_U64(th_stats(s).live, 0);
    CHECK_U64(th_stats(s).ended[WTM_REASON_TARGET_GONE], 11);
    CHECK_U64(th_advance(s, 100), 0);
    CHECK(pthread_equal(host.hook_thread, pthread_self()));
    th_shutdown(s);
}

TEST(the_last_of_several_references_counts) {
    begin();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_every_target(s, 1, th_tick, target, &t));
    for (int i = 0; i < 1000; i++) CHECK_OK(wtm_target_retain(target));
    void *context = NULL;
    CHECK_OK(wtm_target_try_retain(target, &context));
    CHECK(context == &host);
    for (int i = 0; i < 1001; i++) {
        CHECK_OK(wtm_target_release(target));
        CHECK(wtm_target_is_alive(target));
        CHECK(wtm_timer_is_valid(t));
    }
    CHECK_OK(wtm_target_release(target));
    CHECK(!wtm_target_is_alive(target));
    CHECK(!wtm_timer_is_valid(t));
    CHECK_STATUS(wtm_target_release(target), WTM_ERR_GONE);
    CHECK_EQ(host.hooks, 1);
    th_shutdown(s);
}

TEST(close_ends_the_target_whatever_its_count) {
    begin();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_target_retain(target));
    CHECK_OK(wtm_target_retain(target));
    CHECK_OK(wtm_timer_every_target(s, 1, th_tick, target, &t));
    CHECK_OK(wtm_target_close(target, WTM_NEVER));
    CHECK_STR(host.order, "h"); /* has run on return */
    CHECK(!wtm_timer_is_valid(t));
    for (int i = 0; i < 3; i++) CHECK_STATUS(wtm_target_release(target), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_GONE);
    CHECK_EQ(host.hooks, 1);
    th_shutdown(s);
}

TEST(invalidate_timers_leaves_the_target_alive) {
    begin();
    th_probe mine;
    th_probe_init(&mine);
    wtm_timer_options options = th_options(&mine);
    options.target = target;
    options.interval_ns = 5;
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_OK(wtm_target_invalidate_timers(target));
    CHECK_EQ(mine.released, 3);
    CHECK_EQ(mine.reason, WTM_REASON_INVALIDATED);
    CHECK(wtm_target_is_alive(target));
    CHECK_OK(wtm_target_invalidate_timers(target)); /* none left */
    CHECK_OK(wtm_timer_start(s, &options, NULL));   /* and it takes new ones */
    CHECK_U64(th_advance(s, 5), 1);
    CHECK_OK(wtm_target_release(target));
    CHECK_EQ(mine.released, 4);
    CHECK_EQ(mine.reason, WTM_REASON_TARGET_GONE);
    CHECK_EQ(host.hooks, 1);
    th_shutdown(s);
}

static wtm_timer of_target[3];

static void check_in_target_hook(th_probe *probe) {
    CHECK_EQ(*(unsigned *)probe->user, 3); /* every release has returned */
    for (int i = 0; i < 3; i++) CHECK_STATUS(wtm_timer_invalidate_and_wait(of_target[i], WTM_NEVER), WTM_ERR_GONE);
    CHECK(!wtm_target_is_alive(target));
    CHECK_STATUS(wtm_target_retain(target), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK); /* would wait for itself */
    CHECK_STATUS(wtm_timer_after_target(s, 0, th_tick, target, NULL), WTM_ERR_TARGET_GONE);
    /* Any other call works, waits included. */
    th_probe other;
    th_probe_init(&other);
    wtm_timer_options options = th_options(&other);
    wtm_timer t = { 0 };
    options.delay_ns = 5;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_OK(wtm_timer_invalidate_and_wait(t, WTM_NEVER));
    CHECK_STR(other.order, "er");
}

TEST(the_target_hook_comes_after_all_hooks_of_its_timers_and_may_wait) {
    begin();
    th_probe mine;
    th_probe_init(&mine);
    host.user = &mine.released;
    host.on_hook = check_in_target_hook;
    wtm_timer_options options = th_options(&mine);
    options.target = target;
    options.interval_ns = 5;
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_start(s, &options, &of_target[i]));
    CHECK_OK(wtm_target_release(target));
    CHECK_STR(host.order, "h");
    CHECK_STR(mine.order, "ererer");
    th_shutdown(s);
}

static void wait_for_a_sibling(th_probe *probe) {
    CHECK_STATUS(wtm_timer_invalidate_and_wait(*(wtm_timer *)probe->user, WTM_NEVER), WTM_ERR_GONE);
}

/* covers: stop.wait */
TEST(a_hook_finds_siblings_without_hooks_gone) {
    for (int hooked_first = 0; hooked_first < 2; hooked_first++) {
        begin();
        th_probe mine;
        wtm_timer sibling, hooked;
        th_probe_init(&mine);
        mine.user = &sibling;
        mine.on_ended = wait_for_a_sibling;
        mine.on_release = wait_for_a_sibling;
        wtm_timer_options options = th_options(&mine);
        options.target = target;
        options.interval_ns = 5;
        if (hooked_first) CHECK_OK(wtm_timer_start(s, &options, &hooked));
        CHECK_OK(wtm_timer_every_target(s, 5, th_tick, target, &sibling));
        if (!hooked_first) CHECK_OK(wtm_timer_start(s, &options, &hooked));
        CHECK_OK(wtm_target_release(target));
        CHECK_STR(mine.order, "er");
        CHECK_STR(host.order, "h");
        th_shutdown(s);
    }
}

static void *run_advance(void *argument) {
    CHECK_OK(wtm_scheduler_advance(*(wtm_scheduler *)argument, 1, NULL));
    return NULL;
}

TEST(a_running_callback_borrows_its_target) {
    begin();
    th_probe mine;
    th_probe_init(&mine);
    th_probe_hold(&mine);
    wtm_timer_options options = th_options(&mine);
    options.target = target;
    options.interval_ns = 1;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(s, &options, &t));
    pthread_t helper = th_thread(run_advance, &s);
    th_probe_wait_holding(&mine);
    CHECK_OK(wtm_target_release(target)); /* returns at once */
    CHECK(!wtm_target_is_alive(target));
    CHECK(!wtm_timer_is_valid(t));
    void *context = &context;
    CHECK_STATUS(wtm_target_try_retain(target, &context), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_close(target, 0), WTM_ERR_TIMED_OUT); /* dead, and its hook has not returned */
    CHECK_STATUS(wtm_target_close(target, TH_MS), WTM_ERR_TIMED_OUT);
    CHECK_EQ(th_probe_hooks(&host), 0);
    th_probe_let_go(&mine);
    wtm_status status = wtm_target_close(target, WTM_NEVER);
    CHECK_STATUS(status, WTM_ERR_GONE);
    CHECK_EQ(th_probe_hooks(&host), 1);
    CHECK(pthread_equal(host.hook_thread, helper));
    CHECK_STR(mine.order, "tTer");
    th_join(helper);
    th_shutdown(s);
}

/* An object that owns a timer which targets the object: freed when its owner drops it, with no invalidate anywhere. */
typedef struct model {
    wtm_target self;
    unsigned refreshed;
} model;
static unsigned models_freed;
static void refresh(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    ((model *)context)->refreshed++;
}
static void free_model(void *context) {
    models_freed++;
    free(context);
}

TEST(an_object_with_its_own_timer_dies_with_its_owner) {
    s = th_manual();
    for (unsigned i = 1; i <= 100; i++) {
        model *m = calloc(1, sizeof *m);
        CHECK(m != NULL);
        CHECK_OK(wtm_target_create(m, free_model, &m->self));
        CHECK_OK(wtm_timer_every_target(s, 10, refresh, m->self, NULL));
        CHECK_U64(th_advance(s, 10), 1);
        CHECK_EQ(m->refreshed, 1);
        CHECK_OK(wtm_target_release(m->self));
        CHECK_EQ(models_freed, i);
        CHECK_U64(th_advance(s, 100), 0);
    }
    th_shutdown(s);
}

TEST(a_target_serves_timers_of_several_schedulers) {
    begin();
    wtm_scheduler other = th_manual(), real = th_real();
    CHECK_OK(wtm_timer_every_target(s, 1, th_tick, target, NULL));
    CHECK_OK(wtm_timer_every_target(other, 1, th_tick, target, NULL));
    CHECK_OK(wtm_timer_every_target(real, TH_MS, th_tick, target, NULL));
    th_advance(other, 1);
    th_probe_wait_ticks(&host, 3);
    CHECK_OK(wtm_target_close(target, WTM_NEVER));
    unsigned ticks = th_probe_ticks(&host);
    th_advance(s, 10), th_advance(other, 10);
    th_shutdown(s), th_shutdown(other), th_shutdown(real);
    CHECK_EQ(th_probe_ticks(&host), ticks);
    CHECK_EQ(host.hooks, 1);
}

TEST(a_target_without_a_hook_and_without_timers) {
    begin();
    wtm_target plain = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &plain));
    CHECK_OK(wtm_target_release(plain));
    CHECK_OK(wtm_target_close(target, 0));
    CHECK_STR(host.order, "h");
    th_shutdown(s);
}
