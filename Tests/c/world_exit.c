/* exit with hot timers on other threads neither crashes nor hangs, runs no hook, and a pending timer keeps no process alive.
 * covers: world.exit world.threads life.release.once
 * field report: 82, 84 */
#include "harness.h"

#include <stdatomic.h>

/* Leaks are not looked for in processes that end with threads on their way: what a thread is about to take belongs to nobody yet.
 */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }

static atomic_uint hooks, late_calls;
static wtm_scheduler s;

static void tick_nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }
static void count_hook(void *context) {
    (void)context;
    atomic_fetch_add(&hooks, 1);
}

/* Registered before the first use of the library, so it runs after everything that the library might have registered. */
static void check_no_hook(void) {
    if (atomic_load(&hooks) != 0) _exit(3);
}

static void make_hot(void) {
    atexit(check_no_hook);
    wtm_executor pool = { 0 };
    wtm_target target = { 0 };
    s = th_real();
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    CHECK_OK(wtm_target_create(NULL, count_hook, &target));
    for (int i = 0; i < 20; i++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = tick_nothing;
        options.release = count_hook;
        options.interval_ns = 1 + (uint64_t)i * 100;
        if (i % 2) options.executor = pool;
        if (i % 3) options.target = target;
        CHECK_OK(wtm_timer_start(i % 5 ? s : wtm_scheduler_default(), &options, NULL));
    }
    wtm_scheduler host = th_host(), manual = th_manual();
    CHECK_OK(wtm_timer_every(host, 1, tick_nothing, NULL, count_hook, NULL));
    CHECK_OK(wtm_timer_every(manual, 1, tick_nothing, NULL, count_hook, NULL));
}

static void exit_hot(void *argument) {
    (void)argument;
    make_hot();
    exit(0);
}

TEST(exit_with_hot_timers) {
    for (int i = 0; i < 100; i++) CHECK_EQ(th_child(exit_hot, NULL), 0);
}

/* An exit handler, run with the timers still hot, uses the library. */
static void use_in_handler(void) {
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    if (wtm_timer_after(s, TH_HOUR, th_tick, &probe, NULL, &t) != WTM_OK) _exit(4);
    if (wtm_timer_invalidate_and_wait(t, WTM_NEVER) != WTM_OK) _exit(5);
    if (wtm_timer_after(s, 0, th_tick, &probe, NULL, NULL) != WTM_OK) _exit(6);
    th_probe_wait_ticks(&probe, 1);
    wtm_scheduler fresh = th_real();
    th_shutdown(fresh);
    atomic_fetch_add(&late_calls, 1);
}
static void check_late_calls(void) {
    if (atomic_load(&late_calls) != 2) _exit(7);
}
static void exit_with_handlers(void *argument) {
    (void)argument;
    atexit(check_late_calls);
    atexit(use_in_handler); /* runs after anything that the library registered */
    make_hot();
    atexit(use_in_handler); /* and this one before */
    exit(0);
}

TEST(exit_handlers_may_use_the_library) {
    for (int i = 0; i < 20; i++) CHECK_EQ(th_child(exit_with_handlers, NULL), 0);
}

static void exit_from_callback(th_probe *probe) {
    (void)probe;
    exit(0);
}
static void exit_on_the_schedulers_thread(void *argument) {
    (void)argument;
    make_hot();
    static th_probe probe;
    th_probe_init(&probe);
    probe.on_tick = exit_from_callback;
    CHECK_OK(wtm_timer_after(s, 0, th_tick, &probe, NULL, NULL));
    th_probe_wait_ticks(&probe, 1); /* never: the process ends first */
}

TEST(exit_from_a_callback) {
    for (int i = 0; i < 20; i++) CHECK_EQ(th_child(exit_on_the_schedulers_thread, NULL), 0);
}

static void exit_in_held_callback(void *argument) {
    (void)argument;
    make_hot();
    static th_probe probe;
    th_probe_init(&probe);
    th_probe_hold(&probe);
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, count_hook, NULL));
    th_probe_wait_holding(&probe);
    exit(0); /* a callback that never returns holds nobody up */
}

TEST(exit_while_a_callback_is_stuck) { CHECK_EQ(th_child(exit_in_held_callback, NULL), 0); }

static void exit_pending(void *argument) {
    (void)argument;
    wtm_scheduler none = { 0 };
    CHECK_OK(wtm_timer_every(none, TH_HOUR, tick_nothing, NULL, count_hook, NULL));
    exit(0);
}

TEST(a_pending_timer_keeps_no_process_alive) {
    uint64_t begin = th_now();
    CHECK_EQ(th_child(exit_pending, NULL), 0);
    CHECK_LE(th_now() - begin, TH_LIMIT);
}

/* The main thread ends by pthread_exit while timers run, and another thread ends the process. */
static void *exit_later(void *argument) {
    (void)argument;
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_timer_after(s, TH_MS, th_tick, &probe, NULL, NULL));
    th_probe_wait_ticks(&probe, 1);
    exit(0);
}
static void leave_main(void *argument) {
    (void)argument;
    make_hot();
    th_thread(exit_later, NULL);
    pthread_exit(NULL);
}

TEST(the_main_thread_may_leave_first) { CHECK_EQ(th_child(leave_main, NULL), 0); }

TEST(version_functions_need_nothing) {
    CHECK(wtm_version_string() != NULL);
    CHECK_EQ(th_child(exit_pending, NULL), 0);
}
