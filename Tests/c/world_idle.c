/* A scheduler with nothing due does not wake: by its own count and by the kernel's.
 * covers: world.idle
 * field report: 63, 88 */
#include "harness.h"

#include <poll.h>

enum { far_timers = 100000 };

typedef struct snapshot {
    uint64_t wakeups, switches;
} snapshot;

static pid_t thread_of_scheduler;

static snapshot look(wtm_scheduler s) {
    snapshot now = { th_stats(s).wakeups, th_thread_status(thread_of_scheduler, "voluntary_ctxt_switches", 10) };
    return now;
}

/* Lets real time pass: nobody ever counts up, so this waits out its limit. */
static void let_pass(uint64_t ns) {
    static th_counter never = TH_COUNTER_INIT;
    CHECK(!th_counter_wait_for(&never, 1, ns));
}

static void note_thread(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    thread_of_scheduler = gettid();
    th_counter_add(context, 1);
}

/* A scheduler whose thread is known. */
static wtm_scheduler known_thread(void) {
    wtm_scheduler s = th_real();
    th_counter known;
    th_counter_init(&known);
    CHECK_OK(wtm_timer_after(s, 0, note_thread, &known, NULL, NULL));
    th_counter_wait(&known, 1);
    return s;
}

/* Waits until the thread has gone to sleep, which may take a while on a busy machine. */
static void settle(wtm_scheduler s) {
    snapshot before = look(s), after;
    for (int i = 0;; i++) {
        let_pass(200 * TH_MS);
        after = look(s);
        if (after.wakeups == before.wakeups && after.switches == before.switches) return;
        CHECK_MSG(i < 100, "the scheduler's thread does not go to sleep");
        before = after;
    }
}

static void check_asleep(wtm_scheduler s, uint64_t ns) {
    settle(s);
    snapshot before = look(s);
    let_pass(ns);
    snapshot after = look(s);
    CHECK_U64(after.wakeups, before.wakeups);
    CHECK_U64(after.switches, before.switches);
}

TEST(a_hundred_thousand_timers_an_hour_out_cost_no_wakeup) {
    unsigned threads = th_base_threads();
    wtm_scheduler s = known_thread();
    th_wait_other_threads(threads + 1); /* one thread for all */
    static wtm_timer timers[far_timers];
    for (int i = 0; i < far_timers; i++)
        CHECK_OK(wtm_timer_after(s, TH_HOUR + (uint64_t)i * TH_US, th_tick, NULL, NULL, &timers[i]));
    settle(s);
    CHECK_U64(th_stats(s).live, far_timers);
    th_wait_other_threads(threads + 1);
    check_asleep(s, 5 * TH_SEC);

    /* Starting and cancelling later timers makes no system call on the scheduler's side either. */
    snapshot before = look(s);
    for (int i = 0; i < 10000; i++) {
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_after(s, 2 * TH_HOUR, th_tick, NULL, NULL, &t));
        CHECK_OK(wtm_timer_reschedule(t, 3 * TH_HOUR));
        CHECK_OK(wtm_timer_invalidate(t));
    }
    let_pass(200 * TH_MS);
    snapshot after = look(s);
    CHECK_U64(after.wakeups, before.wakeups);
    CHECK_U64(after.switches, before.switches);

    /* The earliest is cancelled and moved: one wake-up at most, and that an hour from now. */
    CHECK_OK(wtm_timer_invalidate(timers[0]));
    CHECK_OK(wtm_timer_reschedule(timers[1], 2 * TH_HOUR));
    for (int i = 2; i < far_timers; i++) CHECK_OK(wtm_timer_invalidate(timers[i]));
    let_pass(200 * TH_MS);
    after = look(s);
    CHECK_LE(after.wakeups, before.wakeups + 1);
    th_shutdown(s);
}

TEST(a_scheduler_without_timers_and_one_that_never_fires_sleep) {
    wtm_scheduler s = known_thread();
    check_asleep(s, TH_SEC);
    CHECK_OK(wtm_timer_after(s, WTM_NEVER, th_tick, NULL, NULL, NULL));
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = th_tick;
    options.flags = WTM_TIMER_PAUSED;
    options.interval_ns = 1;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    check_asleep(s, TH_SEC);
    th_shutdown(s);
}

TEST(timers_on_all_clocks_an_hour_out_cost_no_wakeup) {
    wtm_scheduler s = known_thread();
    for (uint32_t clock = 0; clock < 3; clock++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = th_tick;
        options.clock = clock;
        options.delay_ns = TH_HOUR;
        CHECK_OK(wtm_timer_start(s, &options, NULL));
    }
    check_asleep(s, 2 * TH_SEC);
    th_shutdown(s);
}

static void log_nothing(void *context, wtm_log_level level, const char *message) { (void)context, (void)level, (void)message; }

enum { most_threads = 16 };

/* The kernel's count for all threads but this one and those of the base, which are a sanitizer's. */
static uint64_t switches_but_of(const pid_t *base, unsigned base_count) {
    pid_t ids[most_threads];
    unsigned count = th_other_threads(ids, most_threads);
    uint64_t sum = 0;
    for (unsigned i = 0; i < count && i < most_threads; i++) {
        bool is_base = false;
        for (unsigned k = 0; k < base_count; k++) is_base = is_base || base[k] == ids[i];
        if (!is_base) sum += th_thread_status(ids[i], "voluntary_ctxt_switches", 10);
    }
    return sum;
}

TEST(a_scheduler_that_watches_for_slow_callbacks_sleeps_as_well) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.slow_callback_ns = TH_MS;
    options.log = log_nothing;
    options.spin_ns = 50 * TH_US;
    wtm_scheduler s = { 0 };
    th_counter known;
    th_counter_init(&known);
    pid_t base[most_threads];
    unsigned base_count = th_base_threads();
    CHECK_EQ(th_other_threads(base, most_threads), base_count);
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK_OK(wtm_timer_after(s, 0, note_thread, &known, NULL, NULL));
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, NULL, NULL, NULL));
    th_counter_wait(&known, 1);
    settle(s);
    uint64_t before = switches_but_of(base, base_count);
    CHECK(before > 0);
    let_pass(2 * TH_SEC);
    CHECK_U64(switches_but_of(base, base_count), before);
    th_shutdown(s);
}

TEST(a_cancelled_timer_wakes_at_most_once) {
    wtm_scheduler s = known_thread();
    settle(s);
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, 400 * TH_MS, th_tick, NULL, NULL, &t));
    let_pass(100 * TH_MS); /* the thread has armed its sleep */
    snapshot before = look(s);
    CHECK_OK(wtm_timer_invalidate(t));
    let_pass(TH_SEC);
    CHECK_LE(look(s).wakeups, before.wakeups + 1);
    check_asleep(s, TH_SEC);
    th_shutdown(s);
}

TEST(a_host_driven_scheduler_with_nothing_due_is_not_readable) {
    wtm_scheduler h = th_host();
    uint64_t delay = 7;
    wtm_timer t = { 0 };
    struct pollfd readable = { wtm_scheduler_fd(h), POLLIN, 0 };
    CHECK_OK(wtm_scheduler_next_delay(h, &delay));
    CHECK_U64(delay, WTM_NEVER);
    CHECK_EQ(poll(&readable, 1, 50), 0);
    CHECK_OK(wtm_timer_after(h, TH_HOUR, th_tick, NULL, NULL, &t));
    CHECK_EQ(poll(&readable, 1, 50), 0);
    CHECK_OK(wtm_scheduler_next_delay(h, &delay));
    CHECK_LE(delay, TH_HOUR);
    CHECK_GE(delay, TH_HOUR - 60 * TH_SEC);
    th_shutdown(h);
}
