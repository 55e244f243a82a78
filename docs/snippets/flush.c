/* Guide: a periodic flush, with a last one at the end. */
#include "manual.h"

static int on_disk;

/* region: flush */
struct journal {
    wtm_target lifetime;
    int pending;
};

static void journal_write(struct journal *j) {
    on_disk += j->pending;
    j->pending = 0;
}

static void flush(wtm_timer timer, const wtm_tick *tick, void *context) { journal_write(context); }

/* The target's hook: no flush is running and none will come, so this is the last one for certain. */
static void journal_free(void *context) {
    journal_write(context);
    free(context);
}

static struct journal *journal_open(wtm_scheduler s) {
    struct journal *j = calloc(1, sizeof *j);
    wtm_target_create(j, journal_free, &j->lifetime);

    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = flush;
    options.target = j->lifetime;
    options.interval_ns = SECONDS(5);
    options.tolerance_ns = SECONDS(1); /* nobody minds: shares its wake-ups with others */
    options.name = "journal flush";
    wtm_timer_start(s, &options, NULL);
    return j;
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    struct journal *j = journal_open(s);
    j->pending = 7;
    pass(s, SECONDS(6));
    REQUIRE(on_disk == 7);
    j->pending = 3;
    SUCCEED(wtm_target_close(j->lifetime, WTM_NEVER));
    REQUIRE(on_disk == 10);
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
