/* What the explorer walks through: small programs of two or three threads, each with everything that must hold after it. */
#include "watch.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

static watch c;

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

static void three(void *(*one)(void *), void *one_argument, void *(*two)(void *), void *two_argument, void *(*last)(void *),
                  void *last_argument) {
    pthread_t threads[2];
    REQUIRE(pthread_create(&threads[0], NULL, one, one_argument) == 0);
    REQUIRE(pthread_create(&threads[1], NULL, two, two_argument) == 0);
    last(last_argument);
    for (int i = 0; i < 2; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
}
static void after(watch *w) {
    REQUIRE(atomic_load(&w->released) == 1 && atomic_load(&w->ended) == !w->is_plain && atomic_load(&w->successes) <= 1);
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

/* Plain one-shots with hooks, which end by short ways of their own: they are stopped while they are driven, and a hook may stop the
 * other or start a third. */
static void stops_other(watch *w) { stop(w == &a ? &b : &a, false); }
static void starts_another(watch *w) {
    if (w != &a) return;
    REQUIRE(wtm_timer_after(first, 1, on_tick, &c, on_release, &c.timer) == WTM_OK);
}
static void plain_race(void) {
    atomic_store(&target_hooks, 0);
    first = scheduler(WTM_DRIVE_MANUAL);
    start_plain(&a, first);
    start_plain(&b, first);
    memset(&c, 0, sizeof c);
    c.is_plain = true;
    switch (explore_random() % 3) {
    case 0: a.in_hook = stops_other; break;
    case 1: a.in_hook = starts_another; break;
    default: break;
    }
    three(stops, &a, stops, explore_random() & 1 ? &a : &b, advances, &first);
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
    after(&a);
    after(&b);
    REQUIRE(atomic_load(&c.released) == (c.timer.id != 0));
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

/* Release hooks that wait for the scheduler's own thread, against stops and the thread's own shutdown. */
static void *shuts_down_late(void *argument) {
    (void)argument;
    explore_join(3);
    for (unsigned n = (unsigned)(explore_random() % 4); n > 0; n--) explore_point();
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
    explore_leave();
    return NULL;
}
static void *stops_if_it_can(void *argument) {
    watch *w = argument;
    explore_join(3);
    wtm_status got = wtm_timer_invalidate(w->timer);
    REQUIRE_VALUE(got == WTM_OK || got == WTM_RUNNING || got == WTM_ERR_GONE, got);
    got = wtm_timer_invalidate_and_wait(w->timer, WTM_NEVER);
    REQUIRE_VALUE(got == WTM_ERR_GONE, got);
    REQUIRE(atomic_load(&w->inside) == 0 && atomic_load(&w->released) == 1);
    atomic_store(&w->freed, true);
    explore_leave();
    return NULL;
}
static void late_hooks(void) {
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    atomic_store(&target_hooks, 0);
    first = scheduler(WTM_DRIVE_THREAD);
    start(&a, first, 1000, false, (wtm_executor){ 0 });
    memset(&b, 0, sizeof b);
    o.fn = on_tick;
    o.context = &b;
    o.ended = on_ended;
    o.release = on_release;
    o.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
    o.interval_ns = 1000;
    REQUIRE(wtm_timer_start(first, &o, &b.timer) == WTM_OK);
    three(stops_if_it_can, &a, stops_if_it_can, &b, shuts_down_late, NULL);
    after(&a);
    after(&b);
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
    REQUIRE(wtm_scheduler_shutdown(first, WTM_NEVER) == WTM_OK);
    wtm_executor_shutdown(pool, WTM_NEVER);
    after(&a);
    after(&b);
}

const scenario scenarios[] = {
    { "stop_race", stop_race }, { "plain_race", plain_race },       { "target_death", target_death }, { "cycle", cycle },
    { "moving", moving },       { "shutdown_race", shutdown_race }, { "late_hooks", late_hooks },     { "on_pool", on_pool },
};
const unsigned scenario_count = sizeof scenarios / sizeof scenarios[0];
