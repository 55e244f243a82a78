/* Serial queues over a pool: everything in one queue is one after the other, in order; queues run beside each other. */
#include "time_record.h"

static struct {
    th_counter ticks;
    unsigned inside[2], overlaps, both;
    uint64_t order[4096];
    unsigned count;
    pthread_mutex_t lock;
} line = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void reset(void) {
    line.inside[0] = line.inside[1] = line.overlaps = line.both = line.count = 0;
    th_counter_init(&line.ticks);
}

/* context: the timer's number times two, plus its queue. */
static void busy(wtm_timer timer, const wtm_tick *tick, void *context) {
    uintptr_t queue = (uintptr_t)context & 1;
    (void)timer;
    (void)tick;
    if (__atomic_add_fetch(&line.inside[queue], 1, __ATOMIC_SEQ_CST) != 1)
        __atomic_add_fetch(&line.overlaps, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&line.inside[!queue], __ATOMIC_SEQ_CST)) __atomic_add_fetch(&line.both, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&line.lock);
    if (line.count < 4096) line.order[line.count++] = (uintptr_t)context >> 1;
    pthread_mutex_unlock(&line.lock);
    uint64_t until = th_now() + 50 * US;
    while (th_now() < until) continue;
    __atomic_sub_fetch(&line.inside[queue], 1, __ATOMIC_SEQ_CST);
    th_counter_add(&line.ticks, 1);
}

static void on(wtm_scheduler s, wtm_executor e, uintptr_t number, uintptr_t queue, uint64_t delay, uint64_t interval,
               wtm_target target) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = busy;
    options.context = (void *)(number * 2 + queue);
    options.executor = e;
    options.delay_ns = delay;
    options.interval_ns = interval;
    options.target = target;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
}

static const wtm_target no_target = { 0 };

/* covers: time.serial */
TEST(all_timers_of_a_queue_are_one_after_the_other) {
    wtm_executor pool = { 0 }, queue[2];
    CHECK_OK(wtm_executor_create_pool(4, NULL, &pool));
    for (int q = 0; q < 2; q++) CHECK_OK(wtm_executor_create_serial(pool, &queue[q]));
    wtm_scheduler s[2] = { th_real(), th_real() }; /* also from two schedulers */
    reset();
    for (uintptr_t i = 0; i < 20; i++) on(s[i / 2 % 2], queue[i % 2], i, i % 2, 0, 200 * US, no_target);
    th_counter_wait(&line.ticks, 3000);
    th_shutdown(s[0]);
    th_shutdown(s[1]);
    CHECK_EQ(line.overlaps, 0);
    for (int q = 0; q < 2; q++) CHECK_OK(wtm_executor_shutdown(queue[q], TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(a_queue_runs_in_the_order_of_handing_over) {
    wtm_executor pool = { 0 }, queue = { 0 };
    CHECK_OK(wtm_executor_create_pool(3, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &queue));
    wtm_scheduler s = th_host();
    reset();
    for (uintptr_t i = 0; i < 200; i++) on(s, queue, i, 0, 0, 0, no_target);
    uint32_t ran = 0;
    while (ran < 200) ran += th_run_due(s);
    th_counter_wait(&line.ticks, 200);
    for (unsigned i = 0; i < 200; i++) CHECK_U64(line.order[i], i);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(queue, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(a_targets_timers_on_one_queue_are_serialized_as_a_whole) {
    wtm_executor pool = { 0 }, queue = { 0 };
    wtm_target target = { 0 };
    CHECK_OK(wtm_executor_create_pool(4, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &queue));
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    wtm_scheduler s = th_real();
    reset();
    for (uintptr_t i = 0; i < 10; i++) on(s, queue, i, 0, 0, 100 * US, target);
    th_counter_wait(&line.ticks, 1000);
    CHECK_OK(wtm_target_close(target, TH_LIMIT));
    uint64_t at_close = th_counter_get(&line.ticks);
    CHECK_EQ(line.overlaps, 0);
    CHECK_EQ(line.inside[0], 0);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&line.ticks), at_close);
    CHECK_OK(wtm_executor_shutdown(queue, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(a_serial_queue_needs_a_pool) {
    wtm_executor pool = { 0 }, serial = { 0 }, made = { 7 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    CHECK_STATUS(wtm_executor_create_serial(serial, &made), WTM_ERR_INVALID); /* a live executor, but no pool */
    CHECK_U64(made.id, 0);
    CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    made.id = 7;
    CHECK_STATUS(wtm_executor_create_serial(pool, &made), WTM_ERR_GONE);
    CHECK_U64(made.id, 0);
    CHECK_STATUS(wtm_executor_shutdown(pool, TH_LIMIT), WTM_ERR_GONE);
    CHECK_STATUS(wtm_executor_shutdown(serial, TH_LIMIT), WTM_ERR_GONE);
}

TEST(the_queues_of_a_pool_that_is_down_refuse) {
    wtm_executor pool = { 0 }, serial = { 0 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 100, .executor = serial);
    th_advance(s, 100);
    CHECK_EQ(rec.count, 1);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    th_advance(s, 300);
    CHECK_EQ(rec.count, 1);
    CHECK_U64(th_info(t).dropped, 3);
    CHECK(wtm_timer_is_valid(t));
    CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
    th_advance(s, 100);
    CHECK_U64(th_info(t).dropped, 4);
    th_shutdown(s);
    CHECK_EQ(rec.released, 1);
}
