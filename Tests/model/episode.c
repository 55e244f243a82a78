/* One episode: from an empty scheduler over a list of operations to its shutdown. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

/* The valid timer that was made next after the one given (NULL: the first). The array is in order of creation. */
static const timer *next_made(const timer *after) {
    const timer *found = NULL;
    for (unsigned i = 0; i < SLOTS; i++) {
        const timer *t = w.slots[i];
        if (t != NULL && t->valid && (after == NULL || t > after) && (found == NULL || t < found)) found = t;
    }
    return found;
}

static bool visit(wtm_timer handle, const wtm_timer_info *info, void *context) {
    const timer **last = context, *expected = next_made(*last);
    if (expected == NULL || handle.id != expected->handle.id || info->ticks != expected->ticks) {
        fail("for_each shows another timer than slot %u", expected == NULL ? SLOTS : expected->slot);
        return false;
    }
    *last = expected;
    return true;
}

void compare_walk(void) {
    const timer *last = NULL;
    if (wtm_scheduler_for_each(w.scheduler, visit, &last) != WTM_OK) fail("for_each failed");
    if (!w.failed && next_made(last) != NULL) fail("for_each leaves out slot %u", next_made(last)->slot);
}

static void check_balance(void) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    uint64_t live = 0, ended = 0, missed = 0, scheduled = 0, late = 0, timed = 0;
    for (unsigned i = 0; i < SLOTS; i++) live += w.slots[i] != NULL && w.slots[i]->valid;
    if (wtm_scheduler_get_stats(w.scheduler, &stats) != WTM_OK) fail("no statistics");
    for (int i = 0; i < 5; i++) ended += stats.ended[i];
    for (size_t i = 0; i < w.timer_count; i++) {
        missed += w.timers[i].missed_total;
        scheduled += w.timers[i].counted;
    }
    for (int i = 0; i < 32; i++) {
        late += stats.lateness_log2[i];
        timed += stats.callback_log2[i];
    }
    if (stats.missed != missed || stats.dropped != 0 || late != scheduled || timed != w.callbacks)
        fail("statistics: missed %" PRIu64 " dropped %" PRIu64 " in histograms %" PRIu64 " and %" PRIu64 ", expected %" PRIu64
             ", 0, %" PRIu64 " and %" PRIu64,
             stats.missed, stats.dropped, late, timed, missed, scheduled, w.callbacks);
    if (stats.live != live || stats.created != w.timer_count || stats.created != stats.live + ended || stats.ticks != w.callbacks)
        fail("statistics: live %" PRIu64 " created %" PRIu64 " ended %" PRIu64 " ticks %" PRIu64 ", expected live %" PRIu64
             " created %zu ticks %" PRIu64,
             stats.live, stats.created, ended, stats.ticks, live, w.timer_count, w.callbacks);
}

static void begin_episode(uint64_t unit, bool tolerant, uint64_t age) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    memset(w.slots, 0, sizeof w.slots);
    engine_forget_all();
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
            fail("%" PRIu64 " ended hooks and %" PRIu64 " release hooks ran, %" PRIu64 " were due", w.hooks_seen, w.releases_seen,
                 w.hooks_due);
        if (w.failed) {
            size_t length = strlen(w.message);
            snprintf(w.message + length, sizeof w.message - length, " (in operation %zu, at %" PRIu64 ")", i, w.now);
        }
    }
    if (!w.failed) check_balance();
    if (!w.failed) compare_walk();
    for (unsigned i = 0; i < SLOTS && !w.failed; i++) {
        if (w.slots[i] != NULL) end_timer(w.slots[i], WTM_REASON_SHUTDOWN);
    }
    wtm_status status = wtm_scheduler_shutdown(w.scheduler, WTM_NEVER);
    if (status != WTM_OK) fail("shutdown answered %s", wtm_status_name(status));
    if (w.hooks_seen != w.timer_count || w.releases_seen != w.timer_count)
        fail("%zu timers, %" PRIu64 " ended and %" PRIu64 " release hooks", w.timer_count, w.hooks_seen, w.releases_seen);
    for (unsigned slot = 0; slot < SLOTS && !w.failed; slot++) {
        for (unsigned i = 0; i < WORKS; i++) engine_run_work(slot, i); /* late: does nothing */
    }
    for (int i = 0; i < TARGETS; i++) wtm_target_release(w.targets[i]);
    return !w.failed;
}
