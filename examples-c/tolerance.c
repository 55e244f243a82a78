/* What tolerance buys: wake-ups. A hundred repeating timers of a tenth of a second, begun at different
 * moments, for one second: how often did the thread have to wake, for different tolerances?
 *
 * The output is a table "tolerance wake-ups ticks", ready for a plotting program.
 *
 * covers: time.tolerance
 * field report: 66 */
#include <inttypes.h>
#include <weaktimer.h>

#include "common/example.h"

enum { TIMERS = 100, INTERVAL_MS = 100, TICKS = 10 };

static void nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }
static void ended(void *context) { latch_add(context); }

static uint64_t wakeups_with(uint64_t tolerance_ns) {
    wtm_scheduler scheduler;
    latch done = LATCH_INIT;
    SUCCEED(wtm_scheduler_create(NULL, &scheduler));
    for (int i = 0; i < TIMERS; i++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = nothing;
        options.context = &done;
        options.release = ended;
        options.delay_ns = MILLISECONDS(INTERVAL_MS) + MILLISECONDS(INTERVAL_MS) * (unsigned)i / TIMERS;
        options.interval_ns = MILLISECONDS(INTERVAL_MS);
        options.tolerance_ns = tolerance_ns;
        options.missed = WTM_MISSED_BURST;
        options.tick_limit = TICKS;
        SUCCEED(wtm_timer_start(scheduler, &options, NULL));
    }
    latch_wait(&done, TIMERS);
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    SUCCEED(wtm_scheduler_get_stats(scheduler, &stats));
    REQUIRE(stats.ticks == TIMERS * TICKS);
    SUCCEED(wtm_scheduler_shutdown(scheduler, WTM_NEVER));
    printf("%8.1f ms %10" PRIu64 " %8" PRIu64 "\n", (double)tolerance_ns / 1e6, stats.wakeups, stats.ticks);
    fflush(stdout);
    return stats.wakeups;
}

int main(void) {
    printf("# tolerance wake-ups    ticks\n");
    uint64_t exact = wakeups_with(0);
    wakeups_with(MILLISECONDS(1));
    wakeups_with(MILLISECONDS(5));
    wakeups_with(MILLISECONDS(20));
    uint64_t tolerant = wakeups_with(MILLISECONDS(50)); /* half the interval is the most that counts */
    REQUIRE(tolerant * 4 < exact);
    return EXIT_SUCCESS;
}
