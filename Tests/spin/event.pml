/* Waiting for an end (Sources/WeakTimerCore/Platform/EventCount.swift, Scheduling/Wait.swift) on a machine with store buffers.
 *
 * Whoever brings an end about writes it down under the object's lock, gives the lock back with a plain store, and only then looks for
 * waiters: that load may go before the stores. A waiter counts itself first, and looks whether it is over under the same lock.
 * The lock itself is that of lock.pml; here it is a word that is taken by an atomic exchange. The beat at which a waiter looks again is left
 * out, so that an end that goes unnoticed is one for ever.
 *
 * Checked: no waiter sleeps for ever (an end in which a thread has not finished is an error). */
#ifndef WAITERS
#define WAITERS 2
#endif

#define STORE_WORD 1 /* word = 0 */
#define STORE_OVER 2 /* over = true */

byte word;
bool over;
byte waiters;
byte epoch;
bool asleep[WAITERS];
/* Of the one that ends and of each waiter, first in first out. */
chan buffer[WAITERS + 1] = [3] of { byte };

inline apply(store) {
    if
    :: store == STORE_WORD -> word = 0
    :: store == STORE_OVER -> over = true
    fi
}

inline empty_own() {
    do
    :: atomic { len(buffer[id]) > 0 -> buffer[id] ? store; apply(store); store = 0 }
    :: atomic { len(buffer[id]) == 0 -> break }
    od
}

inline lock() {
    empty_own();
    atomic { word == 0 -> word = 1 }
}

inline unlock() { buffer[id] ! STORE_WORD }

inline count() {
    empty_own();
    atomic { waiters++ }
}

inline look() {
#ifdef BREAK_EVENT_LOOKS_WITHOUT_THE_LOCK
    is_over = over
#else
    lock();
    is_over = over;
    unlock()
#endif
}

proctype Ender(byte id) {
    byte store;
    lock();
    buffer[id] ! STORE_OVER;
    unlock();
    if
    :: waiters != 0 ->
        empty_own();
#ifndef BREAK_EVENT_WAKES_WITHOUT_A_NEW_EPOCH
        atomic { epoch++ };
#endif
        atomic {
            asleep[0] = false;
#if WAITERS > 1
            asleep[1] = false;
#endif
#if WAITERS > 2
            asleep[2] = false
#endif
        }
    :: else -> skip
    fi
}

proctype Waiter(byte id) {
    byte store, ticket;
    bool is_over;
#ifndef BREAK_EVENT_COUNTS_ITSELF_TOO_LATE
    count();
#endif
    do
    :: true ->
#ifdef BREAK_EVENT_TICKET_AFTER_THE_LOOK
        look();
        ticket = epoch;
#else
        ticket = epoch;
        look();
#endif
        if
        :: is_over -> break
        :: else -> skip
        fi;
#ifdef BREAK_EVENT_COUNTS_ITSELF_TOO_LATE
        count();
#endif
        /* A system call; the kernel compares and enqueues under one lock. */
        empty_own();
        atomic {
            if
            :: epoch == ticket -> asleep[id] = true
            :: else -> skip
            fi
        };
        !asleep[id]
    od
}

/* A buffered store reaches memory some time. */
proctype Memory(byte id) {
    byte store;
end:
    do
    :: atomic { len(buffer[id]) > 0 -> buffer[id] ? store; apply(store); store = 0 }
    od
}

init {
    byte i;
    atomic {
        do
        :: i < WAITERS -> run Waiter(i); run Memory(i); i++
        :: else -> break
        od;
        run Ender(WAITERS);
        run Memory(WAITERS)
    }
}
