/* Timers whose callbacks may overlap, and the bound on how many do. */
#include "time_record.h"

enum { THREADS = 3 };

static struct {
    th_counter entered, left;
    unsigned inside, most;
    bool open;
    pthread_mutex_t lock;
    pthread_cond_t opened;
    uint64_t ordinals, missed, last_scheduled;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER };

static void reset(void) {
    th_counter_init(&all.entered);
    th_counter_init(&all.left);
    all.inside = all.most = 0;
    all.open = false;
    all.ordinals = all.missed = 0;
}

static void overlap(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    pthread_mutex_lock(&all.lock);
    if (++all.inside > all.most) all.most = all.inside;
    if (tick->ordinal > all.ordinals) all.ordinals = tick->ordinal;
    all.missed += tick->missed;
    pthread_mutex_unlock(&all.lock);
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    th_counter_add(&all.entered, 1);
    pthread_mutex_lock(&all.lock);
    while (!all.open) pthread_cond_wait(&all.opened, &all.lock);
    all.inside--;
    pthread_mutex_unlock(&all.lock);
    th_counter_add(&all.left, 1);
}

static void open_all(void) {
    pthread_mutex_lock(&all.lock);
    all.open = true;
    pthread_cond_broadcast(&all.opened);
    pthread_mutex_unlock(&all.lock);
}

static wtm_timer concurrent(wtm_scheduler s, wtm_executor pool, uint32_t policy) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    options.fn = overlap;
    options.executor = pool;
    options.flags = WTM_TIMER_CONCURRENT;
    options.interval_ns = MS;
    options.missed = policy;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

/* covers: time.serial time.missed */
/* field report: 52 */
TEST(callbacks_overlap_up_to_the_threads_of_the_pool_and_no_further) {
    static const uint32_t policies[] = { WTM_MISSED_COALESCE, WTM_MISSED_BURST, WTM_MISSED_DELAY };
    for (int p = 0; p < 3; p++) {
        wtm_executor pool = { 0 };
        CHECK_OK(wtm_executor_create_pool(THREADS, NULL, &pool));
        wtm_scheduler s = th_real();
        reset();
        wtm_timer t = concurrent(s, pool, policies[p]);
        th_counter_wait(&all.entered, THREADS); /* all of them are inside at once */
        CHECK(!th_counter_wait_for(&all.entered, THREADS + 1, 20 * MS));
        open_all();
        th_counter_wait(&all.left, 50);
        wtm_status status = wtm_timer_invalidate_and_wait(t, WTM_NEVER);
        CHECK_EQ(status, WTM_OK);
        CHECK_EQ(all.inside, 0);
        CHECK_EQ(all.most, THREADS);
        wtm_scheduler_stats stats = th_stats(s);
        CHECK_U64(stats.missed, all.missed);
        if (policies[p] == WTM_MISSED_COALESCE) CHECK_GE(all.missed, 10); /* what passed while none was free */
        else CHECK_U64(all.missed, 0);
        if (policies[p] == WTM_MISSED_BURST) CHECK_LE(all.ordinals, stats.ticks + THREADS);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}

TEST(a_second_timer_still_gets_its_turn) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    wtm_scheduler s = th_real();
    th_probe probe;
    th_probe_init(&probe);
    reset();
    open_all();
    concurrent(s, pool, WTM_MISSED_BURST);
    wtm_timer_options options = th_options(&probe);
    options.executor = pool;
    options.interval_ns = MS;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_probe_wait_ticks(&probe, 30);
    th_shutdown(s);
    CHECK_EQ(probe.most_inside, 1);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static void *invalidate_on_a_thread(void *argument) {
    return (void *)(intptr_t)wtm_timer_invalidate_and_wait(*(wtm_timer *)argument, WTM_NEVER);
}

/* covers: stop.none-after stop.wait */
TEST(stop_and_wait_waits_for_all_that_overlap) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(THREADS, NULL, &pool));
    wtm_scheduler s = th_real();
    reset();
    wtm_timer t = concurrent(s, pool, WTM_MISSED_COALESCE);
    th_counter_wait(&all.entered, THREADS);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT);
    CHECK(!wtm_timer_is_valid(t));
    pthread_t waiter = th_thread(invalidate_on_a_thread, &t);
    CHECK_U64(th_counter_get(&all.left), 0);
    open_all();
    CHECK_EQ((intptr_t)th_join(waiter), WTM_ERR_GONE);
    CHECK_U64(th_counter_get(&all.left), THREADS);
    CHECK_U64(th_counter_get(&all.entered), THREADS);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

/* covers: time.manual */
TEST(under_manual_time_each_tick_is_waited_for) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(THREADS, NULL, &pool));
    wtm_scheduler s = th_manual();
    reset();
    open_all();
    concurrent(s, pool, WTM_MISSED_COALESCE);
    CHECK_U64(th_advance(s, 100 * MS), 100);
    CHECK_U64(th_counter_get(&all.left), 100);
    CHECK_U64(all.ordinals, 100);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static void count_release(void *context) {
    (void)context;
    CHECK_EQ(all.inside, 0);
    th_counter_add(&all.left, 1000);
}

TEST(a_limit_counts_all_that_overlap_and_the_last_to_return_ends_it) {
    wtm_executor pool = { 0 };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_executor_create_pool(THREADS, NULL, &pool));
    wtm_scheduler s = th_real();
    reset();
    options.fn = overlap;
    options.release = count_release;
    options.executor = pool;
    options.flags = WTM_TIMER_CONCURRENT;
    options.interval_ns = MS;
    options.missed = WTM_MISSED_BURST;
    options.tick_limit = THREADS;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_counter_wait(&all.entered, THREADS);
    CHECK(wtm_timer_is_valid(t));
    CHECK(!th_counter_wait_for(&all.left, 1, 10 * MS));
    open_all();
    th_counter_wait(&all.left, 1000 + THREADS);
    CHECK_U64(th_counter_get(&all.entered), THREADS);
    CHECK_U64(all.ordinals, THREADS);
    CHECK(!wtm_timer_is_valid(t));
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static void stop_it(wtm_timer timer, const wtm_tick *tick, void *context) {
    if (tick->ordinal == THREADS) {
        th_counter_wait(&all.entered, THREADS - 1); /* the others are inside, and stay there */
        CHECK_STATUS(wtm_timer_invalidate(timer), WTM_RUNNING);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(timer, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
        CHECK_EQ(all.inside, THREADS - 1);
        open_all();
        return;
    }
    overlap(timer, tick, context);
}

/* covers: stop.self life.release.last */
TEST(one_of_several_callbacks_may_stop_the_timer) {
    wtm_executor pool = { 0 };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    CHECK_OK(wtm_executor_create_pool(THREADS, NULL, &pool));
    wtm_scheduler s = th_real();
    reset();
    options.fn = stop_it;
    options.release = count_release;
    options.executor = pool;
    options.flags = WTM_TIMER_CONCURRENT;
    options.interval_ns = MS;
    options.missed = WTM_MISSED_BURST;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_counter_wait(&all.left, 1000 + THREADS - 1);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&all.left), 1000 + THREADS - 1);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}
