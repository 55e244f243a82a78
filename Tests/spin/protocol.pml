/*
 * The stop, wait, release and target-death protocol of a scheduler, as a Spin model.
 *
 * Three threads, two timers (0 repeats, 1 is a one-shot), one target. Every thread may, at each of its turns, claim a
 * due timer and run its callback, or make a call; a callback may make a call as well, and a hook may wait. Shared
 * state changes only inside CRITICAL, which is the scheduler's lock: callbacks and hooks run outside it.
 *
 * covers: life.release.once life.release.last life.release.when life.eager life.borrow stop.none-after
 *         stop.nonblocking stop.wait stop.self stop.timeout time.serial
 *
 * Each BREAK_... switch breaks the protocol in one way; mutations.sh proves that the model notices every one.
 * state.pml holds the variables and the wait-for graph, calls.pml the calls, this file the threads.
 */
#include "state.pml"
#include "calls.pml"

#define may_claim(t) (CLAIM_WHEN_ENDED(t) && CLAIM_WHEN_RUNNING(t) && ticks_left[t] > 0)

#ifdef BREAK_CLAIM_ENDED
#define CLAIM_WHEN_ENDED(t) true
#else
#define CLAIM_WHEN_ENDED(t) (state[t] == ARMED)
#endif
#ifdef BREAK_CLAIM_RUNNING
#define CLAIM_WHEN_RUNNING(t) true
#else
#define CLAIM_WHEN_RUNNING(t) (runner[t] == NONE)
#endif

inline claim(t)
{
    assert(!stop_returned[t]);
    ticks_left[t]--;
    runner[t] = me;
    c = t
}

/* The claimed callback starts: the lock is free, so anything may have happened since the claim. */
inline start_callback()
{
    assert(!idle_stop[c] && !freed[c] && !released[c] && !in_callback[c] && !in_hooks[c]);
    assert(!bound(c) || target_hooks == 0);
    in_callback[c] = true;
    calls = CALLS_IN_CALLBACK
}

inline finish_callback()
{
    assert(in_callback[c] && !released[c] && !freed[c]);
    assert(!bound(c) || target_hooks == 0);
    in_callback[c] = false;
    calls = 0;
    CRITICAL {
        if
#ifndef BREAK_FINISH_FORGETS
        :: state[c] == ENDED -> e = c
#endif
        :: state[c] == ARMED && c == 1 -> state[c] = ENDED; e = c
        :: else ->
#ifdef BREAK_FINISH_FORGETS
            if
            :: state[c] == ENDED -> pending = pending - bound(c)
            :: else
            fi;
#endif
            runner[c] = NONE;
            wake_all()
        fi
    }
    c = NONE;
    if
    :: e != NONE -> run_hooks()
    :: else
    fi
}

proctype thread(byte me)
{
    byte turns = (me == 0 -> TURNS_OF_FIRST : TURNS), calls = 0;
    byte c = NONE; /* the timer whose callback this thread is in */
    byte t = NONE; /* the timer that a call is about */
    byte e = NONE; /* the timer whose hooks this thread runs */
    byte h = NONE; /* what a hook waits for */
    byte code = 0, inner = 0, reach = 0, todo = 0, i = 0, j = 0, k = 0;
    bool mine = false, waiting = false, holds = me < 2;

    do
    :: atomic { c == NONE && turns > 0 && may_claim(0) -> turns--; claim(0) }
       start_callback()
    :: atomic { c == NONE && turns > 0 && may_claim(1) -> turns--; claim(1) }
       start_callback()
    :: atomic { c == NONE && turns > 0 -> turns-- }
       call()
    :: atomic { c != NONE && calls > 0 -> calls-- }
       call()
    :: c != NONE -> finish_callback()
    :: c == NONE && turns == 0 -> break
    od
}

init
{
    byte n;
    atomic {
        ticks_left[0] = 2;
        ticks_left[1] = 1;
        run thread(0);
        run thread(1);
        run thread(2)
    }
    _nr_pr == 1;
    /* The books: what has ended had its hooks, what lives had none, and so for the target. */
    atomic {
        for (n : 0 .. TIMERS - 1) {
            assert(runner[n] == NONE && (state[n] == ENDED) == released[n]);
            assert(successes[n] <= 1)
        }
        assert(dead == target_done && target_hooks == dead)
    }
}
