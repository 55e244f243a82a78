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
            fail("slot %u: due at %" PRIu64 " (tolerance %" PRIu64 ") on clock %" PRIu32 ", and not served before %" PRIu64, i,
                 deadline_of(t), effective_tolerance(t), t->clock, now);
    }
    if (moment != w.now) {
        w.now = moment;
        note_due_afresh();
    }
}

/* How far the deadline lies back. */
static uint64_t lateness(const timer *t) { return clock_at(t->clock, w.now) - deadline_of(t); }

/* What is known of the library's passes. A pass is made of what is due at one moment between two callbacks. So a timer that is
 * due no later than another one is in every pass that the other is in: it goes first if the order says so, and the other one's
 * next turn comes after its own. What became due later may be in the pass under way or in the next one; both are allowed, but not
 * the one after. `since` stamps the moment at which a timer became due; a callback lies between any two stamps. */
void note_due(void) {
    for (unsigned i = 0; i < SLOTS; i++) {
        timer *t = w.slots[i];
        if (t == NULL) continue;
        bool due = is_due(t);
        if (due && !t->waiting) t->since = w.stamp;
        t->waiting = due;
    }
}

/* At the beginning of an advance: all that is due then is due alike. */
void note_due_afresh(void) {
    w.stamp++;
    for (unsigned i = 0; i < SLOTS; i++) {
        timer *t = w.slots[i];
        if (t == NULL) continue;
        t->waiting = t->had_fire = false;
        t->turns = 0;
    }
    note_due();
}

/* Whether u is due before t by the order of ticks. Ties with a timer whose place in the arming order is open decide nothing. */
static bool precedes(const timer *u, const timer *t) {
    if (u->tolerance != 0 || t->tolerance != 0) return false;
    if (lateness(u) != lateness(t)) return lateness(u) > lateness(t);
    if (u->vague || t->vague || u->hand || t->hand) return false;
    return u->arming < t->arming;
}

static void check_turn(const timer *t) {
    for (unsigned i = 0; i < SLOTS; i++) {
        const timer *u = w.slots[i];
        /* A timer with slack may wait for another wake-up; where a fire stands in a pass, and whether it is a turn, is open. */
        if (u == NULL || u == t || !is_due(u) || u->tolerance != 0 || u->had_fire || u->fires > 0) continue;
        if (u->since <= t->since && precedes(u, t))
            fail("slot %u (deadline %" PRIu64 ") had its turn before slot %u (deadline %" PRIu64 ")", t->slot, deadline_of(t), i,
                 deadline_of(u));
        if (t->turns >= 1 && u->since <= t->last_since)
            fail("slot %u had a second turn before slot %u, which was due no later, had its first", t->slot, i);
        if (t->turns >= 2 && u->since < t->stamps[1]) fail("slot %u had a third turn while slot %u waited", t->slot, i);
    }
}

/* t has a fired tick now. */
void take_fire(timer *t) {
    note_due();
    t->had_fire = true;
    w.stamp++;
    w.turns++;
}

/* t has its turn now, with a scheduled tick. */
void take_turn(timer *t) {
    if (!is_due(t)) {
        fail("slot %u: a tick at %" PRIu64 " although the deadline is %" PRIu64, t->slot, clock_at(t->clock, w.now),
             deadline_of(t));
        return;
    }
    note_due();
    check_turn(t);
    t->last_since = t->since;
    t->stamps[1] = t->stamps[0];
    t->stamps[0] = w.stamp++;
    t->turns++;
    t->waiting = false;
    w.turns++;
}
