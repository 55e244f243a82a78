/* Stops from every place: own callbacks on each executor, overlapping callbacks, log sinks, thread starts, visitors; waits under
 * signals and cancellation.
 * covers: stop.self stop.wait stop.shutdown stop.nonblocking
 * field report: 19, 21, 23, 24, 43 */
#include "harness.h"

#include <sched.h>
#include <signal.h>

static wtm_scheduler s;
static wtm_timer t;
static th_probe probe;
static wtm_status seen;

static void stop_self(th_probe *p) { seen = wtm_timer_invalidate_and_wait(p->timer, WTM_NEVER); }

TEST(an_own_callback_on_each_executor) {
    for (int which = 0; which < 4; which++) {
        static th_queue queue;
        wtm_executor pool = { 0 }, serial = { 0 };
        th_queue_init(&queue);
        CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
        CHECK_OK(wtm_executor_create_serial(pool, &serial));
        s = th_real();
        th_probe_init(&probe);
        probe.on_tick = stop_self;
        seen = WTM_OK;
        wtm_timer_options options = th_options(&probe);
        options.interval_ns = 1;
        if (which == 1) options.executor = pool;
        if (which == 2) options.executor = serial;
        if (which == 3) options.executor = queue.executor;
        CHECK_OK(wtm_timer_start(s, &options, &t));
        if (which == 3) {
            th_queue_wait(&queue, 1);
            th_queue_run(&queue, 1);
        }
        th_probe_wait_released(&probe, 1);
        CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
        CHECK_STR(probe.order, "tTer");
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
        CHECK_OK(wtm_executor_shutdown(queue.executor, TH_LIMIT));
    }
}

/* Two callbacks of one CONCURRENT timer are inside at once: a stop answers RUNNING, a wait covers both, the hook comes last. */
static pthread_barrier_t both_inside;
static void meet_and_stop(th_probe *p) {
    pthread_barrier_wait(&both_inside);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(p->timer, 0), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_timer_invalidate(p->timer), WTM_ERR_GONE);
    CHECK_EQ(p->released, 0);
    pthread_barrier_wait(&both_inside);
}
TEST(overlapping_callbacks_of_one_timer) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    s = th_real();
    th_probe_init(&probe);
    pthread_barrier_init(&both_inside, NULL, 2);
    probe.on_tick = meet_and_stop;
    wtm_timer_options options = th_options(&probe);
    options.interval_ns = TH_MS;
    options.executor = pool;
    options.flags = WTM_TIMER_CONCURRENT;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_probe_wait_released(&probe, 1);
    CHECK_EQ(probe.ticks, 2);
    CHECK_EQ(probe.most_inside, 2);
    CHECK_STR(probe.order, "ttTTer");
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(a_wait_from_outside_covers_all_overlapping_callbacks) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(3, NULL, &pool));
    s = th_manual();
    th_probe_init(&probe);
    wtm_scheduler real = th_real();
    th_probe_hold(&probe);
    wtm_timer_options options = th_options(&probe);
    options.interval_ns = TH_MS;
    options.executor = pool;
    options.flags = WTM_TIMER_CONCURRENT;
    CHECK_OK(wtm_timer_start(real, &options, &t));
    pthread_mutex_lock(&probe.lock);
    while (probe.inside < 3) pthread_cond_wait(&probe.changed, &probe.lock);
    pthread_mutex_unlock(&probe.lock);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_RUNNING);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, TH_MS), WTM_ERR_TIMED_OUT);
    th_probe_let_go(&probe);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STR(probe.order, "tttTTTer");
    th_shutdown(real), th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

/* From its log sink, its thread start and a clock-jump hook a scheduler's shutdown is told, and completes afterwards. */
static void shut_down_here(void *context) {
    (void)context;
    seen = wtm_scheduler_shutdown(s, WTM_NEVER);
}
static void log_and_shut_down(void *context, wtm_log_level level, const char *message) {
    (void)level, (void)message;
    if (seen == WTM_OK) shut_down_here(context);
}
static void count_release(void *context) { th_counter_add(context, 1); }

TEST(a_shutdown_from_the_log_sink) {
    th_counter released;
    th_counter_init(&released);
    th_probe_init(&probe);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    options.log = log_and_shut_down;
    options.context = &released;
    options.release = count_release;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    wtm_timer_options timer = th_options(&probe);
    timer.target = target;
    timer.name = "named";
    timer.delay_ns = 5;
    CHECK_OK(wtm_timer_start(s, &timer, NULL));
    seen = WTM_OK;
    CHECK_OK(wtm_target_release(target)); /* logged at INFO */
    CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
    CHECK_STR(probe.order, "er");
    wtm_status status = wtm_scheduler_shutdown(s, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_U64(th_counter_get(&released), 1);
}

static th_counter handle_known, thread_started;
static void shut_down_at_thread_start(void *context) {
    th_counter_wait(&handle_known, 1);
    shut_down_here(context);
    th_counter_add(&thread_started, 1);
}
TEST(a_shutdown_from_on_thread_start) {
    th_counter released;
    th_counter_init(&released);
    th_counter_init(&handle_known);
    th_counter_init(&thread_started);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.on_thread_start = shut_down_at_thread_start;
    options.context = &released;
    options.release = count_release;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    th_counter_add(&handle_known, 1);
    th_counter_wait(&thread_started, 1);
    CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
    wtm_status status = wtm_scheduler_shutdown(s, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    th_counter_wait(&released, 1);
}

static bool visit_and_stop(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)info;
    ++*(unsigned *)context;
    CHECK_OK(wtm_timer_invalidate_and_wait(timer, WTM_NEVER));
    return true;
}
TEST(a_visitor_stops_what_it_visits) {
    s = th_manual();
    th_probe_init(&probe);
    unsigned visited = 0;
    for (int i = 0; i < 10; i++) CHECK_OK(wtm_timer_every(s, 5, th_tick, &probe, th_release, NULL));
    CHECK_OK(wtm_scheduler_for_each(s, visit_and_stop, &visited));
    CHECK_EQ(visited, 10);
    CHECK_EQ(probe.released, 10);
    CHECK_U64(th_stats(s).live, 0);
    th_shutdown(s);
}

static void *run_advance(void *argument) {
    CHECK_OK(wtm_scheduler_advance(*(wtm_scheduler *)argument, 1, NULL));
    return NULL;
}
static void begin_held(pthread_t *helper) {
    s = th_manual();
    th_probe_init(&probe);
    th_probe_hold(&probe);
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, &t));
    *helper = th_thread(run_advance, &s);
    th_probe_wait_holding(&probe);
}

static void nothing(int number) { (void)number; }
static void *wait_here(void *argument) {
    *(wtm_status *)argument = wtm_timer_invalidate_and_wait(t, WTM_NEVER);
    CHECK_EQ(th_probe_released(&probe), 1);
    return NULL;
}

TEST(signals_do_not_end_a_wait) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = nothing; /* no SA_RESTART: system calls are interrupted */
    sigaction(SIGUSR1, &action, &before);
    pthread_t helper;
    begin_held(&helper);
    wtm_status status = WTM_ERR_SYSTEM;
    pthread_t waiter = th_thread(wait_here, &status);
    while (wtm_timer_is_valid(t)) sched_yield();
    for (int i = 0; i < 200; i++) {
        CHECK_EQ(pthread_kill(waiter, SIGUSR1), 0);
        sched_yield();
    }
    th_probe_let_go(&probe);
    th_join(waiter);
    th_join(helper);
    CHECK_OK(status);
    sigaction(SIGUSR1, &before, NULL);
    th_shutdown(s);
}

static th_counter wait_over;
static void *wait_and_be_cancelled(void *argument) {
    *(wtm_status *)argument = wtm_timer_invalidate_and_wait(t, WTM_NEVER);
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    th_counter_add(&wait_over, 1);
    pthread_setcancelstate(old, NULL);
    pthread_testcancel();
    return NULL;
}

TEST(waits_are_not_cancellation_points) {
    pthread_t helper;
    begin_held(&helper);
    th_counter_init(&wait_over);
    wtm_status status = WTM_ERR_SYSTEM;
    pthread_t waiter = th_thread(wait_and_be_cancelled, &status);
    while (wtm_timer_is_valid(t)) sched_yield();
    CHECK_EQ(pthread_cancel(waiter), 0);
    CHECK(!th_counter_wait_for(&wait_over, 1, 20 * TH_MS));
    th_probe_let_go(&probe);
    th_counter_wait(&wait_over, 1);
    CHECK(th_join(waiter) == PTHREAD_CANCELED);
    th_join(helper);
    CHECK_OK(status);
    th_shutdown(s);
}
