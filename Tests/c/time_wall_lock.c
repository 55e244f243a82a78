/* The calendar is set back while a pass is under way, or while `lock` looks an object up; and timers whose date is the user's own.
 * covers: time.clocks time.never-early time.order time.range life.weak */
#include "time_record.h"

#define WALL .clock = WTM_CLOCK_WALL

static wtm_scheduler at_million(void) {
    wtm_scheduler s = manual_scheduler();
    CHECK_OK(wtm_scheduler_set_wall(s, 1000000));
    return s;
}
static void set_wall(wtm_scheduler s, uint64_t time) { CHECK_OK(wtm_scheduler_set_wall(s, time)); }

/* A date that was set by hand is a date, whether the timer has ticked before or not. */
static void to_5000(wtm_scheduler s, wtm_timer t) {
    (void)s;
    CHECK_OK(wtm_timer_reschedule(t, 5000));
}
static void to_date(wtm_scheduler s, wtm_timer t) {
    (void)s;
    CHECK_OK(wtm_timer_set_next(t, 1005100));
}
static void pause_and_resume(wtm_scheduler s, wtm_timer t) {
    CHECK_OK(wtm_timer_pause(t));
    set_wall(s, 1005000); /* 100 remain */
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), 1005100);
}

TEST(a_date_set_by_hand_stands_when_the_calendar_is_set_back) {
    void (*moves[])(wtm_scheduler, wtm_timer) = { to_5000, to_date, pause_and_resume };
    for (size_t i = 0; i < 3; i++) {
        wtm_scheduler s = at_million();
        wtm_timer t = START(s, WALL, .interval_ns = 100);
        CHECK_U64(th_advance(s, 100), 1);
        moves[i](s, t);
        CHECK_U64(next_of(t), 1005100);
        set_wall(s, 1000099);
        CHECK_U64(next_of(t), 1005100);
        CHECK_U64(th_advance(s, 5000), 0);
        CHECK_U64(th_advance(s, 1), 1);
        /* It has ticked there: from now on it goes on with its grid. */
        set_wall(s, 1004000);
        CHECK_U64(next_of(t), 1004100);
        th_shutdown(s);
    }
}

static uint64_t delay_of(wtm_scheduler s) {
    uint64_t delay = 0;
    CHECK_OK(wtm_scheduler_next_delay(s, &delay));
    return delay;
}

TEST(never_stays_never_when_the_calendar_is_set_back) {
    wtm_scheduler s = at_million();
    wtm_timer t = START(s, WALL, .interval_ns = 100);
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_OK(wtm_timer_reschedule(t, WTM_NEVER));
    set_wall(s, 1000099);
    CHECK_U64(next_of(t), WTM_NEVER);
    CHECK_U64(delay_of(s), WTM_NEVER);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(next_of(t), WTM_NEVER);
    CHECK_U64(th_advance(s, 10000), 0);
    th_shutdown(s);
}

/* Beyond the end of time as its grid has it, not by the user's word: the grid has points before. */
TEST(a_grid_that_ends_beyond_time_comes_back_with_the_calendar) {
    const uint64_t intervals[] = { WTM_NEVER, WTM_NEVER - 1, WTM_NEVER / 2 };
    for (size_t i = 0; i < 3; i++) {
        wtm_scheduler s = at_million();
        START(s, WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 1005000, .interval_ns = intervals[i]);
        CHECK_U64(th_advance(s, 5000), 1);
        set_wall(s, 1004400);
        CHECK_U64(delay_of(s), 600);
        CHECK_U64(th_advance(s, 599), 0);
        CHECK_U64(th_advance(s, 1), 1);
        CHECK_U64(rec.at[1].tick.scheduled_ns, 1005000);
        CHECK_U64(rec.at[1].tick.ordinal, 2);
        th_shutdown(s);
    }
}

static void repeat_after_the_first(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    if (rec.count == 1) CHECK_OK(wtm_timer_set_interval(timer, 100, 0));
}

TEST(a_tick_as_a_one_shot_is_a_tick) {
    wtm_scheduler s = at_million();
    rec.during = repeat_after_the_first;
    wtm_timer t = START(s, WALL, .delay_ns = 100);
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_U64(next_of(t), 1000200);
    set_wall(s, 999000);
    CHECK_U64(next_of(t), 999100);
    th_shutdown(s);
}

/* What is due all the same after a step keeps its turn in the pass. */
static unsigned steps;
static void step_back(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag != 'A' || steps == 0) return;
    steps--;
    set_wall(rec.scheduler, wtm_scheduler_now(rec.scheduler, WTM_CLOCK_WALL) - 1);
}

TEST(a_step_takes_no_turn_from_what_stays_due) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 1000);
    rec.during = step_back;
    steps = 4;
    START(s, TAG('A'), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 100, .interval_ns = 100, .missed = WTM_MISSED_BURST);
    START(s, TAG('W'), WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 900);
    START(s, TAG('X'), WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 1000); /* not due after the first step */
    CHECK_U64(th_advance(s, 0), 11);
    CHECK_U64(rec.at[0].tag, 'A');
    CHECK_U64(rec.at[1].tag, 'W');
    for (size_t i = 2; i < 11; i++) CHECK_U64(rec.at[i].tag, 'A');
    CHECK_U64(th_advance(s, 4), 1); /* the 1000 of the stepped calendar */
    CHECK_U64(rec.at[11].tag, 'X');
    th_shutdown(s);
}

/* In `lock`. */
static uint64_t in_lock;
static unsigned locked, unlocked;
static void *lock(void *weak) {
    locked++;
    if (in_lock != 0) set_wall(rec.scheduler, in_lock);
    in_lock = 0;
    return weak;
}
static void unlock(void *strong) {
    (void)strong;
    unlocked++;
}

TEST(a_step_back_in_lock_takes_the_tick_back_and_one_forwards_does_not) {
    wtm_weak_ops ops = { sizeof ops, 0, lock, unlock };
    for (uint32_t policy = WTM_MISSED_COALESCE; policy <= WTM_MISSED_DELAY; policy++) {
        for (int kind = 0; kind < 3; kind++) { /* a second tick, a first one, a one-shot */
            wtm_scheduler s = at_million();
            locked = unlocked = 0;
            wtm_timer t =
                START(s, TAG(1), WALL, .weak = &ops, .delay_ns = 100, .interval_ns = kind == 2 ? 0 : 100, .missed = policy);
            size_t before = 0;
            if (kind == 0) before = th_advance(s, 100);
            in_lock = 999500;
            uint64_t date = kind == 0 ? 999600 : 1000100;
            CHECK_U64(th_advance(s, 100), 0);
            CHECK_EQ(locked, unlocked);
            CHECK_U64(next_of(t), date);
            CHECK_U64(th_advance(s, date - wtm_scheduler_now(s, WTM_CLOCK_WALL)), 1);
            const wtm_tick *tick = &rec.at[before].tick;
            CHECK_U64(tick->scheduled_ns, date);
            CHECK_U64(tick->now_ns, date);
            CHECK_U64(tick->ordinal, before + 1);
            CHECK_U64(tick->missed, 0);
            th_shutdown(s);

            s = at_million();
            t = START(s, TAG(1), WALL, .weak = &ops, .delay_ns = 100, .interval_ns = kind == 2 ? 0 : 100, .missed = policy);
            in_lock = 1000150;
            CHECK_U64(th_advance(s, 100), 1);
            CHECK_U64(rec.at[0].tick.scheduled_ns, 1000100);
            CHECK_U64(rec.at[0].tick.now_ns, 1000150);
            th_shutdown(s);
        }
    }
}
