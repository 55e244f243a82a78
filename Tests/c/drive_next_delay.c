/* next_delay: on every drive, with tolerance, and after changes. */
#include "time_record.h"

#include <poll.h>

static uint64_t delay_of(wtm_scheduler s) {
    uint64_t delay = 7;
    CHECK_OK(wtm_scheduler_next_delay(s, &delay));
    return delay;
}

TEST(under_manual_time_it_is_exact) {
    wtm_scheduler s = manual_scheduler();
    CHECK_U64(delay_of(s), WTM_NEVER);
    wtm_timer t = START(s, .delay_ns = 100, .interval_ns = 70);
    CHECK_U64(delay_of(s), 100);
    th_advance(s, 40);
    CHECK_U64(delay_of(s), 60);
    START(s, .delay_ns = 10);
    CHECK_U64(delay_of(s), 10);
    th_advance(s, 60);
    CHECK_U64(delay_of(s), 70);
    CHECK_OK(wtm_timer_reschedule(t, 0));
    CHECK_U64(delay_of(s), 0);
    th_advance(s, 0);
    CHECK_OK(wtm_timer_set_next(t, 5));
    CHECK_U64(delay_of(s), 0); /* overdue */
    th_advance(s, 0);
    CHECK_OK(wtm_timer_pause(t));
    CHECK_U64(delay_of(s), WTM_NEVER);
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(delay_of(s), 0);
    th_advance(s, 0);
    CHECK_U64(delay_of(s), WTM_NEVER);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_OK(wtm_timer_reschedule(t, WTM_NEVER));
    CHECK_U64(delay_of(s), WTM_NEVER);
    th_shutdown(s);
}

TEST(advancing_by_it_runs_the_next_tick_on_each_clock) {
    wtm_scheduler s = manual_scheduler();
    CHECK_OK(wtm_scheduler_set_wall(s, 1000000));
    for (uint32_t clock = 0; clock < 3; clock++) {
        START(s, .clock = clock, .delay_ns = 1000 + clock);
        CHECK_U64(delay_of(s), 1000 + clock);
        CHECK_U64(th_advance(s, delay_of(s)), 1);
        CHECK_U64(delay_of(s), WTM_NEVER);
    }
    START(s, .clock = WTM_CLOCK_WALL, .delay_ns = 5000);
    CHECK_OK(wtm_scheduler_set_wall(s, wtm_scheduler_now(s, WTM_CLOCK_WALL) + 4000));
    CHECK_U64(delay_of(s), 1000);
    CHECK_OK(wtm_scheduler_set_wall(s, wtm_scheduler_now(s, WTM_CLOCK_WALL) - 3000));
    CHECK_U64(delay_of(s), 4000);
    th_shutdown(s);
}

/* covers: time.tolerance */
TEST(with_tolerance_it_tells_the_shared_wake_up) {
    static const uint32_t drives[] = { WTM_DRIVE_MANUAL, WTM_DRIVE_HOST };
    for (int i = 0; i < 2; i++) {
        wtm_scheduler s = th_scheduler((wtm_drive)drives[i]);
        uint64_t before = wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC);
        memset(&rec, 0, sizeof rec);
        rec.scheduler = s;
        for (uint64_t k = 0; k < 10; k++) START(s, .delay_ns = SEC + k * 10 * MS, .tolerance_ns = 200 * MS);
        uint64_t delay = delay_of(s), passed = wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC) - before;
        CHECK_GE(delay + passed, SEC);
        CHECK_LE(delay, SEC + 200 * MS);
        if (i == 0) {
            CHECK_GE(th_advance(s, delay), 1);
            CHECK_U64(rec.at[0].tick.now_ns, delay); /* not before, although deadlines have passed */
        }
        th_shutdown(s);
    }
}

TEST(on_a_scheduler_with_a_thread_it_is_that_threads_sleep) {
    wtm_scheduler s = th_real();
    uint64_t delay;
    CHECK_U64(delay_of(s), WTM_NEVER);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, TH_HOUR, record, NULL, NULL, &t));
    delay = delay_of(s);
    CHECK_LE(delay, TH_HOUR);
    CHECK_GE(delay, TH_HOUR - 60 * SEC);
    CHECK_OK(wtm_timer_invalidate(t));
    th_shutdown(s);
}

TEST(a_host_that_sleeps_for_it_is_never_early_and_needs_few_turns) {
    wtm_scheduler s = th_host();
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
    unsigned turns = 0;
    START(s, .delay_ns = 30 * MS);
    while (rec.count == 0) {
        uint64_t delay = delay_of(s);
        struct timespec wait = { (time_t)(delay / SEC), (long)(delay % SEC) };
        CHECK_EQ(ppoll(NULL, 0, &wait, NULL), 0);
        th_run_due(s);
        turns++;
    }
    CHECK_LE(turns, 3);
    CHECK_GE(rec.at[0].tick.now_ns, rec.at[0].tick.scheduled_ns);
    th_shutdown(s);
}

TEST(it_answers_gone_for_what_is_no_scheduler) {
    uint64_t delay = 7;
    wtm_scheduler s = th_manual();
    th_shutdown(s);
    CHECK_STATUS(wtm_scheduler_next_delay(s, &delay), WTM_ERR_GONE);
    CHECK_U64(delay, 0);
}
