/* A fork inside a callback, and a fork while another thread is in one.
 * covers: world.fork
 * field report: 77 */
#include "harness.h"

#include <signal.h>
#include <sys/wait.h>

static wtm_scheduler s;
static wtm_timer t, bystander;
static th_probe probe, other;
static pid_t child;

static int wait_for_child(void) {
    int status = 0;
    while (waitpid(child, &status, 0) == -1) CHECK_EQ(errno, EINTR);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void start_all(void) {
    th_probe_init(&probe);
    th_probe_init(&other);
    wtm_timer_options options = th_options(&other);
    options.delay_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(s, &options, &bystander));
}

static void check_gone_in_child(void) {
    CHECK(!wtm_timer_is_valid(t));
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate(bystander), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_after(s, 1, th_tick, &probe, th_release, NULL), WTM_ERR_GONE);
    CHECK_STR(other.order, "");
}

static void check_fresh(void) {
    th_probe own;
    th_probe_init(&own);
    wtm_scheduler fresh = th_real();
    CHECK_OK(wtm_timer_after(fresh, TH_MS, th_tick, &own, th_release, NULL));
    th_probe_wait_released(&own, 1);
    th_shutdown(fresh);
}

static void fork_here(th_probe *p) {
    (void)p;
    fflush(NULL);
    child = fork();
    CHECK_SYS(child);
    if (child == 0) {
        alarm(120);
        check_gone_in_child();
        check_fresh(); /* the library works from here as well */
    }
}

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
        CHECK_EQ(wait_for_child(), 0);
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
    CHECK_EQ(wait_for_child(), 0);
    CHECK_STR(probe.order, "tTer");
    th_shutdown(s);
}

/* The parent's main thread waits on this, not on the probe, whose lock it could then hold at the moment of the fork. */
static th_counter parent_released;
static void count_in_parent(th_probe *p) {
    (void)p;
    th_counter_add(&parent_released, 1);
}

/* The child's only thread is the scheduler's: when its callback returns, the thread is done, and with it the child. */
TEST(the_callback_returns_in_the_child_of_a_threads_callback) {
    s = th_real();
    start_all();
    th_counter_init(&parent_released);
    probe.on_tick = fork_here;
    probe.on_release = count_in_parent;
    wtm_timer_options options = th_options(&probe);
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_counter_wait(&parent_released, 1);
    CHECK_EQ(wait_for_child(), 0);
    th_shutdown(s);
    CHECK_STR(probe.order, "tTer");
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
    CHECK_EQ(wait_for_child(), 0);
    CHECK_STR(probe.order, "er");
    th_shutdown(s);
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
