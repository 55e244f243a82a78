/* Guide: the time-outs of a connection. */
#include "manual.h"

/* region: connection */
struct connection {
    wtm_target lifetime;
    wtm_timer idle;
    int pings;
};

static void connection_free(void *context) {
    /* close the socket here as well */
    free(context);
}

static void connection_close(struct connection *c) { wtm_target_release(c->lifetime); }

static void timed_out(wtm_timer timer, const wtm_tick *tick, void *context) {
    connection_close(context); /* its own timers end, too; connection_free runs when this function has returned */
}

static void ping(wtm_timer timer, const wtm_tick *tick, void *context) { ((struct connection *)context)->pings++; }

static struct connection *connection_open(wtm_scheduler s) {
    struct connection *c = calloc(1, sizeof *c);
    wtm_target_create(c, connection_free, &c->lifetime);
    wtm_timer_after_target(s, SECONDS(30), timed_out, c->lifetime, &c->idle);
    wtm_timer_after_target(s, SECONDS(3600), timed_out, c->lifetime, NULL); /* a hard limit */
    wtm_timer_every_target(s, SECONDS(10), ping, c->lifetime, NULL);        /* a keep-alive */
    return c;
}

static void connection_heard(struct connection *c) {
    wtm_timer_reschedule(c->idle, SECONDS(30)); /* pushed back: one store, most of the time */
}
/* end region */

int main(void) {
    wtm_scheduler s = manual_scheduler();
    struct connection *c = connection_open(s);
    wtm_target lifetime = c->lifetime;
    for (int i = 0; i < 4; i++) {
        pass(s, SECONDS(20));
        REQUIRE(wtm_target_is_alive(lifetime));
        connection_heard(c);
    }
    REQUIRE(c->pings == 8);
    pass(s, SECONDS(29));
    REQUIRE(wtm_target_is_alive(lifetime));
    pass(s, SECONDS(1));
    REQUIRE(!wtm_target_is_alive(lifetime));

    c = connection_open(s); /* one that talks for ever still ends */
    lifetime = c->lifetime;
    int heard = 0;
    while (wtm_target_is_alive(lifetime)) {
        connection_heard(c);
        heard++;
        pass(s, SECONDS(20));
    }
    REQUIRE(heard == 180);
    SUCCEED(wtm_scheduler_shutdown(s, WTM_NEVER));
    return EXIT_SUCCESS;
}
