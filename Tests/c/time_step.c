/* Steps of the calendar and a suspend, on real clocks: this program's own clock_gettime stands before the system's and adds
 * offsets to the wall clock and to boottime, since a container can neither set a clock nor suspend. The kernel cannot announce
 * such a step, so each scheduler here has a heartbeat: the library looks at the clocks whenever it wakes. */
#include "time_record.h"

#include <sys/syscall.h>
#include <time.h>

/* covers: time.clocks */
/* field report: 55, 61, 62 */
static int64_t wall_step, boot_step;

int clock_gettime(clockid_t id, struct timespec *out) {
    if (syscall(SYS_clock_gettime, id, out) != 0) return -1;
    int64_t step = 0;
    if (id == CLOCK_REALTIME) step = __atomic_load_n(&wall_step, __ATOMIC_SEQ_CST);
    if (id == CLOCK_BOOTTIME) step = __atomic_load_n(&boot_step, __ATOMIC_SEQ_CST);
    if (step == 0) return 0;
    int64_t ns = (int64_t)out->tv_sec * (int64_t)SEC + out->tv_nsec + step;
    out->tv_sec = (time_t)(ns / (int64_t)SEC);
    out->tv_nsec = (long)(ns % (int64_t)SEC);
    return 0;
}

static const int64_t hour = (int64_t)TH_HOUR;

static struct {
    th_counter told, beats, ticks[3];
    int64_t delta;
    wtm_tick last[3];
} step;

static void on_jump(void *context, int64_t delta_ns) {
    CHECK(context == &step);
    step.delta = delta_ns;
    th_counter_add(&step.told, 1);
}

static void beat(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    th_counter_add(&step.beats, 1);
}

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    step.last[tick->clock] = *tick;
    th_counter_add(&step.ticks[tick->clock], 1);
}

static wtm_scheduler begin(wtm_drive drive) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    wall_step = boot_step = 0;
    memset(&step, 0, sizeof step);
    th_counter_init(&step.told);
    th_counter_init(&step.beats);
    for (int i = 0; i < 3; i++) th_counter_init(&step.ticks[i]);
    options.drive = (uint32_t)drive;
    options.on_clock_jump = on_jump;
    options.context = &step;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK_OK(wtm_timer_every(s, MS, beat, NULL, NULL, NULL));
    return s;
}

static wtm_timer start(wtm_scheduler s, uint32_t clock, uint64_t delay, uint64_t interval) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    options.fn = on_tick;
    options.clock = clock;
    options.delay_ns = delay;
    options.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

static void some_beats(uint64_t n) { th_counter_wait(&step.beats, th_counter_get(&step.beats) + n); }

TEST(the_clock_of_this_program_is_the_librarys) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    uint64_t before = wtm_scheduler_now(s, WTM_CLOCK_WALL);
    __atomic_store_n(&wall_step, hour, __ATOMIC_SEQ_CST);
    CHECK_GE(wtm_scheduler_now(s, WTM_CLOCK_WALL), before + TH_HOUR);
    th_shutdown(s);
}

TEST(a_step_forward_brings_wall_timers_and_no_others) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    for (uint32_t clock = 0; clock < 3; clock++) start(s, clock, TH_HOUR - SEC, 0);
    some_beats(20);
    CHECK_U64(th_counter_get(&step.told), 0);
    __atomic_store_n(&wall_step, hour, __ATOMIC_SEQ_CST);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], 1);
    th_counter_wait(&step.told, 1);
    CHECK_GE(step.delta, hour - (int64_t)SEC);
    CHECK_LE(step.delta, hour + (int64_t)SEC);
    some_beats(20);
    CHECK_U64(th_counter_get(&step.told), 1);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_MONOTONIC]), 0);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_BOOTTIME]), 0);
    th_shutdown(s);
}

TEST(a_step_forward_over_ticks_is_missed_ticks) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    start(s, WTM_CLOCK_WALL, 0, 60 * SEC);
    some_beats(5);
    __atomic_store_n(&wall_step, hour + 30 * (int64_t)SEC, __ATOMIC_SEQ_CST);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], 1);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_WALL]), 1);
    CHECK_U64(step.last[WTM_CLOCK_WALL].ordinal, 60);
    CHECK_U64(step.last[WTM_CLOCK_WALL].missed, 59);
}

TEST(after_a_step_back_a_repeating_wall_timer_goes_on_at_once) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    start(s, WTM_CLOCK_WALL, 0, 5 * MS);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], 3);
    uint64_t before = wtm_scheduler_now(s, WTM_CLOCK_WALL);
    __atomic_store_n(&wall_step, -hour, __ATOMIC_SEQ_CST);
    th_counter_wait(&step.told, 1);
    CHECK_GE((uint64_t)-step.delta, TH_HOUR - SEC);
    CHECK_LE((uint64_t)-step.delta, TH_HOUR + SEC);
    uint64_t count = th_counter_get(&step.ticks[WTM_CLOCK_WALL]);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], count + 5);
    th_shutdown(s);
    CHECK_LE(step.last[WTM_CLOCK_WALL].scheduled_ns, before - TH_HOUR + 60 * SEC);
}

TEST(first_ticks_and_one_shots_wait_for_their_date_again) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    wtm_timer once = start(s, WTM_CLOCK_WALL, 200 * MS, 0), first = start(s, WTM_CLOCK_WALL, 200 * MS, 200 * MS);
    uint64_t date = 0, again = 0;
    CHECK_OK(wtm_timer_get_next(once, &date));
    __atomic_store_n(&wall_step, -hour, __ATOMIC_SEQ_CST);
    th_counter_wait(&step.told, 1);
    some_beats(300);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_WALL]), 0);
    CHECK_OK(wtm_timer_get_next(once, &again));
    CHECK_U64(again, date);
    CHECK(wtm_timer_is_valid(first));
    __atomic_store_n(&wall_step, 0, __ATOMIC_SEQ_CST);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], 2);
    th_counter_wait(&step.told, 2);
    th_shutdown(s);
}

/* In a suspend boottime and the calendar go on, and monotonic time stands still. */
TEST(after_a_suspend_boottime_and_wall_timers_come_and_no_step_is_told) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    for (uint32_t clock = 0; clock < 3; clock++) start(s, clock, TH_HOUR, 0);
    some_beats(5);
    __atomic_store_n(&boot_step, hour, __ATOMIC_SEQ_CST);
    __atomic_store_n(&wall_step, hour, __ATOMIC_SEQ_CST);
    th_counter_wait(&step.ticks[WTM_CLOCK_BOOTTIME], 1);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], 1);
    some_beats(5);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_MONOTONIC]), 0);
    th_shutdown(s);
}

TEST(a_host_driven_scheduler_notices_in_run_due) {
    wtm_scheduler s = begin(WTM_DRIVE_HOST);
    start(s, WTM_CLOCK_WALL, TH_HOUR - SEC, 0);
    th_run_due(s);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_WALL]), 0);
    __atomic_store_n(&wall_step, hour, __ATOMIC_SEQ_CST);
    CHECK_GE(th_run_due(s), 1);
    CHECK_U64(th_counter_get(&step.ticks[WTM_CLOCK_WALL]), 1);
    CHECK_U64(th_counter_get(&step.told), 1);
    th_shutdown(s);
}

TEST(without_a_step_nothing_is_told) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    start(s, WTM_CLOCK_WALL, 0, MS);
    th_counter_wait(&step.ticks[WTM_CLOCK_WALL], 300);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&step.told), 0);
}
