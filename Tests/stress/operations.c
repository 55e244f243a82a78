/* The cells and the random operations. */
#include "stress.h"

static struct {
    pthread_mutex_t lock;
    record *timers[timer_cells];
    host *targets[target_cells];
} cells = { .lock = PTHREAD_MUTEX_INITIALIZER };

record *cell_get(uint64_t index) {
    pthread_mutex_lock(&cells.lock);
    record *r = cells.timers[index];
    if (r != NULL) atomic_fetch_add(&r->references, 1);
    pthread_mutex_unlock(&cells.lock);
    return r;
}

record *cell_swap(uint64_t index, record *next) {
    pthread_mutex_lock(&cells.lock);
    record *before = cells.timers[index];
    cells.timers[index] = next;
    pthread_mutex_unlock(&cells.lock);
    return before;
}

host *target_cell_get(uint64_t index) {
    pthread_mutex_lock(&cells.lock);
    host *h = cells.targets[index];
    if (h != NULL) atomic_fetch_add(&h->references, 1);
    pthread_mutex_unlock(&cells.lock);
    return h;
}

host *target_cell_swap(uint64_t index, host *next) {
    pthread_mutex_lock(&cells.lock);
    host *before = cells.targets[index];
    cells.targets[index] = next;
    pthread_mutex_unlock(&cells.lock);
    return before;
}

static uint64_t random_delay(void) {
    switch (random_below(6)) {
    case 0: return 0;
    case 1: return random_below(20000);
    case 2: return random_below(500000);
    case 3: return random_below(5000000);
    case 4: return random_below(UINT64_C(3600000000000));
    default: return WTM_NEVER;
    }
}

/* A third of them has nothing but a delay, a tolerance and a release hook. */
static void choose(wtm_timer_options *options) {
    options->delay_ns = random_delay();
    if (random_below(4) == 0) options->tolerance_ns = random_below(1000000);
    if (random_below(3) == 0) return;
    if (random_below(4) != 0) options->ended = on_ended;
    if (random_below(3) == 0) options->interval_ns = 1000 + random_below(3000000);
    if (random_below(8) == 0) options->tick_limit = 1 + random_below(10);
    if (random_below(8) == 0) options->flags |= WTM_TIMER_KEEP;
    if (random_below(16) == 0) options->flags |= WTM_TIMER_PAUSED;
    if (random_below(6) == 0) options->flags |= WTM_TIMER_RELEASE_ON_EXECUTOR;
    if (random_below(16) == 0) options->name = "stressed";
    options->missed = (uint32_t)random_below(3);
    options->clock = (uint32_t)random_below(2);
    uint64_t where = random_below(8);
    if (where == 0) options->executor = pool;
    if (where == 1) options->executor = serial_queue;
    if (where == 2) options->executor = pool, options->flags |= WTM_TIMER_CONCURRENT;
    if (where == 3) options->flags |= WTM_TIMER_INLINE;
}

void start_one(void) {
    host *h = random_below(2) ? target_cell_get(random_below(target_cells)) : NULL;
    record *r = record_create(h);
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = on_tick;
    options.context = r;
    options.release = on_release;
    if (h != NULL) options.target = h->target;
    choose(&options);
    wtm_scheduler s = schedulers[random_below(scheduler_count)];
    r->is_told = options.ended != NULL;
    r->serial = !(options.flags & WTM_TIMER_CONCURRENT);
    r->on_executor = options.flags & WTM_TIMER_RELEASE_ON_EXECUTOR;
    wtm_timer t = { 1 };
    wtm_status status = wtm_timer_start(s, &options, &t);
    if (status != WTM_OK) {
        REQUIRE(t.id == 0);
        bool refused = atomic_load(&shutting_down) && (status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
        REQUIRE_VALUE(refused || (status == WTM_ERR_TARGET_GONE && h != NULL), status);
        record_drop(r); /* nothing was taken: the hook's reference comes back */
        record_drop(r);
        host_drop(h);
        return;
    }
    atomic_fetch_add(&started, 1);
    host_drop(h);
    r->timer = t;
    record *before = cell_swap(random_below(timer_cells), r);
    if (before == NULL) return;
    /* Some are left to their targets and to the shutdown, but not without end: the test may run for hours. */
    if (atomic_load(&records_live) > 50000 || random_below(4) != 0) check_invalidate(before, wtm_timer_invalidate(before->timer));
    record_drop(before);
}

static void replace_target(bool from_callback) {
    uint64_t index = random_below(target_cells);
    host *h = target_cell_swap(index, host_create());
    if (h == NULL) return;
    if (random_below(2)) {
        wtm_status status = wtm_target_release(h->target);
        REQUIRE_VALUE(status == WTM_OK, status); /* others may hold it for a moment longer */
    } else {
        atomic_store(&h->closing, true);
        wtm_status status = wtm_target_close(h->target, WTM_NEVER);
        if (status == WTM_ERR_WOULD_DEADLOCK) {
            REQUIRE(from_callback);
            atomic_fetch_add(&told_deadlock, 1);
        } else {
            REQUIRE_VALUE(status == WTM_OK, status); /* the cell gave the only strong reference away */
            REQUIRE(atomic_load(&h->hooks) == 1);
            atomic_store(&h->close_returned, true);
        }
    }
    host_drop(h);
}

static void require_moved(wtm_status status) {
    REQUIRE_VALUE(status == WTM_OK || status == WTM_ERR_GONE || status == WTM_ERR_LIMIT, status);
}

_Thread_local bool must_not_wait;

static bool visit(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer;
    REQUIRE_VALUE(info->state <= WTM_STATE_IDLE, info->state);
    if (random_below(20) == 0) operate_without_waiting();
    return --*(unsigned *)context != 0;
}

static void look_round(void) {
    wtm_scheduler s = schedulers[random_below(scheduler_count)];
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    wtm_status status = wtm_scheduler_get_stats(s, &stats);
    if (status == WTM_OK)
        REQUIRE(stats.created == stats.live + stats.ended[1] + stats.ended[2] + stats.ended[3] + stats.ended[4]);
    else REQUIRE_VALUE(atomic_load(&shutting_down), status);
    unsigned most = 50;
    if (random_below(10) == 0) status = wtm_scheduler_for_each(s, visit, &most);
    REQUIRE_VALUE(status == WTM_OK || atomic_load(&shutting_down), status);
}

static void drive(bool from_callback) {
    bool manual = random_below(2);
    uint64_t wide;
    uint32_t narrow;
    wtm_status status = manual ? wtm_scheduler_advance(schedulers[manual_scheduler], random_below(1000), &wide)
                               : wtm_scheduler_run_due(schedulers[host_scheduler], 1 + (uint32_t)random_below(10), &narrow);
    /* An advance waits for its pool's ticks while callbacks of others wait for their turn to advance: also a plain one may be
     * told. */
    if (status == WTM_ERR_WOULD_DEADLOCK) REQUIRE(manual || from_callback);
    else REQUIRE_VALUE(status == WTM_OK || atomic_load(&shutting_down), status);
}

void operate_without_waiting(void) {
    if (random_below(2)) {
        start_one();
        return;
    }
    record *r = cell_get(random_below(timer_cells));
    if (r == NULL) return;
    if (random_below(2)) check_invalidate(r, wtm_timer_invalidate(r->timer));
    else require_moved(wtm_timer_fire(r->timer));
    record_drop(r);
}

void operate(bool from_callback) {
    atomic_fetch_add(&operations, 1);
    if (must_not_wait) {
        operate_without_waiting();
        return;
    }
    uint64_t what = random_below(100);
    if (what < 28) {
        start_one();
        return;
    }
    if (what < 36) {
        replace_target(from_callback);
        return;
    }
    if (what < 39) {
        host *h = target_cell_get(random_below(target_cells));
        if (h == NULL) return;
        wtm_status status = wtm_target_invalidate_timers(h->target);
        REQUIRE_VALUE(status == WTM_OK || status == WTM_ERR_GONE, status);
        void *context = NULL;
        status = wtm_target_try_retain(h->target, &context);
        REQUIRE_VALUE(status == WTM_OK ? context == h : status == WTM_ERR_GONE && context == NULL, status);
        if (status == WTM_OK) {
            REQUIRE(atomic_load(&h->hooks) == 0 || atomic_load(&h->closing)); /* only a close ends what others hold */
            status = wtm_target_release(h->target);                           /* the last one, if the cell's has gone meanwhile */
            REQUIRE_VALUE(status == WTM_OK || (status == WTM_ERR_GONE && atomic_load(&h->closing)), status);
        }
        host_drop(h);
        return;
    }
    if (what < 42) {
        look_round();
        return;
    }
    if (what < 44) {
        drive(from_callback);
        return;
    }
    record *r = cell_get(random_below(timer_cells));
    if (r == NULL) return;
    wtm_timer t = r->timer;
    uint64_t next;
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    if (what < 56) check_invalidate(r, wtm_timer_invalidate(t));
    else if (what < 66) check_wait(r, wtm_timer_invalidate_and_wait(t, WTM_NEVER), from_callback);
    else if (what < 68) check_wait(r, wtm_timer_invalidate_and_wait(t, random_below(50000)), from_callback);
    else if (what < 78) require_moved(wtm_timer_reschedule(t, random_delay()));
    else if (what < 80) require_moved(wtm_timer_set_next(t, wtm_scheduler_now(schedulers[0], WTM_CLOCK_MONOTONIC)));
    else if (what < 88) require_moved(wtm_timer_fire(t));
    else if (what < 91) require_moved(wtm_timer_pause(t));
    else if (what < 94) require_moved(wtm_timer_resume(t));
    else if (what < 96)
        require_moved(wtm_timer_set_interval(t, random_below(2) ? 0 : 1000 + random_below(1000000), random_below(1000)));
    else if (what < 97) require_moved(wtm_timer_get_next(t, &next));
    else if (what < 98) require_moved(wtm_timer_get_info(t, &info));
    else (void)wtm_timer_is_valid(t);
    record_drop(r);
}
