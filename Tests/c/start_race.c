/* Starts that race with their target's death: each either answers OK, and the timer ends with its hooks like any other, or
 * TARGET_GONE, and took nothing.
 * covers: life.failed life.eager life.release.once life.weak
 * field report: 8, 39 */
#include "harness.h"

#include <stdatomic.h>

static wtm_scheduler s;
static wtm_target target;
static atomic_uint hooks, released;
static th_counter starting;

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    CHECK_EQ(atomic_load(&hooks), 0);
}
static void on_hook(void *context) {
    (void)context;
    atomic_fetch_add(&hooks, 1);
}
static void on_release(void *context) {
    (void)context;
    CHECK_EQ(atomic_load(&hooks), 0);
    atomic_fetch_add(&released, 1);
}

static void *start_until_dead(void *argument) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick;
    options.release = on_release;
    options.target = target;
    for (uint64_t i = 0;; i++) {
        wtm_timer t = { 7 };
        options.interval_ns = i % 2 ? 1000 : TH_HOUR;
        wtm_status status = wtm_timer_start(s, &options, &t);
        if (status != WTM_OK) {
            CHECK_STATUS(status, WTM_ERR_TARGET_GONE);
            CHECK_U64(t.id, 0);
            return NULL;
        }
        ++*(uint64_t *)argument;
        th_counter_add(&starting, 1);
    }
}

static void *start_carefully(void *argument) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick;
    options.release = on_release;
    options.target = target;
    options.delay_ns = TH_HOUR;
    wtm_status status;
    while ((status = wtm_timer_start(s, &options, NULL)) == WTM_OK) {
        ++*(uint64_t *)argument;
        th_counter_add(&starting, 1);
    }
    CHECK_STATUS(status, WTM_ERR_TARGET_GONE);
    return NULL;
}

static void race(void *(*run)(void *)) {
    s = th_real();
    for (int round = 0; round < 40; round++) {
        enum { threads = 4 };
        uint64_t started[threads] = { 0 }, all = 0;
        pthread_t starters[threads];
        atomic_store(&hooks, 0);
        atomic_store(&released, 0);
        th_counter_init(&starting);
        CHECK_OK(wtm_target_create(NULL, on_hook, &target));
        for (int i = 0; i < threads; i++) starters[i] = th_thread(run, &started[i]);
        th_counter_wait(&starting, 10);
        CHECK_OK(round % 2 ? wtm_target_close(target, WTM_NEVER) : wtm_target_release(target));
        for (int i = 0; i < threads; i++) {
            th_join(starters[i]);
            all += started[i];
        }
        CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_GONE); /* waits for a callback that still borrows it */
        CHECK_EQ(atomic_load(&hooks), 1);
        CHECK_U64(atomic_load(&released), all);
        CHECK_U64(th_stats(s).live, 0);
    }
    th_shutdown(s);
}

TEST(of_ticking_timers) { race(start_until_dead); }
TEST(of_timers_that_only_end) { race(start_carefully); }
