/* A delay counts from the call: the deadline lies between the delay after a reading of the clock before it and one after, to the nanosecond, also
 * where calls follow each other so closely that the library does not read the clock for each.
 * covers: time.fresh time.never-early */
#include "harness.h"

enum { CALLS = 60000, PAUSE_NS = 80000, WAYS = 6 };
static const uint64_t far = TH_HOUR;

static void never(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    CHECK(!"a tick");
}

static wtm_timer start(wtm_scheduler s, uint64_t delay, uint64_t interval) {
    wtm_timer t;
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    o.fn = never;
    o.delay_ns = delay;
    o.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &o, &t));
    return t;
}

/* One call of the kind `way`, which sets the next deadline `far` from now. */
static wtm_timer count_from_now(wtm_scheduler s, wtm_timer keep, unsigned way) {
    wtm_timer t = keep;
    switch (way) {
    case 0: CHECK_OK(wtm_timer_after(s, far, never, NULL, NULL, &t)); break;
    case 1: t = start(s, far, 0); break;
    case 2: t = start(s, far, far); break;
    default: CHECK_OK(wtm_timer_reschedule(keep, far)); /* to later, and to sooner once it is further away */
    }
    return t;
}

static void *call(void *argument) {
    wtm_scheduler s = *(wtm_scheduler *)argument;
    wtm_timer keep = start(s, far, 0);
    uint64_t seed = (uint64_t)(uintptr_t)&keep | 1;
    for (unsigned i = 0; i < CALLS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (seed >> 59 == 0) { /* now and then longer than one reading serves */
            uint64_t until = th_now() + (seed >> 20) % PAUSE_NS;
            while (th_now() < until) continue;
        }
        unsigned way = (seed >> 40) % WAYS;
        if (way == WAYS - 1) CHECK_OK(wtm_timer_reschedule(keep, 2 * far));
        uint64_t next, before = th_now();
        wtm_timer t = count_from_now(s, keep, way);
        uint64_t after = th_now();
        CHECK_OK(wtm_timer_get_next(t, &next));
        CHECK_GE(next, before + far);
        CHECK_LE(next, after + far);
        if (t.id != keep.id) CHECK_OK(wtm_timer_invalidate(t));
    }
    CHECK_OK(wtm_timer_invalidate(keep));
    return NULL;
}

TEST(a_deadline_lies_between_the_readings_round_the_call) {
    wtm_scheduler s = th_real();
    call(&s);
    th_shutdown(s);
}

/* A call that waits for the lock counts from its beginning, or later; never from before. */
TEST(also_where_two_threads_share_the_scheduler) {
    wtm_scheduler s = th_real();
    pthread_t other = th_thread(call, &s);
    call(&s);
    CHECK_EQ(pthread_join(other, NULL), 0);
    th_shutdown(s);
}

/* What a scheduler knew of the time is of no use to the next in its place, nor to one on manual time. */
TEST(and_on_a_scheduler_in_the_place_of_another) {
    for (unsigned i = 0; i < 4; i++) {
        wtm_scheduler real = th_real();
        wtm_timer keep = start(real, far, 0);
        for (unsigned k = 0; k < 1000; k++) {
            uint64_t next, before = th_now();
            wtm_timer t = count_from_now(real, keep, k % WAYS);
            CHECK_OK(wtm_timer_get_next(t, &next));
            CHECK_GE(next, before + far);
            CHECK_LE(next, th_now() + far);
        }
        th_shutdown(real);
        wtm_scheduler manual = th_manual();
        th_advance(manual, i);
        wtm_timer t = start(manual, far, 0);
        uint64_t next;
        for (unsigned k = 0; k < 2; k++) {
            CHECK_OK(wtm_timer_get_next(t, &next));
            CHECK_U64(next, i + (k + 1) * far);
            CHECK_OK(wtm_timer_reschedule(t, 2 * far));
        }
        th_shutdown(manual);
    }
}
