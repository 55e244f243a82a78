/* libdispatch, the Swift toolchain's: timer sources on one serial queue. */
#include "bench.h"

#include <dispatch/dispatch.h>

const char *const peer_name = "libdispatch";
const unsigned peer_features = PEER_OWN_THREAD | PEER_THREAD_SAFE | PEER_MOVES | PEER_TOLERANCE | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 1000000;

static dispatch_queue_t queue;
static dispatch_source_t *sources;

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    queue = dispatch_queue_create("bench", DISPATCH_QUEUE_SERIAL);
    sources = bench_allocate(capacity * sizeof *sources);
    for (size_t i = 0; i < capacity; i++) sources[i] = NULL;
}

static void tick(void *context) { bench_tick((size_t)context); }

static void start(size_t i, uint64_t delay_ns, uint64_t interval_ns, uint64_t leeway_ns) {
    dispatch_source_t source =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, leeway_ns ? 0 : DISPATCH_TIMER_STRICT, 0, queue);
    dispatch_source_set_timer(source, dispatch_time(DISPATCH_TIME_NOW, (int64_t)delay_ns), interval_ns, leeway_ns);
    dispatch_set_context(source, (void *)i);
    dispatch_source_set_event_handler_f(source, tick);
    sources[i] = source;
    dispatch_activate(source);
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, DISPATCH_TIME_FOREVER, 0); }
void peer_start_every(size_t i, uint64_t interval_ns) { start(i, interval_ns, interval_ns, 0); }
void peer_start_tolerant(size_t i, uint64_t delay_ns, uint64_t tolerance_ns) {
    start(i, delay_ns, DISPATCH_TIME_FOREVER, tolerance_ns);
}
void peer_start_every_tolerant(size_t i, uint64_t interval_ns, uint64_t tolerance_ns) {
    start(i, interval_ns, interval_ns, tolerance_ns);
}

void peer_cancel(size_t i) {
    if (!sources[i]) return;
    dispatch_source_cancel(sources[i]);
    dispatch_release(sources[i]);
    sources[i] = NULL;
}

static void move(size_t i, uint64_t delay_ns, uint64_t leeway_ns) {
    dispatch_source_set_timer(sources[i], dispatch_time(DISPATCH_TIME_NOW, (int64_t)delay_ns), DISPATCH_TIME_FOREVER, leeway_ns);
}

void peer_move(size_t i, uint64_t delay_ns) { move(i, delay_ns, 0); }
void peer_move_tolerant(size_t i, uint64_t delay_ns) { move(i, delay_ns, 10 * NS_PER_MS); }

/* Cancellation completes on the queue. */
static void nothing(void *context) { (void)context; }
void peer_flush(void) { dispatch_sync_f(queue, NULL, nothing); }
