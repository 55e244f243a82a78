/* Guide: retry with backoff. */
#include "manual.h"

static int attempts_made;

static bool try_to_connect(void *context) {
    (void)context;
    return ++attempts_made == 5;
}

/* region: retry */
struct retry {
    uint64_t delay;
    void *what;
};

static void attempt(wtm_timer timer, const wtm_tick *tick, void *context) {
    struct retry *r = context;
    if (try_to_connect(r->what)) return; /* not armed again: it ends here, and free() is its hook */
    if (r->delay < SECONDS(60)) r->delay *= 2;
    wtm_timer_reschedule(timer, r->delay);
}

static wtm_status retry_start(wtm_scheduler s, void *what, wtm_timer *out) {
    struct retry *r = malloc(sizeof *r);
    r->delay = SECONDS(1);
    r->what = what;
    wtm_status status = wtm_timer_after(s, 0, attempt, r, free, out);
    if (status != WTM_OK) free(r); /* a start that fails has taken nothing */
    return status;
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer timer;
    SUCCEED(retry_start(s, NULL, &timer));
    pass(s, SECONDS(2 + 4 + 8 + 16 - 1));
    REQUIRE(attempts_made == 4 && wtm_timer_is_valid(timer));
    pass(s, SECONDS(1));
    REQUIRE(attempts_made == 5 && !wtm_timer_is_valid(timer));
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
