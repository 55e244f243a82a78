/* One operation, done to the reference and to the library. Where the contract does not say what the operation means in the
 * state at hand, it is left out: the reference decides that from its own state, so a shrunk trace stays meaningful. */
#include <inttypes.h>
#include <string.h>

#include "model.h"

static const char *current_op = "";

static void expect_status(const timer *t, wtm_status got, wtm_status want) {
    if (got != want)
        fail("%s on slot %u answered %s, expected %s", current_op, t->slot, wtm_status_name(got), wtm_status_name(want));
}

static uint64_t now_on(uint32_t clock) { return clock_at(clock, w.now); }

static uint64_t absolute(uint32_t clock, int64_t offset) {
    uint64_t now = now_on(clock);
    if (offset < 0) return now > (uint64_t)-offset ? now - (uint64_t)-offset : 0;
    return sat_add(now, (uint64_t)offset);
}

/* Everything that waits and everything that was given out for a timer must be over when its hooks are. */
static void check_hooks(const timer *t) {
    if (t->hook_due && (t->ended != 1 || t->released != 1))
        fail("slot %u: ended ran %u times and release %u times where each is due once", t->slot, t->ended, t->released);
}

static timer *new_timer(const op *o) {
    timer *t = &w.timers[w.timer_count++];
    memset(t, 0, sizeof *t);
    t->slot = o->slot;
    t->keep = (o->flags & WTM_TIMER_KEEP) != 0;
    t->hand = o->hand;
    t->weak = o->weak;
    t->clock = o->clock;
    t->missed = o->missed;
    t->numerator = o->numerator;
    t->denominator = o->denominator;
    t->interval = o->interval;
    t->tolerance = o->tolerance;
    t->limit = o->limit;
    t->script = o->script;
    t->target = o->target;
    return t;
}

static void start(const op *o) {
    timer *old = w.slots[o->slot];
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    if (w.timer_count == INSTANCES || (old != NULL && (old->valid || old->running))) return;
    timer *t = new_timer(o);
    options.flags = o->flags;
    options.fn = on_tick;
    options.context = t;
    options.release = on_release;
    options.ended = on_ended;
    if (t->target >= 0) options.target = w.targets[t->target];
    if (t->weak) options.weak = &weak_ops;
    if (t->hand) options.executor = engine_executor(o->slot);
    options.clock = o->clock;
    options.missed = o->missed;
    options.delay_ns = o->time;
    options.deadline_ns = absolute(o->clock, o->offset);
    options.interval_ns = o->interval;
    options.rate_hz_numerator = o->numerator;
    options.rate_hz_denominator = o->denominator;
    options.tolerance_ns = o->tolerance;
    options.tick_limit = o->limit;
    bool is_absolute = (o->flags & WTM_TIMER_ABSOLUTE) != 0;
    uint64_t delay = o->time == 0 && repeats(t) && !(o->flags & WTM_TIMER_IMMEDIATE) ? period_offset(t, 1) : o->time;
    uint64_t first = is_absolute ? options.deadline_ns : sat_add(now_on(t->clock), delay);
    w.slots[o->slot] = t;
    t->valid = true;
    lay(t, first);
    if (o->flags & WTM_TIMER_PAUSED) {
        t->armed = false;
        t->paused = true;
        t->paused_absolute = is_absolute;
        t->remaining = is_absolute ? first : delay;
    }
    wtm_status status = wtm_timer_start(w.scheduler, &options, &t->handle);
    expect_status(t, status, WTM_OK);
}

/* A one-shot whose tick runs and that was not armed again is on its way out: what pause, resume and set_interval mean then is
 * open, except for what the contract says. */
static bool on_its_way_out(const timer *t) { return t->running && (t->last || (t->single && !t->rearmed)); }

static void move(timer *t, const op *o) {
    bool relative = o->kind == OP_RESCHEDULE;
    uint64_t deadline = relative ? sat_add(now_on(t->clock), o->time) : absolute(t->clock, o->offset);
    if (t->valid && t->queue_unknown) return;
    wtm_status want = !t->valid ? WTM_ERR_GONE : t->running && t->last ? WTM_ERR_LIMIT : WTM_OK;
    if (want == WTM_OK && t->paused) {
        t->paused_absolute = !relative;
        t->remaining = relative ? o->time : deadline;
        t->rearmed = true;
    } else if (want == WTM_OK) {
        withdraw(t);
        lay(t, deadline);
        t->rearmed = true;
    }
    expect_status(t, relative ? wtm_timer_reschedule(t->handle, o->time) : wtm_timer_set_next(t->handle, deadline), want);
}

static void pause_it(timer *t) {
    if (t->valid && (t->idle || t->queue_unknown || on_its_way_out(t))) return;
    if (t->valid && !t->paused) {
        uint64_t deadline = deadline_of(t), now = now_on(t->clock);
        withdraw(t);
        t->remaining = deadline == WTM_NEVER ? WTM_NEVER : deadline > now ? deadline - now : 0;
        t->paused = true;
        t->paused_absolute = t->armed = false;
    }
    expect_status(t, wtm_timer_pause(t->handle), t->valid ? WTM_OK : WTM_ERR_GONE);
}

static void resume_it(timer *t) {
    if (t->valid && (t->idle || on_its_way_out(t))) return;
    if (t->valid && t->paused) lay(t, t->paused_absolute ? t->remaining : sat_add(now_on(t->clock), t->remaining));
    expect_status(t, wtm_timer_resume(t->handle), t->valid ? WTM_OK : WTM_ERR_GONE);
}

static void set_interval(timer *t, const op *o) {
    if (t->valid) {
        bool from_its_own = t->running && t->single && !t->rearmed;
        if (t->keep || (t->running && (t->last || (t->single && (t->fired || t->rearmed))))) return;
        if (from_its_own && (t->scheduled != t->now || o->interval == 0)) return;
        uint64_t now = now_on(t->clock), next = deadline_of(t);
        if (t->armed && next < now && o->interval != 0 && (now - next) / o->interval > 200) return; /* too long a burst */
        if (t->armed && next < now && t->queued) return; /* how a queued tick is reckoned then is open */
        if (from_its_own) {
            next = sat_add(t->scheduled, o->interval);
            t->armed = true;
            t->rearmed = t->vague = true;
        }
        if (t->armed) {
            t->first = next;
            t->before = 0;
            t->k = 0;
        }
        t->interval = o->interval;
        t->tolerance = o->tolerance;
        t->numerator = t->denominator = 0;
    }
    wtm_status want = t->valid ? WTM_OK : WTM_ERR_GONE;
    if (o->interval % 2 == 0) {
        expect_status(t, wtm_timer_set_interval(t->handle, o->interval, o->tolerance), want);
        return;
    }
    /* The same, one number after the other. */
    expect_status(t, wtm_timer_set_interval_only(t->handle, o->interval), want);
    expect_status(t, wtm_timer_set_tolerance(t->handle, o->tolerance), want);
}

static void fire(timer *t) {
    /* On a custom executor only when nothing else is on its way there: else the work that is queued might be either. */
    if (t->valid && t->hand && (t->queued || t->fires > 0 || t->running || deadline_of(t) <= now_on(t->clock))) return;
    if (t->valid) t->fires++;
    expect_status(t, wtm_timer_fire(t->handle), t->valid ? WTM_OK : WTM_ERR_GONE);
}

static void invalidate(timer *t) {
    wtm_status want = !t->valid ? WTM_ERR_GONE : t->running ? WTM_RUNNING : WTM_OK;
    end_timer(t, WTM_REASON_INVALIDATED);
    expect_status(t, wtm_timer_invalidate(t->handle), want);
    check_hooks(t);
}

static void release_target(unsigned which) {
    for (unsigned i = 0; i < SLOTS; i++) {
        timer *t = w.slots[i];
        if (t != NULL && t->valid && t->target == (int)which) end_timer(t, WTM_REASON_TARGET_GONE);
    }
    if (wtm_target_release(w.targets[which]) != WTM_OK) fail("a target could not be released");
    for (unsigned i = 0; i < SLOTS; i++) {
        if (w.slots[i] != NULL && !w.failed) check_hooks(w.slots[i]);
    }
    if (wtm_target_create(NULL, NULL, &w.targets[which]) != WTM_OK) fail("a target could not be made");
}

static void check(timer *t) {
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    uint64_t next = 7;
    if (!t->valid) {
        expect_status(t, wtm_timer_get_info(t->handle, &info), WTM_ERR_GONE);
        if (wtm_timer_is_valid(t->handle)) fail("slot %u is valid after its end", t->slot);
        return;
    }
    expect_status(t, wtm_timer_get_info(t->handle, &info), WTM_OK);
    expect_status(t, wtm_timer_get_next(t->handle, &next), WTM_OK);
    if (info.ticks != t->ticks || info.missed != t->missed_total)
        fail("slot %u: %" PRIu64 " ticks and %" PRIu64 " missed, expected %" PRIu64 " and %" PRIu64, t->slot, info.ticks,
             info.missed, t->ticks, t->missed_total);
    if (t->numerator == 0 && (info.interval_ns != t->interval || info.tolerance_ns != effective_tolerance(t)))
        fail("slot %u: interval %" PRIu64 " and tolerance %" PRIu64 ", expected %" PRIu64 " and %" PRIu64, t->slot,
             info.interval_ns, info.tolerance_ns, t->interval, effective_tolerance(t));
    if (t->queue_unknown || t->queue_fired || (t->running && t->fired && t->single)) return; /* open */
    if (next != deadline_of(t)) fail("slot %u: next is %" PRIu64 ", expected %" PRIu64, t->slot, next, deadline_of(t));
    if (t->running && t->paused) return;
    uint32_t state = t->running  ? WTM_STATE_RUNNING
                     : t->queued ? WTM_STATE_QUEUED
                     : t->paused ? WTM_STATE_PAUSED
                     : t->idle   ? WTM_STATE_IDLE
                                 : WTM_STATE_ARMED;
    if (info.state != state) fail("slot %u: state %" PRIu32 ", expected %" PRIu32, t->slot, info.state, state);
}

/* How far time may go at once, so that the number of ticks stays bounded. */
static uint64_t bounded(uint64_t by) {
    for (unsigned i = 0; i < SLOTS; i++) {
        const timer *t = w.slots[i];
        if (t == NULL || !t->valid || !repeats(t)) continue;
        uint64_t most = sat_add(0, period_offset(t, 1)) * 100;
        if (by > most) by = most;
    }
    return by;
}

static void advance(uint64_t by) {
    uint64_t ran = 7;
    by = bounded(by);
    w.advance_end = w.now + by;
    w.advancing = true;
    w.nested_run = false;
    w.turns = 0;
    note_due_afresh();
    wtm_status status = wtm_scheduler_advance(w.scheduler, by, &ran);
    w.advancing = false;
    if (w.failed) return;
    settle();
    if (status != WTM_OK) fail("advance answered %s", wtm_status_name(status));
    if (!w.nested_run && ran != w.turns) fail("advance counted %" PRIu64 " ticks, expected %" PRIu64, ran, w.turns);
    w.advancing = true;
    move_to(w.advance_end, true);
    w.advancing = false;
    if (wtm_scheduler_now(w.scheduler, WTM_CLOCK_MONOTONIC) != w.now) fail("the clock is not where advance should have left it");
}

static void set_wall(int64_t offset) {
    uint64_t now = now_on(WTM_CLOCK_WALL), to = absolute(WTM_CLOCK_WALL, offset);
    for (unsigned i = 0; i < SLOTS; i++) {
        const timer *t = w.slots[i];
        if (t == NULL || !t->valid || t->clock != WTM_CLOCK_WALL) continue;
        if (to < now && t->queued) return; /* whether it is taken back then or when its work runs is open */
        if (!repeats(t)) continue;
        if (to > now && t->missed == WTM_MISSED_BURST && (to - now) / period_offset(t, 1) > 200) return;
        if (to >= now || !t->armed || t->ticks == 0) continue;
        /* Back before the first tick of this grid, or while a tick is due: open. */
        if (t->k == 0 || t->queued || t->fires > 0 || deadline_of(t) <= now) return;
    }
    if (wtm_scheduler_set_wall(w.scheduler, to) != WTM_OK) fail("set_wall failed");
    w.wall_offset += to - now;
    for (unsigned i = 0; i < SLOTS && to < now; i++) {
        timer *t = w.slots[i];
        if (t == NULL || !t->valid || t->clock != WTM_CLOCK_WALL || !repeats(t) || !t->armed || t->ticks == 0) continue;
        rejoin(t, to);
        t->vague = true;
    }
}

void apply(const op *o) {
    static const char *const names[] = { "start",        "invalidate", "pause", "resume", "reschedule", "set_next",
                                         "set_interval", "fire",       "",      "",       "",           "check" };
    if (w.trace && (w.depth == 0 || o->kind != OP_CHECK)) print_op(w.depth == 0 ? "" : "        there: ", o);
    if (o->kind <= OP_CHECK) current_op = names[o->kind];
    switch (o->kind) {
    case OP_START: start(o); return;
    case OP_RELEASE_TARGET: release_target(o->slot); return;
    case OP_RUN_WORK: engine_run_work(o->slot, o->work); return;
    case OP_ADVANCE: advance(o->time); return;
    case OP_SET_WALL: set_wall(o->offset); return;
    default: break;
    }
    timer *t = w.slots[o->slot];
    if (t == NULL) return;
    switch (o->kind) {
    case OP_INVALIDATE: invalidate(t); break;
    case OP_PAUSE: pause_it(t); break;
    case OP_RESUME: resume_it(t); break;
    case OP_RESCHEDULE:
    case OP_SET_NEXT: move(t, o); break;
    case OP_SET_INTERVAL: set_interval(t, o); break;
    case OP_FIRE: fire(t); break;
    case OP_KILL: t->dead = t->weak; break;
    default:
        check(t);
        if (o->slot == 0 && !w.failed) compare_walk();
    }
}
