/* What the library calls: each callback, hook and submit is compared with the reference, and callbacks do something themselves.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

world w;

/* One custom executor a slot, so that its context tells whose work it is. The last works are kept, also when they are spent: a
 * second run must do nothing. */
static struct work {
    void (*run)(uint64_t work);
    uint64_t number;
    timer *timer; /* whose tick it is, NULL when it is spent or taken back */
} works[SLOTS][WORKS];
static wtm_executor executors[SLOTS];

void fail(const char *format, ...) {
    if (w.failed) return;
    w.failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w.message, sizeof w.message, format, arguments);
    va_end(arguments);
}

static bool submit(void *context, void (*run)(uint64_t), uint64_t number) {
    unsigned slot = (unsigned)(uintptr_t)context;
    if (w.failed) return true;
    settle();
    timer *t = w.slots[slot];
    if (t == NULL || !t->valid || !t->hand) {
        fail("slot %u: work for a timer that has none", slot);
        return true;
    }
    if (!w.advancing && w.runs == 0) fail("slot %u: work handed over outside advance", slot);
    if (t->queued || t->running) fail("slot %u: a second work while the first one is queued or running", slot);
    bool on_turn = w.advancing && w.runs == 0;
    if (on_turn) move_to(wtm_scheduler_now(w.scheduler, WTM_CLOCK_MONOTONIC), false);
    else w.nested_run = true;
    bool due = t->armed && deadline_of(t) <= clock_at(t->clock, w.now);
    if (!due && t->fires == 0) fail("slot %u: work although nothing is due before %" PRIu64, slot, deadline_of(t));
    if (w.failed) return true;
    if (on_turn && t->fires == 0) take_turn(t);
    else if (on_turn) take_fire(t);
    else w.turns++;
    t->queue_unknown = due && t->fires > 0;
    t->queue_fired = !due;
    t->queued = true;
    memmove(&works[slot][1], &works[slot][0], sizeof works[slot] - sizeof works[slot][0]);
    works[slot][0] = (struct work){ run, number, t };
    return true;
}

void engine_init(void) {
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    ops.submit = submit;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (wtm_executor_create_custom(&ops, (void *)(uintptr_t)i, NULL, &executors[i]) != WTM_OK) fail("no executor");
    }
}

wtm_executor engine_executor(unsigned slot) { return executors[slot]; }

void engine_forget_work(timer *t) {
    for (unsigned i = 0; i < WORKS; i++) {
        if (works[t->slot][i].timer == t) works[t->slot][i].timer = NULL;
    }
}

void engine_forget_all(void) { memset(works, 0, sizeof works); }

void engine_run_work(unsigned slot, unsigned which) {
    struct work work = works[slot][which];
    if (work.run == NULL) return;
    timer *outer = w.expected_run;
    works[slot][which].timer = NULL;
    w.expected_run = work.timer;
    w.runs++;
    if (w.advancing) w.nested_run = true;
    work.run(work.number);
    w.runs--;
    if (w.failed) return;
    settle();
    if (w.expected_run != NULL) fail("slot %u: its work was run and the callback was not", slot);
    w.expected_run = outer;
}

static void compare(const timer *t, const wtm_tick *got, const wtm_tick *want) {
    bool next_is_open = t->fired && (t->single || t->paused); /* what a fired tick says of a schedule that stands still */
    if (got->size == sizeof *got && got->flags == want->flags && got->clock == want->clock &&
        got->scheduled_ns == want->scheduled_ns && got->now_ns == want->now_ns &&
        (next_is_open || got->next_ns == want->next_ns) && got->ordinal == want->ordinal && got->missed == want->missed &&
        got->target == (t->weak ? t : NULL))
        return;
    fail("slot %u: tick {flags %" PRIu32 " scheduled %" PRIu64 " now %" PRIu64 " next %" PRIu64 " ordinal %" PRIu64
         " missed %" PRIu64 "}, expected {flags %" PRIu32 " scheduled %" PRIu64 " now %" PRIu64 " next %" PRIu64
         " ordinal %" PRIu64 " missed %" PRIu64 "}",
         t->slot, got->flags, got->scheduled_ns, got->now_ns, got->next_ns, got->ordinal, got->missed, want->flags,
         want->scheduled_ns, want->now_ns, want->next_ns, want->ordinal, want->missed);
}

/* Whether this callback may come at all, here and now. */
static void check_entry(timer *t, bool fired) {
    uint64_t moment = wtm_scheduler_now(w.scheduler, WTM_CLOCK_MONOTONIC);
    if (!t->valid) fail("slot %u: a callback after the end", t->slot);
    if (t->running) fail("slot %u: callbacks overlap", t->slot);
    if (t->hand) {
        if (w.expected_run != t) fail("slot %u: a callback of work that was not run", t->slot);
        if (moment != w.now) fail("slot %u: time moved while work was run", t->slot);
        if (!t->queue_unknown && t->queue_fired != fired) fail("slot %u: another tick than the queued one", t->slot);
        w.expected_run = NULL;
    } else {
        if (!w.advancing || w.depth != 0) fail("slot %u: an inline callback outside advance or inside another", t->slot);
        if (!w.failed) move_to(moment, false);
    }
    if (!w.failed && fired && t->fires == 0) fail("slot %u: a fired tick that nobody asked for", t->slot);
}

void on_tick(wtm_timer handle, const wtm_tick *tick, void *context) {
    timer *t = context;
    wtm_tick expected = { 0 };
    bool fired = (tick->flags & WTM_TICK_FIRED) != 0;
    if (w.failed) return;
    settle();
    w.callbacks++;
    if (w.trace)
        printf("      slot %u: %s %" PRIu64 " scheduled %" PRIu64 " at %" PRIu64 "\n", t->slot,
               fired ? "fired, after tick" : "tick", tick->ordinal, tick->scheduled_ns, tick->now_ns);
    check_entry(t, fired);
    if (w.failed) return;
    if (handle.id != t->handle.id) fail("slot %u: another handle than start gave", t->slot);
    if (fired) {
        if (!t->hand) take_fire(t);
        begin_fired(t, &expected);
    } else {
        if (!t->hand) take_turn(t);
        else if (!t->armed || deadline_of(t) > clock_at(t->clock, w.now)) fail("slot %u: a queued tick came early", t->slot);
        if (w.failed) return;
        begin_scheduled(t, &expected);
    }
    compare(t, tick, &expected);
    if (w.failed) return;
    op action = scripted(t->script, t->callbacks++, w.unit, w.tolerant);
    if (action.slot == SLOTS) action.slot = t->slot;
    w.depth++;
    apply(&action);
    w.depth--;
    note_due();
    w.stamp++;
    t->returned = true;
}

/* What a weak reference gives when the object lives; when it does not, the timer ends, and there is no tick. */
static void *lock(void *weak) {
    timer *t = weak;
    if (w.failed) return t;
    if (!t->dead) {
        if (t->locked++ != 0) fail("slot %u: locked twice", t->slot);
        return t;
    }
    settle();
    check_entry(t, t->hand ? t->queue_fired : t->fires > 0);
    if (w.failed) return NULL;
    if (!t->hand) {
        if (t->fires > 0) take_fire(t);
        else take_turn(t);
        w.turns--;
    }
    t->running = t->returned = true;
    end_timer(t, WTM_REASON_TARGET_GONE);
    return NULL;
}

static void unlock(void *strong) {
    timer *t = strong;
    if (!w.failed && (!t->running || t->locked-- != 1)) fail("slot %u: unlocked where it was not locked", t->slot);
}

const wtm_weak_ops weak_ops = { sizeof(wtm_weak_ops), 0, lock, unlock };

void on_ended(wtm_timer handle, wtm_reason reason, void *context) {
    timer *t = context;
    if (w.failed) return;
    settle();
    t->ended++;
    w.hooks_seen++;
    if (!t->hook_due || t->ended != 1)
        fail("slot %u: the ended hook ran %u times, when it was %s", t->slot, t->ended, t->hook_due ? "due" : "not due");
    if (t->locked != 0) fail("slot %u: ended before its object was unlocked", t->slot);
    if (reason != t->reason) fail("slot %u: ended by reason %d, expected %d", t->slot, (int)reason, (int)t->reason);
    if (wtm_timer_is_valid(handle)) fail("slot %u: valid inside its ended hook", t->slot);
}

void on_release(void *context) {
    timer *t = context;
    if (w.failed) return;
    t->released++;
    w.releases_seen++;
    if (t->ended != 1 || t->released != 1)
        fail("slot %u: release ran %u times, after %u ended hooks", t->slot, t->released, t->ended);
}
