/* A scheduler inside a plain epoll loop. */
#include <errno.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "scenario.h"

static void quit(void *loop) { *(bool *)loop = false; }

int main(void) {
    scenario s;
    bool going = true;
    scenario_start(&s, quit, &going);

    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN, .data.fd = s.fd };
    REQUIRE(epoll >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, s.fd, &event) == 0);
    while (going) {
        int count = epoll_wait(epoll, &event, 1, -1);
        REQUIRE(count >= 0 || errno == EINTR);
        if (count == 1 && event.data.fd == s.fd) scenario_readable(&s);
    }
    close(epoll);
    scenario_finish(&s);
    return EXIT_SUCCESS;
}
