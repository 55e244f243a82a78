/* The calls of the model's library, and the hooks that they run. All of it is expanded inside `thread`. */

/* A hook may wait for what has ended; for what it belongs to, that must be answered instead of entered. */
inline hook_waits(own)
{
    if
    :: true
#ifndef HOOKS_DO_NOT_WAIT
    :: state[0] == ENDED -> h = 0
    :: state[1] == ENDED -> h = 1
    :: dead -> h = TARGET
#endif
    fi;
    if
    :: h != NONE ->
        inner = GONE;
        wait_for(h, inner);
        assert(h != own || inner == WOULD_DEADLOCK);
        assert(own != TARGET || h == TARGET || !bound(h) || inner == GONE); /* its timers' hooks came first */
        inner = 0;
        h = NONE
    :: else
    fi
}

inline run_target_hook()
{
    d_step {
        assert(dead && target_hooks == 0);
        target_hooks++;
        for (i : 0 .. BOUND - 1) {
            assert(released[i] && !in_callback[i] && !in_hooks[i])
        }
        i = 0
    }
    hook_waits(TARGET);
    CRITICAL { runner[TARGET] = NONE; target_done = true; wake_all() }
}

/* The hooks of timer `e`, whose runner is this thread. The last of a dead target's timers runs the target's hook. */
inline run_hooks()
{
#ifdef BREAK_RUNNER_LEFT_EARLY
    CRITICAL { runner[e] = NONE; wake_all() }
#endif
    assert(!released[e] && !in_hooks[e] && !in_callback[e] && !freed[e] && (!bound(e) || target_hooks == 0));
    in_hooks[e] = true;
    hook_waits(e);
    assert(!freed[e]);
    in_hooks[e] = false;
    released[e] = true;
    CRITICAL {
        runner[e] = NONE;
        pending = pending - bound(e);
        mine = bound(e) && dead && pending == 0;
#ifdef BREAK_TARGET_HOOK_EARLY
        mine = false;
#endif
#ifdef BREAK_TARGET_COUNT_UNLOCKED
        mine = false;
#endif
        if
        :: mine -> runner[TARGET] = me
        :: else
        fi;
        wake_all()
    }
#ifdef BREAK_TARGET_COUNT_UNLOCKED
    if
    :: bound(e) && dead && pending == 0 -> runner[TARGET] = me; mine = true
    :: else
    fi;
#endif
    e = NONE;
    if
    :: mine -> mine = false; run_target_hook()
    :: else
    fi
}

/* Under the lock: the target dies, and every bound timer ends with it. Idle ones are left in `todo` for the caller. */
inline kill_target()
{
    dead = true;
    references = 0;
#ifndef BREAK_LAZY_DEATH
    for (i : 0 .. BOUND - 1) {
        if
        :: state[i] == ARMED ->
            state[i] = ENDED;
            if
            :: runner[i] == NONE -> runner[i] = me; todo = todo | (1 << i)
            :: else
            fi
        :: else
        fi
    }
    i = 0;
#endif
    mine = pending == 0;
#ifdef BREAK_TARGET_HOOK_EARLY
    mine = true;
#endif
    if
    :: mine -> runner[TARGET] = me
    :: else
    fi
}

inline after_death()
{
    if
    :: mine -> mine = false; run_target_hook()
    :: else
    fi;
    do
    :: todo != 0 -> e = ((todo & 1) -> 0 : 1); todo = todo & (2 - e * 2); run_hooks()
    :: else -> break
    od
}

inline let_go()
{
    CRITICAL {
        holds = false;
        if
        :: !dead ->
            references--;
            if
            :: references == 0 -> kill_target()
            :: else
            fi
        :: else
        fi
    }
    after_death();
    atomic {
        if
        :: dead ->
            for (i : 0 .. BOUND - 1) { assert(state[i] == ENDED) }
            i = 0
        :: else
        fi
    }
}

inline try_retain()
{
    CRITICAL {
        if
#ifdef BREAK_REVIVE
        :: true -> references++; holds = true; dead = false
#else
        :: !dead -> references++; holds = true
        :: else
#endif
        fi
    }
}

inline close_target()
{
    CRITICAL {
        if
        :: !dead -> kill_target()
        :: else
        fi
    }
    after_death();
    code = OK;
    wait_for(TARGET, code);
    atomic {
        assert(!(c != NONE && bound(c)) || code == WOULD_DEADLOCK);
        assert(c != NONE || code != WOULD_DEADLOCK); /* nobody waits for a thread that runs nothing */
        if
        :: code == OK ->
            assert(target_done && target_hooks == 1);
            for (i : 0 .. BOUND - 1) { assert(released[i] && !in_callback[i] && !in_hooks[i]) }
            i = 0
        :: else
        fi;
        code = 0
    }
}

#ifdef BREAK_GONE_RETURNS
#define BREAKS_GONE && code == RUNNING
#else
#define BREAKS_GONE
#endif

inline invalidate()
{
    CRITICAL {
        if
        :: state[t] == ENDED -> code = GONE
        :: else ->
            state[t] = ENDED;
            successes[t]++;
            if
            :: runner[t] != NONE -> code = RUNNING
            :: else -> code = OK; runner[t] = me
            fi
        fi
    }
    if
    :: code == OK -> e = t; run_hooks()
#ifdef BREAK_HOOK_BY_BOTH
    :: code == RUNNING -> e = t; run_hooks()
#endif
    :: else
    fi;
    if
    :: waiting && code != OK BREAKS_GONE -> code = GONE; wait_for(t, code)
    :: else
    fi;
    atomic {
        stop_returned[t] = true;
        idle_stop[t] = idle_stop[t] || code == OK;
        assert(!waiting || c != t || code == WOULD_DEADLOCK);
        assert(c != NONE || code != WOULD_DEADLOCK);
        if
        :: code == OK || (waiting && code == GONE) ->
            assert(released[t] && !in_callback[t] && !in_hooks[t]);
            freed[t] = true
        :: else
        fi;
        code = 0;
        t = NONE;
        waiting = false
    }
}

inline call()
{
    if
    :: holds -> let_go()
    :: !holds -> try_retain()
    :: close_target()
    :: t = 0; invalidate()
    :: t = 1; invalidate()
    :: t = 0; waiting = true; invalidate()
    :: t = 1; waiting = true; invalidate()
    fi
}
