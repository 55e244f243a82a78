/* Calls that take a target.
 * covers: life.eager life.weak life.borrow life.release.once stop.self */
#include "fuzz.h"

static bool bound(const fz_timer *t, const fz_target *target) { return t->used && t->target == (int)(target - fz_targets); }

static void kill_timers(fz_target *target) {
    for (unsigned i = 0; i < fz_timer_count; i++) {
        if (bound(&fz_timers[i], target) && fz_timers[i].live) fz_died(&fz_timers[i]);
    }
}

/* Whether the target's hook must wait: for what is on the stack, or for hooks that somebody has yet to run. */
static bool busy(fz_target *target, bool *queued) {
    bool running = false;
    *queued = false;
    for (unsigned i = 0; i < fz_timer_count; i++) {
        fz_timer *t = &fz_timers[i];
        if (!bound(t, target)) continue;
        running = running || t->frames > 0;
        *queued = *queued || (t->hooked && t->on_executor && t->released == 0);
    }
    return running;
}

static void check(fz_target *target, const char *call, wtm_status got, wtm_status want) {
    FZ_TRACE("%*s%s(%d) = %s\n", (int)fz_depth, "", call, (int)(target - fz_targets), wtm_status_name(got));
    FZ_CHECK(got == want, "%s answers %s, not %s", call, wtm_status_name(got), wtm_status_name(want));
    FZ_CHECK(wtm_target_is_alive(target->handle) == !target->dead, "is_alive is wrong after %s", call);
}

static void after_death(fz_target *target) {
    bool queued, running = busy(target, &queued);
    for (unsigned i = 0; i < fz_timer_count; i++) {
        if (bound(&fz_timers[i], target) && fz_timers[i].known)
            FZ_CHECK(!wtm_timer_is_valid(fz_timers[i].handle), "lives on without its target");
    }
    if (!running && !queued) FZ_CHECK(target->hooks == 1, "a dead target's hook has not run");
    if (running) FZ_CHECK(target->hooks == 0, "a target's hook during its timer's callback");
}

static void create(void) {
    for (int i = 0; i < FZ_TARGETS; i++) {
        fz_target *target = &fz_targets[i];
        if (target->used) continue;
        FZ_CHECK(wtm_target_create(target, fz_on_target, &target->handle) == WTM_OK, "no target");
        target->used = true;
        target->references = 1;
        FZ_CHECK(wtm_target_is_alive(target->handle), "a new target that is dead");
        return;
    }
}

static void release(fz_target *target) {
    wtm_status want = target->dead ? WTM_ERR_GONE : WTM_OK;
    bool last = !target->dead && target->references == 1;
    if (last) {
        target->dead = true;
        kill_timers(target);
    }
    if (want == WTM_OK) target->references--;
    check(target, "target_release", wtm_target_release(target->handle), want);
    if (last) after_death(target);
}

static void close_target(fz_target *target) {
    bool was_dead = target->dead, queued, had_hook = target->hooks > 0, running = busy(target, &queued);
    uint64_t timeout = fz_u8() % 3 * UINT64_C(20000);
    target->dead = true;
    target->references = 0;
    kill_timers(target);
    wtm_status got = wtm_target_close(target->handle, timeout);
    FZ_TRACE("%*sclose(%d) = %s\n", (int)fz_depth, "", (int)(target - fz_targets), wtm_status_name(got));
    wtm_status want = was_dead ? WTM_ERR_GONE : WTM_OK;
    if (running) {
        want = WTM_ERR_WOULD_DEADLOCK;
    } else if (had_hook && got == WTM_ERR_WOULD_DEADLOCK && fz_depth > 0) {
        want = got; /* its hook is further up the stack */
    } else if (queued && (got == WTM_ERR_TIMED_OUT || got == WTM_ERR_WOULD_DEADLOCK || got == WTM_ERR_GONE)) {
        want = got;
    }
    check(target, "target_close", got, want);
    if (got == WTM_OK) FZ_CHECK(target->hooks == 1, "closed without its hook");
    after_death(target);
}

void fz_call_target(unsigned which) {
    if (which % 8 == 0) {
        create();
        return;
    }
    fz_target *target = &fz_targets[fz_u8() % FZ_TARGETS];
    if (!target->used) return;
    wtm_status want = target->dead ? WTM_ERR_GONE : WTM_OK;
    switch (which % 8) {
    case 1:
        check(target, "target_retain", wtm_target_retain(target->handle), want);
        if (want == WTM_OK) target->references++;
        return;
    case 2: {
        void *context = &context;
        check(target, "target_try_retain", wtm_target_try_retain(target->handle, &context), want);
        FZ_CHECK(context == (want == WTM_OK ? (void *)target : NULL), "try_retain gives another context");
        if (want == WTM_OK) target->references++;
        return;
    }
    case 3: FZ_CHECK(wtm_target_is_alive(target->handle) == !target->dead, "is_alive"); return;
    case 4:
        if (!target->dead) kill_timers(target);
        check(target, "target_invalidate_timers", wtm_target_invalidate_timers(target->handle), want);
        return;
    case 5: close_target(target); return;
    default: release(target); return;
    }
}
