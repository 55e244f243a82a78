/* A step of the calendar back between the moment when a tick falls due and its callback, on real clocks: it waits for its date
 * again. This program's own clock_gettime stands before the system's, as in time_step.c. */
#include "exec_queued.h"

#include <sys/syscall.h>
#include <time.h>

/* covers: time.clocks time.never-early */
static int64_t step;

int clock_gettime(clockid_t id, struct timespec *out) {
    if (syscall(SYS_clock_gettime, id, out) != 0) return -1;
    if (id == CLOCK_REALTIME) out->tv_sec += (time_t)__atomic_load_n(&step, __ATOMIC_SEQ_CST);
    return 0;
}

static void set_back(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    __atomic_store_n(&step, -3600, __ATOMIC_SEQ_CST);
}

TEST(a_callback_sets_the_clock_back_before_the_next) {
    wtm_scheduler s = th_host();
    th_counter_init(&queued.ticks);
    uint64_t date = wtm_scheduler_now(s, WTM_CLOCK_WALL);
    START(s, .fn = set_back, .clock = WTM_CLOCK_WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = date - 2);
    wtm_timer t = START(s, .fn = queued_tick, .clock = WTM_CLOCK_WALL, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = date - 1);
    CHECK_EQ(th_run_due(s), 1);
    CHECK_U64(next_of(t), date - 1);
    CHECK_EQ(th_run_due(s), 0);
    __atomic_store_n(&step, 0, __ATOMIC_SEQ_CST);
    CHECK_EQ(th_run_due(s), 1);
    CHECK_U64(th_counter_get(&queued.ticks), 1);
    CHECK_U64(queued.earliest, date - 1);
    th_shutdown(s);
}

TEST(queued_ticks_of_a_concurrent_timer_wait_for_their_date_again) {
    wtm_scheduler s = queued_begin();
    uint64_t date = wtm_scheduler_now(s, WTM_CLOCK_WALL);
    wtm_timer t = START(s, .fn = queued_tick, .executor = queued.pool, .clock = WTM_CLOCK_WALL, .deadline_ns = date,
                        .interval_ns = TH_HOUR, .tick_limit = 1, .flags = WTM_TIMER_CONCURRENT | WTM_TIMER_ABSOLUTE);
    queued_drive(s, 1);
    __atomic_store_n(&step, -3600, __ATOMIC_SEQ_CST);
    th_counter_add(&queued.go, 1);
    queued_await_state(t, WTM_STATE_ARMED);
    CHECK_U64(next_of(t), date);
    CHECK_EQ(th_run_due(s), 0);
    __atomic_store_n(&step, 0, __ATOMIC_SEQ_CST);
    CHECK_EQ(th_run_due(s), 1);
    th_counter_wait(&queued.ticks, 1);
    CHECK_U64(queued.earliest, date);
    while (wtm_timer_is_valid(t)) sched_yield(); /* the last callback has yet to return */
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, TH_LIMIT), WTM_ERR_GONE);
    queued_end(s);
}

/* The tick stands for several ideal ones, of which only the later are still to come: all wait for their dates. */
TEST(a_late_queued_tick_of_a_concurrent_timer_is_taken_back_whole) {
    wtm_scheduler s = queued_begin();
    uint64_t date = wtm_scheduler_now(s, WTM_CLOCK_WALL);
    wtm_timer t = START(s, .fn = queued_tick, .executor = queued.pool, .clock = WTM_CLOCK_WALL, .deadline_ns = date - 2 * TH_HOUR,
                        .interval_ns = TH_HOUR, .flags = WTM_TIMER_CONCURRENT | WTM_TIMER_ABSOLUTE);
    queued_drive(s, 1); /* for date - 2 h, date - 1 h and date */
    __atomic_store_n(&step, -1800, __ATOMIC_SEQ_CST);
    th_counter_add(&queued.go, 1);
    queued_await_state(t, WTM_STATE_ARMED);
    CHECK_U64(th_counter_get(&queued.ticks), 0);
    CHECK_EQ(th_run_due(s), 1); /* those of two hours and of one hour ago are due all the same */
    th_counter_wait(&queued.ticks, 1);
    CHECK_U64(queued.ordinals, 2);
    CHECK_U64(next_of(t), date);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, TH_LIMIT), WTM_OK);
    __atomic_store_n(&step, 0, __ATOMIC_SEQ_CST);
    queued_end(s);
}
