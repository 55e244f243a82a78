/* A connection of the server. It is a target: three timers are bound to it and none of them keeps it.
 *
 * Threads that meet here: the server's own (reads), the scheduler's (idle, keep-alive, lifetime) and the
 * admin's. Whoever decides first that the connection ends takes the owner's reference and gives it back;
 * everybody else holds a reference of his own for as long as he looks. */
#ifndef CONNECTION_H
#define CONNECTION_H

#include "ledger.h"

#define IDLE_LIMIT_NS UINT64_C(700000000)
#define KEEP_ALIVE_NS UINT64_C(250000000)
#define LIFETIME_NS UINT64_C(2500000000)
#define KEEP_ALIVE_BYTE '\n' /* also the greeting; never part of what a client sends */

struct connection {
    int fd;
    wtm_target target;
    wtm_timer idle; /* used by the server's thread alone */
    struct entry *entry;
};

/* What a connection needs of its server. */
struct surroundings {
    struct ledger *ledger;
    wtm_scheduler scheduler;
    int epoll; /* the connection registers itself, with its target's handle as the event's data */
};

/* Takes the descriptor and greets the peer. False when the system or the library refuses; the descriptor is closed then. */
bool connection_open(const struct surroundings *around, int fd);

/* Ends a connection for the given cause, if nobody has done so before. The caller holds a reference or
 * is one of its callbacks; the connection's memory goes when the last of those is done. */
void connection_end(struct connection *connection, enum cause cause);

/* Reads all there is, echoes it, and pushes the idle deadline back. */
void connection_readable(struct connection *connection);

#endif
