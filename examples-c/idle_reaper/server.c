/* Accepting, and handing events to connections by their handles. */
#define _GNU_SOURCE
#include "server.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, DRAIN_WAITS = 500, DRAIN_WAIT_MS = 20 };
#define OWN_DESCRIPTOR UINT64_C(0) /* the zero handle is nobody's */

static void accept_all(struct server *server) {
    for (;;) {
        int fd = accept4(server->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            connection_open(&server->around, fd);
        } else if (errno != EINTR && errno != ECONNABORTED) {
            return; /* nobody else waits, or no descriptor is free just now */
        }
    }
}

/* The event's data is a target handle. Between epoll_wait and here another thread may have ended the
 * connection and its memory may be gone: the handle is stale then, and that is all that happens. */
static void connection_event(struct server *server, uint64_t id) {
    wtm_target target = { id };
    void *connection = NULL;
    if (wtm_target_try_retain(target, &connection) != WTM_OK) {
        atomic_fetch_add(&server->around.ledger->stale_events, 1);
        return;
    }
    connection_readable(connection);
    wtm_target_release(target);
}

static bool everybody_gone(struct ledger *ledger) { return atomic_load(&ledger->destroyed) == atomic_load(&ledger->made); }

/* Nobody should be left; whoever is, is ended here and found in the balance. */
static void end_the_rest(struct ledger *ledger) {
    for (size_t i = 0; i < atomic_load(&ledger->made); i++) {
        wtm_target target = { atomic_load(&ledger->entries[i].target) };
        void *connection = NULL;
        if (wtm_target_try_retain(target, &connection) != WTM_OK) continue;
        connection_end(connection, CAUSE_SHUTDOWN);
        wtm_target_release(target);
    }
}

static void *server_loop(void *argument) {
    struct server *server = argument;
    struct epoll_event events[EVENTS];
    int waits_left = DRAIN_WAITS;
    for (;;) {
        bool stopping = atomic_load(&server->stopping);
        if (stopping && (everybody_gone(server->around.ledger) || waits_left-- == 0)) break;
        int count = epoll_wait(server->around.epoll, events, EVENTS, stopping ? DRAIN_WAIT_MS : -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u64 != OWN_DESCRIPTOR) {
                connection_event(server, events[i].data.u64);
            } else if (!stopping) {
                accept_all(server);
            }
        }
    }
    end_the_rest(server->around.ledger);
    return NULL;
}

bool server_start(struct server *server, struct ledger *ledger, wtm_scheduler scheduler) {
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof address;
    struct epoll_event own = { .events = EPOLLIN, .data.u64 = OWN_DESCRIPTOR };
    server->around = (struct surroundings){ ledger, scheduler, epoll_create1(EPOLL_CLOEXEC) };
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (server->around.epoll < 0 || server->listener < 0 || server->wake < 0) return false;
    if (bind(server->listener, (struct sockaddr *)&address, length) != 0) return false;
    if (listen(server->listener, 4096) != 0) return false;
    if (getsockname(server->listener, (struct sockaddr *)&address, &length) != 0) return false;
    server->port = ntohs(address.sin_port);
    if (epoll_ctl(server->around.epoll, EPOLL_CTL_ADD, server->listener, &own) != 0) return false;
    if (epoll_ctl(server->around.epoll, EPOLL_CTL_ADD, server->wake, &own) != 0) return false;
    return pthread_create(&server->thread, NULL, server_loop, server) == 0;
}

void server_stop(struct server *server) {
    atomic_store(&server->stopping, true);
    eventfd_write(server->wake, 1);
    pthread_join(server->thread, NULL);
    close(server->listener);
    close(server->wake);
    close(server->around.epoll);
}

void server_admin_close_one(struct ledger *ledger, uint64_t *random_state) {
    size_t made = atomic_load(&ledger->made);
    if (made == 0) return;
    *random_state = *random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    size_t index = (size_t)((*random_state >> 33) % made);
    if (index % 8 != 0) return; /* seven of eight are left to the other causes */
    wtm_target target = { atomic_load(&ledger->entries[index].target) };
    void *connection = NULL;
    if (wtm_target_try_retain(target, &connection) != WTM_OK) return; /* dead, or not complete yet */
    connection_end(connection, CAUSE_ADMIN);
    wtm_target_release(target);
}
