/* Callbacks that never return, that run a second, and hosts that look rarely.
 * covers: stop.timeout stop.nonblocking stop.shutdown time.missed time.fair world.exit life.release.once
 * field report: 22, 56, 82 */
#include "harness.h"

#include <stdatomic.h>

static th_counter inside = TH_COUNTER_INIT, others = TH_COUNTER_INIT, never = TH_COUNTER_INIT;

static void stuck(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    th_counter_add(&inside, 1);
    pthread_mutex_lock(&never.lock);
    while (never.value == 0) pthread_cond_wait(&never.changed, &never.lock);
    pthread_mutex_unlock(&never.lock);
}
static void other(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    th_counter_add(&others, 1);
}

/* The rest of the process goes on, every bounded wait ends, and so does the process. */
static void a_callback_never_returns(void *argument) {
    bool pooled = *(bool *)argument;
    wtm_scheduler s = th_real(), another = th_real();
    wtm_executor pool = { 0 };
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    wtm_timer bad, good, elsewhere;
    if (pooled) CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    o.fn = stuck;
    o.interval_ns = TH_MS;
    o.executor = pool;
    CHECK_OK(wtm_timer_start(s, &o, &bad));
    th_counter_wait(&inside, 1);
    CHECK_OK(wtm_timer_every(another, TH_MS, other, NULL, NULL, &elsewhere));
    CHECK_OK(wtm_timer_every(s, TH_MS, other, NULL, NULL, &good));
    th_counter_wait(&others, 10);
    CHECK_OK(wtm_timer_invalidate_and_wait(elsewhere, WTM_NEVER));
    if (pooled) th_counter_wait(&others, th_counter_get(&others) + 10); /* the scheduler's own thread is free */
    CHECK_OK(wtm_timer_invalidate_and_wait(good, WTM_NEVER));
    CHECK_EQ(th_info(bad).state, WTM_STATE_RUNNING);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(bad, 20 * TH_MS), WTM_ERR_TIMED_OUT);
    CHECK_STATUS(wtm_timer_invalidate(bad), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(bad, 0), WTM_ERR_TIMED_OUT);
    CHECK_STATUS(wtm_scheduler_shutdown(s, 20 * TH_MS), WTM_ERR_TIMED_OUT);
    if (pooled) CHECK_STATUS(wtm_executor_shutdown(pool, 20 * TH_MS), WTM_ERR_TIMED_OUT);
    CHECK_STATUS(wtm_timer_after(s, 0, other, NULL, NULL, NULL), WTM_ERR_SHUT_DOWN);
    th_shutdown(another);
    uint64_t before = th_counter_get(&others);
    CHECK_OK(wtm_timer_after(wtm_scheduler_default(), 1, other, NULL, NULL, NULL));
    th_counter_wait(&others, before + 1);
    exit(0);
}

TEST(a_callback_that_never_returns_holds_nobody_else_up) {
    for (int pooled = 0; pooled < 2; pooled++) {
        bool which = pooled != 0;
        CHECK_EQ(th_child(a_callback_never_returns, &which), 0);
    }
}

static th_counter slow_ended = TH_COUNTER_INIT;
static atomic_ullong missed, last_ordinal, count;
static void slow(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)context;
    CHECK_U64(tick->ordinal, atomic_load(&last_ordinal) + tick->missed + 1);
    atomic_store(&last_ordinal, tick->ordinal);
    atomic_fetch_add(&missed, tick->missed);
    if (atomic_fetch_add(&count, 1) == 0) {
        static th_counter second = TH_COUNTER_INIT;
        CHECK(!th_counter_wait_for(&second, 1, TH_SEC)); /* works for a second */
    }
    if (atomic_load(&count) == 3) th_counter_add(&slow_ended, 1);
}

/* Nothing is lost and nothing bursts: what was missed is counted, and the grid stands. */
TEST(a_callback_that_runs_a_second) {
    wtm_scheduler s = th_real();
    wtm_timer timer;
    CHECK_OK(wtm_timer_every(s, 10 * TH_MS, slow, NULL, NULL, &timer));
    th_counter_wait(&slow_ended, 1);
    CHECK(atomic_load(&missed) >= 98);
    wtm_timer_info info = th_info(timer);
    CHECK_GE(info.max_callback_ns, TH_SEC);
    CHECK_GE(info.missed, 98);
    CHECK_OK(wtm_timer_invalidate_and_wait(timer, WTM_NEVER));
    wtm_scheduler_stats stats = th_stats(s);
    CHECK_U64(stats.ended[WTM_REASON_INVALIDATED], 1);
    th_shutdown(s);
}

typedef struct rare {
    uint64_t ticks, missed, last, previous_scheduled;
    uint32_t policy;
} rare;
static void rare_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    rare *r = context;
    (void)timer;
    CHECK(tick->now_ns >= tick->scheduled_ns);
    CHECK_U64(tick->ordinal, r->last + tick->missed + 1);
    if (r->policy != WTM_MISSED_DELAY && r->previous_scheduled != 0) {
        CHECK_U64(tick->scheduled_ns - r->previous_scheduled, (tick->missed + 1) * TH_MS);
    }
    if (r->policy != WTM_MISSED_COALESCE) CHECK_U64(tick->missed, 0);
    r->previous_scheduled = tick->scheduled_ns;
    r->last = tick->ordinal;
    r->ticks++;
    r->missed += tick->missed;
}

/* A host that looks every 40 ms at timers of 1 ms. */
TEST(a_host_that_polls_rarely_loses_nothing) {
    wtm_scheduler s = th_host();
    rare timers[3];
    wtm_timer handles[3];
    static th_counter nobody = TH_COUNTER_INIT;
    memset(timers, 0, sizeof timers);
    uint64_t start = th_now();
    for (uint32_t policy = 0; policy < 3; policy++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        timers[policy].policy = policy;
        o.fn = rare_tick;
        o.context = &timers[policy];
        o.missed = policy;
        o.interval_ns = TH_MS;
        CHECK_OK(wtm_timer_start(s, &o, &handles[policy]));
    }
    for (int look = 0; look < 5; look++) {
        CHECK(!th_counter_wait_for(&nobody, 1, 40 * TH_MS));
        th_run_due(s);
    }
    while (th_run_due(s) != 0) continue; /* the bursts */
    uint64_t whole = (th_now() - start) / TH_MS;
    CHECK_GE(timers[WTM_MISSED_COALESCE].missed, 5 * 35);
    CHECK_GE(timers[WTM_MISSED_COALESCE].last, 5 * 39);
    CHECK_LE(timers[WTM_MISSED_COALESCE].last, whole);
    CHECK_GE(timers[WTM_MISSED_BURST].ticks, 5 * 39);
    CHECK_LE(timers[WTM_MISSED_BURST].ticks, whole);
    CHECK_LE(timers[WTM_MISSED_DELAY].ticks, whole);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_invalidate(handles[i]));
    wtm_scheduler_stats stats = th_stats(s);
    CHECK_U64(stats.created, stats.live + stats.ended[WTM_REASON_INVALIDATED]);
    th_shutdown(s);
}
