/* Callbacks, hooks and stops that judge what they see. */
#include "watch.h"

#include <stddef.h>
#include <string.h>

watch a, b;
wtm_scheduler first, second;
wtm_target target;
atomic_uint target_hooks;

void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    watch *w = context;
    (void)timer, (void)tick;
    REQUIRE(!atomic_load(&w->stopped) && !atomic_load(&w->freed));
    REQUIRE(atomic_load(&w->released) == 0 && atomic_load(&target_hooks) == 0);
    REQUIRE(atomic_fetch_add(&w->inside, 1) == 0);
    explore_point();
    if (w->also != NULL) w->also(w);
    explore_point();
    REQUIRE(!atomic_load(&w->freed));
    atomic_fetch_add(&w->ticks, 1);
    atomic_fetch_sub(&w->inside, 1);
}
void on_ended(wtm_timer timer, wtm_reason reason, void *context) {
    watch *w = context;
    (void)timer, (void)reason;
    REQUIRE(atomic_load(&w->inside) == 0 && !atomic_load(&w->freed));
    REQUIRE(atomic_fetch_add(&w->ended, 1) == 0 && atomic_load(&w->released) == 0);
    explore_point();
}
void on_release(void *context) {
    watch *w = context;
    REQUIRE(atomic_load(&w->inside) == 0 && atomic_load(&w->ended) == !w->is_plain && !atomic_load(&w->freed));
    explore_point();
    if (w->in_hook != NULL) w->in_hook(w);
    REQUIRE(atomic_fetch_add(&w->released, 1) == 0);
}
void on_target(void *context) {
    (void)context;
    REQUIRE(atomic_load(&a.released) == (a.timer.id != 0) && atomic_load(&b.released) == (b.timer.id != 0));
    REQUIRE(atomic_fetch_add(&target_hooks, 1) == 0);
}

wtm_scheduler scheduler(uint32_t drive) {
    wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s;
    o.drive = drive;
    REQUIRE(wtm_scheduler_create(&o, &s) == WTM_OK);
    return s;
}
void start(watch *w, wtm_scheduler s, uint64_t interval, bool bound, wtm_executor executor) {
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    memset(w, 0, sizeof *w);
    o.fn = on_tick;
    o.context = w;
    o.ended = on_ended;
    o.release = on_release;
    o.interval_ns = interval;
    o.delay_ns = 1;
    o.executor = executor;
    if (bound) o.target = target;
    REQUIRE(wtm_timer_start(s, &o, &w->timer) == WTM_OK);
}
void start_plain(watch *w, wtm_scheduler s) {
    memset(w, 0, sizeof *w);
    w->is_plain = true;
    REQUIRE(wtm_timer_after(s, 1, on_tick, w, on_release, &w->timer) == WTM_OK);
}
void stop(watch *w, bool wait) {
    wtm_status got = wait ? wtm_timer_invalidate_and_wait(w->timer, WTM_NEVER) : wtm_timer_invalidate(w->timer);
    REQUIRE_VALUE(got == WTM_OK || got == WTM_ERR_GONE || (got == WTM_RUNNING && !wait), got);
    if (got >= 0) atomic_fetch_add(&w->successes, 1);
    if (got == WTM_OK) atomic_store(&w->stopped, true);
    if (wait || got == WTM_OK) {
        REQUIRE(atomic_load(&w->inside) == 0 && atomic_load(&w->released) == 1);
        atomic_store(&w->freed, true);
    }
    REQUIRE(!wtm_timer_is_valid(w->timer) && wtm_timer_fire(w->timer) == WTM_ERR_GONE);
}
