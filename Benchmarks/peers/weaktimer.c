/* WeakTimer through its C functions, as shipped. WEAKTIMER_HOST is the host-driven scheduler; WEAKTIMER_BURST delivers late ticks one by
 * one, as most peers do, in place of one tick that stands for them. WEAKTIMER_OWNED is the default scheduler, where each timer owns an allocated
 * context that its release hook frees: what a timer of the Swift API is, less a block. */
#include "bench.h"

#include <poll.h>
#include <stdlib.h>
#include <weaktimer.h>

#if defined(WEAKTIMER_HOST)
const char *const peer_name = "weaktimer-host";
enum { DRIVE = WTM_DRIVE_HOST, THREAD = 0 };
#elif defined(WEAKTIMER_BURST)
const char *const peer_name = "weaktimer-burst";
enum { DRIVE = WTM_DRIVE_THREAD, THREAD = PEER_OWN_THREAD };
#elif defined(WEAKTIMER_OWNED)
const char *const peer_name = "weaktimer-owned";
enum { DRIVE = WTM_DRIVE_THREAD, THREAD = PEER_OWN_THREAD };
#elif defined(WEAKTIMER_SPIN_NS)
const char *const peer_name = "weaktimer-spin";
enum { DRIVE = WTM_DRIVE_THREAD, THREAD = PEER_OWN_THREAD };
#else
const char *const peer_name = "weaktimer";
enum { DRIVE = WTM_DRIVE_THREAD, THREAD = PEER_OWN_THREAD };
#endif
#ifndef WEAKTIMER_SPIN_NS
#define WEAKTIMER_SPIN_NS 0
#endif

const unsigned peer_features = THREAD | PEER_THREAD_SAFE | PEER_MOVES | PEER_ABSOLUTE | PEER_TOLERANCE;
const size_t peer_largest_n = 20000000;

static wtm_scheduler scheduler;
static wtm_timer *timers;

static void check(wtm_status status) {
    if (status < 0) bench_fail(wtm_status_name(status));
}

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    timers = bench_allocate(capacity * sizeof *timers);
#ifndef WEAKTIMER_OWNED
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = DRIVE;
    options.spin_ns = WEAKTIMER_SPIN_NS;
    check(wtm_scheduler_create(&options, &scheduler));
#endif
}

void peer_close(void) { check(wtm_scheduler_shutdown(scheduler, WTM_NEVER)); }

static void tick(wtm_timer timer, const wtm_tick *what, void *context) {
    (void)timer;
    if (what->missed) bench_skipped((size_t)context, what->missed);
    bench_tick((size_t)context);
}

#ifdef WEAKTIMER_OWNED
static void tick_owned(wtm_timer timer, const wtm_tick *what, void *context) {
    (void)timer;
    (void)what;
    bench_tick(*(size_t *)context);
}

void peer_start(size_t i, uint64_t delay_ns) {
    size_t *own = malloc(4 * sizeof *own);
    *own = i;
    check(wtm_timer_after(scheduler, delay_ns, tick_owned, own, free, &timers[i]));
}
#else
void peer_start(size_t i, uint64_t delay_ns) { check(wtm_timer_after(scheduler, delay_ns, tick, (void *)i, NULL, &timers[i])); }
#endif
void peer_cancel(size_t i) { wtm_timer_invalidate(timers[i]); /* one that has fired is gone, which is no failure */ }
void peer_move(size_t i, uint64_t delay_ns) { wtm_timer_reschedule(timers[i], delay_ns); }
void peer_move_at(size_t i, uint64_t deadline_ns) { wtm_timer_set_next(timers[i], deadline_ns); }
void peer_move_tolerant(size_t i, uint64_t delay_ns) { wtm_timer_reschedule(timers[i], delay_ns); }

/* Options are kept from one start to the next, and only what differs is set anew: the library copies what it needs, and to clear 128 bytes each
 * time costs with some compilers as much as half a start. */
void peer_start_at(size_t i, uint64_t deadline_ns) {
    static wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.flags = WTM_TIMER_ABSOLUTE;
    options.deadline_ns = deadline_ns;
    options.fn = tick;
    options.context = (void *)i;
    check(wtm_timer_start(scheduler, &options, &timers[i]));
}

static void start(size_t i, uint64_t delay_ns, uint64_t interval_ns, uint64_t tolerance_ns, uint32_t missed) {
    static wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.delay_ns = delay_ns;
    options.interval_ns = interval_ns;
    options.tolerance_ns = tolerance_ns;
    options.missed = missed;
    options.fn = tick;
    options.context = (void *)i;
    check(wtm_timer_start(scheduler, &options, &timers[i]));
}

void peer_start_every(size_t i, uint64_t interval_ns) {
#ifdef WEAKTIMER_BURST
    start(i, interval_ns, interval_ns, 0, WTM_MISSED_BURST);
#else
    check(wtm_timer_every(scheduler, interval_ns, tick, (void *)i, NULL, &timers[i]));
#endif
}

void peer_start_tolerant(size_t i, uint64_t delay_ns, uint64_t tolerance_ns) {
    start(i, delay_ns, 0, tolerance_ns, WTM_MISSED_COALESCE);
}
void peer_start_every_tolerant(size_t i, uint64_t interval_ns, uint64_t tolerance_ns) {
    start(i, interval_ns, interval_ns, tolerance_ns, WTM_MISSED_COALESCE);
}

void peer_run_once(bool wait) {
    struct pollfd due = { .fd = wtm_scheduler_fd(scheduler), .events = POLLIN };
    if (wait) poll(&due, 1, -1);
    check(wtm_scheduler_run_due(scheduler, 0, NULL));
}
