/* Every pointer parameter of every function, NULL: those that may be, work; the others are INVALID before anything else.
 * covers: life.failed */
#include "harness.h"

static bool visit_nothing(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer, (void)info, (void)context;
    return true;
}

static bool submit_nothing(void *context, void (*run)(uint64_t work), uint64_t work) {
    (void)context, (void)run, (void)work;
    return false;
}

/* Handles that are bad as well, to see that the NULL is noticed first. */
static const wtm_scheduler bad_scheduler = { 0x1234567812345678u };
static const wtm_timer bad_timer = { 0x1234567812345678u };
static const wtm_target bad_target = { 0x1234567812345678u };
static const wtm_executor bad_executor = { 0x1234567812345678u };

TEST(null_is_invalid_in_every_scheduler_function) {
    wtm_scheduler m = th_manual(), h = th_host();
    const wtm_scheduler each[] = { m, h, bad_scheduler, { 0 } };
    CHECK_STATUS(wtm_scheduler_create(NULL, NULL), WTM_ERR_INVALID);
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        CHECK_STATUS(wtm_scheduler_next_delay(each[i], NULL), WTM_ERR_INVALID);
        CHECK_STATUS(wtm_scheduler_get_stats(each[i], NULL), WTM_ERR_INVALID);
        CHECK_STATUS(wtm_scheduler_for_each(each[i], NULL, NULL), WTM_ERR_INVALID);
    }
    CHECK_OK(wtm_scheduler_run_due(h, 0, NULL));
    CHECK_OK(wtm_scheduler_advance(m, 1, NULL));
    CHECK_OK(wtm_scheduler_for_each(m, visit_nothing, NULL));
    th_shutdown(m);
    th_shutdown(h);
}

TEST(null_is_invalid_in_every_target_function) {
    wtm_target t = { 0 };
    void *context = &t;
    CHECK_STATUS(wtm_target_create(&t, th_release, NULL), WTM_ERR_INVALID);
    CHECK_OK(wtm_target_create(NULL, NULL, &t));
    CHECK_STATUS(wtm_target_try_retain(t, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_target_try_retain(bad_target, NULL), WTM_ERR_INVALID);
    CHECK_OK(wtm_target_try_retain(t, &context));
    CHECK(context == NULL);
    CHECK_OK(wtm_target_release(t));
    CHECK(wtm_target_is_alive(t));
    CHECK_OK(wtm_target_release(t));
    CHECK(!wtm_target_is_alive(t));
}

TEST(null_callback_is_invalid_in_every_start_function) {
    wtm_scheduler m = th_manual();
    wtm_target target = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_target_create(&probe, th_target_hook, &target));
    const wtm_scheduler each[] = { m, bad_scheduler };
    for (size_t i = 0; i < 2; i++) {
        wtm_scheduler s = each[i];
        wtm_timer out = { 77 };
        CHECK_STATUS(wtm_timer_start(s, NULL, &out), WTM_ERR_INVALID); /* defaults have no callback */
        CHECK_U64(out.id, 0);
        wtm_timer_options options = th_options(&probe);
        options.fn = NULL;
        out.id = 77;
        CHECK_STATUS(wtm_timer_start(s, &options, &out), WTM_ERR_INVALID);
        CHECK_U64(out.id, 0);
        out.id = 77;
        CHECK_STATUS(wtm_timer_after(s, 1, NULL, &probe, th_release, &out), WTM_ERR_INVALID);
        CHECK_U64(out.id, 0);
        out.id = 77;
        CHECK_STATUS(wtm_timer_every(s, 1, NULL, &probe, th_release, &out), WTM_ERR_INVALID);
        CHECK_U64(out.id, 0);
        out.id = 77;
        CHECK_STATUS(wtm_timer_after_target(s, 1, NULL, target, &out), WTM_ERR_INVALID);
        CHECK_U64(out.id, 0);
        out.id = 77;
        CHECK_STATUS(wtm_timer_every_target(s, 1, NULL, target, &out), WTM_ERR_INVALID);
        CHECK_U64(out.id, 0);
        /* NULL out besides changes nothing. */
        CHECK_STATUS(wtm_timer_start(s, NULL, NULL), WTM_ERR_INVALID);
        CHECK_STATUS(wtm_timer_after(s, 1, NULL, &probe, th_release, NULL), WTM_ERR_INVALID);
        CHECK_STATUS(wtm_timer_every(s, 0, NULL, &probe, th_release, NULL), WTM_ERR_INVALID);
        CHECK_STATUS(wtm_timer_after_target(s, 1, NULL, bad_target, NULL), WTM_ERR_INVALID);
        CHECK_STATUS(wtm_timer_every_target(s, 1, NULL, bad_target, NULL), WTM_ERR_INVALID);
    }
    CHECK_U64(th_stats(m).created, 0);
    th_shutdown(m);
    CHECK_STR(probe.order, "");
    CHECK_OK(wtm_target_release(target));
    CHECK_STR(probe.order, "h");
}

TEST(null_out_is_fire_and_forget_in_every_start_function) {
    wtm_scheduler m = th_manual();
    wtm_target target = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_target_create(&probe, NULL, &target));
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = th_tick;
    options.context = &probe;
    CHECK_OK(wtm_timer_start(m, &options, NULL));
    CHECK_OK(wtm_timer_after(m, 1, th_tick, &probe, NULL, NULL));
    CHECK_OK(wtm_timer_every(m, 1, th_tick, &probe, NULL, NULL));
    CHECK_OK(wtm_timer_after_target(m, 1, th_tick, target, NULL));
    CHECK_OK(wtm_timer_every_target(m, 1, th_tick, target, NULL));
    CHECK_U64(th_stats(m).live, 5);
    CHECK_U64(th_advance(m, 1), 5);
    CHECK_EQ(probe.ticks, 5);
    th_shutdown(m);
    CHECK_OK(wtm_target_release(target));
}

static void tick_without_context(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    CHECK(context == NULL);
}

TEST(null_context_reaches_callback_and_hooks) {
    wtm_scheduler m = th_manual();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(m, 5, tick_without_context, NULL, NULL, &t));
    CHECK_U64(th_advance(m, 5), 1);
    th_shutdown(m);
}

TEST(null_is_invalid_in_every_timer_function) {
    wtm_scheduler m = th_manual();
    wtm_timer t = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_timer_after(m, 5, th_tick, &probe, NULL, &t));
    CHECK_STATUS(wtm_timer_get_next(t, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_timer_get_next(bad_timer, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_timer_get_info(t, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_timer_get_info(bad_timer, NULL), WTM_ERR_INVALID);
    CHECK(wtm_timer_is_valid(t));
    th_shutdown(m);
}

TEST(null_is_invalid_in_every_executor_function) {
    wtm_executor e = { 5 }, pool = { 0 };
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    th_probe probe;
    th_probe_init(&probe);
    CHECK_STATUS(wtm_executor_create_pool(1, "pool", NULL), WTM_ERR_INVALID);
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    CHECK_STATUS(wtm_executor_create_serial(pool, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_executor_create_serial(bad_executor, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_executor_create_custom(NULL, &probe, th_release, &e), WTM_ERR_INVALID);
    CHECK_U64(e.id, 0);
    e.id = 5;
    CHECK_STATUS(wtm_executor_create_custom(&ops, &probe, th_release, &e), WTM_ERR_INVALID); /* no submit */
    CHECK_U64(e.id, 0);
    ops.submit = submit_nothing;
    CHECK_STATUS(wtm_executor_create_custom(&ops, &probe, th_release, NULL), WTM_ERR_INVALID);
    CHECK_EQ(probe.released, 0);
    CHECK_OK(wtm_executor_create_custom(&ops, NULL, NULL, &e));
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(null_weak_ops_functions_are_invalid) {
    wtm_scheduler m = th_manual();
    wtm_weak_ops ops = WTM_WEAK_OPS_INIT;
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.weak = &ops;
    wtm_timer t = { 9 };
    CHECK_STATUS(wtm_timer_start(m, &options, &t), WTM_ERR_INVALID);
    CHECK_U64(t.id, 0);
    th_shutdown(m);
    CHECK_STR(probe.order, "");
}

TEST(null_options_of_a_scheduler_are_the_defaults) {
    wtm_scheduler s = { 0 };
    CHECK_OK(wtm_scheduler_create(NULL, &s));
    CHECK_EQ(wtm_scheduler_fd(s), -1);
    CHECK_STATUS(wtm_scheduler_run_due(s, 0, NULL), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_advance(s, 0, NULL), WTM_ERR_UNSUPPORTED);
    th_shutdown(s);
}
