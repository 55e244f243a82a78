/* The reference model's schedule of one timer: deadlines, missed ticks, ordinals, order.
 * covers: time.never-early time.no-drift time.missed time.order time.range time.tolerance time.fire time.manual */
#include "fuzz.h"

__extension__ typedef unsigned __int128 wide;

uint64_t fz_sequence;

uint64_t fz_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

bool fz_repeats(const fz_timer *t) { return t->interval != 0 || t->rate_numerator != 0; }

/* The k-th point after the grid's base. */
uint64_t fz_point(const fz_timer *t, uint64_t k) {
    if (t->base == WTM_NEVER) return WTM_NEVER;
    wide offset;
    if (t->rate_numerator != 0) {
        wide span = (wide)k * UINT64_C(1000000000) * t->rate_denominator;
        offset = (span + t->rate_numerator - 1) / t->rate_numerator;
    } else {
        offset = (wide)k * t->interval;
    }
    return offset > UINT64_MAX - t->base ? UINT64_MAX : t->base + (uint64_t)offset;
}

/* At most this late, when it was not late to begin with. */
uint64_t fz_tolerance(const fz_timer *t) {
    if (!fz_repeats(t)) return t->tolerance;
    uint64_t interval = t->interval;
    if (t->rate_numerator != 0) {
        interval = (UINT64_C(1000000000) * t->rate_denominator + t->rate_numerator - 1) / t->rate_numerator;
    }
    return t->tolerance < interval / 2 ? t->tolerance : interval / 2;
}

void fz_lay(fz_timer *t, uint64_t deadline) {
    t->base = t->next = deadline;
    t->k = 0;
    t->armed = true;
    t->idle = false;
    t->sequence = ++fz_sequence;
}

uint64_t fz_now(const fz_timer *t) { return wtm_scheduler_now(fz_schedulers[t->scheduler].handle, (wtm_clock)t->clock); }

static void check_order(fz_timer *t, const wtm_tick *tick) {
    fz_scheduler *s = &fz_schedulers[t->scheduler];
    if (t->clock == WTM_CLOCK_WALL) return;
    FZ_CHECK(tick->now_ns >= s->last_now, "time went back");
    if (t->next == tick->now_ns && t->tolerance == 0 && !t->queued_executor) {
        FZ_CHECK(tick->now_ns != s->last_now || t->sequence > s->last_sequence, "equal deadlines out of arming order");
        s->last_sequence = t->sequence;
    } else if (tick->now_ns != s->last_now) {
        s->last_sequence = 0;
    }
    s->last_now = tick->now_ns;
}

static void begin_ideal(fz_timer *t, const wtm_tick *tick) {
    uint64_t now = tick->now_ns, missed = 0;
    FZ_CHECK(t->armed && !t->paused, "a tick of a timer that is not armed");
    FZ_CHECK(t->next <= now && t->next != WTM_NEVER, "early: due %llu now %llu", (unsigned long long)t->next,
             (unsigned long long)now);
    check_order(t, tick);
    if (fz_repeats(t) && t->missed_policy == WTM_MISSED_COALESCE) {
        /* the largest k whose point is not after now */
        uint64_t low = t->k, high = t->k;
        for (uint64_t step = 1; high < UINT64_MAX - step && fz_point(t, high + step) <= now; step *= 2) high += step;
        low = high;
        for (uint64_t step = UINT64_C(1) << 63; step != 0; step /= 2) {
            if (low <= UINT64_MAX - step && fz_point(t, low + step) <= now && fz_point(t, low + step) != WTM_NEVER) low += step;
        }
        missed = low - t->k;
        t->k = low;
    }
    uint64_t scheduled = fz_point(t, t->k);
    FZ_CHECK(tick->scheduled_ns == scheduled, "scheduled %llu, model %llu", (unsigned long long)tick->scheduled_ns,
             (unsigned long long)scheduled);
    FZ_CHECK(tick->missed == missed, "missed %llu, model %llu", (unsigned long long)tick->missed, (unsigned long long)missed);
    t->ordinal = fz_add(t->ordinal, fz_add(missed, 1));
    FZ_CHECK(tick->ordinal == t->ordinal, "ordinal %llu, model %llu", (unsigned long long)tick->ordinal,
             (unsigned long long)t->ordinal);
    t->running_scheduled = scheduled;
    t->ticks++;
    t->limit_reached = t->limit != 0 && t->ticks >= t->limit;
    t->sequence = ++fz_sequence;
    if (!fz_repeats(t) || t->limit_reached) {
        t->armed = false;
        t->next = WTM_NEVER;
    } else if (t->missed_policy == WTM_MISSED_DELAY && fz_point(t, t->k + 1) <= now) {
        uint64_t interval = t->rate_numerator != 0
                                ? (UINT64_C(1000000000) * t->rate_denominator + t->rate_numerator - 1) / t->rate_numerator
                                : t->interval;
        t->base = t->next = fz_add(now, interval);
        t->k = 0;
    } else {
        t->k++;
        t->next = fz_point(t, t->k);
    }
    FZ_CHECK(tick->next_ns == t->next, "next %llu, model %llu", (unsigned long long)tick->next_ns, (unsigned long long)t->next);
}

void fz_begin_tick(fz_timer *t, const wtm_tick *tick) {
    bool fired = (tick->flags & WTM_TICK_FIRED) != 0;
    FZ_CHECK(tick->clock == t->clock && tick->size >= sizeof *tick, "tick of another kind");
    FZ_CHECK(tick->scheduled_ns <= tick->now_ns, "early by its own account");
    t->in_fired = fired;
    if (fired) {
        FZ_CHECK(t->fires > 0, "a fired tick that nobody asked for");
        t->fires--;
        FZ_CHECK(tick->scheduled_ns == tick->now_ns && tick->missed == 0, "a fired tick on a grid");
        if (!t->loose) FZ_CHECK(tick->ordinal == t->ordinal, "a fired tick took an ordinal");
        if (!fz_repeats(t) && !t->keep) {
            t->armed = t->paused = false;
            t->next = WTM_NEVER;
        }
    } else if (!t->loose) {
        FZ_CHECK(tick->now_ns == fz_now(t), "not at its own virtual time");
        begin_ideal(t, tick);
    } else {
        t->ticks++;
        t->limit_reached = t->limit != 0 && t->ticks >= t->limit;
        if (!fz_repeats(t) || t->limit_reached) t->armed = false;
    }
}

void fz_end_tick(fz_timer *t, bool fired) {
    t->in_fired = false;
    if (!t->live || t->unsure) return;
    if (t->limit_reached) {
        fz_died(t);
    } else if (!t->armed && !t->paused) {
        if (t->keep && !fz_repeats(t)) {
            t->idle = true;
        } else if (!fired || !fz_repeats(t)) {
            fz_died(t);
        }
    }
}
