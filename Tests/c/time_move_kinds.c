/* Timers of every kind, moved in turn: each counts from a reading of its own clock, whatever was moved before it.
 * covers: time.fresh time.clocks time.tolerance */
#include "harness.h"

typedef struct kind {
    const char *name;
    uint32_t clock;
    uint64_t tolerance_ns, interval_ns;
} kind;

static const kind kinds[] = {
    { "plain", WTM_CLOCK_MONOTONIC, 0, 0 },
    { "with a wide tolerance", WTM_CLOCK_MONOTONIC, TH_SEC, 0 },
    { "with a narrow tolerance", WTM_CLOCK_MONOTONIC, 1000, 0 },
    { "boottime", WTM_CLOCK_BOOTTIME, 0, 0 },
    { "boottime with a tolerance", WTM_CLOCK_BOOTTIME, TH_SEC, 0 },
    { "wall", WTM_CLOCK_WALL, 0, 0 },
    { "wall, repeating", WTM_CLOCK_WALL, 0, TH_HOUR },
    { "repeating", WTM_CLOCK_MONOTONIC, 0, TH_HOUR },
    { "repeating with a tolerance", WTM_CLOCK_MONOTONIC, TH_SEC, TH_HOUR },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void never(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    CHECK(!"a tick");
}

static void start_all(wtm_scheduler s, wtm_timer *timers) {
    for (size_t i = 0; i < KINDS; i++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = never;
        o.clock = kinds[i].clock;
        o.delay_ns = 100 * TH_HOUR;
        o.interval_ns = kinds[i].interval_ns;
        o.tolerance_ns = kinds[i].tolerance_ns;
        CHECK_OK(wtm_timer_start(s, &o, &timers[i]));
    }
}

/* Its next deadline, moved to `delay` from now, lies between the readings before and after; a coarse one may be a little later. */
static void move(wtm_scheduler s, wtm_timer t, const kind *k, uint64_t delay) {
    uint64_t next, before = wtm_scheduler_now(s, k->clock);
    CHECK_OK(wtm_timer_reschedule(t, delay));
    uint64_t after = wtm_scheduler_now(s, k->clock);
    uint64_t coarse = k->tolerance_ns / 2;
    CHECK_OK(wtm_timer_get_next(t, &next));
    CHECK_MSG(next >= before + delay, "%s: %llu ns too early", k->name, (unsigned long long)(before + delay - next));
    CHECK_MSG(next <= after + delay + coarse, "%s: %llu ns too late", k->name, (unsigned long long)(next - after - delay));
}

static void every_kind_after_every_other(wtm_scheduler s) {
    wtm_timer timers[KINDS];
    start_all(s, timers);
    for (unsigned round = 0; round < 4; round++)
        for (size_t first = 0; first < KINDS; first++)
            for (size_t second = 0; second < KINDS; second++) {
                /* To later, and to sooner, for which there are different ways. */
                uint64_t delay = (round % 2 ? 300 : 200) * TH_HOUR;
                move(s, timers[first], &kinds[first], delay);
                move(s, timers[second], &kinds[second], round < 2 ? delay + TH_HOUR : delay - TH_HOUR);
                move(s, timers[second], &kinds[second], delay);
            }
    for (size_t i = 0; i < KINDS; i++) {
        CHECK_OK(wtm_timer_invalidate(timers[i]));
        CHECK_STATUS(wtm_timer_reschedule(timers[i], 1), WTM_ERR_GONE);
    }
    th_shutdown(s);
}

/* A tolerance for which a coarse reading would do, that is taken away again, or given later. */
TEST(tolerances_that_come_and_go) {
    static const kind wide = { "given a wide tolerance", WTM_CLOCK_MONOTONIC, TH_SEC, 0 };
    static const kind none = { "that has lost its tolerance", WTM_CLOCK_MONOTONIC, 0, 0 };
    wtm_scheduler s = th_real();
    for (unsigned round = 0; round < 40; round++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        wtm_timer t;
        o.fn = never;
        o.delay_ns = 100 * TH_HOUR;
        o.tolerance_ns = round % 2 ? TH_SEC : 0;
        CHECK_OK(wtm_timer_start(s, &o, &t));
        move(s, t, round % 2 ? &wide : &none, 101 * TH_HOUR);
        CHECK_OK(wtm_timer_set_tolerance(t, round % 2 ? 0 : TH_SEC));
        for (unsigned i = 0; i < 3; i++) move(s, t, round % 2 ? &none : &wide, (102 + i) * TH_HOUR);
        move(s, t, round % 2 ? &none : &wide, 50 * TH_HOUR);
        CHECK_OK(wtm_timer_invalidate(t));
    }
    th_shutdown(s);
}

TEST(on_real_time) { every_kind_after_every_other(th_real()); }
TEST(on_manual_time) {
    wtm_scheduler s = th_manual();
    th_advance(s, 12345);
    every_kind_after_every_other(s);
}

/* The clock is read by a call that has not looked at the handle yet. */
TEST(handles_of_nothing_and_of_other_things) {
    wtm_timer timers[KINDS];
    wtm_scheduler s = th_manual();
    start_all(s, timers);
    CHECK_STATUS(wtm_timer_reschedule((wtm_timer){ 0 }, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule((wtm_timer){ s.id }, 1), WTM_ERR_GONE);
    for (unsigned bit = 0; bit < 64; bit++)
        for (size_t i = 0; i < KINDS; i++) {
            wtm_timer forged = { timers[i].id ^ (uint64_t)1 << bit };
            bool is_other = false;
            for (size_t k = 0; k < KINDS; k++) is_other |= timers[k].id == forged.id;
            if (!is_other) CHECK_STATUS(wtm_timer_reschedule(forged, 1), WTM_ERR_GONE);
        }
    CHECK_U64(th_advance(s, 99 * TH_HOUR), 0);
    th_shutdown(s);
}
