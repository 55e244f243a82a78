/* libevent 2. Its locks are on only where a second thread calls, as its users have it; PRECISE asks for the precise clock. */
#include "bench.h"

#include <event2/event.h>
#include <event2/thread.h>
#include <stdlib.h>

const char *const peer_name = "libevent";
const unsigned peer_features = PEER_MOVES | PEER_THREAD_SAFE | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 1000000;

static struct event_base *base;
static struct event **events;

void peer_open(size_t capacity, bool threaded) {
    if (threaded) evthread_use_pthreads();
    struct event_config *config = event_config_new();
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    base = event_base_new_with_config(config);
    event_config_free(config);
    events = bench_allocate(capacity * sizeof *events);
    for (size_t i = 0; i < capacity; i++) events[i] = NULL;
}

void peer_close(void) { event_base_free(base); }

static void tick(evutil_socket_t fd, short what, void *context) {
    (void)fd;
    (void)what;
    bench_tick((size_t)context);
}

static struct timeval duration(uint64_t ns) {
    uint64_t us = (ns + 999) / 1000;
    return (struct timeval){ .tv_sec = (time_t)(us / 1000000), .tv_usec = (suseconds_t)(us % 1000000) };
}

static void start(size_t i, uint64_t delay_ns, short flags) {
    struct timeval delay = duration(delay_ns);
    events[i] = event_new(base, -1, flags, tick, (void *)i);
    event_add(events[i], &delay);
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, 0); }
void peer_start_every(size_t i, uint64_t interval_ns) { start(i, interval_ns, EV_PERSIST); }

void peer_cancel(size_t i) {
    if (events[i]) event_free(events[i]);
    events[i] = NULL;
}

void peer_move(size_t i, uint64_t delay_ns) {
    struct timeval delay = duration(delay_ns);
    event_add(events[i], &delay);
}

void peer_run_once(bool wait) { event_base_loop(base, wait ? EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY : EVLOOP_NONBLOCK); }
