/* A storm of signals at 1 kHz, without SA_RESTART, on the program's threads while everything runs.
 * covers: time.never-early stop.wait stop.timeout world.threads life.release.once */
#include "harness.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static atomic_ulong signals;
static void on_signal(int number) {
    (void)number;
    atomic_fetch_add(&signals, 1);
}

static void storm(bool on) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    CHECK_SYS(sigaction(SIGUSR1, &action, NULL));
    struct itimerspec every = { { 0, on ? 1000000 : 0 }, { 0, on ? 1000000 : 0 } };
    static timer_t timer;
    static bool made;
    if (!made) {
        struct sigevent event;
        memset(&event, 0, sizeof event);
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGUSR1;
        CHECK_SYS(timer_create(CLOCK_MONOTONIC, &event, &timer));
        made = true;
    }
    CHECK_SYS(timer_settime(timer, 0, &every, NULL));
}

static atomic_uint early, releases;
static th_counter ticks = TH_COUNTER_INIT;
static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * TH_SEC + (uint64_t)now.tv_nsec;
    if (tick->now_ns < tick->scheduled_ns || ns < tick->scheduled_ns) atomic_fetch_add(&early, 1);
    th_counter_add(&ticks, 1);
}
static void release(void *context) {
    (void)context;
    atomic_fetch_add(&releases, 1);
}

static void *churn(void *argument) {
    wtm_scheduler s = *(wtm_scheduler *)argument;
    for (int i = 0; i < 2000; i++) {
        wtm_timer timer;
        CHECK_OK(wtm_timer_every(s, 100 * TH_US, tick, NULL, release, &timer));
        wtm_status status = wtm_timer_invalidate_and_wait(timer, WTM_NEVER);
        CHECK_MSG(status == WTM_OK, "wait answers %s", wtm_status_name(status));
    }
    return NULL;
}

TEST(everything_runs_in_a_storm) {
    storm(true);
    wtm_scheduler real = th_real();
    wtm_executor pool;
    CHECK_OK(wtm_executor_create_pool(2, "storm", &pool));
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    wtm_timer timers[2];
    o.fn = tick;
    o.release = release;
    o.interval_ns = TH_MS;
    CHECK_OK(wtm_timer_start(real, &o, &timers[0]));
    o.executor = pool;
    CHECK_OK(wtm_timer_start(real, &o, &timers[1]));
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) threads[i] = th_thread(churn, &real);
    for (int i = 0; i < 3; i++) th_join(threads[i]);
    th_counter_wait(&ticks, th_counter_get(&ticks) + 500);
    CHECK_OK(wtm_scheduler_shutdown(real, WTM_NEVER));
    CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
    storm(false);
    CHECK_EQ(atomic_load(&early), 0);
    CHECK_EQ(atomic_load(&releases), 6002);
    CHECK(atomic_load(&signals) > 100);
}

static th_probe held;

/* A bounded wait is neither shortened nor prolonged by signals. */
TEST(a_bounded_wait_keeps_its_bound) {
    th_probe_init(&held);
    th_probe_hold(&held);
    wtm_scheduler s = th_real();
    wtm_timer_options o = th_options(&held);
    wtm_timer timer;
    CHECK_OK(wtm_timer_start(s, &o, &timer));
    th_probe_wait_holding(&held);
    storm(true);
    for (int i = 0; i < 5; i++) {
        uint64_t before = th_now();
        CHECK_STATUS(wtm_timer_invalidate_and_wait(timer, 50 * TH_MS), WTM_ERR_TIMED_OUT);
        uint64_t took = th_now() - before;
        CHECK_GE(took, 50 * TH_MS);
        CHECK_LE(took, 10 * TH_SEC);
    }
    uint64_t before = th_now();
    CHECK_STATUS(wtm_scheduler_shutdown(s, 50 * TH_MS), WTM_ERR_TIMED_OUT);
    CHECK_GE(th_now() - before, 50 * TH_MS);
    storm(false);
    th_probe_let_go(&held);
    th_probe_wait_released(&held, 1);
    CHECK(wtm_scheduler_shutdown(s, WTM_NEVER) < 0);
}

/* The library's threads take none of the signals, so a host that waits in its own thread gets them all. */
TEST(a_host_driven_scheduler_in_a_storm) {
    storm(true);
    wtm_scheduler s = th_host();
    wtm_timer timer;
    uint64_t before = th_counter_get(&ticks);
    CHECK_OK(wtm_timer_every(s, 2 * TH_MS, tick, NULL, release, &timer));
    struct pollfd fd = { wtm_scheduler_fd(s), POLLIN, 0 };
    uint64_t until = th_now() + TH_LIMIT;
    while (th_counter_get(&ticks) < before + 100) {
        CHECK(th_now() < until);
        if (poll(&fd, 1, 1000) > 0) th_run_due(s);
    }
    storm(false);
    CHECK_OK(wtm_timer_invalidate(timer));
    th_shutdown(s);
    CHECK_EQ(atomic_load(&early), 0);
}
