/* A one-shot that arms itself again from its own callback: retry with exponential backoff.
 *
 * During the callback of a one-shot its handle is valid, and reschedule arms it again; if the callback does
 * not, the timer ends when it returns. The whole run takes place under manual time: ten virtual minutes
 * pass in no time at all, and each callback sees exactly its own moment.
 *
 * covers: time.manual
 * field report: 41 */
#include <weaktimer.h>

#include "common/example.h"

typedef struct retry {
    int attempts;
    int succeed_at;
    uint64_t delay;
    uint64_t expected; /* when the next attempt must come */
    wtm_reason reason;
    int released;
} retry;

static void attempt(wtm_timer timer, const wtm_tick *tick, void *context) {
    retry *r = context;
    r->attempts++;
    printf("%7.1f s: attempt %d\n", (double)tick->now_ns / 1e9, r->attempts);
    REQUIRE(tick->now_ns == r->expected);
    REQUIRE(tick->ordinal == (uint64_t)r->attempts); /* ordinals go on across reschedules */
    if (r->attempts == r->succeed_at) return;        /* done: the timer ends with this return */

    r->delay = r->delay * 2 < SECONDS(60) ? r->delay * 2 : SECONDS(60);
    r->expected = tick->now_ns + r->delay;
    SUCCEED(wtm_timer_reschedule(timer, r->delay));
}

static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    retry *r = context;
    (void)timer;
    r->reason = reason;
}

static void released(void *context) { ((retry *)context)->released++; }

int main(void) {
    wtm_scheduler_options manual = WTM_SCHEDULER_OPTIONS_INIT;
    manual.drive = WTM_DRIVE_MANUAL;
    wtm_scheduler scheduler;
    SUCCEED(wtm_scheduler_create(&manual, &scheduler));

    retry r = { .succeed_at = 12, .delay = SECONDS(1), .expected = SECONDS(1) };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = attempt;
    options.context = &r;
    options.ended = ended;
    options.release = released;
    options.delay_ns = r.delay;
    options.name = "retry";
    wtm_timer timer;
    SUCCEED(wtm_timer_start(scheduler, &options, &timer));

    uint64_t ran = 0;
    SUCCEED(wtm_scheduler_advance(scheduler, SECONDS(600), &ran));

    REQUIRE(ran == 12 && r.attempts == 12);
    REQUIRE(r.reason == WTM_REASON_COMPLETED && r.released == 1);
    REQUIRE(!wtm_timer_is_valid(timer));
    SUCCEED(wtm_scheduler_shutdown(scheduler, WTM_NEVER));
    return EXIT_SUCCESS;
}
