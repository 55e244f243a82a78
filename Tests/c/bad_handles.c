/* Every function × every sort of bad handle: zero, another kind, stale, forged (each bit of a live one flipped, and noise).
 * GONE, outputs zero, nothing touched.
 * covers: life.failed
 * field report: 50, 74, 75, 76 */
#include "harness.h"

static th_probe world; /* the context of everything that must not be touched */
static wtm_scheduler live_scheduler;
static wtm_target live_target;

static bool visit_never(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer, (void)info, (void)context;
    CHECK_MSG(false, "for_each visited through a bad handle");
    return false;
}

static bool is_zero_after_size(const void *structure, size_t size) {
    const unsigned char *bytes = structure;
    for (size_t i = sizeof(uint32_t); i < size; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

static void check_scheduler(uint64_t id) {
    wtm_scheduler s = { id };
    uint64_t wide = 7;
    uint32_t narrow = 7;
    wtm_timer t = { 7 };
    wtm_scheduler_stats stats;
    wtm_timer_options options = th_options(&world);
    memset(&stats, 0xee, sizeof stats);
    stats.size = sizeof stats;
    CHECK_STATUS(wtm_scheduler_shutdown(s, 0), WTM_ERR_GONE);
    CHECK_U64(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), 0);
    CHECK_EQ(wtm_scheduler_fd(s), -1);
    CHECK_STATUS(wtm_scheduler_next_delay(s, &wide), WTM_ERR_GONE);
    CHECK_U64(wide, 0);
    CHECK_STATUS(wtm_scheduler_run_due(s, 0, &narrow), WTM_ERR_GONE);
    CHECK_EQ(narrow, 0);
    wide = 7;
    CHECK_STATUS(wtm_scheduler_advance(s, 1, &wide), WTM_ERR_GONE);
    CHECK_U64(wide, 0);
    CHECK_STATUS(wtm_scheduler_set_wall(s, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_scheduler_get_stats(s, &stats), WTM_ERR_GONE);
    CHECK_EQ(stats.size, sizeof stats);
    CHECK(is_zero_after_size(&stats, sizeof stats));
    CHECK_STATUS(wtm_scheduler_for_each(s, visit_never, NULL), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_start(s, &options, &t), WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_after(s, 1, th_tick, &world, th_release, &t), WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_every(s, 1, th_tick, &world, th_release, &t), WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_after_target(s, 1, th_tick, live_target, &t), WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_every_target(s, 1, th_tick, live_target, &t), WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
}

static void check_timer(uint64_t id) {
    wtm_timer t = { id };
    uint64_t wide = 7;
    wtm_timer_info info;
    memset(&info, 0xee, sizeof info);
    info.size = sizeof info;
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_STATUS(wtm_timer_fire(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_next(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_get_next(t, &wide), WTM_ERR_GONE);
    CHECK_U64(wide, 0);
    CHECK_STATUS(wtm_timer_set_interval(t, 1, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_interval_only(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_tolerance(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_pause(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_resume(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_get_info(t, &info), WTM_ERR_GONE);
    CHECK_EQ(info.size, sizeof info);
    CHECK(is_zero_after_size(&info, sizeof info));
}

static wtm_status start_on_target(wtm_target target, bool in_options) {
    wtm_timer t = { 7 };
    wtm_timer_options options = th_options(&world);
    options.target = target;
    wtm_status status = in_options ? wtm_timer_start(live_scheduler, &options, &t)
                                   : wtm_timer_after_target(live_scheduler, 1, th_tick, target, &t);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_every_target(live_scheduler, 1, th_tick, target, &t), status);
    CHECK_U64(t.id, 0);
    return status;
}

static void check_target(uint64_t id, wtm_status on_start) {
    wtm_target t = { id };
    void *context = &t;
    CHECK_STATUS(wtm_target_retain(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_release(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_try_retain(t, &context), WTM_ERR_GONE);
    CHECK(context == NULL);
    CHECK(!wtm_target_is_alive(t));
    CHECK_STATUS(wtm_target_invalidate_timers(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_close(t, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_target_close(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STATUS(start_on_target(t, false), on_start);
    if (id != 0) CHECK_STATUS(start_on_target(t, true), on_start); /* zero in the options means none */
}

static void check_executor(uint64_t id) {
    wtm_executor e = { id }, out = { 7 };
    CHECK_STATUS(wtm_executor_create_serial(e, &out), WTM_ERR_GONE);
    CHECK_U64(out.id, 0);
    CHECK_STATUS(wtm_executor_shutdown(e, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_executor_shutdown(e, WTM_NEVER), WTM_ERR_GONE);
    CHECK_U64(wtm_executor_work_timer(e.id).id, 0); /* a number that is nobody's work */
    if (id == 0) return;
    wtm_timer t = { 7 };
    wtm_timer_options options = th_options(&world);
    options.executor = e;
    CHECK_STATUS(wtm_timer_start(live_scheduler, &options, &t), WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
    wtm_scheduler s = { 7 };
    wtm_scheduler_options scheduler_options = WTM_SCHEDULER_OPTIONS_INIT;
    scheduler_options.executor = e;
    scheduler_options.context = &world;
    scheduler_options.release = th_release;
    CHECK_STATUS(wtm_scheduler_create(&scheduler_options, &s), WTM_ERR_GONE);
    CHECK_U64(s.id, 0);
}

static void check_forged_target(uint64_t id) { check_target(id, WTM_ERR_GONE); }
static void check_dead_target(uint64_t id) { check_target(id, WTM_ERR_TARGET_GONE); }

static void check_noise(uint64_t live, void (*check)(uint64_t)) {
    for (int bit = 0; bit < 64; bit++) {
        if ((live ^ UINT64_C(1) << bit) != 0) check(live ^ UINT64_C(1) << bit);
    }
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 2000; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        check(state);
    }
    static const uint64_t edges[] = { 1,         2, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 1,
                                      UINT64_MAX };
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        if (edges[i] != live) check(edges[i]);
    }
}

TEST(bad_handles_answer_gone_in_every_function) {
    th_probe_init(&world);
    wtm_timer timer = { 0 };
    wtm_executor executor = { 0 };
    live_scheduler = th_manual();
    CHECK_OK(wtm_target_create(&world, th_target_hook, &live_target));
    CHECK_OK(wtm_executor_create_pool(1, NULL, &executor));
    CHECK_OK(wtm_timer_after(live_scheduler, TH_HOUR, th_tick, &world, th_release, &timer));

    const uint64_t wrong_for_scheduler[] = { timer.id, live_target.id, executor.id };
    const uint64_t wrong_for_timer[] = { 0, live_scheduler.id, live_target.id, executor.id };
    const uint64_t wrong_for_target[] = { 0, live_scheduler.id, timer.id, executor.id };
    const uint64_t wrong_for_executor[] = { 0, live_scheduler.id, timer.id, live_target.id };
    for (int i = 0; i < 4; i++) {
        if (i < 3) check_scheduler(wrong_for_scheduler[i]);
        check_timer(wrong_for_timer[i]);
        check_forged_target(wrong_for_target[i]);
        check_executor(wrong_for_executor[i]);
    }
    check_noise(live_scheduler.id, check_scheduler);
    check_noise(timer.id, check_timer);
    check_noise(live_target.id, check_forged_target);
    check_noise(executor.id, check_executor);

    /* The live ones were not touched. */
    CHECK_STR(world.order, "");
    CHECK(wtm_timer_is_valid(timer));
    CHECK(wtm_target_is_alive(live_target));
    CHECK_U64(th_stats(live_scheduler).live, 1);
    CHECK_U64(th_stats(live_scheduler).created, 1);

    CHECK_OK(wtm_executor_shutdown(executor, TH_LIMIT));
    CHECK_OK(wtm_target_release(live_target));
    CHECK_OK(wtm_timer_invalidate(timer));
    const wtm_scheduler dead = live_scheduler;
    th_shutdown(dead);
    live_scheduler = th_manual();
    check_scheduler(dead.id);
    check_timer(timer.id);
    check_dead_target(live_target.id);
    check_executor(executor.id);
    th_shutdown(live_scheduler);
    CHECK_STR(world.order, "hr");
}

TEST(stale_handles_stay_stale_when_their_slots_serve_others) {
    enum { count = 100000 };
    th_probe_init(&world);
    wtm_scheduler s = th_manual();
    wtm_timer first = { 0 }, next = { 0 };
    wtm_target old_target = { 0 }, target = { 0 };
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, &world, NULL, &first));
    CHECK_OK(wtm_timer_invalidate(first));
    CHECK_OK(wtm_target_create(&world, NULL, &old_target));
    CHECK_OK(wtm_target_release(old_target));
    for (int i = 0; i < count; i++) {
        CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, &world, NULL, &next));
        CHECK_OK(wtm_target_create(&world, NULL, &target));
        CHECK(next.id != first.id);
        CHECK(target.id != old_target.id);
        CHECK_STATUS(wtm_timer_invalidate(first), WTM_ERR_GONE);
        CHECK_STATUS(wtm_target_release(old_target), WTM_ERR_GONE);
        CHECK_OK(wtm_target_release(target));
        CHECK_OK(wtm_timer_invalidate(next));
    }
    th_shutdown(s);
}

static void completes(wtm_scheduler s, wtm_timer t) {
    (void)t;
    CHECK_U64(th_advance(s, TH_HOUR), 1);
}
static void is_fired(wtm_scheduler s, wtm_timer t) {
    CHECK_OK(wtm_timer_fire(t));
    CHECK_U64(th_advance(s, 0), 1);
}
static void is_invalidated(wtm_scheduler s, wtm_timer t) {
    (void)s;
    CHECK_OK(wtm_timer_invalidate(t));
}
static void is_waited_for(wtm_scheduler s, wtm_timer t) {
    (void)s;
    CHECK_OK(wtm_timer_invalidate_and_wait(t, 0));
}
static void no_release(void *context) { (void)context; }

/* However a timer ends, and whatever it had, its handle is never that of a later one. */
TEST(a_handle_is_used_once_however_its_timer_ended) {
    static void (*const ends[])(wtm_scheduler, wtm_timer) = { completes, is_fired, is_invalidated, is_waited_for };
    enum { REMEMBERED = 64 };
    wtm_timer old[REMEMBERED] = { { 0 } };
    wtm_target target = { 0 };
    th_probe_init(&world);
    wtm_scheduler s = th_manual();
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    for (unsigned i = 0; i < 4000; i++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        unsigned kind = i / 100;
        o.fn = th_tick;
        o.context = &world;
        o.delay_ns = TH_HOUR;
        if (kind & 1) o.release = no_release;
        if (kind & 2) o.name = "named";
        if (kind & 4) o.target = target;
        CHECK_OK(wtm_timer_start(s, &o, &old[i % REMEMBERED]));
        wtm_timer t = old[i % REMEMBERED];
        for (unsigned k = 1; k < REMEMBERED; k++) CHECK(old[(i + k) % REMEMBERED].id != t.id);
        ends[(kind >> 3) % 4](s, t);
        for (unsigned k = 0; k < REMEMBERED; k++) CHECK(!wtm_timer_is_valid(old[k]));
        CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    }
    CHECK_OK(wtm_target_release(target));
    th_shutdown(s);
}

TEST(serial_queues_need_a_pool) {
    wtm_executor pool = { 0 }, serial = { 0 }, out = { 7 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    CHECK_STATUS(wtm_executor_create_serial(serial, &out), WTM_ERR_INVALID);
    CHECK_U64(out.id, 0);
    CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
    CHECK_STATUS(wtm_executor_create_serial(serial, &out), WTM_ERR_GONE);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    CHECK_STATUS(wtm_executor_create_serial(pool, &out), WTM_ERR_GONE);
}
