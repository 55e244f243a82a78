/* One connection: its timers, its ends, its echo. */
#include "connection.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The target's hook: after the last callback of all three timers has returned, whichever thread that was on. */
static void connection_destroy(void *context) {
    struct connection *connection = context;
    struct ledger *ledger = connection->entry->ledger;
    atomic_fetch_add(&connection->entry->destroyed, 1);
    close(connection->fd); /* also takes it out of epoll */
    free(connection);
    atomic_fetch_add(&ledger->destroyed, 1);
}

static void timer_released(void *context) {
    struct timer_note *note = context;
    atomic_fetch_add(&note->hooks, 1);
}

/* A peer that has gone or does not read is the reading side's and the idle timer's business. */
static bool send_byte(struct connection *connection) {
    const char byte = KEEP_ALIVE_BYTE;
    return send(connection->fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* The three callbacks share this: which timer ticked is in the note, whom it serves is in the tick. */
static void timer_ticked(wtm_timer timer, const wtm_tick *tick, void *context) {
    struct timer_note *note = context;
    (void)timer;
    struct connection *connection = tick->target;
    if (atomic_load(&note->entry->destroyed) != 0) {
        /* The connection is free memory: only the ledger may be touched. The balance fails. */
        atomic_fetch_add(&note->entry->ledger->callbacks_after_death, 1);
        return;
    }
    switch (note->kind) {
    case TIMER_IDLE: connection_end(connection, CAUSE_IDLE); break;
    case TIMER_LIFETIME: connection_end(connection, CAUSE_LIFETIME); break;
    default:
        if (send_byte(connection)) atomic_fetch_add(&note->entry->ledger->keep_alives, 1);
    }
}

static bool start(struct connection *connection, wtm_scheduler scheduler, enum timer_kind kind, wtm_timer *out) {
    struct timer_note *note = &connection->entry->timers[kind];
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = timer_ticked;
    options.context = note;
    options.release = timer_released;
    options.target = connection->target;
    options.tolerance_ns = IDLE_LIMIT_NS / 50; /* thousands of connections share their wake-ups */
    switch (kind) {
    case TIMER_IDLE: options.delay_ns = IDLE_LIMIT_NS; break;
    case TIMER_LIFETIME: options.delay_ns = LIFETIME_NS; break;
    default: options.interval_ns = KEEP_ALIVE_NS; break;
    }
    note->started = wtm_timer_start(scheduler, &options, out) == WTM_OK;
    return note->started;
}

static bool watch(struct connection *connection, int epoll) {
    struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP, .data.u64 = connection->target.id };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event) == 0;
}

bool connection_open(const struct surroundings *around, int fd) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection != NULL && (connection->entry = ledger_add(around->ledger)) != NULL) {
        connection->fd = fd;
        wtm_target_create(connection, connection_destroy, &connection->target);
    }
    if (connection == NULL || connection->target.id == 0) {
        free(connection);
        close(fd);
        return false;
    }

    /* A second reference while it is being set up: its timers may end it meanwhile. */
    wtm_target_retain(connection->target);
    send_byte(connection); /* the greeting */
    bool complete = start(connection, around->scheduler, TIMER_LIFETIME, NULL) &&
                    start(connection, around->scheduler, TIMER_KEEP_ALIVE, NULL) &&
                    start(connection, around->scheduler, TIMER_IDLE, &connection->idle) && watch(connection, around->epoll);
    if (complete) {
        atomic_store(&connection->entry->target, connection->target.id);
    } else {
        connection_end(connection, CAUSE_SHUTDOWN);
    }
    wtm_target_release(connection->target);
    return complete;
}

void connection_end(struct connection *connection, enum cause cause) {
    int none = CAUSE_NONE;
    if (!atomic_compare_exchange_strong(&connection->entry->cause, &none, cause)) return;
    atomic_fetch_add(&connection->entry->ledger->by_cause[cause], 1);
    /* The owner's reference, given back once. If it is the last one, all three timers have ended when this
     * returns; from one of their callbacks, the hook runs after that callback. */
    wtm_target_release(connection->target);
}

void connection_readable(struct connection *connection) {
    char buffer[4096];
    bool heard = false;
    for (;;) {
        ssize_t length = recv(connection->fd, buffer, sizeof buffer, MSG_DONTWAIT);
        if (length > 0) {
            heard = true;
            /* What a peer sends that does not read its echo is dropped here. */
            (void)!send(connection->fd, buffer, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
            continue;
        }
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        connection_end(connection, CAUSE_PEER); /* closed, or reset */
        return;
    }
    if (heard && wtm_timer_reschedule(connection->idle, IDLE_LIMIT_NS) == WTM_OK) {
        atomic_fetch_add(&connection->entry->ledger->idle_pushed_back, 1);
    }
}
