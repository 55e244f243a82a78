/* A table of the live timers, refreshed, as top(1) does it for processes: wtm_scheduler_for_each() walks them in
 * order of creation, and each row is what wtm_timer_get_info() would give.
 *
 * usage: top [refreshes]      (5 by default, five a second)
 *
 * covers: life.unlocked
 * field report: 92 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include <weaktimer.h>

#include "common/example.h"

static const char *const states[] = { "armed", "paused", "queued", "running", "idle" };

typedef struct table {
    wtm_scheduler scheduler; /* whose timers are shown; the table's own timer lives elsewhere */
    int refreshes, wanted;
    int rows;
    latch finished;
} table;

static void print_next(uint64_t next, uint64_t now) {
    if (next == WTM_NEVER) {
        printf("%12s", "never");
    } else {
        printf("%9.1f ms", next > now ? (double)(next - now) / 1e6 : 0.0);
    }
}

static bool print_row(wtm_timer timer, const wtm_timer_info *info, void *context) {
    table *t = context;
    REQUIRE(wtm_timer_is_valid(timer)); /* every call is allowed here */
    REQUIRE(info->state <= WTM_STATE_IDLE);
    printf("%-16s %-8s", info->name[0] ? info->name : "(no name)", states[info->state]);
    print_next(info->next_ns, wtm_scheduler_now(t->scheduler, (wtm_clock)info->clock));
    printf(" %9.1f ms %7" PRIu64 " %7" PRIu64 " %9.3f ms\n", (double)info->interval_ns / 1e6, info->ticks, info->missed,
           (double)info->max_lateness_ns / 1e6);
    t->rows++;
    return true; /* go on */
}

static void refresh(wtm_timer timer, const wtm_tick *tick, void *context) {
    table *t = context;
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    SUCCEED(wtm_scheduler_get_stats(t->scheduler, &stats));
    if (isatty(STDOUT_FILENO)) printf("\033[H\033[2J");
    printf("%" PRIu64 " live, %" PRIu64 " created, %" PRIu64 " ticks, %" PRIu64 " wake-ups\n", stats.live, stats.created,
           stats.ticks, stats.wakeups);
    printf("%-16s %-8s%12s %12s %7s %7s %12s\n", "NAME", "STATE", "NEXT", "INTERVAL", "TICKS", "MISSED", "WORST");
    t->rows = 0;
    SUCCEED(wtm_scheduler_for_each(t->scheduler, print_row, t));
    printf("\n");
    fflush(stdout);
    (void)tick;
    if (++t->refreshes == t->wanted) wtm_timer_invalidate(timer);
}

static void finished(void *context) { latch_add(&((table *)context)->finished); }

static void nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }

/* Something to look at. */
static wtm_timer start(wtm_scheduler scheduler, const char *name, uint64_t delay, uint64_t interval, uint32_t flags) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer timer;
    options.flags = flags;
    options.fn = nothing;
    options.delay_ns = delay;
    options.interval_ns = interval;
    options.name = name;
    SUCCEED(wtm_timer_start(scheduler, &options, &timer));
    return timer;
}

int main(int argc, char **argv) {
    table t = { .wanted = argc > 1 ? atoi(argv[1]) : 5, .finished = LATCH_INIT };
    REQUIRE(t.wanted > 0);
    SUCCEED(wtm_scheduler_create(NULL, &t.scheduler));
    start(t.scheduler, "heartbeat", 0, MILLISECONDS(20), 0);
    start(t.scheduler, "flush", 0, MILLISECONDS(50), 0);
    start(t.scheduler, "session timeout", SECONDS(3600), 0, 0);
    wtm_timer paused = start(t.scheduler, "paused", 0, SECONDS(1), WTM_TIMER_PAUSED);
    start(t.scheduler, "debounce", MILLISECONDS(30), 0, WTM_TIMER_KEEP); /* idle after its tick */
    start(t.scheduler, NULL, SECONDS(60), 0, 0);

    SUCCEED(wtm_timer_every(DEFAULT_SCHEDULER, MILLISECONDS(200), refresh, &t, finished, NULL));
    latch_wait(&t.finished, 1);

    REQUIRE(t.refreshes == t.wanted);
    REQUIRE(t.rows == 6);
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    SUCCEED(wtm_timer_get_info(paused, &info));
    REQUIRE(strcmp(info.name, "paused") == 0 && info.state == WTM_STATE_PAUSED && info.next_ns == WTM_NEVER);
    SUCCEED(wtm_scheduler_shutdown(t.scheduler, WTM_NEVER));
    return EXIT_SUCCESS;
}
