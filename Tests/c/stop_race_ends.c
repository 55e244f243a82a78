/* Racing ends of targets, schedulers and executors: one caller succeeds, each hook runs once, and every success finds it all
 * over. covers: life.release.once life.eager stop.shutdown stop.wait stop.nonblocking field report: 2, 10, 43, 46, 82 */
#include "harness.h"

#include <stdatomic.h>

enum { racers = 8 };

static pthread_barrier_t barrier;
static wtm_scheduler s;
static wtm_target target;
static wtm_executor executor;
static atomic_uint successes, others, hooks, releases;
static int mode;

static void tick_nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }
static void count_hook(void *context) {
    (void)context;
    atomic_fetch_add(&hooks, 1);
}
static void count_release(void *context) {
    (void)context;
    CHECK_EQ(atomic_load(&hooks), 0); /* what is counted last has not run yet */
    atomic_fetch_add(&releases, 1);
}

enum { CLOSE, RELEASE, MIXED, SHUTDOWN, EXECUTOR };

static void *race(void *argument) {
    bool odd = (uintptr_t)argument % 2;
    pthread_barrier_wait(&barrier);
    wtm_status status;
    switch (mode) {
    case CLOSE: status = wtm_target_close(target, WTM_NEVER); break;
    case RELEASE: status = wtm_target_release(target); break;
    case MIXED: status = odd ? wtm_target_close(target, WTM_NEVER) : wtm_target_release(target); break;
    case SHUTDOWN: status = wtm_scheduler_shutdown(s, WTM_NEVER); break;
    default: status = wtm_executor_shutdown(executor, WTM_NEVER); break;
    }
    if (status == WTM_OK) atomic_fetch_add(&successes, 1);
    else if (status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN) atomic_fetch_add(&others, 1);
    else CHECK_OK(status);
    bool waited = mode == CLOSE || (mode == MIXED && odd) || mode == SHUTDOWN;
    if (waited) {
        CHECK_EQ(atomic_load(&hooks), 1);
        CHECK_EQ(atomic_load(&releases), 20);
    }
    return NULL;
}

static void run(int which, unsigned expected_successes) {
    mode = which;
    for (int round = 0; round < 25; round++) {
        atomic_store(&successes, 0), atomic_store(&others, 0), atomic_store(&hooks, 0), atomic_store(&releases, 0);
        pthread_barrier_init(&barrier, NULL, racers);
        wtm_scheduler_options scheduler_options = WTM_SCHEDULER_OPTIONS_INIT;
        if (mode == SHUTDOWN) scheduler_options.release = count_hook; /* runs last */
        CHECK_OK(wtm_scheduler_create(&scheduler_options, &s));
        CHECK_OK(wtm_executor_create_pool(2, NULL, &executor));
        CHECK_OK(wtm_target_create(NULL, mode < SHUTDOWN ? count_hook : NULL, &target));
        if (mode == RELEASE || mode == MIXED) {
            for (int i = 1; i < racers; i++) CHECK_OK(wtm_target_retain(target));
        }
        for (int i = 0; i < 20; i++) {
            wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
            options.fn = tick_nothing;
            options.release = count_release;
            options.target = target;
            options.interval_ns = i % 2 ? 20 * TH_US : TH_HOUR;
            if (i % 3 == 0) options.executor = executor;
            CHECK_OK(wtm_timer_start(s, &options, NULL));
        }
        pthread_t threads[racers];
        for (uintptr_t i = 0; i < racers; i++) threads[i] = th_thread(race, (void *)i);
        for (int i = 0; i < racers; i++) th_join(threads[i]);
        if (mode == MIXED) CHECK_GE(atomic_load(&successes), 1); /* releases before the close succeed, too */
        else CHECK_EQ(atomic_load(&successes), expected_successes);
        CHECK_EQ(atomic_load(&successes) + atomic_load(&others), racers);
        if (mode < SHUTDOWN) CHECK_STATUS(wtm_target_close(target, WTM_NEVER), WTM_ERR_GONE); /* waits for a borrowing callback */
        else CHECK_OK(wtm_target_close(target, WTM_NEVER));
        CHECK_EQ(atomic_load(&releases), 20);
        if (mode != EXECUTOR) CHECK_EQ(atomic_load(&hooks), 1);
        if (mode != SHUTDOWN) th_shutdown(s);
        if (mode != EXECUTOR) CHECK_OK(wtm_executor_shutdown(executor, TH_LIMIT));
        CHECK_STATUS(wtm_executor_shutdown(executor, 0), WTM_ERR_GONE);
        pthread_barrier_destroy(&barrier);
    }
}

TEST(closes_race) { run(CLOSE, 1); }
TEST(releases_of_as_many_references_race) { run(RELEASE, racers); }
TEST(closes_and_releases_race) { run(MIXED, 0); }
TEST(shutdowns_race) { run(SHUTDOWN, 1); }
TEST(executor_shutdowns_race) { run(EXECUTOR, 1); }
