/* Tolerance under manual time: inside the window, no drift, shared wake-ups. */
#include "time_record.h"

/* covers: time.tolerance */
static uint64_t random_state = 0x9e3779b97f4a7c15u;
static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static void check_window(uint64_t deadline, uint64_t tolerance, uint64_t now) {
    CHECK_GE(now, deadline);
    CHECK_LE(now, deadline + tolerance);
}

TEST(a_one_shot_ticks_inside_its_window) {
    static const uint64_t tolerances[] = { 0, 1, 2, 100, 4096, MS, 100 * MS, 3600 * SEC };
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        uint64_t tolerance = tolerances[i];
        wtm_scheduler s = manual_scheduler();
        th_advance(s, next_random() % SEC);
        uint64_t base = mono(s), end = 0;
        static uint64_t deadline[500];
        for (uint64_t k = 0; k < 500; k++) {
            uint64_t delay = next_random() % (10 * tolerance + 1000);
            deadline[k] = base + delay;
            if (deadline[k] + tolerance > end) end = deadline[k] + tolerance;
            START(s, TAG(k), .delay_ns = delay, .tolerance_ns = tolerance);
        }
        CHECK_U64(th_advance(s, end - base), 500);
        for (size_t k = 0; k < 500; k++) {
            CHECK_U64(rec.at[k].tick.scheduled_ns, deadline[rec.at[k].tag]); /* the ideal deadline, not the moment chosen */
            check_window(deadline[rec.at[k].tag], tolerance, rec.at[k].tick.now_ns);
            if (k > 0) CHECK_GE(rec.at[k].tick.now_ns, rec.at[k - 1].tick.now_ns);
        }
        th_shutdown(s);
    }
}

static struct {
    uint64_t first, interval, tolerance, ticks;
} repeat;

static void check_repeat(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    uint64_t k = ++repeat.ticks;
    CHECK_U64(tick->ordinal, k);
    CHECK_U64(tick->missed, 0);
    CHECK_U64(tick->scheduled_ns, repeat.first + (k - 1) * repeat.interval);
    CHECK_U64(tick->next_ns, repeat.first + k * repeat.interval);
    check_window(tick->scheduled_ns, repeat.tolerance, tick->now_ns);
}

TEST(tolerance_changes_neither_phase_nor_drift) {
    static const struct {
        uint64_t interval, tolerance, effective;
    } rows[] = { { 100, 10, 10 },
                 { 100, 90, 50 },
                 { SEC, 100 * MS, 100 * MS },
                 { 999983, 333333, 333333 },
                 { 3, 1, 1 },
                 { SEC, WTM_NEVER, SEC / 2 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wtm_scheduler s = manual_scheduler();
        th_advance(s, 12345);
        repeat.first = 12345 + rows[i].interval;
        repeat.interval = rows[i].interval;
        repeat.tolerance = rows[i].effective;
        repeat.ticks = 0;
        wtm_timer t = START(s, .fn = check_repeat, .interval_ns = rows[i].interval, .tolerance_ns = rows[i].tolerance);
        CHECK_U64(th_info(t).tolerance_ns, rows[i].effective); /* the cap is readable */
        th_advance(s, 100000 * rows[i].interval + rows[i].effective);
        CHECK_U64(repeat.ticks, 100000);
        th_shutdown(s);
    }
}

/* How many different instants the recorded ticks came at. */
static uint64_t instants(void) {
    uint64_t n = 0;
    for (size_t i = 0; i < rec.count; i++) n += i == 0 || rec.at[i].tick.now_ns != rec.at[i - 1].tick.now_ns;
    return n;
}

/* field report: 66 */
TEST(a_thousand_timers_of_100_ms_tolerance_within_100_ms_share_three_wake_ups) {
    for (int round = 0; round < 20; round++) {
        wtm_scheduler s = manual_scheduler();
        th_advance(s, next_random() % (1000 * SEC));
        for (uint64_t k = 0; k < 1000; k++)
            START(s, TAG(k), .delay_ns = SEC + next_random() % (100 * MS), .tolerance_ns = 100 * MS);
        CHECK_U64(th_advance(s, 2 * SEC), 1000);
        CHECK_LE(instants(), 3);
        th_shutdown(s);
    }
}

static struct {
    uint64_t last, instants, ticks;
} crowd;

static void count_instants(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    check_window(tick->scheduled_ns, 100 * MS, tick->now_ns);
    crowd.ticks++;
    if (tick->now_ns == crowd.last) return;
    crowd.last = tick->now_ns;
    crowd.instants++;
}

TEST(ten_thousand_repeating_timers_of_10_percent_share_16_wake_ups_a_second) {
    wtm_scheduler s = manual_scheduler();
    memset(&crowd, 0, sizeof crowd);
    for (int k = 0; k < 10000; k++)
        START(s, .fn = count_instants, .delay_ns = SEC + next_random() % SEC, .interval_ns = SEC, .tolerance_ns = 100 * MS);
    th_advance(s, 3 * SEC); /* all of them are on their way */
    crowd.instants = crowd.ticks = 0;
    th_advance(s, 10 * SEC);
    CHECK_GE(crowd.ticks, 99000);
    CHECK_LE(crowd.ticks, 101000);
    CHECK_LE(crowd.instants, 160);
    th_shutdown(s);
}

TEST(moving_and_pausing_keep_the_window) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 1000, .tolerance_ns = 100);
    CHECK_OK(wtm_timer_reschedule(t, 5000));
    CHECK_U64(next_of(t), 5000);
    CHECK_U64(th_advance(s, 4000), 0);
    CHECK_OK(wtm_timer_set_next(t, 4700));
    CHECK_U64(next_of(t), 4700);
    CHECK_U64(th_advance(s, 699), 0);
    CHECK_OK(wtm_timer_pause(t));
    th_advance(s, 5301); /* 10000 */
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 10001);
    CHECK_U64(th_advance(s, 0), 0);
    CHECK_U64(th_advance(s, 101), 1);
    CHECK_U64(rec.at[0].tick.scheduled_ns, 10001);
    check_window(10001, 100, rec.at[0].tick.now_ns);
    th_shutdown(s);
}

TEST(a_timer_without_tolerance_beside_tolerant_ones_is_exact) {
    wtm_scheduler s = manual_scheduler();
    for (uint64_t k = 1; k <= 500; k++) {
        START(s, TAG(0), .delay_ns = k * 1000003, .tolerance_ns = 50 * MS);
        START(s, TAG(1), .delay_ns = k * 1000033);
    }
    CHECK_U64(th_advance(s, SEC), 1000);
    for (size_t i = 0; i < 1000; i++) {
        const wtm_tick *tick = &rec.at[i].tick;
        if (rec.at[i].tag == 1) CHECK_U64(tick->now_ns, tick->scheduled_ns);
        else check_window(tick->scheduled_ns, 50 * MS, tick->now_ns);
    }
    th_shutdown(s);
}

/* Without hooks: such timers have the shortest ways. */
static wtm_timer start_bare(wtm_scheduler s, uint64_t tag, uint64_t delay, uint64_t tolerance) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    options.fn = record;
    options.context = (void *)(uintptr_t)tag;
    options.delay_ns = delay;
    options.tolerance_ns = tolerance;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

/* All but the first could wait longer, and share its wake-up; what was moved beyond that does not. */
TEST(those_that_share_a_wake_up_are_in_order_and_none_is_early) {
    static const uint64_t delays[][3] = { { 5, 6, 7 }, { 7, 6, 5 }, { 5, 7, 6 }, { 6, 7, 5 } };
    for (int i = 0; i < 4; i++) {
        for (int moved = 0; moved < 2; moved++) {
            wtm_scheduler s = manual_scheduler();
            start_bare(s, 4, MS, 40 * MS);
            for (uint64_t k = 0; k < 3; k++) {
                wtm_timer t = start_bare(s, delays[i][k], delays[i][k] * MS, 100 * MS);
                if (moved && delays[i][k] == 7) CHECK_OK(wtm_timer_set_next(t, 45 * MS));
            }
            CHECK_U64(th_advance(s, 41 * MS), moved ? 3 : 4);
            for (size_t k = 0; k < rec.count; k++) {
                CHECK_U64(rec.at[k].tag, 4 + k);
                CHECK_U64(rec.at[k].tick.scheduled_ns, (k == 0 ? 1 : 4 + k) * MS);
                CHECK_U64(rec.at[k].tick.now_ns, rec.at[0].tick.now_ns);
            }
            check_window(MS, 40 * MS, rec.at[0].tick.now_ns);
            CHECK_GE(rec.at[0].tick.now_ns, 10 * MS);
            CHECK_U64(th_advance(s, SEC), moved ? 1 : 0);
            if (moved) check_window(45 * MS, 100 * MS, rec.at[3].tick.now_ns);
            th_shutdown(s);
        }
    }
}
