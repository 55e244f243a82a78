/* A one-shot timer: a callback once, some time from now, and its memory given back by itself.
 *
 * The timer owns its context from the moment wtm_timer_after() answers WTM_OK. The release hook is
 * the one place that frees it; the library calls the hook exactly once, however the timer ends.
 *
 * covers: life.release.once life.release.last time.never-early
 * field report: 12 */
#include <string.h>
#include <weaktimer.h>

#include "common/example.h"

typedef struct reminder {
    char text[32];
    uint64_t not_before;
    int shown;
    latch *done;
} reminder;

static void show(wtm_timer timer, const wtm_tick *tick, void *context) {
    reminder *r = context;
    r->shown++;
    printf("%s (%.3f ms after its deadline)\n", r->text, (double)(tick->now_ns - tick->scheduled_ns) / 1e6);
    REQUIRE(tick->now_ns >= r->not_before); /* never early */
    REQUIRE(tick->next_ns == WTM_NEVER);    /* a one-shot has no next tick */
    REQUIRE(wtm_timer_is_valid(timer));     /* it ends when this function returns */
}

static void forget(void *context) {
    reminder *r = context;
    latch *done = r->done;
    REQUIRE(r->shown == 1); /* the hook comes last */
    free(r);
    latch_add(done);
}

int main(void) {
    latch done = LATCH_INIT;
    reminder *r = calloc(1, sizeof *r);
    REQUIRE(r != NULL);
    strcpy(r->text, "Tea is ready");
    r->done = &done;
    r->not_before = wtm_scheduler_now(DEFAULT_SCHEDULER, WTM_CLOCK_MONOTONIC) + MILLISECONDS(20);

    wtm_timer timer;
    SUCCEED(wtm_timer_after(DEFAULT_SCHEDULER, MILLISECONDS(20), show, r, forget, &timer));

    latch_wait(&done, 1);

    /* The handle is stale now. That is defined: every call answers GONE and touches nothing. */
    REQUIRE(!wtm_timer_is_valid(timer));
    REQUIRE(wtm_timer_invalidate(timer) == WTM_ERR_GONE);
    REQUIRE(wtm_timer_reschedule(timer, 0) == WTM_ERR_GONE);
    return EXIT_SUCCESS;
}
