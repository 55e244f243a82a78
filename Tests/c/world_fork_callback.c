/* A fork inside a callback, and a fork while another thread is in one.
 * covers: world.fork
 * field report: 77 */
#include "world_fork.h"

TEST(the_callback_returns_in_the_child_of_a_manual_scheduler) {
    for (int repeats = 0; repeats < 2; repeats++) {
        s = th_manual();
        start_all();
        probe.on_tick = fork_here;
        wtm_timer_options options = th_options(&probe);
        options.delay_ns = 1;
        options.interval_ns = repeats ? 1 : 0;
        CHECK_OK(wtm_timer_start(s, &options, &t));
        uint64_t ran = 7;
        wtm_status status = wtm_scheduler_advance(s, 1, &ran);
        if (child == 0) {
            CHECK_STATUS(status, WTM_ERR_GONE);
            CHECK_U64(ran, 0);
            CHECK_STR(probe.order, "tT"); /* no hook */
            check_gone_in_child();
            check_fresh();
            _exit(0);
        }
        CHECK_OK(status);
        CHECK_EQ(th_wait_child(child), 0);
        CHECK_STR(probe.order, repeats ? "tT" : "tTer");
        CHECK(wtm_timer_is_valid(bystander));
        th_shutdown(s);
        CHECK_EQ(probe.released, 1);
    }
}

TEST(the_callback_returns_in_the_child_of_a_host_driven_scheduler) {
    s = th_host();
    start_all();
    probe.on_tick = fork_here;
    wtm_timer_options options = th_options(&probe);
    CHECK_OK(wtm_timer_start(s, &options, &t));
    uint32_t ran = 7;
    wtm_status status = wtm_scheduler_run_due(s, 0, &ran);
    if (child == 0) {
        CHECK_STATUS(status, WTM_ERR_GONE);
        CHECK_EQ(ran, 0);
        CHECK_STR(probe.order, "tT");
        check_fresh();
        _exit(0);
    }
    CHECK_OK(status);
    CHECK_EQ(ran, 1);
    CHECK_EQ(th_wait_child(child), 0);
    CHECK_STR(probe.order, "tTer");
    th_shutdown(s);
}

static void fork_in_hook(th_probe *p) {
    fork_here(p);
    if (child == 0) _exit(0);
}

TEST(a_fork_inside_a_hook) {
    s = th_manual();
    start_all();
    probe.on_release = fork_in_hook;
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = 5;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_EQ(th_wait_child(child), 0);
    CHECK_STR(probe.order, "er");
    th_shutdown(s);
}

static unsigned target_hooks;
static void count_target_hook(void *context) {
    (void)context;
    target_hooks++;
}

static void release_all(void *target) {
    CHECK_OK(wtm_target_release(*(wtm_target *)target));
    CHECK_EQ(target_hooks, 0); /* a timer of it still has its hook under way */
    CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}

static void fork_at_the_end(void *context) {
    (void)context;
    child = fork();
    CHECK_SYS(child);
}

/* The end of a timer ends its scheduler, too, and then its target's hook is to run: not in a child that was forked in between. */
TEST(a_fork_inside_the_schedulers_last_hook) {
    wtm_scheduler_options with = WTM_SCHEDULER_OPTIONS_INIT;
    with.drive = WTM_DRIVE_MANUAL;
    with.release = fork_at_the_end;
    CHECK_OK(wtm_scheduler_create(&with, &s));
    wtm_target target;
    CHECK_OK(wtm_target_create(NULL, count_target_hook, &target));
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = th_tick;
    options.target = target;
    options.context = &target;
    options.release = release_all;
    options.delay_ns = 5;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_OK(wtm_timer_invalidate(t));
    if (child == 0) {
        CHECK_EQ(target_hooks, 0);
        check_fresh();
        _exit(0);
    }
    CHECK_EQ(target_hooks, 1);
    CHECK_EQ(th_wait_child(child), 0);
}

static void child_meanwhile(void *argument) {
    (void)argument;
    check_gone_in_child();
    check_fresh();
    check_gone_in_child();
}

TEST(a_fork_while_another_thread_is_in_a_callback) {
    s = th_real();
    start_all();
    th_probe_hold(&probe);
    wtm_timer_options options = th_options(&probe);
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_probe_wait_holding(&probe);
    CHECK_EQ(th_child(child_meanwhile, NULL), 0);
    CHECK(wtm_timer_is_valid(t));
    th_probe_let_go(&probe);
    th_probe_wait_released(&probe, 1);
    th_shutdown(s);
}

static void child_of_waiter(void *argument) {
    (void)argument;
    check_gone_in_child();
    check_fresh();
}
static void *wait_thread(void *argument) {
    (void)argument;
    (void)wtm_timer_invalidate_and_wait(t, WTM_NEVER);
    return NULL;
}

TEST(a_fork_while_another_thread_waits) {
    s = th_real();
    start_all();
    th_probe_hold(&probe);
    wtm_timer_options options = th_options(&probe);
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_probe_wait_holding(&probe);
    pthread_t waiter = th_thread(wait_thread, NULL);
    for (int i = 0; i < 5; i++) CHECK_EQ(th_child(child_of_waiter, NULL), 0);
    th_probe_let_go(&probe);
    th_join(waiter);
    th_shutdown(s);
}
