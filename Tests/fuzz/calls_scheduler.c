/* Calls that take a scheduler, and the books.
 * covers: time.manual time.clocks stop.shutdown stop.self life.release.once world.alloc */
#include "fuzz.h"

static fz_scheduler *pick(void) {
    fz_scheduler *s = &fz_schedulers[fz_u8() % FZ_SCHEDULERS];
    return s->used ? s : NULL;
}

static int index_of(const fz_scheduler *s) { return (int)(s - fz_schedulers); }

static void create(void) {
    for (int i = 0; i < FZ_SCHEDULERS; i++) {
        fz_scheduler *s = &fz_schedulers[i];
        if (s->used) continue;
        wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
        s->manual = fz_u8() % 4 != 3;
        o.drive = s->manual ? WTM_DRIVE_MANUAL : WTM_DRIVE_HOST;
        FZ_CHECK(wtm_scheduler_create(&o, &s->handle) == WTM_OK, "no scheduler");
        s->used = true;
        return;
    }
}

static bool running_here(const fz_scheduler *s) {
    for (unsigned i = 0; i < fz_timer_count; i++) {
        if (fz_timers[i].used && fz_timers[i].scheduler == index_of(s) && fz_timers[i].frames > 0) return true;
    }
    return s->advancing;
}

/* No timer with a deadline and its tolerance behind it is still waiting. */
void fz_after_advance(fz_scheduler *s) {
    for (unsigned i = 0; i < fz_timer_count; i++) {
        fz_timer *t = &fz_timers[i];
        if (!t->used || !t->live || t->unsure || t->loose || t->scheduler != index_of(s) || t->frames > 0) continue;
        FZ_CHECK(t->fires == 0, "%u fires of timer %u were lost", t->fires, i);
        if (!t->armed || t->paused || t->next == WTM_NEVER) continue;
        uint64_t latest = fz_add(t->next, fz_tolerance(t));
        FZ_CHECK(latest > fz_now(t), "timer %u, due at %llu, has not run", i, (unsigned long long)t->next);
    }
}

void fz_check_books(fz_scheduler *s) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    wtm_status got = wtm_scheduler_get_stats(s->handle, &stats);
    if (got != WTM_OK) {
        FZ_CHECK(s->down && (got == WTM_ERR_GONE || got == WTM_ERR_SHUT_DOWN), "stats answer %s", wtm_status_name(got));
        return;
    }
    uint64_t ended = 0, live = 0;
    for (int i = 0; i < 5; i++) ended += stats.ended[i];
    FZ_CHECK(stats.created == stats.live + ended, "created %llu, live %llu, ended %llu", (unsigned long long)stats.created,
             (unsigned long long)stats.live, (unsigned long long)ended);
    FZ_CHECK(stats.created == s->created, "created %llu, model %llu", (unsigned long long)stats.created,
             (unsigned long long)s->created);
    if (fz_depth > 0 || s->unsure > 0 || s->shaky || s->down) return;
    for (unsigned i = 0; i < fz_timer_count; i++)
        live += fz_timers[i].used && fz_timers[i].live && fz_timers[i].scheduler == index_of(s);
    FZ_CHECK(stats.live == live, "live %llu, model %llu", (unsigned long long)stats.live, (unsigned long long)live);
    FZ_CHECK(stats.ticks == s->ticks_seen, "ticks %llu, seen %llu", (unsigned long long)stats.ticks,
             (unsigned long long)s->ticks_seen);
}

static void advance(fz_scheduler *s) {
    uint64_t by = fz_time(), ran = 1, before = s->inline_ticks;
    bool inside = s->advancing, running = running_here(s), was_down = s->down;
    if (!inside) {
        s->advancing = true;
        s->last_now = s->last_sequence = 0;
    }
    FZ_TRACE("%*sadvance(%d, %llu)...\n", (int)fz_depth, "", index_of(s), (unsigned long long)by);
    wtm_status got = wtm_scheduler_advance(s->handle, by, &ran);
    if (!inside) s->advancing = false;
    FZ_TRACE("%*sadvance(%d, %llu) = %s\n", (int)fz_depth, "", index_of(s), (unsigned long long)by, wtm_status_name(got));
    FZ_CHECK(got == WTM_OK || ran == 0, "an output that is not zero on failure");
    if (s->down) {
        FZ_CHECK(got == WTM_ERR_SHUT_DOWN || got == WTM_ERR_GONE || (!s->manual && got == WTM_ERR_UNSUPPORTED) ||
                     (running && got == WTM_ERR_WOULD_DEADLOCK),
                 "advance of a scheduler that is down: %s", wtm_status_name(got));
        FZ_CHECK(!was_down || running || ran == 0, "ticks after the shutdown");
        return;
    }
    wtm_status want = !s->manual ? WTM_ERR_UNSUPPORTED : running ? WTM_ERR_WOULD_DEADLOCK : WTM_OK;
    /* A target's hook that follows a release hook on an executor is still a stay in the scheduler. */
    bool stays = fz_depth > 0 && got == WTM_ERR_WOULD_DEADLOCK;
    FZ_CHECK(got == want || stays || (!s->manual && running && got < 0), "advance answers %s, not %s", wtm_status_name(got),
             wtm_status_name(want));
    if (got != WTM_OK) return;
    s->now = s->now > WTM_NEVER - 1 - by || by == WTM_NEVER ? WTM_NEVER - 1 : s->now + by;
    FZ_CHECK(wtm_scheduler_now(s->handle, WTM_CLOCK_MONOTONIC) == s->now, "now %llu, model %llu",
             (unsigned long long)wtm_scheduler_now(s->handle, WTM_CLOCK_MONOTONIC), (unsigned long long)s->now);
    FZ_CHECK(ran >= s->inline_ticks - before, "advance says %llu ticks, seen %llu", (unsigned long long)ran,
             (unsigned long long)(s->inline_ticks - before));
    fz_after_advance(s);
}

static void run_due(fz_scheduler *s) {
    uint32_t ran = 1;
    bool inside = s->advancing, running = running_here(s);
    s->advancing = true;
    wtm_status got = wtm_scheduler_run_due(s->handle, fz_u8() % 4, &ran);
    s->advancing = inside;
    FZ_TRACE("%*srun_due(%d) = %s\n", (int)fz_depth, "", index_of(s), wtm_status_name(got));
    if (s->down) {
        FZ_CHECK(got < 0 || ran == 0 || !running, "run_due of a scheduler that is down: %s", wtm_status_name(got));
        return;
    }
    wtm_status want = s->manual ? WTM_ERR_UNSUPPORTED : running ? WTM_ERR_WOULD_DEADLOCK : WTM_OK;
    FZ_CHECK(got == want || (s->manual && running && got < 0), "run_due answers %s, not %s", wtm_status_name(got),
             wtm_status_name(want));
}

static void set_wall(fz_scheduler *s) {
    for (unsigned i = 0; i < fz_timer_count; i++) {
        if (fz_timers[i].used && fz_timers[i].scheduler == index_of(s) && fz_timers[i].clock == WTM_CLOCK_WALL)
            fz_timers[i].loose = true;
    }
    uint64_t wall = fz_time();
    wtm_status got = wtm_scheduler_set_wall(s->handle, wall);
    FZ_CHECK(s->down ? got < 0 : got == (s->manual ? WTM_OK : WTM_ERR_UNSUPPORTED), "set_wall answers %s", wtm_status_name(got));
    if (got == WTM_OK) FZ_CHECK(wtm_scheduler_now(s->handle, WTM_CLOCK_WALL) == wall || wall == WTM_NEVER, "another wall time");
}

static void next_delay(fz_scheduler *s) {
    uint64_t delay = 1;
    wtm_status got = wtm_scheduler_next_delay(s->handle, &delay);
    FZ_CHECK(got == WTM_OK || delay == 0, "an output that is not zero on failure");
    FZ_CHECK(got == WTM_OK || s->down, "next_delay answers %s", wtm_status_name(got));
    if (got != WTM_OK || !s->manual || s->down || fz_depth > 0) return;
    for (unsigned i = 0; i < fz_timer_count; i++) {
        fz_timer *t = &fz_timers[i];
        if (!t->used || !t->live || t->loose || t->paused || !t->armed || t->scheduler != index_of(s) || t->next == WTM_NEVER)
            continue;
        uint64_t latest = fz_add(t->next, fz_tolerance(t)), now = fz_now(t);
        FZ_CHECK(latest == WTM_NEVER || delay <= (latest > now ? latest - now : 0), "it would oversleep timer %u", i);
    }
}

typedef struct walk {
    fz_scheduler *scheduler;
    unsigned next, left;
} walk;

/* In order of creation, exactly those that live. */
static bool visit(wtm_timer timer, const wtm_timer_info *info, void *context) {
    walk *w = context;
    FZ_CHECK(info->size >= sizeof *info && timer.id != 0, "a visit of nothing");
    if (w->scheduler->unsure == 0 && !w->scheduler->shaky && fz_depth == 0) {
        fz_timer *t;
        do {
            FZ_CHECK(w->next < fz_timer_count, "a visit of a timer that has ended");
            t = &fz_timers[w->next++];
        } while (!t->used || !t->live || t->scheduler != index_of(w->scheduler));
        FZ_CHECK(!t->known || t->handle.id == timer.id, "out of order");
    }
    return --w->left > 0;
}

static void for_each(fz_scheduler *s) {
    walk w = { s, 0, 1 + fz_u8() % 100u };
    wtm_status got = wtm_scheduler_for_each(s->handle, visit, &w);
    FZ_CHECK(got == WTM_OK || s->down, "for_each answers %s", wtm_status_name(got));
    if (got != WTM_OK || s->unsure > 0 || s->shaky || s->down || fz_depth > 0 || w.left == 0) return;
    for (unsigned i = w.next; i < fz_timer_count; i++) {
        FZ_CHECK(!fz_timers[i].used || !fz_timers[i].live || fz_timers[i].scheduler != index_of(s), "timer %u was not visited",
                 i);
    }
}

static void shut_down(fz_scheduler *s) {
    bool running = running_here(s), was_down = s->down, queued = false;
    s->down = true;
    for (unsigned i = 0; i < fz_timer_count; i++) {
        fz_timer *t = &fz_timers[i];
        if (!t->used || t->scheduler != index_of(s)) continue;
        queued = queued || (t->queued_executor && t->on_executor && t->released == 0);
        fz_unsure(t); /* they end one after the other, and hooks look on */
    }
    s->shaky = true;
    wtm_status got = wtm_scheduler_shutdown(s->handle, fz_u8() % 3 * UINT64_C(20000));
    FZ_TRACE("%*sshutdown(%d) = %s\n", (int)fz_depth, "", index_of(s), wtm_status_name(got));
    if (running)
        FZ_CHECK(got == WTM_ERR_WOULD_DEADLOCK || (was_down && got == WTM_ERR_GONE), "shutdown from inside answers %s",
                 wtm_status_name(got));
    else if (was_down) FZ_CHECK(got < 0, "a second shutdown answers %s", wtm_status_name(got));
    else
        FZ_CHECK(got == WTM_OK || ((queued || s->pooled) && got == WTM_ERR_TIMED_OUT) ||
                     (fz_depth > 0 && got == WTM_ERR_WOULD_DEADLOCK),
                 "shutdown answers %s", wtm_status_name(got));
    if (got == WTM_OK) {
        for (unsigned i = 0; i < fz_timer_count; i++) {
            fz_timer *t = &fz_timers[i];
            if (!t->used || t->scheduler != index_of(s)) continue;
            if (t->live) fz_died(t);
            FZ_CHECK(!t->hooked || (t->ended == 1 && t->released == 1), "a shutdown that left hooks behind");
        }
    }
}

void fz_call_scheduler(unsigned which) {
    fz_scheduler *s = which % 11 == 0 ? NULL : pick();
    if (s == NULL) {
        create();
        return;
    }
    switch (which % 11) {
    case 1: run_due(s); return;
    case 2: set_wall(s); return;
    case 3: next_delay(s); return;
    case 4: fz_check_books(s); return;
    case 5: for_each(s); return;
    case 6:
        if (fz_u8() % 8 == 0) shut_down(s);
        return;
    case 7: FZ_CHECK((wtm_scheduler_fd(s->handle) >= 0) == (!s->manual && !s->down) || s->down, "descriptor"); return;
    default: advance(s); return;
    }
}
