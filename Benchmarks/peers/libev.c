/* libev. One thread only: its documentation forbids calls from another. */
#include "bench.h"

#include <ev.h>
#include <stdlib.h>

const char *const peer_name = "libev";
const unsigned peer_features = PEER_MOVES | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 1000000;

static struct ev_loop *loop;
static ev_timer **timers;

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    loop = ev_loop_new(EVFLAG_AUTO);
    timers = bench_allocate(capacity * sizeof *timers);
    for (size_t i = 0; i < capacity; i++) timers[i] = NULL;
}

void peer_close(void) { ev_loop_destroy(loop); }

static void tick(struct ev_loop *which, ev_timer *timer, int events) {
    (void)which;
    (void)events;
    bench_tick((size_t)timer->data);
}

static void start(size_t i, uint64_t delay_ns, uint64_t repeat_ns) {
    ev_timer *timer = malloc(sizeof *timer);
    ev_timer_init(timer, tick, (double)delay_ns * 1e-9, (double)repeat_ns * 1e-9);
    timer->data = (void *)i;
    ev_timer_start(loop, timer);
    timers[i] = timer;
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, 0); }

void peer_start_every(size_t i, uint64_t interval_ns) {
    ev_now_update(loop);
    start(i, interval_ns, interval_ns);
}

void peer_cancel(size_t i) {
    if (!timers[i]) return;
    ev_timer_stop(loop, timers[i]);
    free(timers[i]);
    timers[i] = NULL;
}

void peer_move(size_t i, uint64_t delay_ns) {
    timers[i]->repeat = (double)delay_ns * 1e-9;
    ev_timer_again(loop, timers[i]);
}

void peer_run_once(bool wait) { ev_run(loop, wait ? EVRUN_ONCE : EVRUN_NOWAIT); }
