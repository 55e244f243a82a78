/* Waits that would close a cycle are answered, not entered: across threads, schedulers, targets, executors and hooks.
 * Two or three callbacks meet at a barrier and then wait for each other; exactly one is told WOULD_DEADLOCK, the others get
 * through, and every timer ends with its hooks.
 * covers: stop.self stop.wait life.release.once
 * field report: 22, 23 */
#include "harness.h"

enum { most = 3 };

static pthread_barrier_t meet;
static wtm_scheduler schedulers[most];
static wtm_timer timers[most];
static wtm_target targets[most];
static wtm_executor pools[most];
static th_probe probes[most];
static wtm_status results[most];
static int count;

static int index_of(th_probe *probe) { return (int)(probe - probes); }
static int next_of(int i) { return (i + 1) % count; }

static void begin(int n, wtm_drive drive) {
    count = n;
    pthread_barrier_init(&meet, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        schedulers[i] = th_scheduler(drive);
        th_probe_init(&probes[i]);
        results[i] = WTM_OK;
    }
}

static void start_all(void (*on_tick)(th_probe *)) {
    /* All handles exist before any callback runs: the barrier in the callbacks sees to that. */
    for (int i = 0; i < count; i++) {
        probes[i].on_tick = on_tick;
        wtm_timer_options options = th_options(&probes[i]);
        options.target = targets[i];
        options.executor = pools[i];
        CHECK_OK(wtm_timer_start(schedulers[i], &options, &timers[i]));
    }
}

static void check_one_told(void) {
    int told = 0;
    for (int i = 0; i < count; i++) {
        th_probe_wait_released(&probes[i], 1);
        told += results[i] == WTM_ERR_WOULD_DEADLOCK;
        CHECK(results[i] == WTM_ERR_WOULD_DEADLOCK || results[i] == WTM_OK || results[i] == WTM_ERR_GONE);
    }
    CHECK_EQ(told, 1);
}

static void finish(void) {
    for (int i = 0; i < count; i++) {
        (void)wtm_scheduler_shutdown(schedulers[i], TH_LIMIT);
        CHECK_EQ(probes[i].released, 1);
        CHECK_EQ(probes[i].ended, 1);
        targets[i].id = 0;
        pools[i].id = 0;
    }
    pthread_barrier_destroy(&meet);
}

static void wait_for_next(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    results[i] = wtm_timer_invalidate_and_wait(timers[next_of(i)], WTM_NEVER);
}
static void wait_for_next_bounded(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    results[i] = wtm_timer_invalidate_and_wait(timers[next_of(i)], TH_LIMIT);
}

TEST(two_timers_that_wait_for_each_other) {
    for (int i = 0; i < 50; i++) {
        begin(2, WTM_DRIVE_THREAD);
        start_all(i % 2 ? wait_for_next : wait_for_next_bounded);
        check_one_told();
        finish();
    }
}

TEST(three_timers_in_a_ring) {
    for (int i = 0; i < 50; i++) {
        begin(3, WTM_DRIVE_THREAD);
        start_all(wait_for_next);
        check_one_told();
        finish();
    }
}

TEST(two_timers_on_pools) {
    begin(2, WTM_DRIVE_THREAD);
    wtm_executor both[2];
    for (int i = 0; i < 2; i++) {
        CHECK_OK(wtm_executor_create_pool(1, NULL, &both[i]));
        pools[i] = both[i];
    }
    start_all(wait_for_next);
    check_one_told();
    finish();
    for (int i = 0; i < 2; i++) CHECK_OK(wtm_executor_shutdown(both[i], TH_LIMIT));
}

static void close_next(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    results[i] = wtm_target_close(targets[next_of(i)], WTM_NEVER);
}

TEST(two_timers_that_close_each_others_targets) {
    for (int round = 0; round < 20; round++) {
        begin(2, WTM_DRIVE_THREAD);
        th_probe hosts[2];
        for (int i = 0; i < 2; i++) {
            th_probe_init(&hosts[i]);
            CHECK_OK(wtm_target_create(&hosts[i], th_target_hook, &targets[i]));
        }
        start_all(close_next);
        check_one_told();
        for (int i = 0; i < 2; i++) th_probe_wait_hooks(&hosts[i], 1); /* what was ended stays ended */
        finish();
    }
}

static void shut_down_next(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    results[i] = wtm_scheduler_shutdown(schedulers[next_of(i)], WTM_NEVER);
}

TEST(two_schedulers_that_shut_each_other_down) {
    for (int round = 0; round < 20; round++) {
        begin(2, WTM_DRIVE_THREAD);
        start_all(shut_down_next);
        check_one_told();
        finish();
    }
}

static void shut_executor_of_next(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    results[i] = wtm_executor_shutdown(pools[next_of(i)], WTM_NEVER);
}

TEST(two_pools_that_shut_each_other_down) {
    for (int round = 0; round < 20; round++) {
        begin(2, WTM_DRIVE_THREAD);
        for (int i = 0; i < 2; i++) CHECK_OK(wtm_executor_create_pool(1, NULL, &pools[i]));
        start_all(shut_executor_of_next);
        check_one_told();
        finish();
    }
}

/* One link each of a different kind: 0 waits for timer 1, 1 closes target 2, 2 shuts scheduler 0 down. */
static void mixed(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    if (i == 0) results[i] = wtm_timer_invalidate_and_wait(timers[1], WTM_NEVER);
    if (i == 1) results[i] = wtm_target_close(targets[2], WTM_NEVER);
    if (i == 2) results[i] = wtm_scheduler_shutdown(schedulers[0], WTM_NEVER);
}

TEST(a_ring_of_three_sorts_of_wait) {
    for (int round = 0; round < 20; round++) {
        begin(3, WTM_DRIVE_THREAD);
        CHECK_OK(wtm_target_create(NULL, NULL, &targets[2]));
        start_all(mixed);
        check_one_told();
        finish();
    }
}

/* Two manual schedulers, each advanced by a thread whose callback advances the other. */
static void *advance_own(void *argument) {
    wtm_status status = wtm_scheduler_advance(*(wtm_scheduler *)argument, 0, NULL);
    CHECK(status == WTM_OK);
    return NULL;
}
static void advance_next(th_probe *probe) {
    int i = index_of(probe);
    pthread_barrier_wait(&meet);
    results[i] = wtm_scheduler_advance(schedulers[next_of(i)], 1, NULL);
}

TEST(two_manual_schedulers_that_advance_each_other) {
    for (int round = 0; round < 20; round++) {
        begin(2, WTM_DRIVE_MANUAL);
        start_all(advance_next);
        pthread_t helpers[2];
        for (int i = 0; i < 2; i++) helpers[i] = th_thread(advance_own, &schedulers[i]);
        check_one_told();
        for (int i = 0; i < 2; i++) th_join(helpers[i]);
        finish();
    }
}
