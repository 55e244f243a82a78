/* Guide: testing code that uses timers. */
#include "manual.h"

struct cache_entry {
    int fresh;
};

static void expire(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    ((struct cache_entry *)context)->fresh = 0;
}

static void cache_put(struct cache_entry *entry, wtm_scheduler s) {
    entry->fresh = 1;
    SUCCEED(wtm_timer_after(s, SECONDS(3600), expire, entry, NULL, NULL));
}

/* region: testing */
static void test_an_entry_lives_for_an_hour(void) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    wtm_scheduler s;
    wtm_scheduler_create(&options, &s);

    struct cache_entry entry;
    cache_put(&entry, s); /* code that takes the scheduler as a parameter can be tested */
    wtm_scheduler_advance(s, SECONDS(3599), NULL);
    REQUIRE(entry.fresh);
    wtm_scheduler_advance(s, SECONDS(1), NULL); /* at its very moment, before this call returns */
    REQUIRE(!entry.fresh);

    wtm_scheduler_shutdown(s, WTM_NEVER);
}
/* end region */

int main(void) {
    test_an_entry_lives_for_an_hour();
    return EXIT_SUCCESS;
}
