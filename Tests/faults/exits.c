/* Processes that exit with hot timers on the library's threads, a thousand times; and threads that come and go.
 * covers: world.exit world.threads life.free stop.wait
 * field report: 82, 84 */
#include "faults.h"
#include "harness.h"

#include <sched.h>
#include <stdatomic.h>

static th_counter ticks = TH_COUNTER_INIT;
static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    th_counter_add(&ticks, 1);
}

static wtm_timer last;
static void use_the_library(void) {
    wtm_timer t;
    if (wtm_timer_after(wtm_scheduler_default(), 1, tick, NULL, NULL, &t) != WTM_OK) _exit(3);
    if (wtm_timer_invalidate_and_wait(last, WTM_NEVER) == WTM_ERR_INVALID) _exit(4);
}

static void *churn(void *argument) {
    (void)argument;
    for (;;) {
        wtm_timer t;
        if (wtm_timer_every(wtm_scheduler_default(), 10 * TH_US, tick, NULL, NULL, &t) != WTM_OK) return NULL;
        if (wtm_timer_invalidate(t) < 0) return NULL;
    }
}

static void exits_hot(void *argument) {
    int kind = *(int *)argument;
    wtm_executor pool;
    CHECK_OK(wtm_executor_create_pool(2, "hot", &pool));
    for (int i = 0; i < 4; i++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = tick;
        o.interval_ns = 20 * TH_US;
        o.executor = i % 2 ? pool : (wtm_executor){ 0 };
        CHECK_OK(wtm_timer_start((wtm_scheduler){ 0 }, &o, &last));
    }
    if (kind % 3 == 1) CHECK_EQ(atexit(use_the_library), 0);
    if (kind % 3 == 2) th_thread(churn, NULL);
    th_counter_wait(&ticks, 5);
    exit(0);
}

TEST(exit_with_hot_timers) {
    for (int i = 0; i < TH_PROCESSES; i++) CHECK_EQ(th_child(exits_hot, &i), 0);
}

/* Threads that start a timer, wait for a callback, and end: the timers go on, and nothing of the threads stays. */
static void *comes_and_goes(void *argument) {
    wtm_timer *t = argument;
    wtm_timer other;
    CHECK_OK(wtm_timer_every(wtm_scheduler_default(), TH_HOUR, tick, NULL, NULL, t));
    CHECK_OK(wtm_timer_after(wtm_scheduler_default(), 0, tick, NULL, NULL, &other));
    wtm_status status = wtm_timer_invalidate_and_wait(other, WTM_NEVER);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    pthread_exit(NULL);
}

TEST(threads_that_end_leave_their_timers_and_nothing_else) {
    uint64_t resident = 0;
    for (int i = 0; i < 4000; i++) {
        wtm_timer t;
        if (i == 500) resident = th_resident_bytes();
        th_join(th_thread(comes_and_goes, &t));
        CHECK(wtm_timer_is_valid(t));
        CHECK_OK(wtm_timer_invalidate(t));
    }
    CHECK_LE(th_resident_bytes(), resident + (UINT64_C(2) << 20) * TH_GROWTH);
    CHECK_OK(wtm_scheduler_shutdown((wtm_scheduler){ 0 }, WTM_NEVER));
}

/* A wait is no cancellation point: the thread that waits is cancelled, and the wait ends as it should. */
static th_probe held;
static wtm_timer held_timer;
static atomic_int answer;
static void *waits(void *argument) {
    (void)argument;
    wtm_status status = wtm_timer_invalidate_and_wait(held_timer, WTM_NEVER);
    atomic_store(&answer, status == WTM_OK ? 1 : 2);
    pthread_testcancel();
    return NULL;
}

TEST(a_cancelled_thread_waits_to_the_end) {
    wtm_scheduler s = th_real();
    th_probe_init(&held);
    th_probe_hold(&held);
    CHECK_OK(wtm_timer_after(s, 0, th_tick, &held, th_release, &held_timer));
    th_probe_wait_holding(&held);
    pthread_t thread = th_thread(waits, NULL);
    CHECK_EQ(pthread_cancel(thread), 0);
    while (wtm_timer_is_valid(held_timer)) sched_yield();
    CHECK_EQ(atomic_load(&answer), 0);
    th_probe_let_go(&held);
    CHECK(th_join(thread) == PTHREAD_CANCELED);
    CHECK_EQ(atomic_load(&answer), 1);
    th_shutdown(s);
}
