/* Rational rates: tick k is due at first + ceil((k-1) * 10^9 * denominator / numerator). */
#include "time_record.h"

/* covers: time.no-drift time.missed */

__extension__ typedef unsigned __int128 u128;

static uint64_t offset(uint64_t k, uint32_t numerator, uint32_t denominator) {
    u128 scaled = (u128)k * 1000000000u * denominator;
    u128 ns = (scaled + numerator - 1) / numerator;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/* How many whole periods lie in `span`: the greatest k with offset(k) <= span. */
static uint64_t periods_in(uint64_t span, uint32_t numerator, uint32_t denominator) {
    return (uint64_t)((u128)span * numerator / ((u128)1000000000u * denominator));
}

static struct {
    uint64_t first, ticks, last;
    uint32_t numerator, denominator;
} rate;

static void check_rate(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    uint64_t k = ++rate.ticks;
    CHECK_U64(tick->ordinal, k);
    CHECK_U64(tick->missed, 0);
    CHECK_U64(tick->scheduled_ns, rate.first + offset(k - 1, rate.numerator, rate.denominator));
    CHECK_U64(tick->now_ns, tick->scheduled_ns);
    CHECK_U64(tick->next_ns, rate.first + offset(k, rate.numerator, rate.denominator));
    rate.last = tick->scheduled_ns;
}

static const struct {
    uint32_t numerator, denominator;
} rates[] = { { 60000, 1001 },
              { 24000, 1001 },
              { 30, 1 },
              { 3, 1 },
              { 7, 3 },
              { 1, 1 },
              { 1001, 60000 },
              { 44100, 1 },
              { 1000000000, 1 },
              { 999999999, 1 },
              { 4294967295u, 5 },
              { 4294967295u, 4294967295u },
              { 4294967294u, 4294967295u },
              { 1, 4294967295u } };

TEST(every_tick_of_each_rate_lies_where_integer_arithmetic_says) {
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        wtm_scheduler s = manual_scheduler();
        rate.numerator = rates[i].numerator;
        rate.denominator = rates[i].denominator;
        rate.ticks = 0;
        rate.first = 12345;
        START(s, .fn = check_rate, .rate_hz_numerator = rate.numerator, .rate_hz_denominator = rate.denominator,
              .delay_ns = 12345);
        uint64_t span = offset(19999, rate.numerator, rate.denominator);
        if (span > UINT64_MAX / 2) span = UINT64_MAX / 2; /* one tick in 136 years: those that 64 bits hold */
        th_advance(s, 12345 + span);
        CHECK_U64(rate.ticks, periods_in(span, rate.numerator, rate.denominator) + 1);
        th_shutdown(s);
    }
}

TEST(without_a_delay_the_first_tick_comes_after_one_period) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 500);
    rate.numerator = 60000;
    rate.denominator = 1001;
    rate.ticks = 0;
    rate.first = 500 + offset(1, 60000, 1001);
    START(s, .fn = check_rate, .rate_hz_numerator = 60000, .rate_hz_denominator = 1001);
    th_advance(s, SEC);
    CHECK_U64(rate.ticks, 59);
    th_shutdown(s);
}

TEST(immediate_makes_the_start_the_first_tick_of_a_rate) {
    wtm_scheduler s = manual_scheduler();
    rate.numerator = 24000;
    rate.denominator = 1001;
    rate.ticks = 0;
    rate.first = 0;
    START(s, .fn = check_rate, .rate_hz_numerator = 24000, .rate_hz_denominator = 1001, .flags = WTM_TIMER_IMMEDIATE);
    th_advance(s, 1001 * SEC);
    CHECK_U64(rate.ticks, 24001);
    CHECK_U64(rate.last, 1001 * SEC);
    th_shutdown(s);
}

/* Ten virtual years of film frames: nineteen thousand million ticks, of which the last is told exactly. */
TEST(the_last_tick_of_ten_years_is_where_integer_arithmetic_says) {
    const uint64_t first = 1234567, now = 10 * YEAR;
    wtm_scheduler s = manual_scheduler();
    th_advance(s, now);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = first, .rate_hz_numerator = 60000, .rate_hz_denominator = 1001);
    CHECK_U64(th_advance(s, 0), 1);
    uint64_t k = periods_in(now - first, 60000, 1001); /* tick k+1 is the latest not after now */
    CHECK_GE(k, UINT64_C(18915000000));
    EXPECT_TICK(0, k + 1, k, first + offset(k, 60000, 1001), now, first + offset(k + 1, 60000, 1001));
    uint64_t ran = th_advance(s, 1001 * SEC); /* and it goes on exactly from there */
    CHECK_U64(ran, 60000);
    for (uint64_t i = 1; i < 1000; i++) {
        uint64_t at = first + offset(k + i, 60000, 1001);
        EXPECT_TICK(i, k + 1 + i, 0, at, at, first + offset(k + i + 1, 60000, 1001));
    }
    th_shutdown(s);
}

TEST(ten_years_of_a_slow_rate_run_tick_by_tick) {
    wtm_scheduler s = manual_scheduler();
    rate.numerator = 1001;
    rate.denominator = 600000;
    rate.ticks = 0;
    rate.first = 1;
    START(s, .fn = check_rate, .rate_hz_numerator = 1001, .rate_hz_denominator = 600000, .delay_ns = 1);
    uint64_t ran = th_advance(s, 10 * YEAR);
    CHECK_U64(ran, periods_in(10 * YEAR - 1, 1001, 600000) + 1);
    CHECK_U64(rate.ticks, ran);
    th_shutdown(s);
}

TEST(late_ticks_of_a_rate_follow_the_missed_policy) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, SEC);
    START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 0, .rate_hz_numerator = 3, .rate_hz_denominator = 1,
          .missed = WTM_MISSED_BURST);
    CHECK_U64(th_advance(s, 0), 4);
    EXPECT_TICK(0, 1, 0, 0, SEC, 333333334);
    EXPECT_TICK(1, 2, 0, 333333334, SEC, 666666667);
    EXPECT_TICK(2, 3, 0, 666666667, SEC, SEC);
    EXPECT_TICK(3, 4, 0, SEC, SEC, 1333333334);
    th_shutdown(s);
    s = manual_scheduler();
    th_advance(s, SEC);
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 0, .rate_hz_numerator = 3, .rate_hz_denominator = 1,
          .missed = WTM_MISSED_DELAY);
    CHECK_U64(th_advance(s, 333333334), 2);
    EXPECT_TICK(0, 1, 0, 0, SEC, 1333333334);
    EXPECT_TICK(1, 2, 0, 1333333334, 1333333334, 1666666668); /* the grid, too, is laid at the successor */
    th_shutdown(s);
}

TEST(moving_lays_the_grid_of_a_rate_anew_and_set_interval_turns_it_off) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .rate_hz_numerator = 3, .rate_hz_denominator = 1, .delay_ns = 5);
    th_advance(s, 5 + 333333334);
    CHECK_OK(wtm_timer_set_next(t, SEC));
    th_advance(s, SEC - mono(s) + 666666667);
    EXPECT_TICK(2, 3, 0, SEC, SEC, SEC + 333333334);
    EXPECT_TICK(3, 4, 0, SEC + 333333334, SEC + 333333334, SEC + 666666667);
    EXPECT_TICK(4, 5, 0, SEC + 666666667, SEC + 666666667, 2 * SEC);
    CHECK_OK(wtm_timer_set_interval(t, 100, 0));
    CHECK_U64(th_advance(s, 333333333 + 100), 2);
    EXPECT_TICK(5, 6, 0, 2 * SEC, 2 * SEC, 2 * SEC + 100);
    EXPECT_TICK(6, 7, 0, 2 * SEC + 100, 2 * SEC + 100, 2 * SEC + 200);
    th_shutdown(s);
}

TEST(impossible_rates_are_refused) {
    static const struct {
        uint32_t numerator, denominator;
        uint64_t interval;
    } bad[] = { { 60, 0, 0 }, { 0, 1, 0 }, { 1000000001, 1, 0 }, { 4294967295u, 4, 0 }, { 60, 1, 5 }, { 60, 1, WTM_NEVER } };
    wtm_scheduler s = manual_scheduler();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        wtm_timer t = { 7 };
        options.fn = record;
        options.release = record_released;
        options.rate_hz_numerator = bad[i].numerator;
        options.rate_hz_denominator = bad[i].denominator;
        options.interval_ns = bad[i].interval;
        CHECK_STATUS(wtm_timer_start(s, &options, &t), WTM_ERR_INVALID);
        CHECK_U64(t.id, 0);
    }
    CHECK_EQ(rec.released, 0);
    th_shutdown(s);
}
