/* A scheduler inside libevent: one persistent event watches its descriptor. */
#include <event2/event.h>

#include "scenario.h"

static void quit(void *loop) { event_base_loopbreak(loop); }

static void readable(evutil_socket_t fd, short events, void *context) {
    (void)fd, (void)events;
    scenario_readable(context);
}

int main(void) {
    scenario s;
    struct event_base *base = event_base_new();
    REQUIRE(base != NULL);
    scenario_start(&s, quit, base);
    struct event *event = event_new(base, s.fd, EV_READ | EV_PERSIST, readable, &s);
    REQUIRE(event != NULL && event_add(event, NULL) == 0);

    event_base_dispatch(base);

    event_free(event);
    event_base_free(base);
    scenario_finish(&s);
    libevent_global_shutdown();
    return EXIT_SUCCESS;
}
