/* The lock (Sources/WeakTimerCore/Platform/Lock.swift) on a machine with store buffers.
 *
 * Giving the lock back is a plain store and a load of another word, which the processor may execute in the other order: the store
 * waits in a buffer, first in first out, and reaches memory at any later time. Atomic operations and system calls of a thread empty its
 * buffer. A sleeper relies on the kernel's barrier, which empties everybody's, one after the other.
 *
 * Checked: never two holders, and nobody sleeps for ever (an end in which a thread has not finished is an error). */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef TURNS
#define TURNS 2
#endif
#ifndef SPINS
#define SPINS 0 /* looks before the first sleep */
#endif

#define STORE_WORD 1 /* word = 0 */
#define STORE_CLEAR 2 /* wanted = 0 */
#define STORE_WANT 3 /* wanted = 1 */

byte word;
byte wanted;
byte inside;
bool asleep[THREADS];
chan buffer[THREADS] = [3] of { byte };

inline apply(store) {
    if
    :: store == STORE_WORD -> word = 0
    :: store == STORE_CLEAR -> wanted = 0
    :: store == STORE_WANT -> wanted = 1
    fi
}

/* An atomic compare and exchange: `got` says whether the lock was free. */
inline try_lock() {
    empty_own();
    atomic {
        got = (word == 0);
        if
        :: got -> word = 1
        :: else -> skip
        fi
    }
}

inline empty_own() { drain(id) }

inline drain(who) {
    do
    :: atomic { len(buffer[who]) > 0 -> buffer[who] ? store; apply(store); store = 0 }
    :: atomic { len(buffer[who]) == 0 -> break }
    od
}

inline process_barrier() {
    empty_own();
#ifndef BREAK_LOCK_NO_BARRIER
    other = 0;
    do
    :: other < THREADS -> drain(other); other++
    :: else -> break
    od;
    other = 0
#endif
}

inline wake_one() {
    atomic {
        if
        :: asleep[0] -> asleep[0] = false
        :: asleep[1] -> asleep[1] = false
#if THREADS > 2
        :: asleep[2] -> asleep[2] = false
#endif
#if THREADS > 3
        :: asleep[3] -> asleep[3] = false
#endif
        :: else -> skip
        fi
    }
}

inline lock() {
    try_lock();
    if
    :: got -> skip
    :: else ->
        do
        :: true ->
            buffer[id] ! STORE_WANT;
            process_barrier();
#ifndef BREAK_LOCK_NO_SECOND_LOOK
            try_lock();
            if
            :: got -> break
            :: else -> skip
            fi;
#endif
            /* The kernel compares and enqueues under one lock. */
            atomic {
                if
#ifdef BREAK_LOCK_FUTEX_IS_THE_LOCK
                :: word == 1 -> asleep[id] = true
#else
                :: wanted == 1 -> asleep[id] = true
#endif
                :: else -> skip
                fi
            };
            !asleep[id];
#ifdef BREAK_LOCK_NO_SECOND_LOOK
            try_lock();
            if
            :: got -> break
            :: else -> skip
            fi
#endif
        od
    fi;
    got = false
}

inline unlock() {
    buffer[id] ! STORE_WORD;
    if
    :: wanted == 1 ->
#ifdef BREAK_LOCK_CLEARS_AFTER_THE_WAKE
        empty_own();
        wake_one();
        buffer[id] ! STORE_CLEAR;
        empty_own()
#else
#ifndef BREAK_LOCK_NOT_CLEARED_BUT_FORGOTTEN
        buffer[id] ! STORE_CLEAR;
        empty_own();
        wake_one()
#else
        buffer[id] ! STORE_CLEAR;
        empty_own()
#endif
#endif
    :: else -> skip
    fi
}

proctype Thread(byte id) {
    byte store, other, turn;
    bool got;
    do
    :: turn < TURNS ->
        lock();
        inside++;
        assert(inside == 1);
        inside--;
        unlock();
        turn++
    :: else -> break
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
        :: i < THREADS -> run Thread(i); run Memory(i); i++
        :: else -> break
        od
    }
}
