/* Callbacks on a libdispatch queue: a custom executor in one function.
 *
 * submit arranges for run(work) to be called once, on any thread, at any time. Here that is a serial dispatch
 * queue. If it is called after the timer or the scheduler has gone, it does nothing: work is only a number.
 *
 * covers: time.serial life.release.when */
#if !defined(__clang__) /* libdispatch's headers ask clang's questions also where they do not exist */
#define __has_feature(x) 0
#define __has_extension(x) 0
#endif
#include <dispatch/dispatch.h>
#include <stdatomic.h>
#include <weaktimer.h>

#include "../common/example.h"

enum { TICKS = 10 };

typedef struct parcel {
    void (*run)(uint64_t work);
    uint64_t work;
} parcel;

static void deliver(void *context) {
    parcel *p = context;
    p->run(p->work);
    free(p);
}

static bool submit(void *context, void (*run)(uint64_t work), uint64_t work) {
    parcel *p = malloc(sizeof *p);
    if (p == NULL) return false; /* refused: this tick counts as dropped, and the timer goes on */
    *p = (parcel){ run, work };
    dispatch_async_f((dispatch_queue_t)context, p, deliver);
    return true;
}

static atomic_int queues_released;

static void queue_release(void *context) {
    dispatch_release((dispatch_queue_t)context);
    atomic_fetch_add(&queues_released, 1);
}

static char queue_key; /* its address marks our queue */

typedef struct counter {
    atomic_int running;
    int ticks;
    latch released;
} counter;

static void count(wtm_timer timer, const wtm_tick *tick, void *context) {
    counter *c = context;
    (void)timer;
    REQUIRE(dispatch_get_specific(&queue_key) == &queue_key); /* we are on the queue */
    REQUIRE(atomic_fetch_add(&c->running, 1) == 0);           /* callbacks of one timer never overlap */
    REQUIRE(tick->now_ns >= tick->scheduled_ns);
    c->ticks++;
    atomic_fetch_sub(&c->running, 1);
}

static void released(void *context) {
    counter *c = context;
    REQUIRE(dispatch_get_specific(&queue_key) == &queue_key); /* asked for by a flag */
    latch_add(&c->released);
}

int main(void) {
    dispatch_queue_t queue = dispatch_queue_create("timers", DISPATCH_QUEUE_SERIAL);
    REQUIRE(queue != NULL);
    dispatch_queue_set_specific(queue, &queue_key, &queue_key, NULL);

    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    ops.submit = submit;
    wtm_executor executor;
    SUCCEED(wtm_executor_create_custom(&ops, queue, queue_release, &executor));

    counter c = { .released = LATCH_INIT };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
    options.fn = count;
    options.context = &c;
    options.release = released;
    options.executor = executor;
    options.interval_ns = MILLISECONDS(2);
    options.tick_limit = TICKS;
    options.name = "on a queue";
    SUCCEED(wtm_timer_start(DEFAULT_SCHEDULER, &options, NULL));
    latch_wait(&c.released, 1);
    REQUIRE(c.ticks == TICKS);

    /* Takes nothing more, waits for what runs, and gives the queue back. */
    SUCCEED(wtm_executor_shutdown(executor, WTM_NEVER));
    REQUIRE(atomic_load(&queues_released) == 1);
    REQUIRE(wtm_executor_shutdown(executor, 0) == WTM_ERR_GONE);
    printf("%d ticks on the dispatch queue\n", c.ticks);
    return EXIT_SUCCESS;
}
