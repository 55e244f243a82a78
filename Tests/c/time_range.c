/* The edges of 64 bits, for every parameter that is a time, on a new scheduler and on one a hundred virtual years old. */
#include "time_record.h"

/* covers: time.range */
/* field report: 68, 69, 70, 72 */
static const uint64_t edges[] = { 0,
                                  1,
                                  UINT64_C(2147483647) * MS,
                                  UINT64_C(2147483648) * MS,
                                  UINT64_C(4294967296) * SEC / 1000,
                                  UINT64_C(9223372036854775806),
                                  UINT64_C(9223372036854775807),
                                  UINT64_C(9223372036854775808),
                                  UINT64_MAX - 1,
                                  UINT64_MAX };
enum { EDGES = sizeof edges / sizeof *edges };

static uint64_t plus(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* Lets each test see a new and an old scheduler. */
static const uint64_t ages[] = { 0, 100 * YEAR };

static wtm_scheduler aged(uint64_t age) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, age);
    CHECK_U64(mono(s), age);
    return s;
}

/* The timer t must tick first exactly at `deadline`, and not a nanosecond earlier. */
static void expect_first_tick(wtm_scheduler s, wtm_timer t, uint64_t deadline) {
    CHECK_U64(next_of(t), deadline);
    CHECK_U64(th_info(t).next_ns, deadline);
    if (deadline == WTM_NEVER) {
        th_advance(s, UINT64_MAX);
        CHECK_EQ(rec.count, 0);
        CHECK_U64(mono(s), WTM_NEVER - 1);
        return;
    }
    if (deadline > mono(s)) {
        th_advance(s, deadline - mono(s) - 1);
        CHECK_EQ(rec.count, 0);
        th_advance(s, 1);
    } else {
        th_advance(s, 0);
    }
    CHECK(rec.count >= 1);
    CHECK_U64(rec.at[0].tick.scheduled_ns, deadline);
    CHECK_U64(rec.at[0].tick.now_ns, mono(s));
}

TEST(delay_after_and_reschedule) {
    for (int a = 0; a < 2; a++) {
        for (int e = 0; e < EDGES; e++) {
            for (int form = 0; form < 5; form++) {
                wtm_scheduler s = aged(ages[a]);
                wtm_timer t = { 0 };
                uint64_t deadline = plus(ages[a], edges[e]);
                switch (form) {
                case 0: t = START(s, .delay_ns = edges[e]); break;
                case 1: CHECK_OK(wtm_timer_after(s, edges[e], record, NULL, NULL, &t)); break;
                case 2:
                    t = START(s, .delay_ns = 5 * SEC);
                    CHECK_OK(wtm_timer_reschedule(t, edges[e]));
                    break;
                case 3:
                    t = START(s, .delay_ns = edges[e], .flags = WTM_TIMER_PAUSED);
                    CHECK_OK(wtm_timer_resume(t));
                    break;
                default:
                    t = START(s, .delay_ns = edges[e]);
                    CHECK_OK(wtm_timer_pause(t));
                    CHECK_OK(wtm_timer_resume(t));
                }
                expect_first_tick(s, t, deadline);
                th_shutdown(s);
            }
        }
    }
}

TEST(absolute_deadline_and_set_next) {
    for (int a = 0; a < 2; a++) {
        for (int e = 0; e < EDGES; e++) {
            for (int form = 0; form < 2; form++) {
                wtm_scheduler s = aged(ages[a]);
                wtm_timer t =
                    form == 0 ? START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = edges[e]) : START(s, .delay_ns = 5 * SEC);
                if (form == 1) CHECK_OK(wtm_timer_set_next(t, edges[e]));
                expect_first_tick(s, t, edges[e]);
                th_shutdown(s);
            }
        }
    }
}

TEST(intervals) {
    for (int a = 0; a < 2; a++) {
        for (int e = 1; e < EDGES; e++) { /* 0 is refused, see below */
            wtm_scheduler s = aged(ages[a]);
            wtm_timer t = { 0 };
            CHECK_OK(wtm_timer_every(s, edges[e], record, NULL, NULL, &t));
            uint64_t first = plus(ages[a], edges[e]), second = plus(first, edges[e]);
            expect_first_tick(s, t, first);
            if (first != WTM_NEVER) {
                CHECK_U64(rec.at[0].tick.next_ns, second);
                CHECK_U64(next_of(t), second);
                forget();
                if (second != WTM_NEVER) {
                    th_advance(s, second - mono(s) - 1);
                    CHECK_EQ(rec.count, 0);
                    th_advance(s, 1);
                    EXPECT_TICK(0, 2, 0, second, second, plus(second, edges[e]));
                } else {
                    th_advance(s, UINT64_MAX);
                    CHECK_EQ(rec.count, 0);
                }
            }
            th_shutdown(s);
        }
    }
}

/* field report: 73 */
TEST(an_interval_of_zero_is_refused_and_nothing_is_clamped) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = { 7 };
    CHECK_STATUS(wtm_timer_every(s, 0, record, NULL, record_released, &t), WTM_ERR_INVALID);
    CHECK_U64(t.id, 0);
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    CHECK_STATUS(wtm_timer_every_target(s, 0, record, target, NULL), WTM_ERR_INVALID);
    CHECK_OK(wtm_target_release(target));
    CHECK_EQ(rec.released, 0);
    th_shutdown(s);
}

TEST(set_interval_takes_every_interval_and_tolerance) {
    for (int a = 0; a < 2; a++) {
        for (int e = 0; e < EDGES; e++) {
            for (int f = 0; f < EDGES; f++) {
                wtm_scheduler s = aged(ages[a]);
                wtm_timer t = START(s, .interval_ns = 50);
                CHECK_OK(wtm_timer_set_interval(t, edges[e], edges[f]));
                CHECK_U64(next_of(t), ages[a] + 50);
                uint64_t cap = edges[e] / 2, tolerance = edges[e] != 0 && edges[f] > cap ? cap : edges[f];
                CHECK_U64(th_info(t).tolerance_ns, tolerance);
                if (edges[e] != 1) { /* at 1 ns there would be too many ticks to look at below */
                    th_advance(s, 49);
                    CHECK_EQ(rec.count, 0);
                    th_advance(s, tolerance > SEC ? SEC : 1 + tolerance);
                    CHECK_LE(rec.count, 2);
                    if (rec.count > 0)
                        CHECK_U64(rec.at[0].tick.next_ns, edges[e] == 0 ? WTM_NEVER : plus(ages[a] + 50, edges[e]));
                    if (tolerance < SEC) CHECK_GE(rec.count, 1);
                }
                th_shutdown(s);
            }
        }
    }
}

TEST(tolerance_of_a_start) {
    for (int a = 0; a < 2; a++) {
        for (int e = 0; e < EDGES; e++) {
            for (int d = 0; d < EDGES; d++) {
                wtm_scheduler s = aged(ages[a]);
                wtm_timer t = START(s, .delay_ns = edges[d], .tolerance_ns = edges[e]);
                uint64_t deadline = plus(ages[a], edges[d]), end = plus(deadline, edges[e]);
                CHECK_U64(next_of(t), deadline);
                if (deadline > mono(s)) {
                    th_advance(s, deadline - mono(s) - 1);
                    CHECK_EQ(rec.count, 0);
                }
                if (end == WTM_NEVER) end--;
                th_advance(s, end - mono(s));
                CHECK_EQ(rec.count, deadline == WTM_NEVER ? 0 : 1);
                th_shutdown(s);
            }
        }
    }
}

TEST(advance_and_set_wall) {
    for (int a = 0; a < 2; a++) {
        for (int e = 0; e < EDGES; e++) {
            wtm_scheduler s = aged(ages[a]);
            uint64_t then = plus(ages[a], edges[e]);
            th_advance(s, edges[e]);
            CHECK_U64(mono(s), then == WTM_NEVER ? WTM_NEVER - 1 : then);
            CHECK_OK(wtm_scheduler_set_wall(s, edges[e]));
            CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_WALL), edges[e] == WTM_NEVER ? WTM_NEVER - 1 : edges[e]);
            wtm_timer t = START(s, .clock = WTM_CLOCK_WALL, .delay_ns = 5);
            CHECK_U64(next_of(t), plus(edges[e] == WTM_NEVER ? WTM_NEVER - 1 : edges[e], 5));
            th_advance(s, UINT64_MAX);
            CHECK_U64(mono(s), WTM_NEVER - 1);
            th_shutdown(s);
        }
    }
}

TEST(waits_take_every_limit) {
    for (int e = 0; e < EDGES; e++) {
        wtm_scheduler s = manual_scheduler();
        wtm_timer t = START(s, .interval_ns = 50);
        wtm_target target = { 0 };
        wtm_executor pool = { 0 };
        CHECK_OK(wtm_timer_invalidate_and_wait(t, edges[e]));
        CHECK_OK(wtm_target_create(NULL, NULL, &target));
        CHECK_OK(wtm_target_close(target, edges[e]));
        CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
        wtm_status status = wtm_executor_shutdown(pool, edges[e]);
        CHECK(status == WTM_OK || (status == WTM_ERR_TIMED_OUT && edges[e] <= 1));
        CHECK_OK(wtm_scheduler_shutdown(s, edges[e]));
    }
}
