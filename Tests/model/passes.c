/* Time that moves and turns that are taken: nobody may be forgotten, and the order must be one that the contract allows. */
#include <inttypes.h>

#include "model.h"

static bool waits(const timer *t) { return t->valid && t->armed && !t->queued && !t->running; }
static bool is_due(const timer *t) { return waits(t) && deadline_of(t) <= clock_at(t->clock, w.now); }

/* Moves the reference's time; whoever should have had a turn before that moment must have had it. */
void move_to(uint64_t moment, bool at_end) {
    if (moment < w.now || (w.advancing && moment > w.advance_end)) {
        fail("time went from %" PRIu64 " to %" PRIu64, w.now, moment);
        return;
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        const timer *t = w.slots[i];
        if (t == NULL || (moment == w.now && !at_end)) continue;
        if (t->valid && t->fires > 0 && !t->queued && !t->running) fail("slot %u: a fire was not delivered before time moved", i);
        if (!waits(t)) continue;
        uint64_t end = sat_add(deadline_of(t), effective_tolerance(t)), now = clock_at(t->clock, moment);
        if (end < now || (at_end && end == now))
            fail("slot %u: due at %" PRIu64 " (tolerance %" PRIu64 ") on clock %" PRIu32 ", and not served before %" PRIu64, i, deadline_of(t),
                 effective_tolerance(t), t->clock, now);
    }
    w.now = moment;
}

static uint64_t lateness(const timer *t) { return clock_at(t->clock, w.now) - deadline_of(t); }

/* True when a must come before b. Equal lateness of a timer whose place in the arming order is open decides nothing, nor do
 * timers with tolerance, since any wake-up may run them. */
static bool must_precede(const timer *a, const timer *b) {
    if (a->tolerance != 0 || b->tolerance != 0 || a->had_fire || b->had_fire) return false;
    if (lateness(a) != lateness(b)) return lateness(a) > lateness(b);
    if (a->vague || b->vague || a->hand || b->hand) return false;
    return a->arming < b->arming;
}

static void open_pass(void) {
    w.pass_open = true;
    w.pass_time = w.now;
    for (unsigned i = 0; i < SLOTS; i++) {
        timer *t = w.slots[i];
        if (t == NULL) continue;
        t->in_pass = is_due(t);
        t->served = t->had_fire = false;
    }
}

/* The first due timer that must come before t, among those of the pass (which = 0), those not yet served (1), or all (2). */
static timer *before(const timer *t, int which) {
    for (unsigned i = 0; i < SLOTS; i++) {
        timer *u = w.slots[i];
        if (u == NULL || u == t || !is_due(u)) continue;
        if (which == 0 && (!u->in_pass || u->served)) continue;
        if (which == 1 && u->served) continue;
        if (must_precede(u, t)) return u;
    }
    return NULL;
}

static bool pass_is_over(void) {
    for (unsigned i = 0; i < SLOTS; i++) {
        const timer *u = w.slots[i];
        if (u != NULL && u->in_pass && !u->served && is_due(u) && u->tolerance == 0 && !u->had_fire) return false;
    }
    return true;
}

/* t has a fired tick now. Where it stands among the scheduled ones is open. */
void take_fire(timer *t) {
    if (!w.pass_open || w.pass_time != w.now || pass_is_over()) open_pass();
    t->had_fire = true;
    w.turns++;
}

/* t has its turn now, with a scheduled tick. */
void take_turn(timer *t) {
    if (!is_due(t)) {
        fail("slot %u: a tick at %" PRIu64 " although the deadline is %" PRIu64, t->slot, clock_at(t->clock, w.now), deadline_of(t));
        return;
    }
    if (!w.pass_open || w.pass_time != w.now) open_pass();
    const timer *first = NULL;
    if (!pass_is_over()) {
        if (t->served) {
            fail("slot %u: a second turn before all others had theirs", t->slot);
            return;
        }
        first = before(t, 0);
    } else if (t->served || !t->in_pass) {
        /* A new pass: by the order of all that are due, or of all that have waited since the last one. */
        first = before(t, 2);
        if (first != NULL && !t->served) first = before(t, 1);
        open_pass();
    } else {
        first = before(t, 0);
    }
    if (first != NULL) fail("slot %u (deadline %" PRIu64 ") had its turn before slot %u (deadline %" PRIu64 ")", t->slot, deadline_of(t), first->slot, deadline_of(first));
    t->in_pass = t->served = true;
    w.turns++;
}
