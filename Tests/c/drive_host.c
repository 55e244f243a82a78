/* Host-driven schedulers: a descriptor, a delay and run_due, and no thread of the library at all. */
#include "time_record.h"

#include <fcntl.h>
#include <poll.h>

static bool readable(wtm_scheduler s, int timeout_ms) {
    struct pollfd p = { wtm_scheduler_fd(s), POLLIN, 0 };
    int n;
    CHECK(p.fd >= 0);
    while ((n = poll(&p, 1, timeout_ms)) < 0 && errno == EINTR) continue;
    CHECK(n >= 0);
    return n == 1 && (p.revents & POLLIN);
}

static uint64_t delay_of(wtm_scheduler s) {
    uint64_t delay = 7;
    CHECK_OK(wtm_scheduler_next_delay(s, &delay));
    return delay;
}

static wtm_scheduler host(void) {
    wtm_scheduler s = th_host();
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
    return s;
}

TEST(the_descriptor_is_readable_while_something_is_due) {
    wtm_scheduler s = host();
    CHECK(!readable(s, 0));
    CHECK_U64(delay_of(s), WTM_NEVER);
    CHECK(fcntl(wtm_scheduler_fd(s), F_GETFD) & FD_CLOEXEC);
    uint64_t before = th_now();
    START(s, .delay_ns = 500 * MS);
    CHECK_LE(delay_of(s), 500 * MS);
    CHECK_GE(delay_of(s), 1);
    CHECK_EQ(th_run_due(s), 0);
    CHECK(readable(s, 60000));
    CHECK_GE(th_now(), before + 500 * MS);
    CHECK(readable(s, 0)); /* looking at it changes nothing, and the host reads nothing */
    CHECK_U64(delay_of(s), 0);
    CHECK_EQ(rec.count, 0);
    CHECK_EQ(th_run_due(s), 1);
    CHECK_EQ(rec.count, 1);
    CHECK_GE(rec.at[0].tick.now_ns, rec.at[0].tick.scheduled_ns);
    CHECK(!readable(s, 0));
    CHECK_U64(delay_of(s), WTM_NEVER);
    CHECK_EQ(library_threads(NULL, 0), 0);
    th_shutdown(s);
}

TEST(a_repeating_timer_runs_in_a_poll_loop) {
    wtm_scheduler s = host();
    START(s, .interval_ns = 2 * MS);
    while (rec.count < 50) {
        CHECK(readable(s, 60000));
        CHECK_GE(th_run_due(s), 1);
    }
    uint64_t first = rec.at[0].tick.scheduled_ns - (rec.at[0].tick.ordinal - 1) * 2 * MS;
    for (size_t i = 0; i < rec.count; i++) {
        CHECK_U64(rec.at[i].tick.scheduled_ns, first + (rec.at[i].tick.ordinal - 1) * 2 * MS);
        CHECK_GE(rec.at[i].tick.now_ns, rec.at[i].tick.scheduled_ns);
    }
    th_shutdown(s);
}

TEST(next_delay_drives_a_loop_without_the_descriptor) {
    wtm_scheduler s = host();
    START(s, .interval_ns = 3 * MS);
    START(s, .interval_ns = 7 * MS);
    while (rec.count < 30) {
        uint64_t delay = delay_of(s);
        CHECK_LE(delay, 7 * MS);
        struct timespec wait = { (time_t)(delay / SEC), (long)(delay % SEC) };
        CHECK_EQ(ppoll(NULL, 0, &wait, NULL), 0);
        th_run_due(s);
    }
    th_shutdown(s);
}

TEST(max_ticks_bounds_a_call_and_leaves_the_rest_due) {
    wtm_scheduler s = host();
    uint32_t ran = 7;
    for (uint64_t i = 0; i < 10; i++) START(s, TAG(i), .delay_ns = 0);
    CHECK_OK(wtm_scheduler_run_due(s, 3, &ran));
    CHECK_EQ(ran, 3);
    CHECK(readable(s, 0));
    CHECK_U64(delay_of(s), 0);
    CHECK_OK(wtm_scheduler_run_due(s, 1, NULL));
    CHECK_EQ(rec.count, 4);
    CHECK_OK(wtm_scheduler_run_due(s, 0, &ran));
    CHECK_EQ(ran, 6);
    for (uint64_t i = 0; i < 10; i++) CHECK_U64(rec.at[i].tag, i);
    CHECK(!readable(s, 0));
    th_shutdown(s);
}

static void again_at_once(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    CHECK_OK(wtm_timer_reschedule(timer, 0));
}

TEST(run_due_works_off_what_was_due_when_it_was_called) {
    wtm_scheduler s = host();
    rec.during = again_at_once;
    wtm_timer t = START(s, .delay_ns = 0);
    for (unsigned i = 1; i <= 5; i++) {
        CHECK(readable(s, 60000));
        CHECK_EQ(th_run_due(s), 1);
        CHECK_EQ(rec.count, i);
    }
    CHECK_OK(wtm_timer_invalidate(t));
    th_shutdown(s);
}

/* covers: time.fair */
TEST(run_due_returns_although_one_nanosecond_is_always_due) {
    wtm_scheduler s = host();
    START(s, .interval_ns = 1);
    START(s, .interval_ns = 1, .missed = WTM_MISSED_DELAY);
    for (int i = 0; i < 100; i++) CHECK_LE(th_run_due(s), 4);
    th_shutdown(s);
}

static wtm_scheduler inside;

static void run_inside(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    uint32_t ran = 7;
    (void)timer;
    (void)tick;
    (void)tag;
    CHECK_STATUS(wtm_scheduler_run_due(inside, 0, &ran), WTM_ERR_WOULD_DEADLOCK);
    CHECK_EQ(ran, 0);
}

TEST(run_due_from_a_callback_of_the_same_scheduler_would_deadlock) {
    inside = host();
    rec.during = run_inside;
    START(inside, .delay_ns = 0);
    CHECK_EQ(th_run_due(inside), 1);
    th_shutdown(inside);
}

static void *run_due_on_a_thread(void *argument) { return (void *)(uintptr_t)th_run_due(*(wtm_scheduler *)argument); }

TEST(while_another_thread_is_in_run_due_it_answers_ok_with_nothing) {
    wtm_scheduler s = host();
    th_probe probe;
    th_probe_init(&probe);
    th_probe_hold(&probe);
    wtm_timer_options options = th_options(&probe);
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    START(s, .delay_ns = 0);
    pthread_t other = th_thread(run_due_on_a_thread, &s);
    th_probe_wait_holding(&probe);
    CHECK_EQ(th_run_due(s), 0);
    CHECK_EQ(rec.count, 0);
    th_probe_let_go(&probe);
    CHECK_EQ((uintptr_t)th_join(other), 2);
    CHECK_EQ(rec.count, 1);
    th_shutdown(s);
}

static th_counter about_to_poll = TH_COUNTER_INIT;

static void *poll_on_a_thread(void *argument) {
    th_counter_add(&about_to_poll, 1);
    CHECK(readable(*(wtm_scheduler *)argument, 60000));
    return NULL;
}

TEST(an_earlier_timer_from_another_thread_ends_the_hosts_sleep) {
    wtm_scheduler s = host();
    START(s, .delay_ns = TH_HOUR);
    wtm_timer t = START(s, .delay_ns = TH_HOUR);
    for (int way = 0; way < 4; way++) {
        th_counter_init(&about_to_poll);
        pthread_t thread = th_thread(poll_on_a_thread, &s);
        th_counter_wait(&about_to_poll, 1);
        switch (way) {
        case 0: START(s, .delay_ns = MS); break;
        case 1: CHECK_OK(wtm_timer_reschedule(t, MS)); break;
        case 2: START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 0); break;
        default: CHECK_OK(wtm_timer_fire(START(s, .delay_ns = TH_HOUR)));
        }
        th_join(thread);
        CHECK_EQ(th_run_due(s), 1);
        CHECK_EQ(rec.count, way + 1);
    }
    th_shutdown(s);
}

TEST(a_cancelled_timer_leaves_nothing_due) {
    wtm_scheduler s = host();
    wtm_timer t = START(s, .delay_ns = 0);
    CHECK(readable(s, 0));
    CHECK_OK(wtm_timer_invalidate(t));
    th_run_due(s); /* a wake-up armed before may still happen, once */
    CHECK_EQ(rec.count, 0);
    CHECK(!readable(s, 0));
    CHECK_U64(delay_of(s), WTM_NEVER);
    th_shutdown(s);
}

/* covers: time.tolerance */
TEST(the_host_shares_wake_ups_too) {
    wtm_scheduler s = host();
    uint64_t wakes = 0, base = th_now() + 50 * MS;
    for (uint64_t i = 0; i < 1000; i++)
        START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = base + (i * 7919 % 1000) * 100 * US, .tolerance_ns = 100 * MS);
    while (rec.count < 1000) {
        CHECK(readable(s, 60000));
        th_run_due(s);
        wakes++;
    }
    CHECK_LE(wakes, 4);
    for (size_t i = 0; i < 1000; i++) CHECK_GE(rec.at[i].tick.now_ns, rec.at[i].tick.scheduled_ns);
    th_shutdown(s);
}

TEST(wall_and_boottime_timers_make_the_descriptor_readable) {
    for (uint32_t clock = 0; clock < 3; clock++) {
        wtm_scheduler s = host();
        START(s, .clock = clock, .delay_ns = 10 * MS);
        CHECK_LE(delay_of(s), 10 * MS);
        CHECK(readable(s, 60000));
        while (rec.count == 0) th_run_due(s);
        CHECK_GE(rec.at[0].tick.now_ns, rec.at[0].tick.scheduled_ns);
        CHECK(!readable(s, 0));
        th_shutdown(s);
    }
}

/* What run_due has taken up is in hand: another thread that polls has nothing to come for until something else falls due. */
static unsigned readable_inside;
static wtm_timer later;
static void look_at_descriptor(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    (void)tag;
    readable_inside += readable(rec.scheduler, 0);
}

TEST(a_tick_that_runs_does_not_keep_the_descriptor_readable) {
    const uint32_t clocks[] = { WTM_CLOCK_MONOTONIC, WTM_CLOCK_BOOTTIME, WTM_CLOCK_WALL };
    for (size_t i = 0; i < 3; i++) {
        for (int kind = 0; kind < 3; kind++) { /* a one-shot, a repeating timer, a fired one */
            wtm_scheduler s = host();
            rec.during = look_at_descriptor;
            readable_inside = 0;
            wtm_timer t =
                START(s, .clock = clocks[i], .delay_ns = kind == 2 ? TH_HOUR : 1, .interval_ns = kind == 1 ? TH_HOUR : 0);
            if (kind == 2) CHECK_OK(wtm_timer_fire(t));
            CHECK(readable(s, 60000));
            CHECK_EQ(th_run_due(s), 1);
            CHECK_EQ(readable_inside, 0);
            CHECK(!readable(s, 0));
            th_shutdown(s);
        }
    }
}

static void start_one_that_is_due(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag != 1) return;
    later = START(rec.scheduler, TAG(2), .delay_ns = MS);
}

TEST(what_falls_due_while_a_tick_runs_makes_it_readable_afterwards) {
    wtm_scheduler s = host();
    rec.during = start_one_that_is_due;
    START(s, TAG(1));
    CHECK_EQ(th_run_due(s), 1);
    CHECK(readable(s, 60000));
    CHECK_EQ(th_run_due(s), 1);
    CHECK(!wtm_timer_is_valid(later));
    th_shutdown(s);
}

TEST(what_a_limit_leaves_over_keeps_it_readable) {
    wtm_scheduler s = host();
    for (int i = 0; i < 3; i++) START(s, .delay_ns = 1);
    CHECK(readable(s, 60000));
    for (uint32_t left = 3; left > 0; left--) {
        CHECK(readable(s, 0));
        uint32_t ran = 0;
        CHECK_OK(wtm_scheduler_run_due(s, 1, &ran));
        CHECK_EQ(ran, 1);
    }
    CHECK(!readable(s, 0));
    th_shutdown(s);
}
