/* The README's C. */
#include "example.h"

static latch ticked = LATCH_INIT;

/* region: c */
#include <weaktimer.h>

static void refresh(wtm_timer timer, const wtm_tick *tick, void *model) {
    /* the model is alive for the length of this call */
    /* region-cut */
    (void)timer, (void)tick, (void)model;
    latch_add(&ticked);
    /* end region-cut */
}

static wtm_target model_start(void *model, void (*model_free)(void *)) {
    wtm_target lifetime;
    wtm_target_create(model, model_free, &lifetime);
    wtm_timer_every_target((wtm_scheduler){ 0 }, 1000000, refresh, lifetime, NULL); /* every millisecond */
    return lifetime; /* wtm_target_release(lifetime) ends the timer and frees the model */
}
/* end region */

static int freed;

static void model_free(void *model) {
    (void)model;
    freed++;
}

int main(void) {
    wtm_target lifetime = model_start(&ticked, model_free);
    latch_wait(&ticked, 3);
    SUCCEED(wtm_target_close(lifetime, WTM_NEVER));
    REQUIRE(freed == 1);
    return EXIT_SUCCESS;
}
