/* What the model's library keeps, what an onlooker keeps to judge it, and the wait-for graph. */

#define TIMERS 2
#define THREADS 3
#define TARGET TIMERS /* what a thread waits for is a timer's number, or the target */
#define NONE 7

#define ARMED 0
#define ENDED 1

#define OK 0
#define RUNNING 1
#define GONE 2
#define WOULD_DEADLOCK 3
#define TIMED_OUT 4

#ifndef TURNS
#define TURNS 1
#endif
#ifndef TURNS_OF_FIRST
#define TURNS_OF_FIRST TURNS
#endif
#ifndef CALLS_IN_CALLBACK
#define CALLS_IN_CALLBACK 1
#endif
#ifndef BOUND
#define BOUND TIMERS /* the timers below this number are bound to the target */
#endif
#define bound(t) ((t) < BOUND)

#ifdef BREAK_NO_LOCK
#define CRITICAL
#else
#define CRITICAL atomic
#endif

/* The library's, all of it under the lock. */
bit state[TIMERS];
byte runner[3] = NONE;  /* the thread inside a timer's callback or hooks; [TARGET]: inside the target's hook */
byte pending = BOUND;   /* bound timers whose hooks have not returned */
byte references = 2;    /* threads 0 and 1 hold one each */
bool dead, target_done;
byte waits[THREADS] = NONE; /* what each thread sleeps for, so that a cycle can be seen */
bool signalled[THREADS];
byte ticks_left[TIMERS];

/* The onlooker's. */
bool in_callback[TIMERS], in_hooks[TIMERS], released[TIMERS];
bool stop_returned[TIMERS]; /* some invalidate has returned: no claim may follow */
bool idle_stop[TIMERS];     /* some invalidate has answered OK: no callback may start */
bool freed[TIMERS];         /* the caller has freed the context */
byte successes[TIMERS];
byte target_hooks;

#define finished(what) ((what) == TARGET -> target_done : runner[what] == NONE)

inline wake_all()
{
#ifndef BREAK_NO_WAKE
    for (i : 0 .. THREADS - 1) {
        if
        :: waits[i] != NONE -> signalled[i] = true
        :: else
        fi
    }
    i = 0
#else
    skip
#endif
}

/* Adds to `reach` the threads whose progress the end of `what` needs. */
inline add_runners(what)
{
    for (j : 0 .. TIMERS) {
        if
        :: runner[j] != NONE && (j == what || (what == TARGET && bound(j))) -> reach = reach | (1 << runner[j])
        :: else
        fi
    }
}

#ifdef BREAK_CYCLE_SKIPS_TARGET
#define CYCLE_SKIPS && waits[i] != TARGET
#else
#define CYCLE_SKIPS
#endif

/* Follows who waits for whom: afterwards bit `me` of `reach` says whether waiting for `what` would close a cycle. */
inline follow(what)
{
    reach = 0;
#ifdef BREAK_REFUSES_ALL
    reach = 1 << me;
#endif
#ifndef BREAK_NO_CYCLE_CHECK
    add_runners(what);
#ifndef BREAK_SELF_ONLY
    for (k : 1 .. THREADS) {
        for (i : 0 .. THREADS - 1) {
            if
            :: (reach & (1 << i)) && waits[i] != NONE CYCLE_SKIPS -> add_runners(waits[i])
            :: else
            fi
        }
    }
#endif
#endif
    i = 0;
    j = 0;
    k = 0
}

/* Sleeps until nobody is inside `what`; `answer` becomes WOULD_DEADLOCK or TIMED_OUT, or stays as it is. */
inline wait_for(what, answer)
{
    do
    :: CRITICAL {
           waits[me] = NONE;
           if
           :: finished(what) -> break
           :: else
           fi;
#ifdef BREAK_WAIT_RETURNS
           break;
#endif
           d_step {
               follow(what);
               reach = (reach >> me) & 1
           }
           if
           :: reach -> reach = 0; answer = WOULD_DEADLOCK; break
           :: else
           fi;
           signalled[me] = false;
#ifndef BREAK_LATE_REGISTRATION
           waits[me] = what
#endif
       }
#ifdef BREAK_LATE_REGISTRATION
       waits[me] = what;
#endif
       if
       :: signalled[me]
#ifdef TIMED
       :: CRITICAL { waits[me] = NONE; answer = TIMED_OUT; break }
#endif
       fi
    od
}
