/* Timers end one after the other, and those that lie beside them in the wheel end, move and come as well.
 * covers: stop.none-after stop.sticky time.order life.free */
#include "harness.h"

enum { MOST = 300 };
typedef struct case_of {
    wtm_scheduler s;
    wtm_timer timers[MOST];
    uint64_t deadlines[MOST], armings[MOST], arming;
    bool live[MOST];
    uint64_t random, last_deadline, last_arming, ticks;
} case_of;
static case_of c;

static uint64_t next_random(uint64_t below) {
    c.random ^= c.random << 13;
    c.random ^= c.random >> 7;
    c.random ^= c.random << 17;
    return c.random % below;
}

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    size_t i = (size_t)(uintptr_t)context;
    (void)timer;
    CHECK_MSG(c.live[i], "timer %zu ticks after its end", i);
    CHECK_U64(tick->scheduled_ns, c.deadlines[i]);
    CHECK(c.deadlines[i] > c.last_deadline || (c.deadlines[i] == c.last_deadline && c.armings[i] > c.last_arming));
    c.last_deadline = c.deadlines[i];
    c.last_arming = c.armings[i];
    c.live[i] = false;
    c.ticks++;
}

/* Few deadlines, so that many share one, or a slot. */
static uint64_t some_delay(void) { return next_random(8) << (6 * next_random(5)); }

static void start(size_t i) {
    uint64_t delay = some_delay();
    c.deadlines[i] = wtm_scheduler_now(c.s, WTM_CLOCK_MONOTONIC) + delay;
    c.armings[i] = ++c.arming;
    c.live[i] = true;
    CHECK_OK(wtm_timer_after(c.s, delay, on_tick, (void *)(uintptr_t)i, NULL, &c.timers[i]));
}

static void move(size_t i) {
    uint64_t delay = some_delay();
    c.deadlines[i] = wtm_scheduler_now(c.s, WTM_CLOCK_MONOTONIC) + delay;
    c.armings[i] = ++c.arming;
    CHECK_OK(wtm_timer_reschedule(c.timers[i], delay));
}

static void stop(size_t i) {
    c.live[i] = false;
    CHECK_OK(wtm_timer_invalidate(c.timers[i]));
    CHECK(!wtm_timer_is_valid(c.timers[i]));
    CHECK_STATUS(wtm_timer_reschedule(c.timers[i], 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate(c.timers[i]), WTM_ERR_GONE);
}

static uint64_t live(void) {
    uint64_t count = 0;
    for (size_t i = 0; i < MOST; i++) count += c.live[i];
    return count;
}

TEST(those_that_are_left_tick_in_order) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        memset(&c, 0, sizeof c);
        c.random = seed * 0x9e3779b97f4a7c15u;
        c.s = th_manual();
        for (int step = 0; step < 4000; step++) {
            size_t i = next_random(MOST);
            switch (next_random(16)) {
            default:
                if (!c.live[i]) start(i);
                else if (next_random(3) == 0) move(i);
                else stop(i);
                break;
            case 0: /* a whole row of them */
                for (size_t k = i; k < MOST && k < i + 40; k++)
                    if (c.live[k]) stop(k);
                break;
            case 1: {
                uint64_t before = live();
                c.last_deadline = c.last_arming = 0;
                c.ticks = 0;
                uint64_t ran = th_advance(c.s, some_delay() / 2);
                CHECK_U64(ran, c.ticks);
                CHECK_U64(live(), before - c.ticks);
                break;
            }
            case 2: CHECK_U64(th_stats(c.s).live, live()); break;
            }
        }
        c.last_deadline = c.last_arming = 0;
        c.ticks = 0;
        uint64_t left = live();
        CHECK_U64(th_advance(c.s, TH_HOUR), left);
        CHECK_U64(c.ticks, left);
        CHECK_U64(th_stats(c.s).live, 0);
        th_shutdown(c.s);
    }
}

/* What was ended last before a shutdown is none of the next scheduler's affair, which may get the same memory. */
TEST(a_shutdown_right_after_many_ends) {
    for (unsigned round = 0; round < 50; round++) {
        memset(&c, 0, sizeof c);
        c.random = round + 1;
        c.s = th_manual();
        for (size_t i = 0; i < MOST; i++) start(i);
        for (size_t i = round; i < MOST; i += 1 + round % 3) stop(i);
        if (round % 2) {
            uint64_t left = live();
            c.ticks = 0;
            th_advance(c.s, TH_HOUR);
            CHECK_U64(c.ticks, left);
        }
        th_shutdown(c.s);
        for (size_t i = 0; i < MOST; i++) CHECK(!wtm_timer_is_valid(c.timers[i]));
    }
}
