/* What the library calls: each callback, hook and submit is compared with the reference, and callbacks do something themselves. */
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
    if (got->size == sizeof *got && got->flags == want->flags && got->clock == want->clock && got->scheduled_ns == want->scheduled_ns && got->now_ns == want->now_ns &&
        (next_is_open || got->next_ns == want->next_ns) && got->ordinal == want->ordinal && got->missed == want->missed && got->target == NULL)
        return;
    fail("slot %u: tick {flags %" PRIu32 " scheduled %" PRIu64 " now %" PRIu64 " next %" PRIu64 " ordinal %" PRIu64 " missed %" PRIu64
         "}, expected {flags %" PRIu32 " scheduled %" PRIu64 " now %" PRIu64 " next %" PRIu64 " ordinal %" PRIu64 " missed %" PRIu64 "}",
         t->slot, got->flags, got->scheduled_ns, got->now_ns, got->next_ns, got->ordinal, got->missed, want->flags, want->scheduled_ns, want->now_ns, want->next_ns,
         want->ordinal, want->missed);
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
    if (w.trace) printf("      slot %u: %s %" PRIu64 " scheduled %" PRIu64 " at %" PRIu64 "\n", t->slot, fired ? "fired, after tick" : "tick", tick->ordinal, tick->scheduled_ns, tick->now_ns);
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

void on_ended(wtm_timer handle, wtm_reason reason, void *context) {
    timer *t = context;
    if (w.failed) return;
    settle();
    t->ended++;
    w.hooks_seen++;
    if (!t->hook_due || t->ended != 1) fail("slot %u: the ended hook ran %u times, when it was %s", t->slot, t->ended, t->hook_due ? "due" : "not due");
    if (reason != t->reason) fail("slot %u: ended by reason %d, expected %d", t->slot, (int)reason, (int)t->reason);
    if (wtm_timer_is_valid(handle)) fail("slot %u: valid inside its ended hook", t->slot);
}

void on_release(void *context) {
    timer *t = context;
    if (w.failed) return;
    t->released++;
    w.releases_seen++;
    if (t->ended != 1 || t->released != 1) fail("slot %u: release ran %u times, after %u ended hooks", t->slot, t->released, t->ended);
}

static void check_balance(void) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    uint64_t live = 0, ended = 0;
    for (unsigned i = 0; i < SLOTS; i++) live += w.slots[i] != NULL && w.slots[i]->valid;
    if (wtm_scheduler_get_stats(w.scheduler, &stats) != WTM_OK) fail("no statistics");
    for (int i = 0; i < 5; i++) ended += stats.ended[i];
    if (stats.live != live || stats.created != w.timer_count || stats.created != stats.live + ended || stats.ticks != w.callbacks)
        fail("statistics: live %" PRIu64 " created %" PRIu64 " ended %" PRIu64 " ticks %" PRIu64 ", expected live %" PRIu64 " created %zu ticks %" PRIu64, stats.live,
             stats.created, ended, stats.ticks, live, w.timer_count, w.callbacks);
}

static void begin_episode(uint64_t unit, bool tolerant, uint64_t age) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    memset(w.slots, 0, sizeof w.slots);
    memset(works, 0, sizeof works);
    w.timer_count = 0;
    w.unit = unit;
    w.tolerant = tolerant;
    w.now = age;
    w.wall_offset = w.arming = w.hooks_due = w.hooks_seen = w.releases_seen = w.callbacks = 0;
    w.stamp = 0;
    w.advancing = w.failed = false;
    w.depth = w.runs = 0;
    w.expected_run = NULL;
    options.drive = WTM_DRIVE_MANUAL;
    if (wtm_scheduler_create(&options, &w.scheduler) != WTM_OK) fail("no scheduler");
    if (wtm_scheduler_advance(w.scheduler, age, NULL) != WTM_OK) fail("no time");
    for (int i = 0; i < TARGETS; i++) {
        if (wtm_target_create(NULL, NULL, &w.targets[i]) != WTM_OK) fail("no target");
    }
}

bool run_episode(const op *ops, size_t count, uint64_t unit, bool tolerant, uint64_t age) {
    begin_episode(unit, tolerant, age);
    for (size_t i = 0; i < count && !w.failed; i++) {
        apply(&ops[i]);
        if (!w.failed && (w.hooks_seen != w.hooks_due || w.releases_seen != w.hooks_due))
            fail("%" PRIu64 " ended hooks and %" PRIu64 " release hooks ran, %" PRIu64 " were due", w.hooks_seen, w.releases_seen, w.hooks_due);
        if (w.failed) {
            size_t length = strlen(w.message);
            snprintf(w.message + length, sizeof w.message - length, " (in operation %zu, at %" PRIu64 ")", i, w.now);
        }
    }
    if (!w.failed) check_balance();
    for (unsigned i = 0; i < SLOTS && !w.failed; i++) {
        if (w.slots[i] != NULL) end_timer(w.slots[i], WTM_REASON_SHUTDOWN);
    }
    wtm_status status = wtm_scheduler_shutdown(w.scheduler, WTM_NEVER);
    if (status != WTM_OK) fail("shutdown answered %s", wtm_status_name(status));
    if (w.hooks_seen != w.timer_count || w.releases_seen != w.timer_count) fail("%zu timers, %" PRIu64 " ended and %" PRIu64 " release hooks", w.timer_count, w.hooks_seen, w.releases_seen);
    for (unsigned slot = 0; slot < SLOTS && !w.failed; slot++) {
        for (unsigned i = 0; i < WORKS; i++) engine_run_work(slot, i); /* late: does nothing */
    }
    for (int i = 0; i < TARGETS; i++) wtm_target_release(w.targets[i]);
    return !w.failed;
}
