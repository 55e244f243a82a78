/* Memory and contexts are given back at invalidation, not at the old deadline.
 * covers: life.free
 * field report: 30, 32, 33, 35, 36 */
#include "harness.h"

static uint64_t released;
static void count_release(void *context) {
    (void)context;
    released++;
}

static void pair(wtm_scheduler s) {
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, NULL, count_release, &t));
    CHECK_OK(wtm_timer_invalidate(t));
}

static void million_pairs(wtm_scheduler s) {
    released = 0;
    for (int i = 0; i < 1000; i++) pair(s); /* the first pairs bring in pages that are used once */
    uint64_t before = th_resident_bytes();
    for (int i = 0; i < 1000000; i++) pair(s);
    uint64_t after = th_resident_bytes();
    CHECK_U64(released, 1001000);
    CHECK_U64(th_stats(s).live, 0);
    CHECK_U64(th_stats(s).created, 1001000);
    CHECK_MSG(after < before + (1 << 20), "grew by %lld bytes", (long long)(after - before));
    th_shutdown(s);
}

TEST(a_million_pairs_on_a_thread) { million_pairs(th_real()); }
TEST(a_million_pairs_on_manual_time) { million_pairs(th_manual()); }

static void count_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    ++*(uint64_t *)context;
}

/* What has no hooks has its own short ways to its end: by its tick, and by invalidation. */
TEST(millions_without_hooks) {
    wtm_scheduler s = th_manual();
    uint64_t before = 0, ticks = 0;
    for (int i = 0; i < 1010; i++) {
        if (i == 10) before = th_resident_bytes();
        for (int k = 0; k < 1000; k++) {
            wtm_timer t = { 0 };
            CHECK_OK(wtm_timer_after(s, 1, count_tick, &ticks, NULL, NULL));
            CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, NULL, NULL, &t));
            CHECK_OK(wtm_timer_invalidate(t));
        }
        CHECK_U64(th_advance(s, 1), 1000);
    }
    uint64_t after = th_resident_bytes();
    CHECK_U64(ticks, 1010000);
    CHECK_U64(th_stats(s).live, 0);
    CHECK_MSG(after < before + (1 << 20), "grew by %lld bytes", (long long)(after - before));
    th_shutdown(s);
}

TEST(a_million_pairs_of_all_sorts) {
    wtm_scheduler s = th_manual();
    wtm_timer t = { 0 }, other = { 0 };
    uint64_t before = 0;
    released = 0;
    /* Something stays, so that stale entries cannot all go at once. */
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, NULL, NULL, &other));
    for (int i = 0; i < 1000000; i++) {
        if (i == 10000) before = th_resident_bytes();
        wtm_target target = { 0 };
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = th_tick;
        options.release = count_release;
        options.delay_ns = TH_SEC + (uint64_t)i * 7919 % TH_HOUR;
        options.interval_ns = i % 2 ? TH_HOUR : 0;
        options.tolerance_ns = i % 3 ? TH_MS : 0;
        options.clock = (uint32_t)i % 3;
        options.name = i % 5 ? NULL : "named";
        options.flags = i % 7 ? 0 : WTM_TIMER_PAUSED;
        bool bound = i % 4 == 0;
        if (bound) {
            CHECK_OK(wtm_target_create(NULL, count_release, &target));
            options.target = target;
        }
        CHECK_OK(wtm_timer_start(s, &options, &t));
        if (i % 11 == 0) CHECK_OK(wtm_timer_reschedule(t, TH_HOUR));
        if (i % 13 == 0) CHECK_OK(wtm_timer_fire(t));
        if (bound) CHECK_OK(wtm_target_release(target));
        else CHECK_OK(wtm_timer_invalidate(t));
    }
    uint64_t after = th_resident_bytes();
    CHECK_U64(released, 1250000);
    CHECK_U64(th_stats(s).live, 1);
    CHECK_MSG(after < before + (1 << 20), "grew by %lld bytes", (long long)(after - before));
    th_shutdown(s);
}

TEST(targets_schedulers_and_executors_are_given_back_too) {
    uint64_t before = 0;
    released = 0;
    for (int i = 0; i < 3000; i++) {
        if (i == 300) before = th_resident_bytes();
        wtm_target target = { 0 };
        wtm_executor pool = { 0 }, serial = { 0 };
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        options.drive = (uint32_t)i % 3;
        options.release = count_release;
        wtm_scheduler s = { 0 };
        CHECK_OK(wtm_scheduler_create(&options, &s));
        CHECK_OK(wtm_target_create(NULL, count_release, &target));
        CHECK_OK(wtm_timer_every_target(s, TH_HOUR, th_tick, target, NULL));
        CHECK_OK(wtm_target_release(target));
        th_shutdown(s);
        if (i % 10 != 0) continue;
        CHECK_OK(wtm_executor_create_pool(2, "brief", &pool));
        CHECK_OK(wtm_executor_create_serial(pool, &serial));
        CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
    uint64_t after = th_resident_bytes();
    CHECK_U64(released, 6000);
    CHECK_MSG(after < before + (1 << 20), "grew by %lld bytes", (long long)(after - before));
}
