/* The ledger: one entry for each connection ever accepted, kept until the end of the program, so that what
 * happened to a connection can be checked after its memory is gone. It is also the context of the connection's
 * timers: a callback after death would find its entry closed, and is counted in place of crashing. */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weaktimer.h>

enum cause { CAUSE_NONE, CAUSE_PEER, CAUSE_IDLE, CAUSE_LIFETIME, CAUSE_ADMIN, CAUSE_SHUTDOWN, CAUSES };
enum timer_kind { TIMER_IDLE, TIMER_KEEP_ALIVE, TIMER_LIFETIME, TIMER_KINDS };

struct entry;
struct ledger;

/* The context of one timer: who it is, and how often its release hook has run. */
struct timer_note {
    struct entry *entry;
    enum timer_kind kind;
    bool started;
    atomic_int hooks;
};

struct entry {
    struct ledger *ledger;
    _Atomic uint64_t target; /* the handle, for whoever wants to try; 0 until the connection is complete */
    atomic_int cause;        /* set once, by the thread that closes the connection */
    atomic_int destroyed;    /* how often the target's hook has run */
    struct timer_note timers[TIMER_KINDS];
};

struct ledger {
    struct entry *entries;
    size_t capacity;
    atomic_size_t made;
    atomic_size_t destroyed;
    atomic_size_t by_cause[CAUSES];
    atomic_size_t idle_pushed_back;
    atomic_size_t keep_alives;
    atomic_size_t callbacks_after_death;
    atomic_size_t stale_events; /* epoll events for connections that had just died: answered by a stale handle */
};

bool ledger_open(struct ledger *ledger, size_t capacity);
void ledger_close(struct ledger *ledger);

/* A new entry, or NULL when the ledger is full. Called by the server's thread alone. */
struct entry *ledger_add(struct ledger *ledger);

/* One line: what lives and what has died of what. */
void ledger_print(struct ledger *ledger, double seconds, uint64_t timers_live, uint64_t ticks);

/* The balance at the end; false (with the reasons on stderr) if anything is wrong. */
bool ledger_balance(struct ledger *ledger, size_t connections_by_client, uint64_t timers_live);

#endif
