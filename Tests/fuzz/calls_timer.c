/* Calls that take a timer: what each must answer, and what it does to the model.
 * covers: stop.nonblocking stop.self stop.sticky stop.none-after time.pause time.fire life.release.when */
#include "fuzz.h"

static fz_timer *pick(void) {
    unsigned which = fz_u8();
    if (fz_timer_count == 0) return NULL;
    fz_timer *t = &fz_timers[which % fz_timer_count];
    return t->used && t->known ? t : NULL;
}

static bool vague(const fz_timer *t) { return t->unsure || fz_schedulers[t->scheduler].shaky; }

/* `want` is the answer of a live timer. True when the call succeeded on a timer that the model follows. */
static bool answered(fz_timer *t, wtm_status got, wtm_status want, const char *call) {
    FZ_TRACE("%*s%s(%d) = %s\n", (int)fz_depth, "", call, (int)(t - fz_timers), wtm_status_name(got));
    if (vague(t)) {
        FZ_CHECK(got == want || got == WTM_OK || got == WTM_ERR_GONE || got == WTM_ERR_LIMIT, "%s: %s", call,
                 wtm_status_name(got));
        return false;
    }
    if (!t->live) want = WTM_ERR_GONE;
    FZ_CHECK(got == want, "%s of timer %d answers %s, not %s", call, (int)(t - fz_timers), wtm_status_name(got),
             wtm_status_name(want));
    return got == WTM_OK;
}

static void invalidate(fz_timer *t, bool wait) {
    bool running = t->frames > 0, was_live = t->live, was_vague = vague(t);
    uint64_t timeout = wait ? fz_u8() % 3 * UINT64_C(20000) : 0;
    if (was_live) fz_died(t); /* before the call, since the hooks run within */
    wtm_status got = wait ? wtm_timer_invalidate_and_wait(t->handle, timeout) : wtm_timer_invalidate(t->handle);
    FZ_TRACE("%*sinvalidate%s(%d) = %s\n", (int)fz_depth, "", wait ? "_and_wait" : "", (int)(t - fz_timers),
             wtm_status_name(got));
    wtm_status want = was_live ? WTM_OK : WTM_ERR_GONE;
    if (running && wait) want = WTM_ERR_WOULD_DEADLOCK;
    else if (running && was_live) want = WTM_RUNNING;
    /* Ended together with others by a call further up the stack, which has yet to come to its hooks. */
    bool has_hook = t->hooked || t->target < 0;
    if (wait && !was_live && has_hook && t->released == 0) want = WTM_ERR_WOULD_DEADLOCK;
    bool queued_hook = wait && t->on_executor; /* it may be covered by the wait until somebody runs the queue */
    FZ_CHECK(got == want || (was_vague && (got == WTM_OK || got == WTM_ERR_GONE)) ||
                 (queued_hook && (got == WTM_ERR_TIMED_OUT || got == WTM_ERR_WOULD_DEADLOCK || got == WTM_ERR_GONE)),
             "invalidate%s answers %s, not %s", wait ? "_and_wait" : "", wtm_status_name(got), wtm_status_name(want));
    if (has_hook && !t->on_executor && !was_vague && (got == WTM_OK || (wait && got == WTM_ERR_GONE))) {
        FZ_CHECK(t->ended == (t->hooked ? 1u : 0u) && t->released == 1, "hooks that had not run when the stop returned");
    }
    FZ_CHECK(!wtm_timer_is_valid(t->handle), "a stopped timer that is valid");
}

/* Some combinations are the user's own puzzle; from then on only the hooks tell whether such a timer lives. */
static void puzzle(fz_timer *t, bool if_one_shot_running, bool if_idle) {
    if (!t->live || t->unsure) return;
    bool one_shot_running = t->in_tick > 0 && !t->armed && !t->paused;
    if ((if_one_shot_running && one_shot_running) || (if_idle && t->idle) || (t->in_tick > 0 && t->in_fired && !fz_repeats(t)) ||
        (if_one_shot_running && t->limit_reached)) {
        fz_unsure(t);
    }
}

static void move(fz_timer *t, bool absolute) {
    uint64_t value = fz_time();
    puzzle(t, false, false);
    FZ_TRACE("%*sto %llu\n", (int)fz_depth, "", (unsigned long long)value);
    wtm_status got = absolute ? wtm_timer_set_next(t->handle, value) : wtm_timer_reschedule(t->handle, value);
    if (!answered(t, got, t->limit_reached ? WTM_ERR_LIMIT : WTM_OK, absolute ? "set_next" : "reschedule")) return;
    if (t->paused) {
        t->paused_absolute = absolute;
        t->remaining = value;
    } else {
        fz_lay(t, absolute ? value : fz_add(fz_now(t), value));
    }
}

/* At once, or one number after the other. */
static wtm_status set_both(wtm_timer timer, uint64_t interval, uint64_t tolerance) {
    if (interval % 2 == 0) return wtm_timer_set_interval(timer, interval, tolerance);
    wtm_status got = wtm_timer_set_interval_only(timer, interval);
    FZ_CHECK(wtm_timer_set_tolerance(timer, tolerance) == got, "the two halves of set_interval differ");
    return got;
}

static void set_interval(fz_timer *t) {
    uint64_t interval = fz_time(), tolerance = fz_time();
    puzzle(t, false, true);
    if (t->limit_reached || (t->keep && interval == 0) || (t->paused && !fz_repeats(t))) fz_unsure(t);
    bool was_one_shot = !fz_repeats(t);
    if (!answered(t, set_both(t->handle, interval, tolerance), WTM_OK, "set_interval")) return;
    t->interval = interval;
    t->tolerance = tolerance;
    t->rate_numerator = t->rate_denominator = 0;
    if (t->armed) {
        t->base = t->next;
        t->k = 0;
    } else if (was_one_shot && interval != 0 && t->in_tick > 0) {
        uint64_t sequence = t->sequence;
        fz_lay(t, fz_add(t->running_scheduled, interval));
        t->sequence = sequence;
        fz_unsure(t);
    }
}

static void pause_or_resume(fz_timer *t, bool resume) {
    puzzle(t, true, !resume);
    uint64_t now = fz_now(t);
    wtm_status got = resume ? wtm_timer_resume(t->handle) : wtm_timer_pause(t->handle);
    if (!answered(t, got, WTM_OK, resume ? "resume" : "pause") || t->paused == !resume) return;
    t->paused = !resume;
    if (resume) {
        fz_lay(t, t->paused_absolute || t->remaining == WTM_NEVER ? t->remaining : fz_add(now, t->remaining));
    } else {
        t->paused_absolute = false;
        t->remaining = t->next == WTM_NEVER ? WTM_NEVER : t->next > now ? t->next - now : 0;
        t->armed = false;
    }
}

static void get_next(fz_timer *t) {
    uint64_t next = 1;
    wtm_status got = wtm_timer_get_next(t->handle, &next);
    bool ok = answered(t, got, WTM_OK, "get_next");
    FZ_CHECK(got == WTM_OK || next == 0, "an output that is not zero on failure");
    if (!ok || t->loose) return;
    uint64_t want = t->armed ? t->next : WTM_NEVER;
    FZ_CHECK(next == want, "next %llu, model %llu", (unsigned long long)next, (unsigned long long)want);
}

static void get_info(fz_timer *t) {
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    bool ok = answered(t, wtm_timer_get_info(t->handle, &info), WTM_OK, "get_info");
    FZ_CHECK(info.size == sizeof info, "size was changed");
    if (!ok) return;
    FZ_CHECK(info.clock == t->clock && info.missed_policy == t->missed_policy, "another clock or policy");
    FZ_CHECK(info.state <= (uint32_t)WTM_STATE_IDLE && strnlen(info.name, sizeof info.name) < sizeof info.name, "state or name");
    if (t->in_tick == 0)
        FZ_CHECK(info.ticks == t->ticks_seen, "%llu ticks, seen %u", (unsigned long long)info.ticks, t->ticks_seen);
    FZ_CHECK(t->target < 0 || info.target.id == fz_targets[t->target].handle.id, "another target");
    if (t->loose) return;
    FZ_CHECK(t->rate_numerator != 0 || (info.interval_ns == t->interval && info.tolerance_ns == fz_tolerance(t)),
             "interval or tolerance");
    if (t->in_tick == 0 && t->fires == 0) {
        uint32_t state = t->paused ? WTM_STATE_PAUSED : t->idle ? WTM_STATE_IDLE : WTM_STATE_ARMED;
        FZ_CHECK(info.state == state, "state %u, model %u", info.state, state);
    }
}

void fz_call_timer(unsigned which) {
    fz_timer *t = pick();
    if (t == NULL) {
        wtm_timer forged = { fz_u64() };
        FZ_CHECK(wtm_timer_fire(forged) <= 0, "a forged handle fires");
        return;
    }
    switch (which % 10) {
    case 0: invalidate(t, false); return;
    case 1: invalidate(t, true); return;
    case 2: {
        bool valid = wtm_timer_is_valid(t->handle);
        FZ_CHECK(vague(t) || valid == t->live, "is_valid says %d of timer %d", valid, (int)(t - fz_timers));
        return;
    }
    case 3:
        puzzle(t, true, false);
        if (answered(t, wtm_timer_fire(t->handle), WTM_OK, "fire")) t->fires++;
        else if (vague(t)) t->fires++;
        return;
    case 4: move(t, false); return;
    case 5: move(t, true); return;
    case 6: set_interval(t); return;
    case 7: pause_or_resume(t, (fz_u8() & 1) != 0); return;
    case 8: get_next(t); return;
    default: get_info(t); return;
    }
}
