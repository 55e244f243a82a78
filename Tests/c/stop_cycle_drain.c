/* Cycles of waits that go through what a shutdown still has to run itself, and through a target's hook on a pool's thread.
 * covers: stop.self life.borrow life.release.when
 * field report: 22 */
#include "harness.h"

#include <sched.h>

static wtm_timer first, second;
static wtm_status seen;
static th_probe probe_first, probe_second, held;

static void wait_for_second(th_probe *p) {
    (void)p;
    seen = wtm_timer_invalidate_and_wait(second, WTM_NEVER);
}

static void start_two(wtm_scheduler s, wtm_executor e) {
    th_probe_init(&probe_first);
    th_probe_init(&probe_second);
    probe_first.on_release = wait_for_second;
    seen = WTM_OK;
    wtm_timer_options options = th_options(&probe_first);
    options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
    options.executor = e;
    options.delay_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(s, &options, &first));
    options.context = &probe_second;
    CHECK_OK(wtm_timer_start(s, &options, &second));
    CHECK_OK(wtm_timer_invalidate(first));
    CHECK_OK(wtm_timer_invalidate(second));
}

static void each_hook_has_run(void) {
    CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
    CHECK_STR(probe_first.order, "er");
    CHECK_STR(probe_second.order, "er");
}

/* Both hooks are queued where a callback is in the way; the shutdown runs them, one after the other. */
TEST(a_hook_that_an_executors_shutdown_runs_waits_for_the_next) {
    for (int is_serial = 0; is_serial < 2; is_serial++) {
        wtm_scheduler s = th_scheduler(WTM_DRIVE_THREAD);
        wtm_executor pool = { 0 }, serial = { 0 };
        CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
        CHECK_OK(wtm_executor_create_serial(pool, &serial));
        wtm_executor e = is_serial ? serial : pool;
        th_probe_init(&held);
        th_probe_hold(&held);
        wtm_timer_options options = th_options(&held);
        options.executor = e;
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        th_probe_wait_holding(&held);
        start_two(s, e);
        CHECK_STATUS(wtm_executor_shutdown(e, 0), WTM_ERR_TIMED_OUT);
        each_hook_has_run();
        th_probe_let_go(&held);
        th_shutdown(s);
        wtm_executor_shutdown(serial, TH_LIMIT);
        wtm_executor_shutdown(pool, TH_LIMIT);
    }
}

TEST(a_hook_that_a_custom_executors_shutdown_runs_waits_for_the_next) {
    wtm_scheduler s = th_manual();
    th_queue queue;
    th_queue_init(&queue);
    start_two(s, queue.executor);
    CHECK_OK(wtm_executor_shutdown(queue.executor, TH_LIMIT));
    each_hook_has_run();
    th_shutdown(s);
}

/* Inline, so that the hooks wait for a drive, and the shutdown comes first. */
TEST(a_hook_that_a_schedulers_shutdown_runs_waits_for_the_next) {
    for (int drive = WTM_DRIVE_HOST; drive <= WTM_DRIVE_MANUAL; drive++) {
        wtm_scheduler s = th_scheduler((wtm_drive)drive);
        start_two(s, (wtm_executor){ 0 });
        CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
        each_hook_has_run();
    }
}

/* The hook of a tick that the shutdown drops turns on an advance that waits for another tick of the same pool. */
static wtm_scheduler manual;
static void advance_manual(th_probe *p) {
    (void)p;
    seen = wtm_scheduler_advance(manual, 1, NULL);
}
static void *run_advance(void *status) {
    *(wtm_status *)status = wtm_scheduler_advance(manual, 1, NULL);
    return NULL;
}
/* Of the waits of a cycle the last one is told, whichever that is. */
static void ended_or_told(wtm_status status) {
    if (status != WTM_ERR_WOULD_DEADLOCK) CHECK_OK(status);
}

TEST(a_dropped_ticks_hook_turns_on_an_advance_of_the_same_pool) {
    wtm_scheduler s = th_scheduler(WTM_DRIVE_THREAD);
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    manual = th_manual();
    th_probe_init(&held);
    th_probe_hold(&held);
    wtm_timer_options options = th_options(&held);
    options.executor = pool;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_probe_wait_holding(&held);
    th_probe_init(&probe_first);
    probe_first.on_release = advance_manual;
    options.context = &probe_first;
    wtm_timer dropped = { 0 };
    CHECK_OK(wtm_timer_start(s, &options, &dropped));
    while (th_info(dropped).state != WTM_STATE_QUEUED) sched_yield();
    th_probe_init(&probe_second);
    options.context = &probe_second;
    wtm_timer behind = { 0 };
    CHECK_OK(wtm_timer_start(manual, &options, &behind));
    wtm_status others = WTM_OK;
    pthread_t other = th_thread(run_advance, &others);
    while (th_info(behind).state != WTM_STATE_QUEUED) sched_yield();
    seen = WTM_OK;
    CHECK_STATUS(wtm_executor_shutdown(pool, 0), WTM_ERR_TIMED_OUT);
    th_join(other);
    ended_or_told(others);
    ended_or_told(seen);
    CHECK(seen == WTM_ERR_WOULD_DEADLOCK || others == WTM_ERR_WOULD_DEADLOCK);
    CHECK_EQ(th_probe_ticks(&probe_second), 0);
    th_probe_let_go(&held);
    th_shutdown(s);
    th_shutdown(manual);
    wtm_executor_shutdown(pool, TH_LIMIT);
}

/* A pool's tick lets the last reference go; the target's hook waits for a callback that turns on the advance which waits for the tick. */
static wtm_target target;
static wtm_scheduler other_scheduler;
static th_counter in_hook, in_callback;
static wtm_status hook_saw, callback_saw;
static bool shuts_down;

static void hook(void *context) {
    (void)context;
    th_counter_add(&in_hook, 1);
    th_counter_wait(&in_callback, 1);
    hook_saw = shuts_down ? wtm_scheduler_shutdown(other_scheduler, WTM_NEVER) : wtm_timer_invalidate_and_wait(first, WTM_NEVER);
}
static void let_target_go(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    CHECK_OK(wtm_target_release(target));
}
static void turn_on_the_advance(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    th_counter_wait(&in_hook, 1);
    th_counter_add(&in_callback, 1);
    callback_saw = wtm_scheduler_advance(manual, 1, NULL);
}

TEST(a_targets_hook_on_a_pools_thread_is_part_of_the_advance) {
    for (int how = 0; how < 2; how++) {
        wtm_executor pool = { 0 };
        CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
        manual = th_manual();
        other_scheduler = th_scheduler(WTM_DRIVE_THREAD);
        th_counter_init(&in_hook);
        th_counter_init(&in_callback);
        hook_saw = callback_saw = WTM_OK;
        shuts_down = how != 0;
        CHECK_OK(wtm_target_create(NULL, hook, &target));
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = let_target_go;
        options.target = target;
        options.executor = pool;
        CHECK_OK(wtm_timer_start(manual, &options, NULL));
        CHECK_OK(wtm_timer_after(other_scheduler, 0, turn_on_the_advance, NULL, NULL, &first));
        ended_or_told(wtm_scheduler_advance(manual, 1, NULL));
        while (wtm_timer_invalidate_and_wait(first, TH_LIMIT) == WTM_OK) continue;
        /* One of the two closed the cycle, and was told; if this thread did, they close another, for the callback's advance takes its turn. */
        CHECK_EQ((hook_saw == WTM_ERR_WOULD_DEADLOCK) + (callback_saw == WTM_ERR_WOULD_DEADLOCK), 1);
        wtm_scheduler_shutdown(other_scheduler, WTM_NEVER);
        th_shutdown(manual);
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}
