/* A forked child: every inherited handle is GONE, no inherited hook runs, the library works afresh; the parent notices nothing.
 * covers: world.fork life.release.once
 * field report: 77, 79, 80 */
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>

static wtm_scheduler real, manual, host, standard;
static wtm_target target;
static wtm_executor pool, serial;
static wtm_timer timers[6];
static th_probe probe; /* every inherited hook would note into it */

static void make_everything(void) {
    th_probe_init(&probe);
    real = th_real(), manual = th_manual(), host = th_host(), standard = wtm_scheduler_default();
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    CHECK_OK(wtm_target_create(&probe, th_target_hook, &target));
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = TH_HOUR;
    options.interval_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(real, &options, &timers[0]));
    CHECK_OK(wtm_timer_start(manual, &options, &timers[1]));
    CHECK_OK(wtm_timer_start(host, &options, &timers[2]));
    options.executor = pool;
    CHECK_OK(wtm_timer_start(standard, &options, &timers[3]));
    options.executor.id = 0;
    options.target = target;
    options.clock = WTM_CLOCK_WALL;
    CHECK_OK(wtm_timer_start(real, &options, &timers[4]));
    options.flags = WTM_TIMER_PAUSED | WTM_TIMER_RELEASE_ON_EXECUTOR;
    CHECK_OK(wtm_timer_start(real, &options, &timers[5]));
}

static void end_everything(void) {
    CHECK_OK(wtm_target_release(target));
    th_shutdown(real), th_shutdown(manual), th_shutdown(host), th_shutdown(standard);
    CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    CHECK_EQ(probe.released, 6);
    CHECK_EQ(probe.hooks, 1);
}

static void check_all_gone(void) {
    const wtm_scheduler each[] = { real, manual, host, standard };
    for (int i = 0; i < 4; i++) {
        wtm_timer t = { 7 };
        wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
        CHECK_STATUS(wtm_timer_after(each[i], 0, th_tick, &probe, th_release, &t), WTM_ERR_GONE);
        CHECK_U64(t.id, 0);
        CHECK_STATUS(wtm_scheduler_get_stats(each[i], &stats), WTM_ERR_GONE);
        CHECK_STATUS(wtm_scheduler_run_due(each[i], 0, NULL), WTM_ERR_GONE);
        CHECK_STATUS(wtm_scheduler_advance(each[i], TH_HOUR, NULL), WTM_ERR_GONE);
        CHECK_EQ(wtm_scheduler_fd(each[i]), -1);
        CHECK_STATUS(wtm_scheduler_shutdown(each[i], WTM_NEVER), WTM_ERR_GONE);
    }
    for (int i = 0; i < 6; i++) {
        CHECK(!wtm_timer_is_valid(timers[i]));
        CHECK_STATUS(wtm_timer_invalidate(timers[i]), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(timers[i], WTM_NEVER), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_fire(timers[i]), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_reschedule(timers[i], 0), WTM_ERR_GONE);
    }
    void *context;
    CHECK(!wtm_target_is_alive(target));
    CHECK_STATUS(wtm_target_try_retain(target, &context), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_release(target), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_GONE);
    wtm_executor e = { 7 };
    CHECK_STATUS(wtm_executor_create_serial(pool, &e), WTM_ERR_GONE);
    CHECK_STATUS(wtm_executor_shutdown(serial, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STATUS(wtm_executor_shutdown(pool, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STR(probe.order, "");
}

/* Threads, timers, targets and pools of the child's own. */
static void check_works_afresh(void) {
    th_probe own, of_default;
    th_probe_init(&own);
    th_probe_init(&of_default);
    wtm_target fresh = { 0 };
    wtm_executor fresh_pool = { 0 };
    wtm_scheduler s = th_real(), none = { 0 };
    uint64_t begin = th_now();
    CHECK_OK(wtm_target_create(&own, th_target_hook, &fresh));
    CHECK_OK(wtm_executor_create_pool(1, NULL, &fresh_pool));
    wtm_timer_options options = th_options(&own);
    options.target = fresh;
    options.delay_ns = 5 * TH_MS;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_probe_wait_released(&own, 1);
    CHECK_GE(th_now() - begin, 5 * TH_MS); /* no stale time */
    options.executor = fresh_pool;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_probe_wait_released(&own, 2);
    CHECK_OK(wtm_timer_after(none, TH_MS, th_tick, &of_default, th_release, NULL));
    th_probe_wait_released(&of_default, 1);
    CHECK_OK(wtm_target_release(fresh));
    th_probe_wait_hooks(&own, 1); /* on the thread that ends the last timer, if that is not through yet */
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(fresh_pool, TH_LIMIT));
    wtm_scheduler m = th_manual();
    CHECK_OK(wtm_timer_after(m, 9, th_tick, &own, NULL, NULL));
    CHECK_U64(th_advance(m, 9), 1);
    th_shutdown(m);
}

static void child_of_armed_parent(void *argument) {
    (void)argument;
    check_all_gone();
    check_works_afresh();
    CHECK(wtm_scheduler_default().id != standard.id);
    check_all_gone();
}

TEST(a_child_of_an_armed_parent) {
    make_everything();
    for (int i = 0; i < 10; i++) {
        CHECK_EQ(th_child(child_of_armed_parent, NULL), 0);
        for (int k = 0; k < 6; k++) CHECK(wtm_timer_is_valid(timers[k]));
    }
    CHECK_STR(probe.order, "");
    check_works_afresh(); /* and the parent goes on */
    end_everything();
}

static void child_that_forks(void *argument) {
    (void)argument;
    check_all_gone();
    wtm_scheduler s = th_real();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, &probe, th_release, &t));
    CHECK_EQ(th_child(child_of_armed_parent, NULL), 0);
    CHECK(wtm_timer_is_valid(t));
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_STR(probe.order, "r");
    th_shutdown(s);
}

TEST(a_childs_child) {
    make_everything();
    CHECK_EQ(th_child(child_that_forks, NULL), 0);
    end_everything();
}

static void child_fresh(void *argument) {
    (void)argument;
    check_works_afresh();
}

TEST(a_child_of_an_idle_parent) {
    wtm_scheduler s = th_real();
    for (int i = 0; i < 10; i++) CHECK_EQ(th_child(child_fresh, NULL), 0);
    th_shutdown(s);
    CHECK_EQ(th_child(child_fresh, NULL), 0); /* everything has been shut down before the fork */
}

static int host_descriptor;
static void child_checks_descriptor(void *argument) {
    (void)argument;
    check_all_gone();
    CHECK_EQ(fcntl(host_descriptor, F_GETFD), -1);
    check_works_afresh();
}

/* What the child closes is untouched for the parent: its descriptor still tells when something is due. */
TEST(descriptors_are_closed_in_the_child_and_live_on_in_the_parent) {
    make_everything();
    host_descriptor = wtm_scheduler_fd(host);
    CHECK_EQ(th_child(child_checks_descriptor, NULL), 0);
    th_probe own;
    th_probe_init(&own);
    CHECK_OK(wtm_timer_after(host, TH_MS, th_tick, &own, NULL, NULL));
    struct pollfd readable = { host_descriptor, POLLIN, 0 };
    CHECK_EQ(poll(&readable, 1, 60000), 1);
    CHECK_EQ(th_run_due(host), 1);
    CHECK_OK(wtm_timer_after(real, 0, th_tick, &own, NULL, NULL));
    th_probe_wait_ticks(&own, 2);
    end_everything();
}

/* Other threads are inside the library, with its locks hot, whenever the fork happens. */
static atomic_bool stop_hammering;
static void count_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    atomic_fetch_add((atomic_uint *)context, 1);
}
static atomic_uint hammer_ticks;
static void *hammer(void *argument) {
    (void)argument;
    while (!atomic_load(&stop_hammering)) {
        wtm_timer t = { 0 };
        wtm_target own = { 0 };
        CHECK_OK(wtm_timer_every(real, TH_US, count_tick, &hammer_ticks, NULL, &t));
        CHECK_OK(wtm_target_create(&hammer_ticks, NULL, &own)); /* what its timers are given */
        CHECK_OK(wtm_timer_after_target(real, 0, count_tick, own, NULL));
        CHECK_OK(wtm_target_invalidate_timers(own));
        CHECK_OK(wtm_target_release(own));
        CHECK(wtm_timer_invalidate(t) >= 0);
    }
    return NULL;
}

TEST(a_fork_while_the_locks_are_hot) {
    make_everything();
    atomic_store(&stop_hammering, false);
    pthread_t threads[2] = { th_thread(hammer, NULL), th_thread(hammer, NULL) };
    for (int i = 0; i < 100; i++) CHECK_EQ(th_child(child_of_armed_parent, NULL), 0);
    atomic_store(&stop_hammering, true);
    for (int i = 0; i < 2; i++) th_join(threads[i]);
    end_everything();
}
