/* What the library calls back, each call judged against the model.
 * covers: life.release.once life.release.last life.eager stop.none-after time.serial life.unlocked life.borrow */
#include "fuzz.h"

fz_scheduler fz_schedulers[FZ_SCHEDULERS];
fz_target fz_targets[FZ_TARGETS];
fz_timer fz_timers[FZ_TIMERS];
unsigned fz_timer_count, fz_depth, fz_total_ticks;

void fz_died(fz_timer *t) {
    if (t->unsure) fz_schedulers[t->scheduler].unsure--;
    t->unsure = false;
    t->live = false;
}

void fz_unsure(fz_timer *t) {
    if (t->live && !t->unsure) {
        t->unsure = true;
        fz_schedulers[t->scheduler].unsure++;
    }
    t->loose = true;
}

/* A timer bound to a target gets the target's context; the handle says which timer it is. */
static fz_timer *find(wtm_timer handle, void *context) {
    if ((fz_timer *)context >= fz_timers && (fz_timer *)context < fz_timers + FZ_TIMERS) return context;
    for (unsigned i = 0; i < fz_timer_count; i++) {
        if (fz_timers[i].known && fz_timers[i].handle.id == handle.id) return &fz_timers[i];
    }
    FZ_CHECK(false, "a callback with a handle and a context that nobody gave out");
    return NULL;
}

static fz_timer *enter(wtm_timer handle, void *context) {
    fz_timer *t = find(handle, context);
    FZ_CHECK(t->used, "a timer that was never started");
    FZ_CHECK(!t->known || t->handle.id == handle.id, "a handle that is not the timer's");
    t->handle = handle;
    t->known = true;
    t->frames++;
    return t;
}

/* User code may call anything, a few levels deep. */
static void play(void) {
    if (fz_depth >= FZ_DEPTH) return;
    fz_depth++;
    for (unsigned n = fz_u8() % 4; n > 0 && fz_more(); n--) fz_call();
    fz_depth--;
}

void fz_on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    fz_timer *t = enter(timer, context);
    FZ_TRACE("  tick %d flags %u ordinal %llu now %llu\n", (int)(t - fz_timers), tick->flags, (unsigned long long)tick->ordinal,
             (unsigned long long)tick->now_ns);
    FZ_CHECK(t->live, "a callback after the end");
    FZ_CHECK(t->in_tick == 0, "a callback inside itself");
    FZ_CHECK(t->released == 0 && t->ended == 0, "a callback after a hook");
    FZ_CHECK(!t->weak || t->locks == t->unlocks + 1, "a weak target that is not locked");
    FZ_CHECK(t->target < 0 || tick->target == &fz_targets[t->target], "another target");
    FZ_CHECK(t->target < 0 || fz_targets[t->target].hooks == 0, "a callback after its target's hook");
    FZ_CHECK(fz_schedulers[t->scheduler].advancing || t->queued_executor, "a callback that nobody drives");
    bool fired = (tick->flags & WTM_TICK_FIRED) != 0;
    t->in_tick++;
    t->ticks_seen++;
    fz_schedulers[t->scheduler].ticks_seen++;
    if (!t->queued_executor) fz_schedulers[t->scheduler].inline_ticks++;
    fz_begin_tick(t, tick);
    if (++fz_total_ticks > FZ_TICKS) {
        /* An input is to end some day: from here on every timer stops at its first callback. */
        bool lived = t->live;
        wtm_status status = wtm_timer_invalidate(timer);
        FZ_CHECK(status == WTM_RUNNING || t->unsure || !lived, "stop in a callback: %s", wtm_status_name(status));
        fz_died(t);
    } else {
        play();
    }
    t->in_tick--;
    fz_end_tick(t, fired);
    t->frames--;
}

void fz_on_ended(wtm_timer timer, wtm_reason reason, void *context) {
    fz_timer *t = enter(timer, context);
    FZ_TRACE("  ended %d reason %d\n", (int)(t - fz_timers), (int)reason);
    FZ_CHECK(t->in_tick == 0 && t->ended == 0 && t->released == 0, "ended out of turn");
    FZ_CHECK(reason >= WTM_REASON_COMPLETED && reason <= WTM_REASON_SHUTDOWN, "reason %d", (int)reason);
    FZ_CHECK(!t->live || t->unsure || t->weak_dead || fz_schedulers[t->scheduler].shaky, "ended, says the library, but why?");
    t->ended++;
    fz_died(t);
    FZ_CHECK(wtm_timer_fire(timer) == WTM_ERR_GONE, "an ended timer that answers");
    play();
    t->frames--;
}

void fz_on_release(void *context) {
    fz_timer *t = context;
    FZ_TRACE("  release %d\n", (int)(t - fz_timers));
    FZ_CHECK(t >= fz_timers && t < fz_timers + FZ_TIMERS && t->used, "a context that nobody gave");
    FZ_CHECK(t->released == 0, "released twice");
    FZ_CHECK(t->in_tick == 0, "released during a callback");
    FZ_CHECK(t->ended == (t->hooked ? 1u : 0u), "released before it ended");
    FZ_CHECK(!t->live || t->unsure || t->weak_dead || fz_schedulers[t->scheduler].shaky, "released, but why?");
    FZ_CHECK(t->locks == t->unlocks, "released while locked");
    t->released++;
    t->frames++;
    fz_died(t);
    play();
    t->frames--;
}

void fz_on_target(void *context) {
    fz_target *target = context;
    FZ_TRACE("  target hook %d\n", (int)(target - fz_targets));
    FZ_CHECK(target->used && target->dead && target->hooks == 0, "a target's hook out of turn");
    for (unsigned i = 0; i < fz_timer_count; i++) {
        fz_timer *t = &fz_timers[i];
        if (!t->used || t->target != (int)(target - fz_targets)) continue;
        FZ_CHECK(!t->live && t->in_tick == 0, "a target's hook before its timer's end");
        FZ_CHECK(!t->hooked || (t->ended == 1 && t->released == 1), "a target's hook before its timer's hooks");
    }
    target->hooks++;
    play();
}

void *fz_lock(void *weak) {
    fz_timer *t = weak;
    FZ_CHECK(t->released == 0 && t->locks == t->unlocks, "locked out of turn");
    t->frames++;
    if (t->weak_dead) {
        t->frames--;
        return NULL;
    }
    t->locks++;
    return t;
}

void fz_unlock(void *strong) {
    fz_timer *t = strong;
    t->unlocks++;
    FZ_CHECK(t->locks == t->unlocks && t->released == 0, "unlocked out of turn");
    t->frames--;
}
