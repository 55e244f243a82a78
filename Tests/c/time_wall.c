/* Wall timers when the calendar is stepped, under manual time. */
#include "exec_hand.h"
#include "time_record.h"

/* covers: time.clocks */
static struct {
    unsigned calls;
    int64_t delta;
    void *context;
} jump;

static void on_jump(void *context, int64_t delta_ns) {
    jump.calls++;
    jump.delta = delta_ns;
    jump.context = context;
}

static wtm_scheduler with_jumps(void) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    options.drive = WTM_DRIVE_MANUAL;
    options.on_clock_jump = on_jump;
    options.context = &jump;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    memset(&rec, 0, sizeof rec);
    memset(&jump, 0, sizeof jump);
    rec.scheduler = s;
    return s;
}

static uint64_t wall(wtm_scheduler s) { return wtm_scheduler_now(s, WTM_CLOCK_WALL); }
#define WALL .clock = WTM_CLOCK_WALL

TEST(manual_clocks_start_at_zero_and_move_together) {
    wtm_scheduler s = with_jumps();
    CHECK_U64(mono(s), 0);
    CHECK_U64(wall(s), 0);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_BOOTTIME), 0);
    th_advance(s, 250);
    CHECK_U64(mono(s), 250);
    CHECK_U64(wall(s), 250);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_BOOTTIME), 250);
    CHECK_OK(wtm_scheduler_set_wall(s, 1000));
    CHECK_U64(mono(s), 250);
    CHECK_U64(wall(s), 1000);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_BOOTTIME), 250);
    th_advance(s, 5);
    CHECK_U64(wall(s), 1005);
    th_shutdown(s);
}

TEST(each_step_is_told_before_set_wall_returns_also_without_timers) {
    wtm_scheduler s = with_jumps();
    th_advance(s, 250);
    CHECK_OK(wtm_scheduler_set_wall(s, 1000));
    CHECK_EQ(jump.calls, 1);
    CHECK_EQ(jump.delta, 750);
    CHECK(jump.context == &jump);
    th_advance(s, 100);
    CHECK_EQ(jump.calls, 1); /* time that passes is no step */
    CHECK_OK(wtm_scheduler_set_wall(s, 600));
    CHECK_EQ(jump.calls, 2);
    CHECK_EQ(jump.delta, -500);
    START(s, WALL, .delay_ns = 50);
    CHECK_OK(wtm_scheduler_set_wall(s, 601));
    CHECK_EQ(jump.calls, 3);
    CHECK_EQ(jump.delta, 1);
    th_shutdown(s);
}

/* field report: 62 */
TEST(a_step_forward_over_several_ticks_is_missed_ticks) {
    wtm_scheduler s = with_jumps();
    wtm_timer t = START(s, WALL, .interval_ns = 100);
    th_advance(s, 250);
    CHECK_OK(wtm_scheduler_set_wall(s, 1000));
    CHECK_EQ(rec.count, 2); /* set_wall runs no callbacks */
    CHECK_U64(th_advance(s, 0), 1);
    EXPECT_TICK(2, 10, 7, 1000, 1000, 1100);
    CHECK_U64(th_info(t).missed, 7);
    CHECK_U64(th_advance(s, 100), 1);
    EXPECT_TICK(3, 11, 0, 1100, 1100, 1200);
    CHECK_EQ(rec.at[3].tick.clock, WTM_CLOCK_WALL);
    th_shutdown(s);
}

TEST(a_step_forward_bursts_or_delays_as_the_policy_says) {
    wtm_scheduler s = with_jumps();
    START(s, WALL, .interval_ns = 100, .missed = WTM_MISSED_BURST);
    CHECK_OK(wtm_scheduler_set_wall(s, 350));
    CHECK_U64(th_advance(s, 0), 3);
    EXPECT_TICK(0, 1, 0, 100, 350, 200);
    EXPECT_TICK(1, 2, 0, 200, 350, 300);
    EXPECT_TICK(2, 3, 0, 300, 350, 400);
    th_shutdown(s);
    s = with_jumps();
    START(s, WALL, .interval_ns = 100, .missed = WTM_MISSED_DELAY);
    CHECK_OK(wtm_scheduler_set_wall(s, 350));
    CHECK_U64(th_advance(s, 100), 2);
    EXPECT_TICK(0, 1, 0, 100, 350, 450);
    EXPECT_TICK(1, 2, 0, 450, 450, 550);
    th_shutdown(s);
}

TEST(a_step_back_repeats_no_instant_of_the_clock_below_the_new_now) {
    wtm_scheduler s = with_jumps();
    wtm_timer t = START(s, WALL, .interval_ns = 100);
    th_advance(s, 1050);
    forget();
    CHECK_OK(wtm_scheduler_set_wall(s, 500));
    CHECK_U64(next_of(t), 600); /* the first point of the grid after the new now */
    CHECK_U64(th_advance(s, 99), 0);
    CHECK_U64(th_advance(s, 1), 1);
    EXPECT_TICK(0, 11, 0, 600, 600, 700);
    CHECK_U64(th_advance(s, 100), 1);
    EXPECT_TICK(1, 12, 0, 700, 700, 800);
    th_shutdown(s);
}

/* field report: 61 */
TEST(a_step_back_behind_the_first_tick_does_not_stall_what_has_ticked) {
    wtm_scheduler s = with_jumps();
    CHECK_OK(wtm_scheduler_set_wall(s, 10000));
    wtm_timer t = START(s, WALL, .interval_ns = 100);
    th_advance(s, 230);
    forget();
    CHECK_OK(wtm_scheduler_set_wall(s, 5030));
    CHECK_U64(next_of(t), 5100); /* the grid has points before its first tick */
    CHECK_U64(th_advance(s, 170), 2);
    EXPECT_TICK(0, 3, 0, 5100, 5100, 5200);
    EXPECT_TICK(1, 4, 0, 5200, 5200, 5300);
    th_shutdown(s);
}

/* The points of a rate before its first lie on the same grid, also where a whole cycle of it goes back beyond 1970. */
TEST(a_rate_goes_on_after_a_step_back_near_the_beginning_of_time) {
    static const uint32_t rates[][2] = { { 60, 1 }, { 60000, 1001 }, { 4000000000, 2000000001 }, { 4294967291, 4294967295 } };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        wtm_scheduler s = with_jumps();
        CHECK_OK(wtm_scheduler_set_wall(s, 500 * SEC));
        START(s, WALL, .rate_hz_numerator = rates[i][0], .rate_hz_denominator = rates[i][1]);
        th_advance(s, 2 * SEC);
        CHECK_OK(wtm_scheduler_set_wall(s, 400 * SEC));
        forget();
        th_advance(s, 100 * SEC);
        uint64_t ideal = (uint64_t)rates[i][0] * 100 / rates[i][1];
        CHECK_GE(rec.count, ideal - 1);
        CHECK_LE(rec.count, ideal + 1);
        th_shutdown(s);
    }
}

TEST(first_ticks_and_one_shots_wait_for_their_date) {
    wtm_scheduler s = with_jumps();
    CHECK_OK(wtm_scheduler_set_wall(s, 10000));
    wtm_timer a = START(s, TAG(1), WALL, .delay_ns = 100);
    wtm_timer b = START(s, TAG(2), WALL, .interval_ns = 100);
    wtm_timer c = START(s, TAG(3), WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 10050);
    CHECK_OK(wtm_scheduler_set_wall(s, 5000));
    CHECK_U64(next_of(a), 10100);
    CHECK_U64(next_of(b), 10100);
    CHECK_U64(next_of(c), 10050);
    CHECK_U64(th_advance(s, 5049), 0);
    CHECK_U64(th_advance(s, 1), 1);
    CHECK_U64(th_advance(s, 50), 2);
    EXPECT_TICK(0, 1, 0, 10050, 10050, WTM_NEVER);
    EXPECT_TICK(1, 1, 0, 10100, 10100, WTM_NEVER);
    EXPECT_TICK(2, 1, 0, 10100, 10100, 10200);
    th_shutdown(s);
}

/* covers: time.never-early */
TEST(a_queued_tick_does_not_start_before_its_date_either) {
    hand h;
    wtm_scheduler s = with_jumps();
    wtm_executor e = hand_executor(&h);
    CHECK_OK(wtm_scheduler_set_wall(s, 10000));
    START(s, WALL, .delay_ns = 100, .executor = e);
    th_advance(s, 100);
    CHECK_EQ(hand_waiting(&h), 1);
    CHECK_OK(wtm_scheduler_set_wall(s, 10040));
    hand_run_all(&h);
    CHECK_EQ(rec.count, 0);
    th_advance(s, 60);
    hand_run_all(&h);
    CHECK_EQ(rec.count, 1);
    EXPECT_TICK(0, 1, 0, 10100, 10100, WTM_NEVER);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

/* field report: 61 */
TEST(a_step_never_moves_monotonic_or_boottime_timers) {
    wtm_scheduler s = with_jumps();
    START(s, TAG(1), .interval_ns = SEC);
    START(s, TAG(2), .interval_ns = SEC, .clock = WTM_CLOCK_BOOTTIME);
    static const uint64_t dates[] = { 400 * DAY, 401 * DAY, 399 * DAY, 0, 100 * YEAR };
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        CHECK_OK(wtm_scheduler_set_wall(s, dates[i]));
        CHECK_U64(th_advance(s, 0), 0);
        CHECK_U64(th_advance(s, SEC), 2);
        EXPECT_TICK(2 * i, i + 1, 0, (i + 1) * SEC, (i + 1) * SEC, (i + 2) * SEC);
        EXPECT_TICK(2 * i + 1, i + 1, 0, (i + 1) * SEC, (i + 1) * SEC, (i + 2) * SEC);
    }
    th_shutdown(s);
}

static void start_from_jump(void *context, int64_t delta_ns) {
    wtm_scheduler s = *(wtm_scheduler *)context;
    jump.calls++;
    jump.delta = delta_ns;
    START(s, .delay_ns = 10);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_WALL), 77);
}

/* covers: life.unlocked */
TEST(the_jump_hook_may_call_the_library) {
    static wtm_scheduler s;
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    options.on_clock_jump = start_from_jump;
    options.context = &s;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    memset(&rec, 0, sizeof rec);
    memset(&jump, 0, sizeof jump);
    rec.scheduler = s;
    CHECK_OK(wtm_scheduler_set_wall(s, 77));
    CHECK_EQ(jump.calls, 1);
    CHECK_U64(th_advance(s, 10), 1);
    th_shutdown(s);
}

TEST(moving_a_wall_timer_speaks_of_the_wall_clock) {
    wtm_scheduler s = with_jumps();
    CHECK_OK(wtm_scheduler_set_wall(s, 10000));
    wtm_timer t = START(s, WALL, .delay_ns = 100);
    CHECK_OK(wtm_timer_set_next(t, 10040));
    CHECK_U64(next_of(t), 10040);
    CHECK_OK(wtm_timer_reschedule(t, 60));
    CHECK_U64(next_of(t), 10060);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_scheduler_set_wall(s, 20000));
    th_advance(s, 5);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 20065);
    CHECK_U64(th_advance(s, 60), 1);
    EXPECT_TICK(0, 1, 0, 20065, 20065, WTM_NEVER);
    th_shutdown(s);
}

static void set_wall_to_120(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag == 1) CHECK_OK(wtm_scheduler_set_wall(rec.scheduler, 120));
}

TEST(what_is_due_waits_again_when_a_callback_sets_the_calendar_back) {
    wtm_scheduler s = with_jumps();
    rec.during = set_wall_to_120;
    START(s, TAG(1), .clock = WTM_CLOCK_WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100);
    wtm_timer t = START(s, TAG(2), .clock = WTM_CLOCK_WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 150);
    CHECK_OK(wtm_scheduler_set_wall(s, 1000));
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_U64(rec.at[0].tag, 1);
    CHECK_U64(next_of(t), 150);
    CHECK_U64(th_advance(s, 29), 0);
    CHECK_U64(th_advance(s, 1), 1);
    EXPECT_TICK(1, 1, 0, 150, 150, WTM_NEVER);
    th_shutdown(s);
}
