/* Guide: an object whose callbacks never run at the same time. */
#include <stdatomic.h>

#include "manual.h"

struct account {
    wtm_target lifetime;
    atomic_int inside;
    int balance;
};

static void account_free(void *context) { free(context); }

static void enter(struct account *a) { REQUIRE(atomic_fetch_add(&a->inside, 1) == 0); }

static void leave(struct account *a) { atomic_fetch_sub(&a->inside, 1); }

static void interest(wtm_timer timer, const wtm_tick *tick, void *context) {
    struct account *a = context;
    (void)timer, (void)tick;
    enter(a);
    a->balance += 2;
    leave(a);
}

static void fee(wtm_timer timer, const wtm_tick *tick, void *context) {
    struct account *a = context;
    (void)timer, (void)tick;
    enter(a);
    a->balance -= 1;
    leave(a);
}

/* region: queue */
/* Two timers of one object on one serial queue: they take turns, on any thread of the pool. No lock is needed. */
static void account_start(struct account *a, wtm_scheduler s, wtm_executor queue) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.target = a->lifetime;
    options.executor = queue;
    options.fn = interest;
    options.interval_ns = SECONDS(10);
    wtm_timer_start(s, &options, NULL);
    options.fn = fee;
    options.interval_ns = SECONDS(15);
    wtm_timer_start(s, &options, NULL);
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    wtm_executor pool, queue;
    SUCCEED(wtm_executor_create_pool(4, "bank", &pool));
    SUCCEED(wtm_executor_create_serial(pool, &queue));
    struct account *a = calloc(1, sizeof *a);
    SUCCEED(wtm_target_create(a, account_free, &a->lifetime));
    account_start(a, s, queue);
    pass(s, SECONDS(60)); /* hands each tick over at its moment and waits for it */
    REQUIRE(a->balance == 6 * 2 - 4);
    SUCCEED(wtm_target_close(a->lifetime, WTM_NEVER));
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    SUCCEED(wtm_executor_shutdown(queue, WTM_NEVER));
    SUCCEED(wtm_executor_shutdown(pool, WTM_NEVER));
    return EXIT_SUCCESS;
}
