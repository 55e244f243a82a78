/* Contexts freed in their hooks and right after waits: a leak or memory checker sees what is kept or touched too long.
 * covers: life.free life.release.last stop.wait
 * field report: 1, 3, 7, 12, 30, 33, 36 */
#include "harness.h"

static uint64_t released;
static void free_release(void *context) {
    released++;
    free(context);
}

static void *make_context(void) {
    char *context = malloc(64);
    CHECK(context != NULL);
    memset(context, 1, 64);
    return context;
}

static void use(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    for (int i = 0; i < 64; i++) CHECK_EQ(((char *)context)[i], 1);
}

TEST(contexts_are_freed_at_once) {
    wtm_scheduler s = th_real();
    released = 0;
    for (uint64_t i = 1; i <= 20000; i++) {
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_every(s, TH_HOUR, use, make_context(), free_release, &t));
        CHECK_OK(wtm_timer_invalidate(t));
        CHECK_U64(released, i);
    }
    th_shutdown(s);
}

TEST(contexts_of_targets_are_freed_at_once) {
    wtm_scheduler s = th_manual();
    released = 0;
    for (uint64_t i = 1; i <= 5000; i++) {
        wtm_target target = { 0 };
        CHECK_OK(wtm_target_create(make_context(), free_release, &target));
        CHECK_OK(wtm_timer_every_target(s, 1, use, target, NULL));
        CHECK_OK(wtm_timer_after_target(s, TH_HOUR, use, target, NULL));
        CHECK_U64(th_advance(s, 1), 1);
        CHECK_OK(wtm_target_release(target));
        CHECK_U64(released, i);
    }
    th_shutdown(s);
}

TEST(a_context_is_freed_by_hand_once_a_wait_has_returned) {
    wtm_scheduler s = th_real();
    for (int i = 0; i < 2000; i++) {
        wtm_timer t = { 0 };
        void *context = make_context();
        CHECK_OK(wtm_timer_every(s, 1, use, context, NULL, &t));
        CHECK_OK(wtm_timer_invalidate_and_wait(t, WTM_NEVER));
        memset(context, 2, 64); /* a late callback would see it, if no checker does */
        free(context);
    }
    th_shutdown(s);
}

TEST(contexts_left_to_a_shutdown_are_freed) {
    for (int drive = 0; drive < 3; drive++) {
        wtm_scheduler s = th_scheduler((wtm_drive)drive);
        released = 0;
        for (int i = 0; i < 1000; i++) CHECK_OK(wtm_timer_every(s, TH_HOUR, use, make_context(), free_release, NULL));
        th_shutdown(s);
        CHECK_U64(released, 1000);
    }
}
