/* A timer that is always late does not starve others on a pool of one thread, nor on a serial queue, nor the shutdown of either.
 */
#include "time_record.h"

/* covers: time.fair */
static void greedy(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t until = th_now() + 200 * US;
    (void)timer;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    while (th_now() < until) continue;
    th_counter_add(context, 1);
}

static void modest(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    th_counter_add(context, 1);
}

static void start(wtm_scheduler s, wtm_executor e, wtm_tick_fn fn, th_counter *counter, uint64_t interval, uint32_t policy) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = fn;
    options.context = counter;
    options.executor = e;
    options.interval_ns = interval;
    options.missed = policy;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
}

/* Where the greedy timers run, and where the modest ones: 0 the pool itself, 1 a queue, 2 another queue. */
static void run(int greedy_at, int modest_at, uint32_t policy) {
    wtm_executor e[3];
    th_counter greedy_ticks = TH_COUNTER_INIT, modest_ticks[3] = { TH_COUNTER_INIT, TH_COUNTER_INIT, TH_COUNTER_INIT };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &e[0]));
    for (int i = 1; i < 3; i++) CHECK_OK(wtm_executor_create_serial(e[0], &e[i]));
    wtm_scheduler s = th_real();
    for (int i = 0; i < 2; i++) start(s, e[greedy_at], greedy, &greedy_ticks, 1, policy);
    for (int i = 0; i < 3; i++) start(s, e[modest_at], modest, &modest_ticks[i], 2 * MS, WTM_MISSED_COALESCE);
    for (int i = 0; i < 3; i++) th_counter_wait(&modest_ticks[i], 15);
    th_counter_wait(&greedy_ticks, 10);
    CHECK_OK(wtm_executor_shutdown(e[greedy_at], TH_LIMIT));
    th_shutdown(s);
    for (int i = 2; i >= 0; i--) {
        if (i != greedy_at) CHECK_OK(wtm_executor_shutdown(e[i], TH_LIMIT));
    }
}

TEST(on_one_pool) { run(0, 0, WTM_MISSED_COALESCE); }
TEST(in_one_queue) { run(1, 1, WTM_MISSED_BURST); }
TEST(beside_another_queue) { run(1, 2, WTM_MISSED_BURST); }
TEST(a_queue_beside_its_pool) { run(1, 0, WTM_MISSED_DELAY); }
TEST(a_pool_beside_its_queue) { run(0, 1, WTM_MISSED_BURST); }
