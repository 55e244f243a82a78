/* Starting timers, in every form.
 * covers: life.failed life.release.once life.weak time.range time.never-early */
#include "fuzz.h"

static int pick_scheduler(void) {
    int which = fz_u8() % FZ_SCHEDULERS;
    for (int i = 0; i < FZ_SCHEDULERS; i++, which = (which + 1) % FZ_SCHEDULERS) {
        if (fz_schedulers[which].used) return which;
    }
    return -1;
}

static int pick_target(void) {
    int which = fz_u8() % FZ_TARGETS;
    return fz_targets[which].used ? which : -1;
}

static fz_timer *fresh(int scheduler) {
    fz_timer *t = &fz_timers[fz_timer_count];
    memset(t, 0, sizeof *t);
    t->scheduler = scheduler;
    t->target = -1;
    t->missed_policy = WTM_MISSED_COALESCE;
    return t;
}

/* The timer is in the books before the call, for a host's first tick or hook may come within. */
static void settle(fz_timer *t, wtm_status got, wtm_status want, wtm_timer handle, bool wanted_handle) {
    fz_scheduler *s = &fz_schedulers[t->scheduler];
    FZ_TRACE("%*sstart(%d) on %d = %s\n", (int)fz_depth, "", (int)(t - fz_timers), t->scheduler, wtm_status_name(got));
    if (want == WTM_OK && s->down) want = WTM_ERR_SHUT_DOWN;
    FZ_CHECK(got == want || (s->down && got == WTM_ERR_GONE), "start answers %s, not %s", wtm_status_name(got),
             wtm_status_name(want));
    if (got != WTM_OK) {
        FZ_CHECK(handle.id == 0, "a handle from a start that failed");
        memset(t, 0, sizeof *t);
        fz_timer_count--;
        return;
    }
    s->created++;
    if (wanted_handle) {
        FZ_CHECK(handle.id != 0 && wtm_timer_is_valid(handle), "a start without a handle");
        t->handle = handle;
        t->known = true;
    }
}

static void start_simple(bool every, bool with_target) {
    int scheduler = pick_scheduler();
    if (scheduler < 0 || fz_timer_count == FZ_TIMERS) return;
    fz_timer *t = fresh(scheduler);
    wtm_scheduler s = fz_schedulers[scheduler].handle;
    uint64_t time = fz_time();
    wtm_timer handle = { 1 };
    bool wanted = (fz_u8() & 7) != 0 || with_target; /* with a target only the handle tells timers apart */
    wtm_timer *out = wanted ? &handle : NULL;
    wtm_status got, want = every && time == 0 ? WTM_ERR_INVALID : WTM_OK;
    if (with_target && (t->target = pick_target()) < 0) return;
    fz_timer_count++;
    FZ_TRACE("%*s%s %llu target %d\n", (int)fz_depth, "", every ? "every" : "after", (unsigned long long)time, t->target);
    t->used = t->live = true;
    t->interval = every ? time : 0;
    t->loose = !fz_schedulers[scheduler].manual;
    fz_lay(t, fz_add(fz_now(t), time));
    if (with_target) {
        fz_target *target = &fz_targets[t->target];
        if (want == WTM_OK && target->dead) want = WTM_ERR_TARGET_GONE;
        got = every ? wtm_timer_every_target(s, time, fz_on_tick, target->handle, out)
                    : wtm_timer_after_target(s, time, fz_on_tick, target->handle, out);
        FZ_CHECK(!fz_schedulers[scheduler].down || got != WTM_OK, "a start on a scheduler that is down");
        if (target->dead && got == WTM_ERR_GONE) want = got; /* its slot may be another's by now */
        if (fz_schedulers[scheduler].down && got == WTM_ERR_TARGET_GONE) want = got;
    } else {
        got = every ? wtm_timer_every(s, time, fz_on_tick, t, fz_on_release, out)
                    : wtm_timer_after(s, time, fz_on_tick, t, fz_on_release, out);
    }
    settle(t, got, want, wanted ? handle : (wtm_timer){ 0 }, wanted);
}

static bool invalid(const wtm_timer_options *o) {
    bool rate = o->rate_hz_numerator != 0 || o->rate_hz_denominator != 0;
    bool repeats = o->interval_ns != 0 || rate;
    if (o->fn == NULL || o->flags > 127 || o->clock > 2 || o->missed > 2) return true;
    if (rate && (o->rate_hz_numerator == 0 || o->rate_hz_denominator == 0 || o->interval_ns != 0)) return true;
    if (rate && o->rate_hz_numerator > o->rate_hz_denominator * UINT64_C(1000000000)) return true;
    if ((o->flags & WTM_TIMER_IMMEDIATE) && ((o->flags & WTM_TIMER_ABSOLUTE) || o->delay_ns != 0)) return true;
    if ((o->flags & WTM_TIMER_CONCURRENT)) return true; /* there is no pool here */
    if (o->weak != NULL && (o->target.id != 0 || o->weak->lock == NULL || o->weak->unlock == NULL)) return true;
    if ((o->flags & WTM_TIMER_INLINE) && o->executor.id != 0) return true;
    (void)repeats;
    return false;
}

static void start_options(void) {
    int scheduler = pick_scheduler();
    if (scheduler < 0 || fz_timer_count == FZ_TIMERS) return;
    fz_timer *t = fresh(scheduler);
    fz_scheduler *s = &fz_schedulers[scheduler];
    wtm_weak_ops weak = WTM_WEAK_OPS_INIT;
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    uint8_t shape = fz_u8(), more = fz_u8();
    static const uint8_t flags[] = { 0, 0, 1, 2, 3, 4, 16, 18, 32, 34, 48, 64, 20, 8, 33, 128 };
    o.flags = flags[fz_u8() % sizeof flags];
    o.fn = more == 255 ? NULL : fz_on_tick;
    o.context = t;
    o.release = fz_on_release;
    o.ended = fz_on_ended;
    o.clock = fz_u8() % 8 < 7 ? fz_u8() % 3 : fz_u8();
    o.missed = more % 16 == 15 ? fz_u8() : more % 3;
    if (shape & 1) o.interval_ns = fz_time();
    if (shape & 2) o.delay_ns = fz_time();
    if (shape & 4) o.deadline_ns = fz_time();
    if (shape & 8) o.tolerance_ns = fz_time();
    if (shape & 16) o.tick_limit = fz_u8() % 5;
    if ((shape & 0x60) == 0x60) {
        o.rate_hz_numerator = fz_u32() >> fz_u8() % 32;
        o.rate_hz_denominator = fz_u32() >> fz_u8() % 32;
    }
    if (shape & 0x80) o.name = "a name that is rather too long for the forty-seven bytes it may have \xc3\xa4";
    if ((more & 0x30) == 0x30 && (t->target = pick_target()) >= 0) o.target = fz_targets[t->target].handle;
    if ((more & 0xc0) == 0x80) {
        weak.lock = more & 4 ? fz_lock : NULL;
        weak.unlock = fz_unlock;
        o.weak = &weak;
        t->weak = true;
    }
    if ((more & 0xc0) == 0xc0 && (o.flags & WTM_TIMER_INLINE) == 0) o.executor = fz_queue_executor();

    t->clock = o.clock;
    wtm_status want = invalid(&o) ? WTM_ERR_INVALID : WTM_OK;
    bool target_dead = t->target >= 0 && fz_targets[t->target].dead;
    if (want == WTM_OK && target_dead) want = WTM_ERR_TARGET_GONE;
    fz_timer_count++;
    t->used = t->live = t->hooked = true;
    t->keep = (o.flags & WTM_TIMER_KEEP) != 0;
    t->on_executor = (o.flags & WTM_TIMER_RELEASE_ON_EXECUTOR) != 0;
    t->queued_executor = o.executor.id != 0;
    t->missed_policy = o.missed;
    t->interval = o.interval_ns;
    t->rate_numerator = o.rate_hz_numerator;
    t->rate_denominator = o.rate_hz_denominator;
    t->tolerance = o.tolerance_ns;
    t->limit = o.tick_limit;
    if (want == WTM_OK) {
        uint64_t now = fz_now(t), first = o.delay_ns;
        bool absolute = (o.flags & WTM_TIMER_ABSOLUTE) != 0;
        if (absolute) {
            first = o.deadline_ns;
        } else if (first == 0 && fz_repeats(t) && (o.flags & WTM_TIMER_IMMEDIATE) == 0) {
            first = fz_point(t, 1);
        }
        if (o.flags & WTM_TIMER_PAUSED) {
            t->paused = true;
            t->paused_absolute = absolute;
            t->remaining = first;
        } else {
            fz_lay(t, absolute ? first : fz_add(now, first));
        }
        if (!s->manual) t->loose = true;
        if (t->queued_executor) fz_unsure(t);
    }
    wtm_timer handle = { 1 };
    bool wanted = (fz_u8() & 7) != 0 || t->queued_executor;
    FZ_TRACE("%*soptions: flags %u clock %u missed %u delay %llu deadline %llu interval %llu rate %u/%u tolerance %llu limit "
             "%llu target %d weak %d queue %d\n",
             (int)fz_depth, "", o.flags, o.clock, o.missed, (unsigned long long)o.delay_ns, (unsigned long long)o.deadline_ns,
             (unsigned long long)o.interval_ns, o.rate_hz_numerator, o.rate_hz_denominator, (unsigned long long)o.tolerance_ns,
             (unsigned long long)o.tick_limit, t->target, t->weak, t->queued_executor);
    wtm_status got = wtm_timer_start(s->handle, &o, wanted ? &handle : NULL);
    if (got != WTM_OK && t->unsure) fz_died(t);
    if (want != WTM_ERR_INVALID) {
        if (t->queued_executor && fz_queue_is_down() && (got == WTM_ERR_GONE || got == WTM_ERR_SHUT_DOWN)) want = got;
        if (target_dead && got == WTM_ERR_GONE) want = got;
        if (target_dead && s->down && got < 0) want = got;
    } else if ((s->down || (t->queued_executor && fz_queue_is_down())) && got < 0) {
        want = got; /* several reasons to refuse, and no order among them */
    }
    settle(t, got, want, wanted ? handle : (wtm_timer){ 0 }, wanted);
}

void fz_call_start(unsigned which) {
    switch (which % 8) {
    case 0: start_simple(false, false); return;
    case 1: start_simple(true, false); return;
    case 2: start_simple(false, true); return;
    case 3: start_simple(true, true); return;
    default: start_options(); return;
    }
}
