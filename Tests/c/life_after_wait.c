/* When a wait for a timer has ended, nothing of the timer keeps its target any more: the next release of the target runs the target's hook
 * where it is called, and a close has nothing to wait for. The timers end on threads of the library meanwhile. */
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 1000 };
static atomic_uint released;
static unsigned hooks;
static pthread_t hook_thread;

static void nothing(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
}

static void count_release(void *context) {
    (void)context;
    released++;
}

static void count_hook(void *context) {
    (void)context;
    hooks++;
    hook_thread = pthread_self();
}

typedef struct {
    wtm_scheduler scheduler;
    wtm_executor executor;
    uint32_t flags;
} place;

/* A timer that ends by itself, or that somebody else ends. */
static wtm_timer start(const place *where, wtm_target target, uint64_t delay) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = nothing;
    options.release = count_release;
    options.target = target;
    options.executor = where->executor;
    options.flags = where->flags;
    options.delay_ns = delay;
    wtm_timer timer;
    released = 0;
    CHECK_OK(wtm_timer_start(where->scheduler, &options, &timer));
    return timer;
}

static void *invalidate(void *timer) {
    wtm_status status = wtm_timer_invalidate(*(wtm_timer *)timer);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    return NULL;
}

static void check_last_release(wtm_target target, unsigned round) {
    if (round % 2 == 0) {
        CHECK_OK(wtm_target_release(target));
    } else {
        CHECK_OK(wtm_target_close(target, 0));
    }
    CHECK_EQ(hooks, round + 1);
    CHECK(pthread_equal(hook_thread, pthread_self()));
}

static void completed(const place *where) {
    hooks = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        wtm_target target;
        CHECK_OK(wtm_target_create(NULL, count_hook, &target));
        wtm_timer timer = start(where, target, 0);
        while (released == 0) {}
        CHECK_STATUS(wtm_timer_invalidate_and_wait(timer, WTM_NEVER), WTM_ERR_GONE);
        check_last_release(target, round);
    }
}

static void awaited(const place *where) {
    hooks = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        wtm_target target;
        CHECK_OK(wtm_target_create(NULL, count_hook, &target));
        wtm_timer timer = start(where, target, round % 3 == 0 ? TH_HOUR : 0);
        wtm_status status = wtm_timer_invalidate_and_wait(timer, WTM_NEVER);
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
        CHECK_EQ(released, 1);
        check_last_release(target, round);
    }
}

static void ended_elsewhere(const place *where) {
    hooks = 0;
    for (unsigned round = 0; round < ROUNDS / 10; round++) {
        wtm_target target;
        CHECK_OK(wtm_target_create(NULL, count_hook, &target));
        wtm_timer timer = start(where, target, TH_HOUR);
        pthread_t thread = th_thread(invalidate, &timer);
        while (released == 0) {}
        CHECK_STATUS(wtm_timer_invalidate_and_wait(timer, WTM_NEVER), WTM_ERR_GONE);
        check_last_release(target, round);
        CHECK_SYS(pthread_join(thread, NULL));
    }
}

static void everywhere(void (*check)(const place *)) {
    place where = { .scheduler = { 0 } };
    wtm_executor pool, serial;
    CHECK_OK(wtm_scheduler_create(NULL, &where.scheduler));
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    const wtm_executor executors[] = { { 0 }, pool, serial };
    for (unsigned i = 0; i < 6; i++) {
        where.executor = executors[i % 3];
        where.flags = i < 3 ? 0 : WTM_TIMER_RELEASE_ON_EXECUTOR;
        check(&where);
    }
    th_shutdown(where.scheduler);
    CHECK_OK(wtm_executor_shutdown(serial, WTM_NEVER));
    CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
}

/* covers: stop.wait life.release.when */
TEST(a_completed_timer_that_was_waited_for_lets_go_of_its_target) { everywhere(completed); }
TEST(an_invalidated_timer_that_was_waited_for_lets_go_of_its_target) { everywhere(awaited); }
TEST(a_timer_that_another_thread_ended_lets_go_of_its_target) { everywhere(ended_elsewhere); }
