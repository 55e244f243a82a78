/* A custom executor that keeps its work, and a pool and a serial queue whose callbacks only count.
 * covers: time.serial life.release.once stop.wait */
#include "fuzz.h"

#include <stdatomic.h>

enum { WORK = 512, POOLED = 16 };

static struct {
    wtm_executor handle;
    bool made, down, refuses;
    unsigned released, count, asked;
    void (*run)(uint64_t);
    uint64_t work[WORK], last;
} queue;

/* Refused ticks cost no callback, so nothing else would end the advance of a century by nanoseconds. */
static void stop_all(void) {
    static bool stopping;
    if (stopping) return; /* a hook on its way to the queue, inside one of these very stops */
    stopping = true;
    unsigned depth = fz_depth;
    fz_depth = FZ_DEPTH; /* the hooks make no calls: some timers have yet to stop */
    for (unsigned i = 0; i < fz_timer_count; i++) {
        fz_timer *t = &fz_timers[i];
        if (!t->used || !t->queued_executor || !t->live || !t->known) continue;
        fz_died(t);
        wtm_timer_invalidate(t->handle);
    }
    fz_depth = depth;
    stopping = false;
}

static bool submit(void *context, void (*run)(uint64_t), uint64_t work) {
    FZ_CHECK(context == &queue && queue.released == 0, "a submit without an executor");
    queue.run = run;
    queue.last = work;
    if (++queue.asked > FZ_TICKS) stop_all();
    if (queue.refuses || queue.count == WORK) return false;
    queue.work[queue.count++] = work;
    return true;
}

static void released(void *context) {
    FZ_CHECK(context == &queue && queue.released == 0, "an executor released twice");
    queue.released++;
}

wtm_executor fz_queue_executor(void) {
    if (!queue.made) {
        wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
        ops.submit = submit;
        FZ_CHECK(wtm_executor_create_custom(&ops, &queue, released, &queue.handle) == WTM_OK, "no executor");
        queue.made = true;
    }
    return queue.handle;
}

bool fz_queue_is_down(void) { return queue.down; }

/* In any order, and once in a while twice: a second call does nothing. */
static void run_some(unsigned most) {
    while (most-- > 0 && queue.count > 0) {
        unsigned which = fz_u8() % queue.count;
        uint64_t work = queue.work[which];
        queue.work[which] = queue.work[--queue.count];
        queue.run(work);
        if (fz_u8() % 8 == 7) queue.run(work);
    }
}

/* The pool's callbacks run on another thread: they touch nothing of the model. */
typedef struct pooled {
    atomic_uint inside, released;
    atomic_bool stopped;
    bool used;
    wtm_timer timer;
} pooled;
static pooled pool_timers[POOLED];
static wtm_executor pool, serial;
static bool pool_made;

static void pool_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    pooled *p = context;
    (void)timer;
    (void)tick;
    FZ_CHECK(atomic_fetch_add(&p->inside, 1) == 0, "callbacks of one timer overlap");
    FZ_CHECK(atomic_load(&p->released) == 0, "a callback after the release");
    atomic_fetch_sub(&p->inside, 1);
}

static void pool_release(void *context) {
    pooled *p = context;
    FZ_CHECK(atomic_load(&p->inside) == 0, "released during a callback");
    FZ_CHECK(atomic_fetch_add(&p->released, 1) == 0, "released twice");
}

static void start_pooled(void) {
    if (!pool_made) {
        FZ_CHECK(wtm_executor_create_pool(1 + fz_u8() % 2, "fuzz", &pool) == WTM_OK, "no pool");
        FZ_CHECK(wtm_executor_create_serial(pool, &serial) == WTM_OK, "no serial queue");
        pool_made = true;
    }
    fz_scheduler *s = &fz_schedulers[fz_u8() % FZ_SCHEDULERS];
    for (int i = 0; s->used && !s->down && i < POOLED; i++) {
        pooled *p = &pool_timers[i];
        if (p->used) continue;
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = pool_tick;
        o.context = p;
        o.release = pool_release;
        o.executor = fz_u8() & 1 ? pool : serial;
        o.interval_ns = fz_u8() & 1 ? UINT64_C(1000000) * (1 + fz_u8()) : 0;
        o.delay_ns = fz_time();
        o.tick_limit = 1 + fz_u8() % 50; /* an advance of a century is to end */
        p->used = wtm_timer_start(s->handle, &o, &p->timer) == WTM_OK;
        s->created += p->used;
        s->pooled = s->pooled || p->used;
        if (p->used) s->unsure++; /* for good: the books are the library's own for this scheduler */
        return;
    }
}

void fz_call_executor(unsigned which) {
    switch (which % 6) {
    case 0: start_pooled(); return;
    case 1: {
        pooled *p = &pool_timers[fz_u8() % POOLED];
        if (!p->used) return;
        wtm_status got = wtm_timer_invalidate_and_wait(p->timer, WTM_NEVER);
        FZ_CHECK(got == WTM_OK || got == WTM_ERR_GONE || (got == WTM_ERR_WOULD_DEADLOCK && fz_depth > 0), "wait answers %s",
                 wtm_status_name(got));
        FZ_CHECK(got < 0 && got != WTM_ERR_GONE ? true : atomic_load(&p->released) == 1, "a wait that returned before the hook");
        return;
    }
    case 2: queue.refuses = !queue.refuses; return;
    case 3:
        if (!queue.made || fz_u8() % 16 != 0) return;
        FZ_TRACE("shut the queue down\n");
        queue.down = true;
        wtm_executor_shutdown(queue.handle, 0);
        stop_all();
        return;
    default:
        if (queue.run != NULL) run_some(fz_u8() % 8);
        return;
    }
}

void fz_executors_begin(void) {
    memset(&queue, 0, sizeof queue);
    memset(pool_timers, 0, sizeof pool_timers);
    pool_made = false;
}

/* The end of an input: what is still queued runs late, and the hooks must all have come. */
void fz_executors_end(void) {
    if (queue.run != NULL) run_some(WORK);
    if (queue.made) {
        wtm_status got = wtm_executor_shutdown(queue.handle, WTM_NEVER);
        FZ_CHECK(queue.down ? got < 0 : got == WTM_OK, "the queue's shutdown answers %s", wtm_status_name(got));
        FZ_CHECK(queue.released == 1, "an executor that was not released");
        if (queue.run != NULL) queue.run(queue.last);
    }
    if (pool_made) FZ_CHECK(wtm_executor_shutdown(pool, WTM_NEVER) == WTM_OK, "the pool's shutdown");
}

void fz_executors_check(void) {
    for (int i = 0; i < POOLED; i++) {
        FZ_CHECK(!pool_timers[i].used || atomic_load(&pool_timers[i].released) == 1, "a pooled timer that was not released");
    }
}
