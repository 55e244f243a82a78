/* A hundred virtual years and a million timers: cost by the ticks that are due, not by the years. */
#include "time_record.h"

/* covers: time.manual time.range */
static uint64_t counted, last_now;

static void count(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    counted++;
    CHECK_U64(tick->now_ns, tick->scheduled_ns);
    CHECK_GE(tick->now_ns, last_now);
    last_now = tick->now_ns;
}

static uint64_t random_state = 42;
static uint64_t next_random(void) {
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = (random_state ^ (random_state >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

enum { MILLION = 1000000 };

TEST(one_advance_over_a_century_with_a_million_timers) {
    wtm_scheduler s = th_manual();
    counted = last_now = 0;
    for (int i = 0; i < MILLION; i++) CHECK_OK(wtm_timer_after(s, next_random() % (100 * YEAR), count, NULL, NULL, NULL));
    uint64_t begin = th_now();
    CHECK_U64(th_advance(s, 100 * YEAR), MILLION);
    CHECK_U64(counted, MILLION);
    CHECK_LE(th_now() - begin, 60 * SEC);
    th_shutdown(s);
}

TEST(a_century_with_a_million_timers_pending_costs_what_is_due) {
    wtm_scheduler s = th_manual();
    counted = last_now = 0;
    for (int i = 0; i < MILLION; i++) CHECK_OK(wtm_timer_after(s, 200 * YEAR + next_random() % YEAR, count, NULL, NULL, NULL));
    for (int i = 0; i < 100; i++) CHECK_OK(wtm_timer_after(s, (uint64_t)i * YEAR, count, NULL, NULL, NULL));
    uint64_t begin = th_now();
    CHECK_U64(th_advance(s, 100 * YEAR), 100);
    CHECK_LE(th_now() - begin, 10 * SEC);
    begin = th_now();
    for (int i = 0; i < 1000; i++) CHECK_U64(th_advance(s, YEAR / 100), 0);
    CHECK_LE(th_now() - begin, 10 * SEC);
    CHECK_U64(th_stats(s).live, MILLION);
    th_shutdown(s);
}

TEST(the_empty_scheduler_leaps_to_the_end_of_time) {
    wtm_scheduler s = th_manual();
    uint64_t begin = th_now();
    for (int i = 0; i < 1000; i++) CHECK_U64(th_advance(s, 100 * YEAR / 1000), 0);
    th_advance(s, WTM_NEVER);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), WTM_NEVER - 1);
    CHECK_U64(th_advance(s, WTM_NEVER), 0);
    CHECK_LE(th_now() - begin, 10 * SEC);
    th_shutdown(s);
}

/* Timers of all ranges together, repeating, over a hundred years. */
TEST(long_intervals_keep_their_grid_for_a_century) {
    static const uint64_t intervals[] = { DAY, 7 * DAY, YEAR / 12, YEAR, 10 * YEAR, 33 * YEAR };
    wtm_scheduler s = th_manual();
    uint64_t expected = 0;
    counted = last_now = 0;
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        CHECK_OK(wtm_timer_every(s, intervals[i], count, NULL, NULL, NULL));
        expected += 100 * YEAR / intervals[i];
    }
    CHECK_U64(th_advance(s, 100 * YEAR), expected);
    CHECK_U64(counted, expected);
    th_shutdown(s);
}
