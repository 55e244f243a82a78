/* What the explorer walks through: small programs of two or three threads, each with everything that must hold after it. */
#include "explore.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

typedef struct watch {
    wtm_timer timer;
    atomic_uint inside, ticks, ended, released, successes;
    atomic_bool stopped, freed;
    void (*also)(struct watch *);
} watch;
static watch a, b;
static wtm_scheduler first, second;
static wtm_target target;
static atomic_uint target_hooks;
static atomic_bool done;

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    watch *w = context;
    (void)timer, (void)tick;
    REQUIRE(!atomic_load(&w->stopped) && !atomic_load(&w->freed));
    REQUIRE(atomic_load(&w->released) == 0 && atomic_load(&target_hooks) == 0);
    REQUIRE(atomic_fetch_add(&w->inside, 1) == 0);
    explore_point();
    if (w->also != NULL) w->also(w);
    explore_point();
    REQUIRE(!atomic_load(&w->freed));
    atomic_fetch_add(&w->ticks, 1);
    atomic_fetch_sub(&w->inside, 1);
}
static void on_ended(wtm_timer timer, wtm_reason reason, void *context) {
    watch *w = context;
    (void)timer, (void)reason;
    REQUIRE(atomic_load(&w->inside) == 0 && !atomic_load(&w->freed));
    REQUIRE(atomic_fetch_add(&w->ended, 1) == 0 && atomic_load(&w->released) == 0);
    explore_point();
}
static void on_release(void *context) {
    watch *w = context;
    REQUIRE(atomic_load(&w->inside) == 0 && atomic_load(&w->ended) == 1 && !atomic_load(&w->freed));
    explore_point();
    REQUIRE(atomic_fetch_add(&w->released, 1) == 0);
}
static void on_target(void *context) {
    (void)context;
    REQUIRE(atomic_load(&a.released) == (a.timer.id != 0) && atomic_load(&b.released) == (b.timer.id != 0));
    REQUIRE(atomic_fetch_add(&target_hooks, 1) == 0);
}

static wtm_scheduler scheduler(uint32_t drive) {
    wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s;
    o.drive = drive;
    REQUIRE(wtm_scheduler_create(&o, &s) == WTM_OK);
    return s;
}
static void start(watch *w, wtm_scheduler s, uint64_t interval, bool bound, wtm_executor executor) {
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    memset(w, 0, sizeof *w);
    o.fn = on_tick;
    o.context = w;
    o.ended = on_ended;
    o.release = on_release;
    o.interval_ns = interval;
    o.delay_ns = 1;
    o.executor = executor;
    if (bound) o.target = target;
    REQUIRE(wtm_timer_start(s, &o, &w->timer) == WTM_OK);
}
static void stop(watch *w, bool wait) {
    wtm_status got = wait ? wtm_timer_invalidate_and_wait(w->timer, WTM_NEVER) : wtm_timer_invalidate(w->timer);
    REQUIRE_VALUE(got == WTM_OK || got == WTM_ERR_GONE || (got == WTM_RUNNING && !wait), got);
    if (got >= 0) atomic_fetch_add(&w->successes, 1);
    if (got == WTM_OK) atomic_store(&w->stopped, true);
    if (wait || got == WTM_OK) {
        REQUIRE(atomic_load(&w->inside) == 0 && atomic_load(&w->released) == 1);
        atomic_store(&w->freed, true);
    }
    REQUIRE(!wtm_timer_is_valid(w->timer) && wtm_timer_fire(w->timer) == WTM_ERR_GONE);
}

static void *advances(void *argument) {
    wtm_scheduler s = *(wtm_scheduler *)argument;
    explore_join(3);
    for (int i = 0; i < 3; i++) REQUIRE(wtm_scheduler_advance(s, 1, NULL) == WTM_OK);
    explore_leave();
    return NULL;
}
static void *stops(void *argument) {
    explore_join(3);
    if (explore_random() & 1) stop(argument, explore_random() & 1);
    stop(argument, true);
    explore_leave();
    return NULL;
}
static void *lets_go(void *argument) {
    (void)argument;
    explore_join(3);
    if (explore_random() & 1) {
        REQUIRE(wtm_target_retain(target) == WTM_OK);
        REQUIRE(wtm_target_release(target) == WTM_OK);
    }
    if (explore_random() & 1) {
        REQUIRE(wtm_target_release(target) == WTM_OK);
        REQUIRE(!wtm_timer_is_valid(a.timer) && !wtm_timer_is_valid(b.timer));
        REQUIRE(wtm_target_close(target, WTM_NEVER) == WTM_ERR_GONE);
    } else {
        REQUIRE(wtm_target_close(target, WTM_NEVER) == WTM_OK);
    }
    REQUIRE(atomic_load(&target_hooks) == 1);
    explore_leave();
    return NULL;
}

static void three(void *(*one)(void *), void *one_argument, void *(*two)(void *), void *two_argument, void *(*last)(void *), void *last_argument) {
    pthread_t threads[2];
    REQUIRE(pthread_create(&threads[0], NULL, one, one_argument) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, two, two_argument) == 0);
    last(last_argument);
    for (int i = 0; i < 2; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
}
static void after(watch *w) {
    REQUIRE(atomic_load(&w->released) == 1 && atomic_load(&w->ended) == 1 && atomic_load(&w->successes) <= 1);
}

/* Two threads stop one timer, a third drives it. */
static void stop_race(void) {
    atomic_store(&target_hooks, 0);
    first = scheduler(WTM_DRIVE_MANUAL);
    start(&a, first, 1, false, (wtm_executor){ 0 });
    three(stops, &a, stops, &a, advances, &first);
    REQUIRE(atomic_load(&a.successes) == 1);
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
    after(&a);
}

/* A target dies while its timers are driven and stopped. */
static void target_death(void) {
    atomic_store(&target_hooks, 0);
    REQUIRE(wtm_target_create(&target_hooks, on_target, &target) == WTM_OK);
    first = scheduler(WTM_DRIVE_MANUAL);
    start(&a, first, 1, true, (wtm_executor){ 0 });
    start(&b, first, 0, true, (wtm_executor){ 0 });
    three(lets_go, NULL, stops, &a, advances, &first);
    after(&a);
    after(&b);
    memset(&b, 0, sizeof b);
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
}

/* Each callback waits for the other timer: one of them must be told. */
static atomic_uint told;
static void waits_for_other(watch *w) {
    watch *other = w == &a ? &b : &a;
    wtm_status got = wtm_timer_invalidate_and_wait(other->timer, WTM_NEVER);
    REQUIRE_VALUE(got == WTM_OK || got == WTM_ERR_GONE || got == WTM_ERR_WOULD_DEADLOCK, got);
    if (got == WTM_ERR_WOULD_DEADLOCK) atomic_fetch_add(&told, 1);
    else REQUIRE(atomic_load(&other->inside) == 0);
    REQUIRE(wtm_timer_invalidate_and_wait(w->timer, WTM_NEVER) == WTM_ERR_WOULD_DEADLOCK);
}
static void *watches(void *argument) {
    (void)argument;
    explore_join(3);
    stop(&a, true);
    stop(&b, true);
    explore_leave();
    return NULL;
}
static void cycle(void) {
    atomic_store(&target_hooks, 0);
    first = scheduler(WTM_DRIVE_MANUAL);
    second = scheduler(WTM_DRIVE_MANUAL);
    start(&a, first, 1, false, (wtm_executor){ 0 });
    start(&b, second, 1, false, (wtm_executor){ 0 });
    a.also = b.also = waits_for_other;
    three(watches, NULL, advances, &second, advances, &first);
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK && wtm_scheduler_shutdown(second, WTM_NEVER) == WTM_OK);
    REQUIRE(atomic_load(&told) <= 2);
    atomic_store(&told, 0);
    after(&a);
    after(&b);
}

/* Moving, pausing and firing against the driver and each other: nothing is lost at the end. */
static void *moves(void *argument) {
    watch *w = argument;
    explore_join(3);
    for (int i = 0; i < 6; i++) {
        wtm_status got;
        switch (explore_random() % 5) {
        case 0: got = wtm_timer_pause(w->timer); break;
        case 1: got = wtm_timer_resume(w->timer); break;
        case 2: got = wtm_timer_fire(w->timer); break;
        case 3: got = wtm_timer_reschedule(w->timer, explore_random() % 3); break;
        default: got = wtm_timer_set_next(w->timer, explore_random() % 4); break;
        }
        REQUIRE_VALUE(got == WTM_OK, got);
    }
    explore_leave();
    return NULL;
}
static void moving(void) {
    atomic_store(&target_hooks, 0);
    first = scheduler(WTM_DRIVE_MANUAL);
    start(&a, first, 1, false, (wtm_executor){ 0 });
    three(moves, &a, moves, &a, advances, &first);
    explore_end();
    REQUIRE(wtm_scheduler_advance(first, 10, NULL) == WTM_OK); /* what was left */
    unsigned before = atomic_load(&a.ticks);
    REQUIRE(wtm_timer_resume(a.timer) == WTM_OK && wtm_timer_reschedule(a.timer, 1) == WTM_OK);
    REQUIRE(wtm_scheduler_advance(first, 3, NULL) == WTM_OK);
    REQUIRE_VALUE(atomic_load(&a.ticks) == before + 3, atomic_load(&a.ticks) - before);
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
    after(&a);
}

/* Starts that race with the shutdown: each took its timer or did not. */
static void *starts(void *argument) {
    watch *w = argument;
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    explore_join(3);
    o.fn = on_tick;
    o.context = w;
    o.ended = on_ended;
    o.release = on_release;
    wtm_status got = wtm_timer_start(first, &o, &w->timer);
    REQUIRE_VALUE(got == WTM_OK || got == WTM_ERR_SHUT_DOWN || got == WTM_ERR_GONE, got);
    REQUIRE((got == WTM_OK) == (w->timer.id != 0));
    explore_leave();
    return NULL;
}
static void *shuts_down(void *argument) {
    explore_join(3);
    REQUIRE(wtm_scheduler_shutdown(*(wtm_scheduler *)argument, WTM_NEVER) == WTM_OK);
    REQUIRE(wtm_scheduler_shutdown(*(wtm_scheduler *)argument, WTM_NEVER) == WTM_ERR_GONE);
    explore_leave();
    return NULL;
}
static void shutdown_race(void) {
    atomic_store(&target_hooks, 0);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    first = scheduler(explore_random() & 1 ? WTM_DRIVE_THREAD : WTM_DRIVE_MANUAL);
    three(starts, &a, starts, &b, shuts_down, &first);
    REQUIRE(atomic_load(&a.released) == (a.timer.id != 0) && atomic_load(&b.released) == (b.timer.id != 0));
}

/* A pool's threads, the scheduler's own and a stopper. */
static void on_pool(void) {
    wtm_executor pool, serial;
    atomic_store(&target_hooks, 0);
    REQUIRE(wtm_executor_create_pool(2, NULL, &pool) == WTM_OK && wtm_executor_create_serial(pool, &serial) == WTM_OK);
    first = scheduler(WTM_DRIVE_MANUAL);
    start(&a, first, 1, false, pool);
    start(&b, first, 1, false, serial);
    three(stops, &a, stops, &b, advances, &first);
    if (explore_random() & 1) REQUIRE(wtm_executor_shutdown(pool, WTM_NEVER) == WTM_OK);
    else atomic_store(&done, false);
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
    wtm_executor_shutdown(pool, WTM_NEVER);
    after(&a);
    after(&b);
}

const scenario scenarios[] = {
    { "stop_race", stop_race }, { "target_death", target_death }, { "cycle", cycle },
    { "moving", moving }, { "shutdown_race", shutdown_race }, { "on_pool", on_pool },
};
const unsigned scenario_count = sizeof scenarios / sizeof scenarios[0];
