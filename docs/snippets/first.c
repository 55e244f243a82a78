/* The first programs: the example of the header, and the ten lines of the README. */
#include <stdlib.h>
#include <weaktimer.h>

#include "example.h"

struct model {
    wtm_target lifetime;
    int refreshed;
};

/* region: header */
static void refresh(wtm_timer timer, const wtm_tick *tick, void *context) {
    struct model *model = context; // alive for the length of this call
    model->refreshed++;
}

static void model_free(void *context) { free(context); } // once, after the last refresh

static struct model *model_create(void) {
    struct model *model = calloc(1, sizeof *model);
    wtm_scheduler everywhere = { 0 }; // the default scheduler
    wtm_target_create(model, model_free, &model->lifetime);
    wtm_timer_every_target(everywhere, 500 * 1000000ull, refresh, model->lifetime, NULL); // every half second
    return model;
}

static void model_drop(struct model *model) {
    wtm_target_release(model->lifetime); // no more refreshes, and the model is freed: nobody stops a timer
}
/* end region */

int main(void) {
    struct model *model = model_create();
    wtm_target lifetime = model->lifetime;
    model_drop(model);
    REQUIRE(!wtm_target_is_alive(lifetime));

    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    SUCCEED(wtm_scheduler_get_stats(DEFAULT_SCHEDULER, &stats));
    REQUIRE(stats.created == 1 && stats.live == 0);
    return EXIT_SUCCESS;
}
