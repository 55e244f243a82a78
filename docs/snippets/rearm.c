/* Guide: a timer that sets its own pace. */
#include "manual.h"

static int load = 10;
static int samples;

static int measure(void *context) {
    (void)context;
    samples++;
    return load;
}

/* region: rearm */
static void sample(wtm_timer timer, const wtm_tick *tick, void *context) {
    int found = measure(context);
    /* Often while there is much to see, seldom when there is not. */
    wtm_timer_reschedule(timer, found > 5 ? MILLISECONDS(100) : SECONDS(5));
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer timer;
    SUCCEED(wtm_timer_after(s, 0, sample, NULL, NULL, &timer));
    pass(s, SECONDS(1));
    REQUIRE(samples == 11);
    load = 0;
    pass(s, SECONDS(50));
    REQUIRE(samples == 11 + 10);
    SUCCEED(wtm_timer_invalidate(timer));
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
