/* advance with ticks on a pool: what waits for what, and a shutdown meanwhile. */
#include "time_record.h"

typedef struct advancer {
    wtm_scheduler scheduler;
    uint64_t by, ran;
    wtm_status status;
    th_counter returned;
} advancer;

static void *advance_on_a_thread(void *argument) {
    advancer *a = argument;
    a->ran = 7;
    a->status = wtm_scheduler_advance(a->scheduler, a->by, &a->ran);
    th_counter_add(&a->returned, 1);
    return NULL;
}

static wtm_timer held(wtm_scheduler s, wtm_executor e, th_probe *probe, uint64_t interval) {
    wtm_timer_options options = th_options(probe);
    wtm_timer t = { 0 };
    th_probe_init(probe);
    th_probe_hold(probe);
    options = th_options(probe);
    options.executor = e;
    options.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

/* covers: time.manual */
TEST(time_stands_still_while_a_tick_on_the_pool_runs) {
    wtm_executor pool = { 0 };
    th_probe probe;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    advancer a = { th_manual(), 1000, 0, WTM_OK, TH_COUNTER_INIT };
    held(a.scheduler, pool, &probe, 100);
    pthread_t thread = th_thread(advance_on_a_thread, &a);
    th_probe_wait_holding(&probe);
    CHECK_U64(mono(a.scheduler), 100);
    CHECK_U64(probe.tick.now_ns, 100);
    CHECK(!th_counter_wait_for(&a.returned, 1, 5 * MS));
    CHECK_U64(mono(a.scheduler), 100);
    th_probe_let_go(&probe);
    th_join(thread);
    CHECK_STATUS(a.status, WTM_OK);
    CHECK_U64(a.ran, 10);
    CHECK_EQ(th_probe_ticks(&probe), 10);
    th_shutdown(a.scheduler);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

/* covers: stop.shutdown */
TEST(a_shutdown_while_advance_waits_for_the_pool_makes_it_answer_shut_down) {
    wtm_executor pool = { 0 };
    th_probe probe;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    advancer a = { th_manual(), 1000, 0, WTM_OK, TH_COUNTER_INIT };
    wtm_timer t = held(a.scheduler, pool, &probe, 100);
    pthread_t thread = th_thread(advance_on_a_thread, &a);
    th_probe_wait_holding(&probe);
    CHECK_STATUS(wtm_scheduler_shutdown(a.scheduler, MS), WTM_ERR_TIMED_OUT);
    CHECK(!wtm_timer_is_valid(t));
    th_probe_let_go(&probe);
    th_join(thread);
    CHECK_STATUS(a.status, WTM_ERR_SHUT_DOWN);
    CHECK_U64(a.ran, 0);
    th_probe_wait_released(&probe, 1);
    wtm_status status = wtm_scheduler_shutdown(a.scheduler, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_EQ(th_probe_ticks(&probe), 1);
    CHECK_EQ(probe.reason, WTM_REASON_SHUTDOWN);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static wtm_scheduler waited_for;

static void advance_what_waits_for_it(th_probe *probe) {
    uint64_t ran = 7;
    probe->user = (void *)(intptr_t)wtm_scheduler_advance(waited_for, 1, &ran);
    CHECK_U64(ran, 0);
}

TEST(a_tick_on_the_pool_cannot_advance_the_scheduler_that_waits_for_it) {
    wtm_executor pool = { 0 };
    th_probe probe;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    th_probe_init(&probe);
    probe.on_tick = advance_what_waits_for_it;
    waited_for = th_manual();
    wtm_timer_options options = th_options(&probe);
    options.executor = pool;
    CHECK_OK(wtm_timer_start(waited_for, &options, NULL));
    CHECK_U64(th_advance(waited_for, 10), 1);
    CHECK_EQ((intptr_t)probe.user, WTM_ERR_WOULD_DEADLOCK);
    th_shutdown(waited_for);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static void end_everything(th_probe *probe) { CHECK_OK(wtm_executor_shutdown(*(wtm_executor *)probe->user, TH_LIMIT)); }

/* An inline callback takes the pool down under its timers in the middle of an advance. */
TEST(a_pool_that_goes_down_meanwhile_refuses_and_time_goes_on) {
    wtm_executor pool = { 0 };
    th_probe probe, ender;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    wtm_scheduler s = th_manual();
    wtm_timer t = held(s, pool, &probe, 100);
    th_probe_let_go(&probe);
    th_probe_init(&ender);
    ender.on_tick = end_everything;
    ender.user = &pool;
    wtm_timer_options options = th_options(&ender);
    options.delay_ns = 250;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_advance(s, 1000);
    CHECK_U64(mono(s), 1000);
    CHECK_EQ(th_probe_ticks(&probe), 2);
    CHECK_U64(th_info(t).dropped, 8);
    th_shutdown(s);
    CHECK_EQ(th_probe_released(&probe), 1);
}
