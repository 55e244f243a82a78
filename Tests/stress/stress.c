/* Stress: eight threads start, stop, stop and wait, move, fire and end targets at random, in callbacks and hooks too. For each
 * timer ever started exactly one release hook, no callback after a stop returned, no overlap, none after the target's hook.
 *
 *     stress [seconds] [seed]
 *
 * covers: life.release.once life.release.last life.eager life.weak life.borrow life.unlocked stop.none-after stop.wait stop.self
 * covers: time.serial
 * field report: 5, 8, 10, 43, 46, 52 */
#include "stress.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { worker_count = 8 };

wtm_scheduler schedulers[scheduler_count];
wtm_executor pool, serial_queue;
atomic_bool shutting_down;
uint64_t run_seed;
static _Atomic(uint64_t) threads_seeded;
static _Thread_local uint64_t state;

void fail(const char *file, int line, const char *what, long long value) {
    fprintf(stderr, "%s:%d: false: %s (%lld), seed %llu\n", file, line, what, value, (unsigned long long)run_seed);
    fflush(stderr);
    _exit(1);
}

void seed_thread(uint64_t seed) {
    /* Spreads small seeds over all bits, and never gives the zero that xorshift would be stuck in. */
    uint64_t mixed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    state = (mixed ^ mixed >> 27) | 1;
}

uint64_t random_number(void) {
    if (state == 0) seed_thread(run_seed + 1000 + atomic_fetch_add(&threads_seeded, 1));
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state >> 8;
}

static uint64_t seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec;
}

static uint64_t end_time;
static void *work(void *argument) {
    seed_thread(run_seed + (uint64_t)(uintptr_t)argument);
    while (seconds_now() < end_time) {
        for (int i = 0; i < 200; i++) operate(false);
    }
    return NULL;
}

/* Keeps the manual and the host-driven scheduler going. It waits in callbacks alone, so that whoever waits for them gets on. */
static void *drive_on(void *argument) {
    uintptr_t which = (uintptr_t)argument;
    wtm_status status;
    do {
        must_not_wait = false;
        if (which == manual_scheduler) {
            status = wtm_scheduler_advance(schedulers[which], random_below(50000), NULL);
        } else {
            struct pollfd readable = { wtm_scheduler_fd(schedulers[which]), POLLIN, 0 };
            (void)poll(&readable, 1, 1);
            status = wtm_scheduler_run_due(schedulers[which], 0, NULL);
        }
        must_not_wait = true;
        for (int i = 0; i < 20; i++) operate_without_waiting();
        if (which == manual_scheduler && status == WTM_ERR_WOULD_DEADLOCK) status = WTM_OK; /* see drive() */
    } while (status == WTM_OK);
    REQUIRE_VALUE(atomic_load(&shutting_down) && (status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN), status);
    return NULL;
}

/* The log sink is user code like any other. */
static void on_log(void *context, wtm_log_level level, const char *message) {
    (void)context;
    REQUIRE(level <= WTM_LOG_ERROR && message != NULL);
    if (random_below(50) == 0) operate(true);
}

static void on_alarm(int number) {
    (void)number;
    static const char text[] = "stress: hung\n";
    if (write(2, text, sizeof text - 1) < 0) _exit(125);
    _exit(124);
}

static uint64_t live_on_schedulers(void) {
    uint64_t live = 0;
    for (int i = 0; i < scheduler_count; i++) {
        wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
        wtm_status status = wtm_scheduler_get_stats(schedulers[i], &stats);
        REQUIRE_VALUE(status == WTM_OK, status);
        uint64_t sum = stats.live;
        for (int k = 0; k < 5; k++) sum += stats.ended[k];
        REQUIRE_VALUE(sum == stats.created, sum);
        live += stats.live;
    }
    return live;
}

int main(int count, char **arguments) {
    uint64_t seconds = count > 1 ? strtoull(arguments[1], NULL, 10) : 10;
    run_seed = count > 2 ? strtoull(arguments[2], NULL, 10) : (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
    printf("stress: %llu s, seed %llu\n", (unsigned long long)seconds, (unsigned long long)run_seed);
    fflush(stdout);
    signal(SIGALRM, on_alarm);
    alarm((unsigned)seconds + 120);
    seed_thread(run_seed + 999);

    REQUIRE(wtm_executor_create_pool(4, "stress-pool", &pool) == WTM_OK);
    REQUIRE(wtm_executor_create_serial(pool, &serial_queue) == WTM_OK);
    for (int i = 0; i < scheduler_count; i++) {
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        options.drive = i == manual_scheduler ? WTM_DRIVE_MANUAL : i == host_scheduler ? WTM_DRIVE_HOST : WTM_DRIVE_THREAD;
        options.log = on_log;
        options.log_level = WTM_LOG_DEBUG;
        if (i == 1) options.executor = pool;
        REQUIRE(wtm_scheduler_create(&options, &schedulers[i]) == WTM_OK);
    }
    for (uint64_t i = 0; i < target_cells; i++) target_cell_swap(i, host_create());

    end_time = seconds_now() + seconds;
    pthread_t workers[worker_count];
    for (uintptr_t i = 0; i < worker_count; i++) REQUIRE(pthread_create(&workers[i], NULL, work, (void *)i) == 0);
    pthread_t drivers[2];
    for (uintptr_t i = 0; i < 2; i++) REQUIRE(pthread_create(&drivers[i], NULL, drive_on, (void *)(manual_scheduler + i)) == 0);
    for (int i = 0; i < worker_count; i++) REQUIRE(pthread_join(workers[i], NULL) == 0);
    uint64_t live = live_on_schedulers();

    atomic_store(&shutting_down, true);
    /* Half of the end is orderly, half is left to the shutdowns. */
    for (uint64_t i = 0; i < timer_cells; i++) {
        record *r = cell_swap(i, NULL);
        if (r != NULL && i % 2) check_wait(r, wtm_timer_invalidate_and_wait(r->timer, WTM_NEVER), false);
        record_drop(r);
    }
    for (int i = 0; i < scheduler_count; i++) {
        wtm_status status = wtm_scheduler_shutdown(schedulers[i], WTM_NEVER);
        REQUIRE_VALUE(status == WTM_OK, status);
    }
    for (int i = 0; i < 2; i++) REQUIRE(pthread_join(drivers[i], NULL) == 0);
    wtm_status status = wtm_executor_shutdown(serial_queue, WTM_NEVER);
    REQUIRE_VALUE(status == WTM_OK, status);
    status = wtm_executor_shutdown(pool, WTM_NEVER);
    REQUIRE_VALUE(status == WTM_OK, status);
    for (uint64_t i = 0; i < timer_cells; i++) record_drop(cell_swap(i, NULL)); /* put there by hooks of the shutdowns */
    for (uint64_t i = 0; i < target_cells; i++) {
        host *h = target_cell_swap(i, NULL);
        REQUIRE(wtm_target_release(h->target) == WTM_OK);
        host_drop(h);
    }

    printf("%llu operations, %llu timers, %llu ticks, %llu targets, %llu waits answered WOULD_DEADLOCK, %llu live at the end\n",
           (unsigned long long)atomic_load(&operations), (unsigned long long)atomic_load(&started),
           (unsigned long long)atomic_load(&ticked), (unsigned long long)atomic_load(&targets_made),
           (unsigned long long)atomic_load(&told_deadlock), (unsigned long long)live);
    REQUIRE_VALUE(atomic_load(&released_all) == atomic_load(&started), atomic_load(&released_all));
    REQUIRE_VALUE(atomic_load(&ended_all) == atomic_load(&started), atomic_load(&ended_all));
    REQUIRE_VALUE(atomic_load(&targets_hooked) == atomic_load(&targets_made), atomic_load(&targets_hooked));
    REQUIRE_VALUE(atomic_load(&records_live) == 0, atomic_load(&records_live));
    if (seconds > 0) REQUIRE(atomic_load(&ticked) > 0);
    return 0;
}
