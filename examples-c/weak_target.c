/* The trap that this library removes: an object that owns a repeating timer which calls the object back.
 *
 * With most timers the timer retains the object and the object waits for its own end to stop the timer,
 * so neither ever ends. Here the object is a target: the timer is bound to it weakly. When the last
 * reference goes, the timer ends before the release call returns. Nobody stops anything.
 *
 * covers: life.weak life.eager
 * field report: 8, 29, 31 */
#include <stdatomic.h>
#include <weaktimer.h>

#include "common/example.h"

typedef struct session {
    wtm_target target; /* the lifetime of this object */
    wtm_timer refresh;
    atomic_int refreshed;
    latch *ticked;
    latch *destroyed;
} session;

static void session_refresh(wtm_timer timer, const wtm_tick *tick, void *context) {
    session *s = context; /* the target's context, alive for the length of this call */
    (void)timer;
    REQUIRE(tick->target == s);
    atomic_fetch_add(&s->refreshed, 1);
    latch_add(s->ticked);
}

/* Runs once, after the last callback of the last timer that is bound to the session. */
static void session_destroy(void *context) {
    session *s = context;
    latch *destroyed = s->destroyed;
    printf("session destroyed after %d refreshes\n", atomic_load(&s->refreshed));
    free(s);
    latch_add(destroyed);
}

static session *session_create(latch *ticked, latch *destroyed) {
    session *s = calloc(1, sizeof *s);
    REQUIRE(s != NULL);
    s->ticked = ticked;
    s->destroyed = destroyed;
    SUCCEED(wtm_target_create(s, session_destroy, &s->target));
    SUCCEED(wtm_timer_every_target(DEFAULT_SCHEDULER, MILLISECONDS(2), session_refresh, s->target, &s->refresh));
    return s;
}

int main(void) {
    latch ticked = LATCH_INIT, destroyed = LATCH_INIT;
    session *s = session_create(&ticked, &destroyed);
    wtm_target target = s->target; /* handles are plain values: copies keep nothing alive */
    wtm_timer refresh = s->refresh;
    latch_wait(&ticked, 3);

    /* From weak to strong, as any thread may that has nothing but the handle. */
    void *strong = NULL;
    SUCCEED(wtm_target_try_retain(target, &strong));
    REQUIRE(strong == s);

    SUCCEED(wtm_target_release(target)); /* the owner drops its reference ... */
    REQUIRE(wtm_target_is_alive(target));
    REQUIRE(wtm_timer_is_valid(refresh)); /* ... but ours still holds it */

    SUCCEED(wtm_target_release(target)); /* the last reference */
    REQUIRE(!wtm_timer_is_valid(refresh));
    REQUIRE(!wtm_target_is_alive(target));
    REQUIRE(wtm_target_try_retain(target, &strong) < 0);
    REQUIRE(strong == NULL);

    latch_wait(&destroyed, 1); /* already so, unless a refresh was running just then */
    REQUIRE(latch_count(&destroyed) == 1);
    return EXIT_SUCCESS;
}
