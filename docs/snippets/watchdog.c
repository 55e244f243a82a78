/* Guide: a watchdog. */
#include <string.h>

#include "manual.h"

static char alarm_text[64];

/* region: watchdog */
static void barks(wtm_timer timer, const wtm_tick *tick, void *context) {
    snprintf(alarm_text, sizeof alarm_text, "%s has not answered for 5 s", (const char *)context);
}

static wtm_timer watchdog_start(wtm_scheduler s, const char *whom) {
    wtm_timer dog = { 0 };
    wtm_timer_after(s, SECONDS(5), barks, (void *)whom, NULL, &dog);
    return dog;
}

static bool watchdog_feed(wtm_timer dog) {
    return wtm_timer_reschedule(dog, SECONDS(5)) == WTM_OK; /* false: it has barked already */
}

static void watchdog_stop(wtm_timer dog) {
    /* no bark any more, not even one that was due */
    wtm_timer_invalidate(dog);
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer dog = watchdog_start(s, "worker");
    for (int i = 0; i < 100; i++) {
        pass(s, SECONDS(4));
        REQUIRE(watchdog_feed(dog));
    }
    REQUIRE(alarm_text[0] == 0);
    pass(s, SECONDS(5));
    REQUIRE(strcmp(alarm_text, "worker has not answered for 5 s") == 0);
    REQUIRE(!watchdog_feed(dog));

    alarm_text[0] = 0;
    dog = watchdog_start(s, "worker");
    watchdog_stop(dog);
    pass(s, SECONDS(100));
    REQUIRE(alarm_text[0] == 0);
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
