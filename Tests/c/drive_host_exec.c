/* Host-driven schedulers with executors, and driving from callbacks on pool threads. */
#include "exec_hand.h"
#include "time_record.h"

#include <poll.h>

static bool readable(wtm_scheduler s, int timeout_ms) {
    struct pollfd p = { wtm_scheduler_fd(s), POLLIN, 0 };
    int n;
    while ((n = poll(&p, 1, timeout_ms)) < 0 && errno == EINTR) continue;
    return n == 1;
}

TEST(a_tick_that_is_queued_or_running_does_not_keep_the_descriptor_readable) {
    wtm_scheduler s = th_host();
    wtm_executor pool = { 0 };
    th_probe running, queued;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    th_probe_init(&running);
    th_probe_init(&queued);
    th_probe_hold(&running);
    wtm_timer_options options = th_options(&running);
    options.executor = pool;
    options.interval_ns = MS;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK(readable(s, 60000));
    CHECK_EQ(th_run_due(s), 1);
    th_probe_wait_holding(&running);
    options.context = &queued;
    options.interval_ns = 0;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_EQ(th_run_due(s), 1);
    CHECK(!readable(s, 20)); /* although the next tick of the first one has long been due */
    th_probe_let_go(&running);
    th_probe_wait_ticks(&queued, 1);
    CHECK(readable(s, 60000)); /* and now there is something to hand over again */
    CHECK_EQ(th_run_due(s), 1);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(run_due_counts_what_it_hands_over) {
    hand h;
    wtm_scheduler s = th_host();
    wtm_executor e = hand_executor(&h);
    uint32_t ran = 7;
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
    for (int i = 0; i < 5; i++) START(s, .delay_ns = 0, .executor = e);
    CHECK_OK(wtm_scheduler_run_due(s, 2, &ran));
    CHECK_EQ(ran, 2);
    CHECK_EQ(hand_waiting(&h), 2);
    CHECK_EQ(th_run_due(s), 3);
    CHECK_EQ(rec.count, 0);
    hand_run_all(&h);
    CHECK_EQ(rec.count, 5);
    CHECK_EQ(rec.released, 5);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

static wtm_scheduler driven;
static wtm_status answers[3];

static void drive_from_a_pool(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t ran64 = 7;
    uint32_t ran = 7;
    (void)timer;
    (void)tick;
    if (context != NULL) {
        answers[0] = wtm_scheduler_advance(driven, 5, &ran64);
        CHECK_U64(ran64, 0);
    } else {
        answers[1] = wtm_scheduler_run_due(driven, 0, &ran);
        CHECK_EQ(ran, 0);
    }
}

TEST(from_a_callback_on_a_pool_driving_its_own_scheduler_would_deadlock) {
    wtm_executor pool = { 0 };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    driven = th_manual();
    options.fn = drive_from_a_pool;
    options.executor = pool;
    options.context = &driven;
    CHECK_OK(wtm_timer_start(driven, &options, NULL));
    CHECK_U64(th_advance(driven, 0), 1);
    CHECK_EQ(answers[0], WTM_ERR_WOULD_DEADLOCK);
    th_shutdown(driven);
    driven = th_host();
    options.context = NULL;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(driven, &options, &t));
    CHECK_EQ(th_run_due(driven), 1);
    wtm_status status = wtm_timer_invalidate_and_wait(t, WTM_NEVER); /* not stopped before it ran: wait for it */
    if (status == WTM_ERR_GONE) CHECK_EQ(answers[1], WTM_ERR_WOULD_DEADLOCK);
    th_shutdown(driven);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

/* covers: stop.shutdown */
TEST(shutdown_of_a_host_driven_scheduler_runs_the_hooks_without_the_host) {
    wtm_scheduler s = th_host();
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
    for (int i = 0; i < 10; i++) START(s, .delay_ns = (uint64_t)i);
    th_shutdown(s);
    CHECK_EQ(rec.count, 0);
    CHECK_EQ(rec.ended, 10);
    CHECK_EQ(rec.released, 10);
    CHECK_EQ(rec.reason, WTM_REASON_SHUTDOWN);
    uint32_t ran = 7;
    CHECK_STATUS(wtm_scheduler_run_due(s, 0, &ran), WTM_ERR_GONE);
    CHECK_EQ(ran, 0);
}
