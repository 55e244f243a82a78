/* Shutting executors down: running ticks are waited for, queued ones dropped, later ones refused; from ticks, from threads. */
#include "exec_hand.h"
#include "time_record.h"

static wtm_timer start_on(wtm_scheduler s, wtm_executor e, th_probe *probe, uint64_t delay, uint64_t interval) {
    wtm_timer_options options = th_options(probe);
    wtm_timer t = { 0 };
    options.executor = e;
    options.delay_ns = delay;
    options.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

static void *shut_down_on_a_thread(void *argument) {
    return (void *)(intptr_t)wtm_executor_shutdown(*(wtm_executor *)argument, WTM_NEVER);
}

TEST(running_ticks_are_waited_for_and_starts_meanwhile_answer_shut_down) {
    wtm_executor pool = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    th_probe_hold(&probe);
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    wtm_scheduler s = th_real();
    wtm_timer t = start_on(s, pool, &probe, 0, MS);
    th_probe_wait_holding(&probe);
    uint64_t begin = th_now();
    CHECK_STATUS(wtm_executor_shutdown(pool, 20 * MS), WTM_ERR_TIMED_OUT); /* within its bound */
    CHECK_GE(th_now() - begin, 20 * MS);
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer refused = { 7 };
    options.fn = record;
    options.executor = pool;
    CHECK_STATUS(wtm_timer_start(s, &options, &refused), WTM_ERR_SHUT_DOWN);
    CHECK_U64(refused.id, 0);
    th_probe_let_go(&probe);
    wtm_status status = wtm_executor_shutdown(pool, TH_LIMIT); /* it goes on by itself; a second call waits */
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_EQ(th_probe_ticks(&probe), 1);
    CHECK_STATUS(wtm_timer_start(s, &options, &refused), WTM_ERR_GONE);
    CHECK(wtm_timer_is_valid(t)); /* the timer goes on, its ticks are refused */
    th_shutdown(s);
    CHECK_EQ(th_probe_ticks(&probe), 1);
    CHECK_EQ(th_probe_released(&probe), 1);
}

TEST(a_shutdown_on_another_thread_returns_when_the_tick_has_returned) {
    wtm_executor pool = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    th_probe_hold(&probe);
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    wtm_scheduler s = th_real();
    start_on(s, pool, &probe, 0, MS);
    th_probe_wait_holding(&probe);
    pthread_t a = th_thread(shut_down_on_a_thread, &pool), b = th_thread(shut_down_on_a_thread, &pool);
    th_probe_let_go(&probe);
    wtm_status one = (wtm_status)(intptr_t)th_join(a), two = (wtm_status)(intptr_t)th_join(b);
    CHECK((one == WTM_OK) + (two == WTM_OK) == 1);
    CHECK(one == WTM_OK || one == WTM_ERR_SHUT_DOWN || one == WTM_ERR_GONE);
    CHECK(two == WTM_OK || two == WTM_ERR_SHUT_DOWN || two == WTM_ERR_GONE);
    th_shutdown(s);
}

TEST(queued_ticks_are_dropped) {
    wtm_executor pool = { 0 };
    th_probe first, rest[5], kept;
    wtm_timer t[5];
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    wtm_scheduler s = th_host();
    th_probe_init(&first);
    th_probe_init(&kept);
    th_probe_hold(&first);
    start_on(s, pool, &first, 0, 0);
    th_run_due(s);
    th_probe_wait_holding(&first);
    for (int i = 0; i < 5; i++) {
        th_probe_init(&rest[i]);
        t[i] = start_on(s, pool, &rest[i], i == 4 ? 1 : 0, i == 4 ? TH_HOUR : 0);
    }
    wtm_timer_options options = th_options(&kept);
    wtm_timer k = { 0 };
    options.executor = pool;
    options.flags = WTM_TIMER_KEEP;
    CHECK_OK(wtm_timer_start(s, &options, &k));
    CHECK_EQ(th_run_due(s), 6);
    CHECK_EQ(th_info(t[0]).state, WTM_STATE_QUEUED);
    CHECK_STATUS(wtm_executor_shutdown(pool, 0), WTM_ERR_TIMED_OUT);
    th_probe_let_go(&first);
    wtm_status status = wtm_executor_shutdown(pool, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(th_probe_ticks(&rest[i]), 0);
        CHECK(!wtm_timer_is_valid(t[i])); /* a one-shot has had its tick */
        CHECK_EQ(rest[i].ended, 1);
        CHECK_EQ(rest[i].reason, WTM_REASON_COMPLETED);
        CHECK_EQ(rest[i].released, 1);
    }
    CHECK(wtm_timer_is_valid(t[4]));
    CHECK_U64(th_info(t[4]).dropped, 1);
    CHECK_EQ(th_info(k).state, WTM_STATE_IDLE);
    CHECK_U64(th_info(k).dropped, 1);
    CHECK_U64(th_stats(s).dropped, 6);
    th_shutdown(s);
    CHECK_EQ(rest[4].released, 1);
    CHECK_EQ(kept.released, 1);
}

/* covers: stop.shutdown */
TEST(a_scheduler_that_goes_down_drops_its_queued_ticks) {
    wtm_executor pool = { 0 };
    th_probe first, second, third;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    wtm_scheduler s = th_host(), other = th_host();
    th_probe_init(&first);
    th_probe_init(&second);
    th_probe_init(&third);
    th_probe_hold(&first);
    start_on(s, pool, &first, 0, 0);
    th_run_due(s);
    th_probe_wait_holding(&first);
    start_on(s, pool, &second, 0, 0);
    start_on(other, pool, &third, 0, 0);
    th_run_due(s);
    th_run_due(other);
    CHECK_STATUS(wtm_scheduler_shutdown(s, 0), WTM_ERR_TIMED_OUT);
    CHECK_EQ(second.released, 1); /* ended already: nothing of it was running */
    th_probe_let_go(&first);
    wtm_status status = wtm_scheduler_shutdown(s, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_EQ(first.released, 1);
    CHECK_EQ(second.ticks, 0);
    CHECK_EQ(second.reason, WTM_REASON_SHUTDOWN);
    th_probe_wait_ticks(&third, 1); /* the pool serves the other scheduler */
    th_shutdown(other);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static wtm_executor own;

static void shut_own_down(th_probe *probe) { probe->user = (void *)(intptr_t)wtm_executor_shutdown(own, WTM_NEVER); }

TEST(from_a_tick_on_itself_it_would_deadlock_and_completes_afterwards) {
    for (int kind = 0; kind < 3; kind++) {
        wtm_executor pool = { 0 };
        hand h;
        th_probe probe;
        th_probe_init(&probe);
        probe.on_tick = shut_own_down;
        CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
        own = pool;
        if (kind == 1) CHECK_OK(wtm_executor_create_serial(pool, &own));
        if (kind == 2) own = hand_executor(&h);
        wtm_scheduler s = th_manual();
        wtm_timer t = start_on(s, own, &probe, 0, 100);
        th_advance(s, 100);
        if (kind == 2) hand_run_all(&h);
        CHECK_EQ((intptr_t)probe.user, WTM_ERR_WOULD_DEADLOCK);
        wtm_status status = wtm_executor_shutdown(own, TH_LIMIT);
        CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
        if (kind == 2) CHECK_EQ(h.released, 1);
        th_advance(s, 100);
        CHECK_EQ(th_probe_ticks(&probe), 1);
        CHECK_U64(th_info(t).dropped, 1);
        th_shutdown(s);
        CHECK_EQ(th_probe_released(&probe), 1);
        if (kind != 0) CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}

static wtm_scheduler own_scheduler;
static void shut_scheduler_down(th_probe *probe) {
    probe->user = (void *)(intptr_t)wtm_scheduler_shutdown(own_scheduler, WTM_NEVER);
}

/* covers: stop.shutdown */
TEST(a_scheduler_shut_down_from_its_tick_on_a_pool_completes_afterwards) {
    wtm_executor pool = { 0 };
    th_probe probe;
    th_probe_init(&probe);
    probe.on_tick = shut_scheduler_down;
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    own_scheduler = th_real();
    start_on(own_scheduler, pool, &probe, 0, MS);
    th_probe_wait_released(&probe, 1);
    CHECK_EQ((intptr_t)probe.user, WTM_ERR_WOULD_DEADLOCK);
    CHECK_EQ(probe.reason, WTM_REASON_SHUTDOWN);
    wtm_status status = wtm_scheduler_shutdown(own_scheduler, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    expect_no_threads();
}

TEST(an_executor_that_is_down_is_gone_everywhere) {
    wtm_executor pool = { 0 };
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 7 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    options.executor = pool;
    CHECK_STATUS(wtm_scheduler_create(&options, &s), WTM_ERR_GONE);
    CHECK_U64(s.id, 0);
    CHECK_STATUS(wtm_executor_shutdown((wtm_executor){ 0 }, 0), WTM_ERR_GONE);
    CHECK_STATUS(wtm_executor_shutdown((wtm_executor){ 12345 }, 0), WTM_ERR_GONE);
}
