/* Stopping, in both ways, from everywhere.
 *
 * wtm_timer_invalidate() never waits: when it has returned, no callback starts any more. Of any number of
 * threads exactly one gets a success. wtm_timer_invalidate_and_wait() waits also for the callback that is
 * running, so that what the callback uses may be taken apart; from the callback itself it does not hang,
 * it answers WTM_ERR_WOULD_DEADLOCK (and the timer has ended all the same).
 *
 * covers: stop.nonblocking stop.wait stop.self stop.sticky
 * field report: 1, 3, 19, 43 */
#include <stdatomic.h>
#include <weaktimer.h>

#include "common/example.h"

enum { THREADS = 8, ROUNDS = 200 };

typedef struct race {
    wtm_timer timer;
    pthread_barrier_t start;
    atomic_int successes, gone, hooks;
} race;

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }

static void hook(void *context) {
    race *r = context;
    atomic_fetch_add(&r->hooks, 1);
}

static void *racer(void *argument) {
    race *r = argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&r->start); /* main has started the timer */
        wtm_status status = wtm_timer_invalidate(r->timer);
        REQUIRE(status == WTM_OK || status == WTM_RUNNING || status == WTM_ERR_GONE);
        atomic_fetch_add(status >= 0 ? &r->successes : &r->gone, 1);
        pthread_barrier_wait(&r->start); /* main may look */
    }
    return NULL;
}

static void stop_from_eight_threads(void) {
    race r = { .successes = 0 };
    pthread_t threads[THREADS];
    REQUIRE(pthread_barrier_init(&r.start, NULL, THREADS + 1) == 0);
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, racer, &r) == 0);
    for (int round = 0; round < ROUNDS; round++) {
        SUCCEED(wtm_timer_every(DEFAULT_SCHEDULER, 50000, tick, &r, hook, &r.timer)); /* 50 us: hot */
        pthread_barrier_wait(&r.start);
        pthread_barrier_wait(&r.start);
        /* It has ended, and a wait covers what may still be running: afterwards r could be freed. */
        REQUIRE(wtm_timer_invalidate_and_wait(r.timer, WTM_NEVER) == WTM_ERR_GONE);
        REQUIRE(atomic_load(&r.successes) == round + 1);
        REQUIRE(atomic_load(&r.hooks) == round + 1);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&r.start);
    REQUIRE(atomic_load(&r.gone) == ROUNDS * (THREADS - 1));
    printf("%d rounds: one success each, %d times gone\n", ROUNDS, atomic_load(&r.gone));
}

static void stop_itself(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)tick;
    REQUIRE(wtm_timer_invalidate_and_wait(timer, WTM_NEVER) == WTM_ERR_WOULD_DEADLOCK);
    REQUIRE(!wtm_timer_is_valid(timer));
    REQUIRE(wtm_timer_reschedule(timer, 0) == WTM_ERR_GONE); /* an end is final */
    *(int *)context += 1;
}

static void opened(void *context) { latch_add(context); }

static void entered(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    latch_add(context);
}

int main(void) {
    stop_from_eight_threads();

    /* From the inside. The wait from outside covers the callback, so reading the count afterwards is safe. */
    int ticks = 0;
    wtm_timer timer;
    latch released = LATCH_INIT;
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = stop_itself;
    options.context = &ticks;
    options.interval_ns = MILLISECONDS(1);
    SUCCEED(wtm_timer_start(DEFAULT_SCHEDULER, &options, &timer));
    SUCCEED(wtm_timer_after(DEFAULT_SCHEDULER, MILLISECONDS(10), entered, &released, opened, NULL));
    latch_wait(&released, 2); /* the one-shot's tick and its hook: later than the first tick above */
    wtm_timer_invalidate_and_wait(timer, WTM_NEVER);
    REQUIRE(ticks == 1);

    /* A context on the stack: wait, and it may go out of scope. */
    latch hot = LATCH_INIT;
    SUCCEED(wtm_timer_every(DEFAULT_SCHEDULER, 100000, entered, &hot, NULL, &timer));
    latch_wait(&hot, 3);
    wtm_status status = wtm_timer_invalidate_and_wait(timer, SECONDS(5));
    REQUIRE(status == WTM_OK);
    printf("stopped from inside and outside, nothing runs any more\n");
    return EXIT_SUCCESS;
}
