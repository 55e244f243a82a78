/* The plain C wheel, the yardstick. LIMIT_TICK_SHIFT 20 makes it a wheel of 1 ms ticks, LIMIT_HOST one without a thread. */
#include "../limit/limit.h"
#include "bench.h"

#ifndef LIMIT_TICK_SHIFT
#define LIMIT_TICK_SHIFT 10
#endif

#ifdef LIMIT_HOST
const char *const peer_name = "limit-host";
const unsigned peer_features = PEER_MOVES;
enum { THREAD = false };
#else
const char *const peer_name = LIMIT_TICK_SHIFT == 10 ? "limit" : "limit-1ms";
const unsigned peer_features = PEER_OWN_THREAD | PEER_THREAD_SAFE | PEER_MOVES;
enum { THREAD = true };
#endif
const size_t peer_largest_n = 20000000;

static limit *wheel;
static limit_node **nodes;

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    nodes = bench_allocate(capacity * sizeof *nodes);
    for (size_t i = 0; i < capacity; i++) nodes[i] = NULL;
    wheel = limit_open(LIMIT_TICK_SHIFT, THREAD);
}

static void tick(void *context) { bench_tick((size_t)context); }

void peer_start(size_t i, uint64_t delay_ns) { nodes[i] = limit_start(wheel, delay_ns, tick, (void *)i); }
void peer_start_every(size_t i, uint64_t interval_ns) { nodes[i] = limit_start_every(wheel, interval_ns, tick, (void *)i); }
void peer_cancel(size_t i) { limit_cancel(wheel, nodes[i]); }
void peer_move(size_t i, uint64_t delay_ns) { limit_move(wheel, nodes[i], delay_ns); }
void peer_run_once(bool wait) {
    (void)wait;
    limit_run(wheel);
}
