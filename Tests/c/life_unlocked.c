/* Every library function may be called from inside every callback, hook, weak op, log sink and executor function.
 * covers: life.unlocked
 * field report: 28 */
#include "harness.h"

static wtm_scheduler s; /* the scheduler whose hooks are running */
static unsigned calls;

static bool visit(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)info, (void)context;
    CHECK(wtm_timer_is_valid(timer));
    return true;
}

static void tick_nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }

/* Timers of `on`: everything that can be done to one. */
static void call_timer_functions(wtm_scheduler on) {
    wtm_timer t = { 0 };
    wtm_target target = { 0 };
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    uint64_t next;
    void *context;
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick_nothing;
    options.interval_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(on, &options, &t));
    CHECK_OK(wtm_timer_fire(t));
    CHECK_OK(wtm_timer_reschedule(t, TH_HOUR));
    CHECK_OK(wtm_timer_set_next(t, WTM_NEVER));
    CHECK_OK(wtm_timer_set_interval(t, TH_SEC, TH_MS));
    CHECK_OK(wtm_timer_set_interval_only(t, TH_HOUR));
    CHECK_OK(wtm_timer_set_tolerance(t, TH_SEC));
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_resume(t));
    CHECK_OK(wtm_timer_get_next(t, &next));
    CHECK_OK(wtm_timer_get_info(t, &info));
    CHECK(wtm_timer_invalidate(t) >= 0);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_OK(wtm_timer_after(on, TH_HOUR, tick_nothing, NULL, NULL, &t));
    CHECK_OK(wtm_timer_invalidate_and_wait(t, WTM_NEVER));
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    CHECK_OK(wtm_timer_after_target(on, TH_HOUR, tick_nothing, target, NULL));
    CHECK_OK(wtm_target_retain(target));
    CHECK_OK(wtm_target_release(target));
    CHECK_OK(wtm_target_try_retain(target, &context));
    CHECK_OK(wtm_target_invalidate_timers(target));
    CHECK_OK(wtm_timer_every_target(on, TH_HOUR, tick_nothing, target, NULL));
    CHECK_OK(wtm_target_close(target, WTM_NEVER));
}

static void call_everything(void) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    uint64_t delay;
    calls++;
    /* The scheduler itself: its functions answer something; a shutdown may be under way. */
    wtm_status status = wtm_scheduler_get_stats(s, &stats);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
    status = wtm_scheduler_for_each(s, visit, NULL);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
    status = wtm_scheduler_next_delay(s, &delay);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
    (void)wtm_scheduler_now(s, WTM_CLOCK_WALL);
    (void)wtm_scheduler_fd(s);
    wtm_timer t = { 0 };
    status = wtm_timer_after(s, TH_HOUR, tick_nothing, NULL, NULL, &t);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
    if (status == WTM_OK) {
        CHECK_OK(wtm_timer_invalidate(t));
        call_timer_functions(s);
    }
    /* Others, made and ended here. */
    wtm_scheduler m = th_manual(), h = th_host(), r = th_real();
    wtm_executor pool = { 0 }, serial = { 0 };
    call_timer_functions(m);
    th_advance(m, 5);
    CHECK_OK(wtm_scheduler_set_wall(m, 99));
    th_run_due(h);
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    CHECK_OK(wtm_executor_shutdown(serial, WTM_NEVER));
    CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
    th_shutdown(m), th_shutdown(h), th_shutdown(r);
}

static void from_probe(th_probe *probe) {
    (void)probe;
    call_everything();
}
static void *lock_weak(void *weak) {
    call_everything();
    return weak;
}
static void unlock_strong(void *strong) {
    (void)strong;
    call_everything();
}
static void from_thread_start(void *context) {
    (void)context;
    calls++; /* before anything else: the scheduler's handle is not known yet to its maker */
    wtm_scheduler m = th_manual();
    call_timer_functions(m);
    th_shutdown(m);
}
static void from_clock_jump(void *context, int64_t delta) {
    (void)context, (void)delta;
    call_everything();
}
static unsigned logged;
static void from_log(void *context, wtm_log_level level, const char *message) {
    (void)context, (void)level;
    CHECK(message != NULL);
    if (logged++ == 0) call_everything();
}
static void from_release(void *context) {
    (void)context;
    call_everything();
}
static bool submit_at_once(void *context, void (*run)(uint64_t), uint64_t work) {
    (void)context;
    call_everything();
    run(work);
    return true;
}

static void check_calls(unsigned at_least) {
    CHECK_GE(calls, at_least);
    calls = 0;
}

TEST(from_callbacks_and_timer_hooks) {
    for (int real = 0; real < 2; real++) {
        th_probe probe;
        th_probe_init(&probe);
        probe.on_tick = probe.on_ended = probe.on_release = probe.on_hook = from_probe;
        wtm_target target = { 0 };
        s = real ? th_real() : th_manual();
        CHECK_OK(wtm_target_create(&probe, th_target_hook, &target));
        wtm_timer_options options = th_options(&probe);
        options.target = target;
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        if (!real) th_advance(s, 0);
        th_probe_wait_released(&probe, 1);
        check_calls(3);
        CHECK_OK(wtm_target_release(target)); /* from the target's hook, which waits for a release hook to return */
        th_probe_wait_hooks(&probe, 1);
        check_calls(1);
        options.target.id = 0;
        options.delay_ns = TH_HOUR;
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        th_shutdown(s); /* from the hooks that a shutdown runs */
        check_calls(2);
    }
}

TEST(from_weak_ops) {
    th_probe probe;
    th_probe_init(&probe);
    wtm_weak_ops ops = { sizeof ops, 0, lock_weak, unlock_strong };
    s = th_manual();
    wtm_timer_options options = th_options(&probe);
    options.weak = &ops;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_U64(th_advance(s, 0), 1);
    check_calls(2);
    th_shutdown(s);
}

TEST(from_hooks_of_a_scheduler) {
    th_probe probe;
    th_probe_init(&probe);
    wtm_target target = { 0 };
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    options.on_clock_jump = from_clock_jump;
    options.log = from_log;
    options.release = from_release;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK_OK(wtm_scheduler_set_wall(s, TH_HOUR));
    check_calls(1);
    /* A target's death that ends a named timer is logged. */
    CHECK_OK(wtm_target_create(&probe, NULL, &target));
    wtm_timer_options named = th_options(&probe);
    named.name = "named";
    named.target = target;
    named.delay_ns = 5;
    logged = 0;
    CHECK_OK(wtm_timer_start(s, &named, NULL));
    CHECK_OK(wtm_target_release(target));
    CHECK_GE(logged, 1);
    check_calls(1);
    th_shutdown(s);
    check_calls(1);
}

TEST(from_on_thread_start) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.on_thread_start = from_thread_start;
    wtm_scheduler real = { 0 };
    CHECK_OK(wtm_scheduler_create(&options, &real));
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_timer_after(real, 0, th_tick, &probe, NULL, NULL));
    th_probe_wait_ticks(&probe, 1);
    th_shutdown(real);
    CHECK_EQ(calls, 1);
    calls = 0;
}

TEST(from_submit_and_run_and_the_executors_release) {
    th_probe probe;
    th_probe_init(&probe);
    probe.on_tick = probe.on_release = from_probe;
    wtm_executor_ops ops = { sizeof ops, 0, submit_at_once };
    wtm_executor e = { 0 };
    s = th_manual();
    CHECK_OK(wtm_executor_create_custom(&ops, NULL, from_release, &e));
    wtm_timer_options options = th_options(&probe);
    options.executor = e;
    options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_STR(probe.order, "tTer");
    check_calls(3); /* submit, tick, release, which may be submitted or follow at once */
    CHECK_OK(wtm_executor_shutdown(e, WTM_NEVER));
    check_calls(1);
    th_shutdown(s);
}

static bool visit_calling(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer, (void)info, (void)context;
    call_everything();
    return true;
}

TEST(from_a_visitor) {
    s = th_manual();
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_after(s, TH_HOUR, tick_nothing, NULL, NULL, NULL));
    CHECK_OK(wtm_scheduler_for_each(s, visit_calling, NULL));
    CHECK_EQ(calls, 3);
    calls = 0;
    th_shutdown(s);
}
