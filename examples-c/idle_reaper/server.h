/* The TCP echo server: one thread, one epoll, as many connections as there are descriptors. */
#ifndef SERVER_H
#define SERVER_H

#include <pthread.h>

#include "connection.h"

struct server {
    struct surroundings around;
    int listener;
    int wake; /* an eventfd: interrupts the loop */
    uint16_t port;
    atomic_bool stopping;
    pthread_t thread;
};

/* Listens on a free loopback port and starts the thread. */
bool server_start(struct server *server, struct ledger *ledger, wtm_scheduler scheduler);

/* Takes no more connections, lets the loop work off what is left, and joins the thread. */
void server_stop(struct server *server);

/* Ends up to one connection, picked at random, as an administrator would: from a thread that has nothing
 * but a handle, which may be stale. */
void server_admin_close_one(struct ledger *ledger, uint64_t *random_state);

#endif
