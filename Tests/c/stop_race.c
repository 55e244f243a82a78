/* Racing stops: exactly one success of many callers, and nothing runs after a stop returned, over and over.
 * covers: stop.nonblocking stop.none-after stop.wait life.release.once
 * field report: 1, 2, 5, 10, 12, 13, 16, 27, 43, 46, 51 */
#include "harness.h"

#include <stdatomic.h>

enum { racers = 8, rounds = 2000 };

static wtm_scheduler s;
static wtm_timer current;
static pthread_barrier_t barrier;
static atomic_uint successes, gone, ticks_done, hooks_done;
static bool with_wait;

static void tick_fast(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    atomic_fetch_add(&ticks_done, 1);
}
static void release_fast(void *context) {
    (void)context;
    atomic_fetch_add(&hooks_done, 1);
}

static void *race(void *argument) {
    uintptr_t self = (uintptr_t)argument;
    for (int i = 0; i < rounds; i++) {
        if (self == 0) {
            atomic_store(&successes, 0);
            atomic_store(&gone, 0);
            CHECK_OK(wtm_timer_every(s, i % 2 ? 1 : TH_HOUR, tick_fast, NULL, release_fast, &current));
        }
        pthread_barrier_wait(&barrier);
        wtm_status status =
            with_wait && self % 2 ? wtm_timer_invalidate_and_wait(current, WTM_NEVER) : wtm_timer_invalidate(current);
        if (status >= 0) atomic_fetch_add(&successes, 1);
        else if (status == WTM_ERR_GONE) atomic_fetch_add(&gone, 1);
        else CHECK_OK(status);
        pthread_barrier_wait(&barrier);
        if (self == 0) {
            CHECK_EQ(atomic_load(&successes), 1);
            CHECK_EQ(atomic_load(&gone), racers - 1);
            CHECK_STATUS(wtm_timer_invalidate_and_wait(current, WTM_NEVER), WTM_ERR_GONE);
            CHECK_EQ(atomic_load(&hooks_done), (unsigned)i + 1);
        }
    }
    return NULL;
}

static void run_race(bool waiting) {
    s = th_real();
    with_wait = waiting;
    atomic_store(&hooks_done, 0);
    pthread_barrier_init(&barrier, NULL, racers);
    pthread_t threads[racers];
    for (uintptr_t i = 0; i < racers; i++) threads[i] = th_thread(race, (void *)i);
    for (int i = 0; i < racers; i++) th_join(threads[i]);
    th_shutdown(s);
}

TEST(of_eight_racing_stops_one_succeeds) { run_race(false); }
TEST(of_eight_racing_stops_one_succeeds_with_waits_among_them) { run_race(true); }

/* The context is freed as soon as the wait returns: a callback or hook after that would be caught by the flag, and by a
 * memory checker. */
typedef struct owned {
    atomic_int alive;
    unsigned ticks;
} owned;

static void tick_owned(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    owned *o = context;
    CHECK_EQ(atomic_load(&o->alive), 1);
    o->ticks++; /* plain: callbacks of a timer are ordered, and the wait orders them before the free */
}

static void stop_hot_timers(unsigned count) {
    s = th_real();
    owned *o = NULL;
    uint64_t ticks = 0;
    for (unsigned i = 0; i < count; i++) {
        o = malloc(sizeof *o);
        CHECK(o != NULL);
        atomic_init(&o->alive, 1);
        o->ticks = 0;
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_every(s, 1, tick_owned, o, NULL, &t));
        if (i % 64 == 0) CHECK_OK(wtm_timer_fire(t));
        wtm_status status = wtm_timer_invalidate_and_wait(t, WTM_NEVER);
        CHECK_OK(status);
        ticks += o->ticks;
        atomic_store(&o->alive, 0);
        free(o);
    }
    CHECK_U64(th_stats(s).created, count);
    th_shutdown(s);
    printf("   %u waits, %llu ticks seen before them\n", count, (unsigned long long)ticks);
}

TEST(a_context_may_be_freed_after_every_wait_of_a_hot_timer) { stop_hot_timers(1000000); }

/* One hot timer that is stopped again and again by its owner while another thread fires it. */
static atomic_bool stop_firing;
static _Atomic(uint64_t) fired_id;
static void *fire_it(void *argument) {
    (void)argument;
    while (!atomic_load(&stop_firing)) {
        wtm_timer t = { atomic_load(&fired_id) };
        wtm_status status = wtm_timer_fire(t);
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    }
    return NULL;
}

TEST(no_callback_begins_after_a_wait_returned_while_another_thread_fires) {
    s = th_real();
    atomic_store(&stop_firing, false);
    atomic_store(&fired_id, 0);
    pthread_t helper = th_thread(fire_it, NULL);
    for (int i = 0; i < 100000; i++) {
        owned *o = malloc(sizeof *o);
        CHECK(o != NULL);
        atomic_init(&o->alive, 1);
        o->ticks = 0;
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_every(s, TH_HOUR, tick_owned, o, NULL, &t));
        atomic_store(&fired_id, t.id);
        CHECK_OK(wtm_timer_invalidate_and_wait(t, WTM_NEVER));
        atomic_store(&o->alive, 0);
        free(o);
    }
    atomic_store(&stop_firing, true);
    th_join(helper);
    th_shutdown(s);
}

/* Pause, resume, moves and stops of one timer from many threads: no crash, no callback after the end, one hook. */
static void *pester(void *argument) {
    uintptr_t self = (uintptr_t)argument;
    for (int i = 0; i < 20000; i++) {
        wtm_timer t = { atomic_load(&fired_id) };
        wtm_status status;
        switch (((unsigned)i * 7 + (unsigned)self) % 5) {
        case 0: status = wtm_timer_pause(t); break;
        case 1: status = wtm_timer_resume(t); break;
        case 2: status = wtm_timer_reschedule(t, (uint64_t)i % 3); break;
        case 3: status = wtm_timer_set_interval(t, 1 + (uint64_t)i % 1000, 0); break;
        default: status = wtm_timer_fire(t); break;
        }
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
        if (i % 2000 == 1999 && self == 0) {
            CHECK(wtm_timer_invalidate(t) >= 0);
            CHECK_OK(wtm_timer_every(s, 1, tick_fast, NULL, release_fast, &t));
            atomic_store(&fired_id, t.id);
        }
    }
    return NULL;
}

TEST(pause_resume_and_drop_from_many_threads) {
    s = th_real();
    atomic_store(&hooks_done, 0);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_every(s, 1, tick_fast, NULL, release_fast, &t));
    atomic_store(&fired_id, t.id);
    pthread_t threads[racers];
    for (uintptr_t i = 0; i < racers; i++) threads[i] = th_thread(pester, (void *)i);
    for (int i = 0; i < racers; i++) th_join(threads[i]);
    uint64_t created = th_stats(s).created;
    th_shutdown(s);
    CHECK_U64(created, 11);
    CHECK_EQ(atomic_load(&hooks_done), 11);
}
