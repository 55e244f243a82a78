/* A repeating timer with all that the options can say: interval, tolerance, a limit, a name, and both hooks.
 *
 * Ticks lie on a grid: tick k is due at first + (k - 1) * interval, whatever the callbacks cost. A callback
 * that comes late stands for the ticks that it missed, and says how many.
 *
 * covers: time.no-drift time.never-early time.missed
 * field report: 59 */
#include <weaktimer.h>

#include "common/example.h"

enum { TICKS = 6, INTERVAL_MS = 5 };

typedef struct metronome {
    uint64_t first;        /* ideal time of tick 1 */
    uint64_t last_ordinal; /* of the tick before */
    int callbacks;
    wtm_reason reason;
    latch ended;
} metronome;

static void beat(wtm_timer timer, const wtm_tick *tick, void *context) {
    metronome *m = context;
    (void)timer;
    if (m->first == 0) m->first = tick->scheduled_ns - (tick->ordinal - 1) * MILLISECONDS(INTERVAL_MS);
    m->callbacks++;
    printf("tick %llu, %llu missed, %.3f ms late\n", (unsigned long long)tick->ordinal, (unsigned long long)tick->missed,
           (double)(tick->now_ns - tick->scheduled_ns) / 1e6);

    /* Nothing drifts and nothing is lost from the count, even if this machine is busy. */
    REQUIRE(tick->scheduled_ns == m->first + (tick->ordinal - 1) * MILLISECONDS(INTERVAL_MS));
    REQUIRE(tick->ordinal == m->last_ordinal + 1 + tick->missed);
    REQUIRE(tick->now_ns >= tick->scheduled_ns);
    m->last_ordinal = tick->ordinal;
}

static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    metronome *m = context;
    (void)timer;
    m->reason = reason;
}

static void released(void *context) {
    metronome *m = context;
    latch_add(&m->ended);
}

int main(void) {
    metronome m = { .ended = LATCH_INIT };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = beat;
    options.context = &m;
    options.ended = ended;
    options.release = released;
    options.interval_ns = MILLISECONDS(INTERVAL_MS);
    options.tolerance_ns = MILLISECONDS(1); /* may share a wake-up with a neighbour that is due within 1 ms */
    options.tick_limit = TICKS;             /* ends by itself after six callbacks */
    options.name = "metronome";             /* seen in logs, in info and in for_each */

    wtm_timer timer;
    SUCCEED(wtm_timer_start(DEFAULT_SCHEDULER, &options, &timer));
    latch_wait(&m.ended, 1);

    REQUIRE(m.callbacks == TICKS);
    REQUIRE(m.reason == WTM_REASON_COMPLETED);
    REQUIRE(!wtm_timer_is_valid(timer));
    printf("%d callbacks for %llu ticks\n", m.callbacks, (unsigned long long)m.last_ordinal);
    return EXIT_SUCCESS;
}
