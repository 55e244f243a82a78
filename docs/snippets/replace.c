/* Guide: one variable, one timer. */
#include "manual.h"

static int reminded_of;

static void remind(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    reminded_of = *(int *)context;
}

/* region: replace */
static void replace(wtm_timer *timer, wtm_scheduler s, const wtm_timer_options *options) {
    wtm_timer_invalidate(*timer); /* zero or stale is fine: GONE, and nothing happens */
    wtm_timer_start(s, options, timer);
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer timer = { 0 };
    int one = 1, two = 2;
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = remind;
    options.delay_ns = SECONDS(1);
    options.context = &one;
    replace(&timer, s, &options);
    options.delay_ns = SECONDS(2);
    options.context = &two;
    replace(&timer, s, &options);
    pass(s, SECONDS(1));
    REQUIRE(reminded_of == 0);
    pass(s, SECONDS(1));
    REQUIRE(reminded_of == 2);
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
