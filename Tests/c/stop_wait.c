/* The stop that waits: what it waits for, what it answers, its time limit.
 * covers: stop.wait stop.timeout life.release.last life.release.when
 * field report: 1, 2, 3, 7, 21, 22, 27 */
#include "harness.h"

#include <sched.h>

static wtm_scheduler s;
static wtm_timer t;
static th_probe probe;
static th_counter go, inside;

static void *run_advance(void *argument) {
    CHECK_OK(wtm_scheduler_advance(*(wtm_scheduler *)argument, 1, NULL));
    return NULL;
}

static pthread_t begin_running(uint32_t flags, uint64_t interval) {
    s = th_manual();
    th_probe_init(&probe);
    th_counter_init(&go);
    th_counter_init(&inside);
    th_probe_hold(&probe);
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = 1;
    options.interval_ns = interval;
    options.flags = flags;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    pthread_t helper = th_thread(run_advance, &s);
    th_probe_wait_holding(&probe);
    return helper;
}

/* A thread that waits for ever; on return everything must be over. */
typedef struct waiter {
    wtm_status status;
    pthread_t thread;
} waiter;
static void *wait_thread(void *argument) {
    waiter *w = argument;
    w->status = wtm_timer_invalidate_and_wait(t, WTM_NEVER);
    pthread_mutex_lock(&probe.lock);
    CHECK_EQ(probe.inside, 0);
    CHECK_EQ(probe.released, 1);
    pthread_mutex_unlock(&probe.lock);
    return NULL;
}
/* Returns once the waiter's stop has taken effect. */
static void begin_waiting(waiter *w) {
    w->thread = th_thread(wait_thread, w);
    while (wtm_timer_is_valid(t)) sched_yield();
}

TEST(an_idle_timer_is_stopped_without_waiting) {
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = 5;
    static const uint64_t limits[] = { 0, 1, TH_SEC, WTM_NEVER };
    for (int i = 0; i < 4; i++) {
        CHECK_OK(wtm_timer_start(s, &options, &t));
        CHECK_OK(wtm_timer_invalidate_and_wait(t, limits[i]));
        CHECK_EQ(probe.released, (unsigned)i + 1);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, limits[i]), WTM_ERR_GONE);
    }
    th_shutdown(s);
}

TEST(a_wait_returns_when_callback_and_hooks_are_over) {
    pthread_t helper = begin_running(0, 1);
    waiter w;
    begin_waiting(&w);
    th_probe_let_go(&probe);
    th_join(w.thread);
    th_join(helper);
    CHECK_OK(w.status);
    CHECK_STR(probe.order, "tTer");
    CHECK(pthread_equal(probe.release_thread, helper));
    th_shutdown(s);
}

TEST(a_wait_covers_what_another_thread_stopped) {
    pthread_t helper = begin_running(0, 1);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_RUNNING);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT);
    waiter w;
    begin_waiting(&w);
    th_probe_let_go(&probe);
    th_join(w.thread);
    th_join(helper);
    CHECK_STATUS(w.status, WTM_ERR_GONE);
    th_shutdown(s);
}

TEST(many_waiters_all_return_and_one_succeeds) {
    enum { count = 8 };
    pthread_t helper = begin_running(0, 1);
    waiter waiters[count];
    unsigned successes = 0;
    for (int i = 0; i < count; i++) begin_waiting(&waiters[i]);
    th_probe_let_go(&probe);
    for (int i = 0; i < count; i++) {
        th_join(waiters[i].thread);
        successes += waiters[i].status == WTM_OK;
        CHECK(waiters[i].status == WTM_OK || waiters[i].status == WTM_ERR_GONE);
    }
    CHECK_EQ(successes, 1);
    th_join(helper);
    th_shutdown(s);
}

TEST(a_bounded_wait_times_out_and_the_stop_stands) {
    static const uint64_t limits[] = { 0, 1, TH_MS, 20 * TH_MS };
    for (int i = 0; i < 4; i++) {
        pthread_t helper = begin_running(0, 1);
        uint64_t begin = th_now();
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, limits[i]), WTM_ERR_TIMED_OUT);
        CHECK_GE(th_now() - begin, limits[i]);
        CHECK(!wtm_timer_is_valid(t));
        CHECK_STATUS(wtm_timer_reschedule(t, 0), WTM_ERR_GONE);
        th_probe_let_go(&probe);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
        CHECK_EQ(th_probe_released(&probe), 1);
        th_join(helper);
        CHECK_STR(probe.order, "tTer");
        CHECK_U64(th_advance(s, 100), 0);
        th_shutdown(s);
    }
}

static void block(th_probe *p) {
    (void)p;
    th_counter_add(&inside, 1);
    th_counter_wait(&go, 1);
}

/* A hook that is running on another thread is waited for, whoever ended the timer, also when no callback ever ran. */
static void *end_it(void *argument) {
    (void)argument;
    CHECK_OK(wtm_timer_invalidate(t));
    return NULL;
}

TEST(a_wait_covers_a_hook_that_runs_on_another_thread) {
    for (int which = 0; which < 2; which++) {
        s = th_manual();
        th_probe_init(&probe);
        th_counter_init(&go);
        th_counter_init(&inside);
        if (which == 0) probe.on_ended = block;
        else probe.on_release = block;
        wtm_timer_options options = th_options(&probe);
        options.delay_ns = 5;
        CHECK_OK(wtm_timer_start(s, &options, &t));
        pthread_t ender = th_thread(end_it, NULL);
        th_counter_wait(&inside, 1);
        CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, TH_MS), WTM_ERR_TIMED_OUT);
        waiter w;
        begin_waiting(&w);
        th_counter_add(&go, 1);
        th_join(w.thread);
        CHECK_STATUS(w.status, WTM_ERR_GONE);
        th_join(ender);
        CHECK_STR(probe.order, "er");
        th_shutdown(s);
    }
}

TEST(a_wait_covers_a_hook_queued_on_an_executor) {
    static th_queue queue;
    th_queue_init(&queue);
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = 5;
    options.executor = queue.executor;
    options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT);
    CHECK_EQ(queue.submitted, 1);
    waiter w;
    begin_waiting(&w);
    CHECK_EQ(th_queue_run(&queue, 10), 1);
    th_join(w.thread);
    CHECK_STATUS(w.status, WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_GONE);
    CHECK_OK(wtm_executor_shutdown(queue.executor, TH_LIMIT));
    th_shutdown(s);
}

TEST(a_wait_covers_a_callback_that_completes_by_itself) {
    pthread_t helper = begin_running(0, 0); /* a one-shot in its only callback */
    waiter w;
    begin_waiting(&w);
    th_probe_let_go(&probe);
    th_join(w.thread);
    CHECK_OK(w.status);
    CHECK_EQ(probe.reason, WTM_REASON_INVALIDATED);
    th_join(helper);
    th_shutdown(s);
}

static wtm_timer idle_timer;
static th_probe idle_probe;
static void wait_for_idle(th_probe *p) {
    (void)p;
    CHECK_OK(wtm_timer_invalidate_and_wait(idle_timer, WTM_NEVER));
    CHECK_STR(idle_probe.order, "er");
    th_counter_add(&inside, 1);
}

TEST(waits_from_callbacks_and_hooks_for_timers_that_do_not_run) {
    for (int which = 0; which < 4; which++) {
        s = th_manual();
        th_probe_init(&probe);
        th_probe_init(&idle_probe);
        th_counter_init(&inside);
        wtm_target target = { 0 };
        CHECK_OK(wtm_target_create(&probe, th_target_hook, &target));
        if (which == 0) probe.on_tick = wait_for_idle;
        if (which == 1) probe.on_ended = wait_for_idle;
        if (which == 2) probe.on_release = wait_for_idle;
        if (which == 3) probe.on_hook = wait_for_idle;
        wtm_timer_options options = th_options(&idle_probe);
        options.delay_ns = 1; /* due in the same pass, after the other */
        wtm_timer_options first = th_options(&probe);
        first.delay_ns = 1;
        first.target = target;
        CHECK_OK(wtm_timer_start(s, &first, NULL));
        CHECK_OK(wtm_timer_start(s, &options, &idle_timer));
        if (which == 3) CHECK_OK(wtm_target_release(target));
        CHECK_U64(th_advance(s, 1), which == 3 ? 0 : 1);
        CHECK_U64(th_counter_get(&inside), 1);
        CHECK_EQ(idle_probe.ticks, 0);
        th_shutdown(s);
        if (which != 3) CHECK_OK(wtm_target_release(target));
    }
}

TEST(target_close_waits_for_callback_and_hook) {
    s = th_manual();
    th_probe_init(&probe);
    th_probe_hold(&probe);
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(&probe, th_target_hook, &target));
    CHECK_OK(wtm_timer_every_target(s, 1, th_tick, target, &t));
    pthread_t helper = th_thread(run_advance, &s);
    th_probe_wait_holding(&probe);
    CHECK_STATUS(wtm_target_close(target, 0), WTM_ERR_TIMED_OUT);
    uint64_t begin = th_now();
    CHECK_STATUS(wtm_target_close(target, 5 * TH_MS), WTM_ERR_TIMED_OUT);
    CHECK_GE(th_now() - begin, 5 * TH_MS);
    CHECK(!wtm_target_is_alive(target));
    th_probe_let_go(&probe);
    CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STR(probe.order, "tTh");
    th_join(helper);
    th_shutdown(s);
}
