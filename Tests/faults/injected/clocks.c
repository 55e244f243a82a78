/* Clocks that stand still, step forward by a century, or go backwards, under a host-driven scheduler.
 * covers: time.clocks time.never-early time.missed time.range life.release.once
 * field report: 61, 62, 80 */
#include "harness.h"
#include "inject.h"

enum { DAYS = 86400 };
static int64_t jumped;
static unsigned jumps;
static void on_jump(void *context, int64_t delta) {
    (void)context;
    jumped += delta;
    jumps++;
}

static wtm_scheduler host(void) {
    wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s;
    o.drive = WTM_DRIVE_HOST;
    o.on_clock_jump = on_jump;
    CHECK_OK(wtm_scheduler_create(&o, &s));
    return s;
}

typedef struct seen {
    uint64_t ticks, missed, last_ordinal, last_scheduled;
} seen;
static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    seen *r = context;
    (void)timer;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    CHECK_U64(tick->ordinal, r->last_ordinal + tick->missed + 1);
    r->ticks++;
    r->missed += tick->missed;
    r->last_ordinal = tick->ordinal;
    r->last_scheduled = tick->scheduled_ns;
}

static void start(wtm_scheduler s, seen *r, uint32_t clock, uint64_t delay, uint64_t interval, uint32_t missed, wtm_timer *out) {
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    memset(r, 0, sizeof *r);
    o.fn = tick;
    o.context = r;
    o.clock = clock;
    o.delay_ns = delay;
    o.interval_ns = interval;
    o.missed = missed;
    CHECK_OK(wtm_timer_start(s, &o, out));
}

/* Holds the monotonic and the boottime clock where they were at the first call. */
static void freeze(void) {
    static uint64_t frozen[2];
    wtm_scheduler s = th_manual();
    th_shutdown(s);
    for (int32_t clock = 0; clock < 2; clock++) {
        wtm_scheduler real = host();
        uint64_t now = wtm_scheduler_now(real, (wtm_clock)clock);
        th_shutdown(real);
        if (frozen[clock] == 0) frozen[clock] = now;
        wtm_fault_shift_clock(clock, frozen[clock] - now);
    }
}

TEST(a_clock_that_stands_still) {
    wtm_scheduler s = host();
    seen one, many;
    start(s, &one, 0, 200 * TH_MS, 0, 0, NULL);
    start(s, &many, 1, 0, 100 * TH_MS, 0, NULL);
    for (int i = 0; i < 2000; i++) {
        freeze();
        th_run_due(s);
    }
    CHECK_U64(one.ticks, 0);
    CHECK_U64(many.ticks, 0);
    wtm_fault_shift_clock(0, 200 * TH_MS);
    wtm_fault_shift_clock(1, 100 * TH_MS);
    th_run_due(s);
    CHECK_U64(one.ticks, 1);
    CHECK_U64(many.ticks, 1);
    th_shutdown(s);
}

TEST(a_century_in_one_step) {
    wtm_scheduler s = host();
    seen coalesce, delay, one;
    uint64_t century = UINT64_C(36525) * DAYS * TH_SEC;
    start(s, &coalesce, 0, 0, TH_MS, WTM_MISSED_COALESCE, NULL);
    start(s, &delay, 0, 0, TH_SEC, WTM_MISSED_DELAY, NULL);
    start(s, &one, 0, century + TH_SEC, 0, 0, NULL);
    wtm_fault_shift_clock(0, century);
    th_run_due(s);
    CHECK_U64(coalesce.ticks, 1);
    CHECK_GE(coalesce.missed, century / TH_MS - 2);
    CHECK_U64(delay.ticks, 1);
    CHECK_U64(one.ticks, 0);
    wtm_fault_shift_clock(0, TH_SEC);
    th_run_due(s);
    CHECK_U64(one.ticks, 1);
    CHECK_U64(coalesce.ticks, 2);
    th_shutdown(s);
    wtm_fault_shift_clock(0, 0 - century - TH_SEC);
}

TEST(a_monotonic_clock_that_goes_backwards) {
    wtm_scheduler s = host();
    seen repeating, one;
    start(s, &repeating, 0, 0, TH_SEC, WTM_MISSED_COALESCE, NULL);
    start(s, &one, 0, 2 * TH_SEC, 0, 0, NULL);
    wtm_fault_shift_clock(0, TH_SEC);
    th_run_due(s);
    CHECK_U64(repeating.ticks, 1);
    wtm_fault_shift_clock(0, 0 - UINT64_C(600) * TH_SEC);
    for (int i = 0; i < 100; i++) th_run_due(s);
    CHECK_U64(repeating.ticks, 1);
    CHECK_U64(one.ticks, 0);
    /* Started while the clock is behind, due soon after. */
    seen now;
    start(s, &now, 0, TH_SEC, 0, 0, NULL);
    wtm_fault_shift_clock(0, TH_SEC);
    th_run_due(s);
    CHECK_U64(now.ticks, 1);
    wtm_fault_shift_clock(0, UINT64_C(600) * TH_SEC);
    th_run_due(s);
    CHECK_U64(repeating.ticks, 2);
    CHECK_U64(one.ticks, 1);
    th_shutdown(s);
}

/* Moved to later, which plain timers have a short way for, that reads the monotonic clock. */
TEST(a_timer_of_a_clock_that_is_ahead_is_moved) {
    wtm_scheduler s = host();
    seen r;
    wtm_timer t;
    uint64_t next;
    wtm_fault_shift_clock(1, TH_HOUR);
    start(s, &r, WTM_CLOCK_BOOTTIME, TH_SEC, 0, WTM_MISSED_COALESCE, &t);
    uint64_t before = wtm_scheduler_now(s, WTM_CLOCK_BOOTTIME);
    CHECK_OK(wtm_timer_reschedule(t, 2 * TH_HOUR));
    CHECK_OK(wtm_timer_get_next(t, &next));
    CHECK_GE(next, before + 2 * TH_HOUR);
    CHECK(next <= wtm_scheduler_now(s, WTM_CLOCK_BOOTTIME) + 2 * TH_HOUR);
    th_shutdown(s);
    wtm_fault_shift_clock(1, 0);
}

TEST(a_calendar_that_is_set) {
    wtm_scheduler s = host();
    seen wall, monotonic, boottime, repeating;
    uint64_t day = DAYS * TH_SEC;
    wtm_timer handle;
    jumped = 0;
    start(s, &wall, 2, day, 0, 0, NULL);
    start(s, &repeating, 2, 0, TH_HOUR, WTM_MISSED_COALESCE, &handle);
    start(s, &monotonic, 0, day, 0, 0, NULL);
    start(s, &boottime, 1, day, 0, 0, NULL);
    wtm_fault_shift_clock(2, 2 * day);
    th_run_due(s);
    CHECK_U64(wall.ticks, 1);
    CHECK_U64(repeating.ticks, 1);
    CHECK(jumps >= 1 && jumped > (int64_t)(2 * day - TH_SEC) && jumped < (int64_t)(2 * day + TH_SEC));
    wtm_fault_shift_clock(2, 0 - (day + 12 * TH_HOUR));
    th_run_due(s);
    /* It goes on at the first point of its grid after the new now. */
    uint64_t next = 0;
    CHECK_OK(wtm_timer_get_next(handle, &next));
    uint64_t now = wtm_scheduler_now(s, WTM_CLOCK_WALL);
    CHECK_MSG(next > now && next - now <= TH_HOUR, "next %llu now %llu", (unsigned long long)next, (unsigned long long)now);
    wtm_fault_shift_clock(2, TH_HOUR);
    th_run_due(s);
    CHECK_U64(repeating.ticks, 2);
    CHECK_U64(monotonic.ticks + boottime.ticks, 0);
    CHECK(jumped > (int64_t)(13 * TH_HOUR - TH_SEC) && jumped < (int64_t)(13 * TH_HOUR + TH_SEC));
    th_shutdown(s);
}
