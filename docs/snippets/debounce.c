/* Guide: debounce. */
#include "manual.h"

struct editor {
    wtm_target lifetime;
    wtm_timer save;
    int saved;
};

static void editor_free(void *context) { free(context); }

/* region: debounce */
static void save(wtm_timer timer, const wtm_tick *tick, void *context) { ((struct editor *)context)->saved++; }

static void editor_start(struct editor *e, wtm_scheduler s) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.flags = WTM_TIMER_KEEP; /* one timer for the editor's whole life: idle between uses */
    options.fn = save;
    options.target = e->lifetime;
    options.delay_ns = WTM_NEVER; /* nothing to save yet */
    wtm_timer_start(s, &options, &e->save);
}

static void editor_key(struct editor *e) {
    wtm_timer_reschedule(e->save, MILLISECONDS(300)); /* 300 ms after the last key, once */
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    struct editor *e = calloc(1, sizeof *e);
    SUCCEED(wtm_target_create(e, editor_free, &e->lifetime));
    editor_start(e, s);
    pass(s, SECONDS(1000));
    REQUIRE(e->saved == 0);
    for (int word = 1; word <= 3; word++) {
        for (int key = 0; key < 5; key++) {
            editor_key(e);
            pass(s, MILLISECONDS(100));
        }
        REQUIRE(e->saved == word - 1);
        pass(s, MILLISECONDS(200));
        REQUIRE(e->saved == word);
    }
    SUCCEED(wtm_target_release(e->lifetime));
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
