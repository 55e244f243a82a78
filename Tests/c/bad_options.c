/* Unknown flags and enumerators, contradictory options, and which options are ignored in which company.
 * covers: life.failed
 * field report: 39, 73 */
#include "harness.h"

static th_probe probe;
static wtm_scheduler manual;
static wtm_executor pool;
static wtm_target target;

static void *lock_weak(void *weak) { return weak; }
static void unlock_strong(void *strong) { (void)strong; }
static const wtm_weak_ops weak_ops = { sizeof(wtm_weak_ops), 0, lock_weak, unlock_strong };
static const wtm_weak_ops no_unlock = { sizeof(wtm_weak_ops), 0, lock_weak, NULL };
static const wtm_weak_ops no_lock = { sizeof(wtm_weak_ops), 0, NULL, unlock_strong };

/* One row changes some fields of otherwise valid one-shot options. */
typedef struct row {
    const char *what;
    wtm_status want;
    uint32_t flags, clock, missed, numerator, denominator;
    uint64_t delay, deadline, interval;
    const wtm_weak_ops *weak;
    bool with_target, with_pool;
} row;

static const row rows[] = {
    { .what = "nothing special", .want = WTM_OK },
    { .what = "unknown flag 128", .want = WTM_ERR_INVALID, .flags = 128 },
    { .what = "unknown flag 2^31", .want = WTM_ERR_INVALID, .flags = 1u << 31 },
    { .what = "all flags", .want = WTM_ERR_INVALID, .flags = UINT32_MAX },
    { .what = "unknown clock", .want = WTM_ERR_INVALID, .clock = 3 },
    { .what = "clock UINT32_MAX", .want = WTM_ERR_INVALID, .clock = UINT32_MAX },
    { .what = "boottime clock", .want = WTM_OK, .clock = WTM_CLOCK_BOOTTIME },
    { .what = "wall clock", .want = WTM_OK, .clock = WTM_CLOCK_WALL },
    { .what = "unknown missed policy", .want = WTM_ERR_INVALID, .missed = 3 },
    { .what = "missed policy UINT32_MAX", .want = WTM_ERR_INVALID, .missed = UINT32_MAX },
    { .what = "delay policy", .want = WTM_OK, .missed = WTM_MISSED_DELAY },
    { .what = "rate without denominator", .want = WTM_ERR_INVALID, .numerator = 60 },
    { .what = "rate without numerator", .want = WTM_ERR_INVALID, .denominator = 1 },
    { .what = "rate of 1 GHz", .want = WTM_OK, .numerator = 1000000000, .denominator = 1 },
    { .what = "rate above 1 GHz", .want = WTM_ERR_INVALID, .numerator = 1000000001, .denominator = 1 },
    { .what = "rate just above 1 GHz", .want = WTM_ERR_INVALID, .numerator = 3000000001u, .denominator = 3 },
    { .what = "rate of the greatest numbers", .want = WTM_OK, .numerator = UINT32_MAX, .denominator = UINT32_MAX },
    { .what = "rate as slow as can be", .want = WTM_OK, .numerator = 1, .denominator = UINT32_MAX },
    { .what = "rate with interval", .want = WTM_ERR_INVALID, .numerator = 60, .denominator = 1, .interval = 5 },
    { .what = "IMMEDIATE with ABSOLUTE",
      .want = WTM_ERR_INVALID,
      .flags = WTM_TIMER_IMMEDIATE | WTM_TIMER_ABSOLUTE,
      .interval = 5 },
    { .what = "IMMEDIATE with a delay", .want = WTM_ERR_INVALID, .flags = WTM_TIMER_IMMEDIATE, .interval = 5, .delay = 5 },
    { .what = "IMMEDIATE", .want = WTM_OK, .flags = WTM_TIMER_IMMEDIATE, .interval = 5 },
    { .what = "IMMEDIATE with a stray deadline", .want = WTM_OK, .flags = WTM_TIMER_IMMEDIATE, .interval = 5, .deadline = 5 },
    { .what = "IMMEDIATE one-shot", .want = WTM_OK, .flags = WTM_TIMER_IMMEDIATE },
    { .what = "ABSOLUTE with a stray delay", .want = WTM_OK, .flags = WTM_TIMER_ABSOLUTE, .delay = 5, .deadline = 5 },
    { .what = "a stray deadline", .want = WTM_OK, .delay = 5, .deadline = 5 },
    { .what = "CONCURRENT without a pool", .want = WTM_ERR_INVALID, .flags = WTM_TIMER_CONCURRENT },
    { .what = "CONCURRENT on a pool", .want = WTM_OK, .flags = WTM_TIMER_CONCURRENT, .with_pool = true },
    { .what = "INLINE with an executor", .want = WTM_ERR_INVALID, .flags = WTM_TIMER_INLINE, .with_pool = true },
    { .what = "INLINE", .want = WTM_OK, .flags = WTM_TIMER_INLINE },
    { .what = "INLINE and CONCURRENT", .want = WTM_ERR_INVALID, .flags = WTM_TIMER_INLINE | WTM_TIMER_CONCURRENT },
    { .what = "target with weak", .want = WTM_ERR_INVALID, .weak = &weak_ops, .with_target = true },
    { .what = "weak", .want = WTM_OK, .weak = &weak_ops },
    { .what = "weak without unlock", .want = WTM_ERR_INVALID, .weak = &no_unlock },
    { .what = "weak without lock", .want = WTM_ERR_INVALID, .weak = &no_lock },
    { .what = "target", .want = WTM_OK, .with_target = true },
    { .what = "KEEP on a repeating timer", .want = WTM_OK, .flags = WTM_TIMER_KEEP, .interval = 5 },
    { .what = "PAUSED and RELEASE_ON_EXECUTOR", .want = WTM_OK, .flags = WTM_TIMER_PAUSED | WTM_TIMER_RELEASE_ON_EXECUTOR },
};

TEST(contradictions_are_invalid_and_take_nothing) {
    manual = th_manual();
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const row *r = &rows[i];
        th_probe_init(&probe);
        CHECK_OK(wtm_target_create(&probe, NULL, &target));
        wtm_timer_options options = th_options(&probe);
        options.flags = r->flags;
        options.clock = r->clock;
        options.missed = r->missed;
        options.rate_hz_numerator = r->numerator;
        options.rate_hz_denominator = r->denominator;
        options.delay_ns = r->delay;
        options.deadline_ns = r->deadline;
        options.interval_ns = r->interval;
        options.weak = r->weak;
        if (r->with_target) options.target = target;
        if (r->with_pool) options.executor = pool;
        uint64_t created = th_stats(manual).created;
        wtm_timer t = { 7 };
        wtm_status status = wtm_timer_start(manual, &options, &t);
        CHECK_MSG(status == r->want, "%s: %s, expected %s", r->what, wtm_status_name(status), wtm_status_name(r->want));
        CHECK_MSG((t.id == 0) == (status != WTM_OK), "%s: handle %llx", r->what, (unsigned long long)t.id);
        if (status != WTM_OK) {
            CHECK_U64(th_stats(manual).created, created);
            CHECK_OK(wtm_target_release(target));
            CHECK_STR(probe.order, "");
        } else {
            CHECK_U64(th_stats(manual).created, created + 1);
            CHECK_OK(wtm_timer_invalidate(t));
            CHECK_OK(wtm_target_release(target));
            if (!(r->flags & WTM_TIMER_RELEASE_ON_EXECUTOR)) CHECK_EQ(probe.released, 1);
        }
        th_advance(manual, 0);
        CHECK_EQ(probe.released, status == WTM_OK);
    }
    th_shutdown(manual);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(ignored_options_are_ignored) {
    manual = th_manual();
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    uint64_t next = 0;
    th_advance(manual, 100);
    wtm_timer_options options = th_options(&probe);
    options.flags = WTM_TIMER_ABSOLUTE;
    options.delay_ns = 7;
    options.deadline_ns = 300;
    CHECK_OK(wtm_timer_start(manual, &options, &t));
    CHECK_OK(wtm_timer_get_next(t, &next));
    CHECK_U64(next, 300);
    CHECK_OK(wtm_timer_invalidate(t));
    options.flags = 0;
    CHECK_OK(wtm_timer_start(manual, &options, &t));
    CHECK_OK(wtm_timer_get_next(t, &next));
    CHECK_U64(next, 107);
    CHECK_OK(wtm_timer_invalidate(t));
    options.delay_ns = 0;
    options.interval_ns = 50; /* repeating, no delay: the first tick after one interval */
    CHECK_OK(wtm_timer_start(manual, &options, &t));
    CHECK_OK(wtm_timer_get_next(t, &next));
    CHECK_U64(next, 150);
    th_shutdown(manual);
}

TEST(every_with_interval_zero_is_invalid) {
    manual = th_manual();
    th_probe_init(&probe);
    CHECK_OK(wtm_target_create(&probe, NULL, &target));
    wtm_timer t = { 7 };
    CHECK_STATUS(wtm_timer_every(manual, 0, th_tick, &probe, th_release, &t), WTM_ERR_INVALID);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_every_target(manual, 0, th_tick, target, &t), WTM_ERR_INVALID);
    CHECK_U64(t.id, 0);
    CHECK_EQ(probe.released, 0);
    CHECK_OK(wtm_timer_every(manual, 1, th_tick, &probe, th_release, &t));
    th_shutdown(manual);
    CHECK_EQ(probe.released, 1);
    CHECK_OK(wtm_target_release(target));
}

TEST(scheduler_options_with_unknown_values_are_invalid) {
    th_probe_init(&probe);
    for (int i = 0; i < 6; i++) {
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        options.context = &probe;
        options.release = th_release;
        if (i == 0) options.flags = 1;
        if (i == 1) options.flags = 1u << 31;
        if (i == 2) options.drive = 3;
        if (i == 3) options.drive = UINT32_MAX;
        if (i == 4) options.log_level = 4;
        if (i == 5) options.log_level = UINT32_MAX;
        wtm_scheduler s = { 7 };
        CHECK_STATUS(wtm_scheduler_create(&options, &s), WTM_ERR_INVALID);
        CHECK_U64(s.id, 0);
    }
    CHECK_EQ(probe.released, 0);
}

TEST(drive_functions_of_another_drive_are_unsupported) {
    wtm_scheduler m = th_manual(), h = th_host(), r = th_real();
    uint32_t narrow = 7;
    uint64_t wide = 7;
    CHECK_STATUS(wtm_scheduler_run_due(m, 0, &narrow), WTM_ERR_UNSUPPORTED);
    CHECK_EQ(narrow, 0);
    narrow = 7;
    CHECK_STATUS(wtm_scheduler_run_due(r, 0, &narrow), WTM_ERR_UNSUPPORTED);
    CHECK_EQ(narrow, 0);
    CHECK_STATUS(wtm_scheduler_advance(h, 1, &wide), WTM_ERR_UNSUPPORTED);
    CHECK_U64(wide, 0);
    wide = 7;
    CHECK_STATUS(wtm_scheduler_advance(r, 1, &wide), WTM_ERR_UNSUPPORTED);
    CHECK_U64(wide, 0);
    CHECK_STATUS(wtm_scheduler_set_wall(h, 1), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_set_wall(r, 1), WTM_ERR_UNSUPPORTED);
    CHECK_EQ(wtm_scheduler_fd(m), -1);
    CHECK_EQ(wtm_scheduler_fd(r), -1);
    CHECK(wtm_scheduler_fd(h) >= 0);
    CHECK_U64(wtm_scheduler_now(m, (wtm_clock)3), 0);
    CHECK_U64(wtm_scheduler_now(r, (wtm_clock)-1), 0);
    th_shutdown(m), th_shutdown(h), th_shutdown(r);
}
