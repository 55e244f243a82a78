/* Waits that meet the drive of a manual or host-driven scheduler: hooks that only its next drive would run, and advances that
 * wait for pools. covers: stop.self stop.wait life.release.when field report: 22 */
#include "harness.h"

#include <sched.h>

static wtm_scheduler s;
static wtm_timer held_back; /* its release hook waits for the scheduler's next drive */
static th_probe probe, probe_held;
static wtm_status seen;

static void start_held_back(void) {
    th_probe_init(&probe);
    th_probe_init(&probe_held);
    seen = WTM_OK;
    wtm_timer_options options = th_options(&probe_held);
    options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
    options.delay_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(s, &options, &held_back));
}

static void drive(wtm_drive how) {
    if (how == WTM_DRIVE_MANUAL) CHECK_OK(wtm_scheduler_advance(s, 0, NULL));
    else CHECK_OK(wtm_scheduler_run_due(s, 0, NULL));
}

static void *wait_thread(void *argument) {
    (void)argument;
    seen = wtm_timer_invalidate_and_wait(held_back, WTM_NEVER);
    CHECK_EQ(th_probe_released(&probe_held), 1);
    return NULL;
}

TEST(a_plain_wait_is_over_when_the_next_drive_has_run_the_hook) {
    for (int how = WTM_DRIVE_HOST; how <= WTM_DRIVE_MANUAL; how++) {
        s = th_scheduler((wtm_drive)how);
        start_held_back();
        pthread_t waiter = th_thread(wait_thread, NULL);
        while (wtm_timer_is_valid(held_back)) sched_yield();
        while (th_probe_released(&probe_held) == 0) drive((wtm_drive)how);
        th_join(waiter);
        CHECK_OK(seen);
        CHECK_STR(probe_held.order, "er");
        CHECK(pthread_equal(probe_held.release_thread, pthread_self()));
        th_shutdown(s);
    }
}

/* The tick is on a pool, the advance waits for it, and it waits for a hook that is queued with the advance. */
static void wait_for_held_back(th_probe *p) {
    (void)p;
    seen = wtm_timer_invalidate_and_wait(held_back, WTM_NEVER);
}
TEST(a_pool_callback_waits_for_what_its_advance_would_have_to_run) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    s = th_manual();
    start_held_back();
    probe.on_tick = wait_for_held_back;
    wtm_timer_options options = th_options(&probe);
    options.executor = pool;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_U64(th_advance(s, 0), 1);
    CHECK(seen == WTM_ERR_WOULD_DEADLOCK || seen == WTM_OK); /* OK: the waiting advance may as well run it */
    th_advance(s, 0);
    CHECK_STR(probe_held.order, "er");
    CHECK_STR(probe.order, "tTer");
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

/* In a callback of the drive itself: the hook may follow at once on the scheduler's thread, or the wait is answered. */
TEST(a_callback_of_the_drive_waits_for_a_hook_of_the_drive) {
    for (int how = WTM_DRIVE_HOST; how <= WTM_DRIVE_MANUAL; how++) {
        s = th_scheduler((wtm_drive)how);
        start_held_back();
        probe.on_tick = wait_for_held_back;
        wtm_timer_options options = th_options(&probe);
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        drive((wtm_drive)how);
        CHECK(seen == WTM_ERR_WOULD_DEADLOCK || seen == WTM_OK);
        drive((wtm_drive)how);
        CHECK_STR(probe_held.order, "er");
        th_shutdown(s);
    }
}

/* Two threads advance in turns: the second waits for the first and is not told of any cycle. */
static void *advance_thread(void *argument) {
    (void)argument;
    for (int i = 0; i < 500; i++) CHECK_OK(wtm_scheduler_advance(s, 1, NULL));
    return NULL;
}
TEST(advances_of_several_threads_take_turns) {
    s = th_manual();
    th_probe_init(&probe);
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, NULL));
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) threads[i] = th_thread(advance_thread, NULL);
    for (int i = 0; i < 4; i++) th_join(threads[i]);
    CHECK_EQ(probe.ticks, 2000);
    CHECK_EQ(probe.most_inside, 1);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), 2000);
    th_shutdown(s);
}

/* A shutdown meets an advance that is inside a callback: the advance answers SHUT_DOWN, the shutdown OK. */
static void *advance_into_shutdown(void *argument) {
    uint64_t ran = 7;
    *(wtm_status *)argument = wtm_scheduler_advance(s, 10, &ran);
    CHECK_U64(ran, 0);
    return NULL;
}
static void *shut_down_thread(void *argument) {
    *(wtm_status *)argument = wtm_scheduler_shutdown(s, WTM_NEVER);
    return NULL;
}
TEST(a_shutdown_meets_an_advance) {
    s = th_manual();
    th_probe_init(&probe);
    th_probe_hold(&probe);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, &t));
    wtm_status advanced = WTM_OK, shut = WTM_ERR_SYSTEM;
    pthread_t driver = th_thread(advance_into_shutdown, &advanced);
    th_probe_wait_holding(&probe);
    pthread_t closer = th_thread(shut_down_thread, &shut);
    while (wtm_timer_is_valid(t)) sched_yield();
    th_probe_let_go(&probe);
    th_join(driver);
    th_join(closer);
    CHECK_STATUS(advanced, WTM_ERR_SHUT_DOWN);
    CHECK_OK(shut);
    CHECK_STR(probe.order, "tTr");
}
