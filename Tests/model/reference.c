/* The reference: what the contract says about one timer, in as few lines as it can be said. */
#include "model.h"

__extension__ typedef unsigned __int128 u128;

uint64_t sat_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

uint64_t clock_at(uint32_t clock, uint64_t moment) { return clock == WTM_CLOCK_WALL ? moment + w.wall_offset : moment; }

bool repeats(const timer *t) { return t->interval != 0 || t->numerator != 0; }

uint64_t period_offset(const timer *t, uint64_t k) {
    u128 ns = t->numerator ? ((u128)k * 1000000000u * t->denominator + t->numerator - 1) / t->numerator : (u128)k * t->interval;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

uint64_t deadline_of(const timer *t) {
    if (!t->armed) return WTM_NEVER;
    uint64_t offset = period_offset(t, t->k);
    return offset == UINT64_MAX ? offset : sat_add(t->first, offset - t->before);
}

uint64_t effective_tolerance(const timer *t) {
    uint64_t half = period_offset(t, 1) / 2;
    return repeats(t) && t->tolerance > half ? half : t->tolerance;
}

/* Arms the timer at a deadline and lays its grid anew from there. */
void lay(timer *t, uint64_t deadline) {
    t->armed = true;
    t->paused = t->idle = false;
    t->first = deadline;
    t->before = 0;
    t->k = 0;
    t->arming = ++w.arming;
    t->vague = false;
    t->waiting = false;
    t->turns = 0;
}

/* The greatest k whose offset is not above the span. */
static uint64_t points_within(const timer *t, uint64_t span) {
    return t->numerator ? (uint64_t)((u128)span * t->numerator / ((u128)1000000000u * t->denominator)) : span / t->interval;
}

/* After a step of the calendar back: the next deadline is the first point of the grid after the new now. The grid reaches back
 * before its first tick; a rate repeats itself after `numerator` points, which are a whole number of nanoseconds, and of which some
 * may be before the beginning of time. */
void rejoin(timer *t, uint64_t now) {
    uint64_t points = t->numerator ? t->numerator : 1, cycle = period_offset(t, points);
    while (t->first > now && (t->numerator || t->first >= cycle)) {
        uint64_t cycles = (t->first - now - 1) / cycle + 1;
        if (!t->numerator && cycles > t->first / cycle) cycles = t->first / cycle;
        u128 back = (u128)cycles * cycle;
        t->before = back > t->first ? (uint64_t)(back - t->first) : 0;
        t->first = back > t->first ? 0 : t->first - (uint64_t)back;
        t->k += cycles * points;
    }
    uint64_t after = t->first > now ? 0 : points_within(t, now - t->first + t->before) + 1;
    if (after < t->k) t->k = after;
}

/* Takes a queued tick back; a queued fire stays. */
void withdraw(timer *t) {
    if (!t->queued || t->queue_fired) return;
    t->queued = false;
    engine_forget_work(t);
}

/* The handle is gone from now on; the hooks are due at once, or when the running callback returns. */
void end_timer(timer *t, wtm_reason reason) {
    if (!t->valid) return;
    t->valid = t->armed = t->paused = t->idle = false;
    t->fires = 0;
    t->reason = reason;
    if (t->queued) {
        t->queued = false;
        engine_forget_work(t);
    }
    if (t->running) return;
    t->hook_due = true;
    w.hooks_due++;
}

static void finish(timer *t) {
    t->running = t->returned = false;
    if (!t->valid) {
        t->hook_due = true;
        w.hooks_due++;
    } else if (t->last) {
        end_timer(t, WTM_REASON_COMPLETED);
    } else if (t->single && !t->rearmed) {
        if (!t->keep) end_timer(t, WTM_REASON_COMPLETED);
        else if (!t->fired) t->idle = true; /* a fire leaves a kept one-shot as it was */
    }
}

/* Does what follows the return of a callback. The library has done it by the time that it calls anything else. */
void settle(void) {
    for (unsigned i = 0; i < SLOTS; i++) {
        timer *t = w.slots[i];
        if (t != NULL && t->running && t->returned) finish(t);
    }
}

static void begin(timer *t, wtm_tick *expected) {
    t->running = true;
    t->returned = t->rearmed = t->last = false;
    t->single = !repeats(t);
    t->queued = t->queue_fired = t->queue_unknown = false;
    t->now = clock_at(t->clock, w.now);
    t->ticks++;
    expected->clock = t->clock;
    expected->now_ns = t->now;
}

void begin_fired(timer *t, wtm_tick *expected) {
    begin(t, expected);
    t->fired = true;
    t->fires--;
    t->scheduled = t->now;
    expected->flags = WTM_TICK_FIRED;
    expected->scheduled_ns = t->now;
    expected->ordinal = t->ordinal;
    expected->missed = 0;
    expected->next_ns = deadline_of(t);
}

void begin_scheduled(timer *t, wtm_tick *expected) {
    begin(t, expected);
    t->fired = false;
    uint64_t skipped = 0;
    if (repeats(t) && t->missed == WTM_MISSED_COALESCE) skipped = points_within(t, t->now - t->first + t->before) - t->k;
    t->k += skipped;
    t->ordinal += skipped + 1;
    t->missed_total += skipped;
    t->scheduled = deadline_of(t);
    t->counted++;
    t->last = t->limit != 0 && t->counted >= t->limit;
    expected->flags = 0;
    expected->scheduled_ns = t->scheduled;
    expected->ordinal = t->ordinal;
    expected->missed = skipped;
    if (!repeats(t) || t->last) {
        t->armed = false;
    } else {
        t->k++;
        if (t->missed == WTM_MISSED_DELAY && deadline_of(t) <= t->now) {
            t->first = sat_add(t->now, t->interval);
            t->before = 0;
            t->k = 0;
        }
        t->arming = ++w.arming;
        t->vague = false;
    }
    expected->next_ns = deadline_of(t);
}
