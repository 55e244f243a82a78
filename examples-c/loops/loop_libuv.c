/* A scheduler inside libuv: one uv_poll_t watches its descriptor. */
#include <uv.h>

#include "scenario.h"

typedef struct watch {
    uv_poll_t poll;
    scenario scenario;
} watch;

static void quit(void *loop) {
    watch *w = loop;
    uv_poll_stop(&w->poll);
    uv_close((uv_handle_t *)&w->poll, NULL); /* nothing is left to the loop, so that it returns */
}

static void readable(uv_poll_t *poll, int status, int events) {
    watch *w = poll->data;
    REQUIRE(status == 0);
    if (events & UV_READABLE) scenario_readable(&w->scenario);
}

int main(void) {
    watch w;
    uv_loop_t loop;
    REQUIRE(uv_loop_init(&loop) == 0);
    scenario_start(&w.scenario, quit, &w);
    REQUIRE(uv_poll_init(&loop, &w.poll, w.scenario.fd) == 0);
    w.poll.data = &w;
    REQUIRE(uv_poll_start(&w.poll, UV_READABLE, readable) == 0);

    uv_run(&loop, UV_RUN_DEFAULT);

    REQUIRE(uv_loop_close(&loop) == 0);
    scenario_finish(&w.scenario);
    return EXIT_SUCCESS;
}
