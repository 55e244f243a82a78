/* The main job: an echo server that reaps its connections, under a real load.
 *
 * Each connection is a target with three timers bound to it: an idle timer that every read pushes back, a
 * keep-alive that repeats, and a hard limit to its life. Connections die at any moment: the peer closes or
 * resets, they fall idle, their time is up, or an administrator closes them from another thread. Nobody stops
 * a timer anywhere in this program. At the end the books are balanced, and a wrong balance is a failure.
 *
 * usage: idle_reaper [connections]      (4000 by default, fewer if the descriptors do not suffice)
 *
 * covers: life.eager life.release.once life.release.last life.borrow
 * field report: 8, 10 */
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include <weaktimer.h>

#include "load.h"
#include "server.h"

enum { CONNECTIONS_BY_DEFAULT = 4000, CONNECTIONS_AT_LEAST = 100, DESCRIPTORS_FOR_THE_REST = 64 };
#define REPORT_NS UINT64_C(500000000)
#define ADMIN_PAUSE_MS 2

struct report {
    struct ledger *ledger;
    wtm_scheduler scheduler;
    uint64_t started;
};

struct admin {
    struct ledger *ledger;
    int stop;
};

static void report_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    struct report *report = context;
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    (void)timer;
    wtm_scheduler_get_stats(report->scheduler, &stats);
    ledger_print(report->ledger, (double)(tick->now_ns - report->started) / 1e9, stats.live - 1, stats.ticks);
}

static void *admin_run(void *argument) {
    struct admin *admin = argument;
    struct pollfd stop = { .fd = admin->stop, .events = POLLIN };
    uint64_t random_state = 42;
    while (poll(&stop, 1, ADMIN_PAUSE_MS) <= 0) server_admin_close_one(admin->ledger, &random_state);
    return NULL;
}

/* A connection costs two descriptors here, since both of its ends live in this process. */
static size_t connections_possible(size_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return CONNECTIONS_AT_LEAST;
    rlim_t needed = (rlim_t)wanted * 2 + DESCRIPTORS_FOR_THE_REST;
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= needed) return wanted;
    return limit.rlim_cur > DESCRIPTORS_FOR_THE_REST ? (size_t)(limit.rlim_cur - DESCRIPTORS_FOR_THE_REST) / 2 : 0;
}

static size_t open_descriptors(void) {
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) return 0;
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

static void failed(const char *what) {
    fprintf(stderr, "idle_reaper: %s\n", what);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : CONNECTIONS_BY_DEFAULT;
    size_t connections = connections_possible(wanted);
    if (connections < CONNECTIONS_AT_LEAST) failed("too few connections: at least 100 are needed to meet every end");
    size_t descriptors = open_descriptors();

    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.name = "reaper";
    struct report report = { 0 };
    if (wtm_scheduler_create(&options, &report.scheduler) != WTM_OK) failed("no scheduler");
    report.started = wtm_scheduler_now(report.scheduler, WTM_CLOCK_MONOTONIC);

    struct ledger ledger = { 0 };
    struct server server = { 0 };
    if (!ledger_open(&ledger, connections)) failed("no memory");
    if (!server_start(&server, &ledger, report.scheduler)) failed("the server does not start");
    printf("Echo server on 127.0.0.1:%u, %zu clients\n", (unsigned)server.port, connections);

    wtm_timer reporting;
    report.ledger = &ledger;
    if (wtm_timer_every(report.scheduler, REPORT_NS, report_tick, &report, NULL, &reporting) != WTM_OK) failed("no timer");

    struct load load = { .port = server.port, .clients = connections };
    struct admin admin = { &ledger, eventfd(0, EFD_CLOEXEC) };
    pthread_t load_thread, admin_thread;
    if (pthread_create(&load_thread, NULL, load_run, &load) != 0) failed("no thread for the load");
    if (pthread_create(&admin_thread, NULL, admin_run, &admin) != 0) failed("no thread for the admin");
    pthread_join(load_thread, NULL);
    eventfd_write(admin.stop, 1);
    pthread_join(admin_thread, NULL);
    close(admin.stop);
    server_stop(&server);
    wtm_timer_invalidate_and_wait(reporting, WTM_NEVER); /* report is on the stack of main */

    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    wtm_scheduler_get_stats(report.scheduler, &stats);
    bool balanced = ledger_balance(&ledger, load.connected, stats.live);
    printf("  %llu ticks in %llu wake-ups, %zu bytes sent, %zu echoed\n", (unsigned long long)stats.ticks,
           (unsigned long long)stats.wakeups, load.sent, load.echoed);
    if (wtm_scheduler_shutdown(report.scheduler, WTM_NEVER) != WTM_OK) failed("the scheduler does not shut down");
    ledger_close(&ledger);
    if (!load.finished || load.connected != connections) failed("not every client was served to its end");
    if (load.wrong_bytes != 0 || load.echoed == 0) failed("the echo is wrong");
    if (open_descriptors() != descriptors) failed("descriptors are left over");
    printf(balanced ? "The balance is right.\n" : "THE BALANCE IS WRONG.\n");
    return balanced ? EXIT_SUCCESS : EXIT_FAILURE;
}
