/* libuv. LIBUV_LOCKED wraps it in a mutex, for the workload that calls from a second thread: the loop is then embedded, run without
 * waiting under the mutex, and its descriptor polled outside. */
#include "bench.h"

#include <poll.h>
#include <stdlib.h>
#include <uv.h>

#ifdef LIBUV_LOCKED
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>
const char *const peer_name = "libuv-locked";
const unsigned peer_features = PEER_MOVES | PEER_THREAD_SAFE | PEER_KEEPS_FIRED;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int wake_event = -1;
static uint64_t armed_ms = UINT64_MAX;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
const char *const peer_name = "libuv";
const unsigned peer_features = PEER_MOVES | PEER_KEEPS_FIRED;
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif
const size_t peer_largest_n = 1000000;

static uv_loop_t loop;
static uv_timer_t **timers;

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    timers = bench_allocate(capacity * sizeof *timers);
    for (size_t i = 0; i < capacity; i++) timers[i] = NULL;
    uv_loop_init(&loop);
#ifdef LIBUV_LOCKED
    wake_event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
#endif
}

static void tick(uv_timer_t *timer) { bench_tick((size_t)timer->data); }
static void closed(uv_handle_t *handle) { free(handle); }
static uint64_t milliseconds(uint64_t ns) { return (ns + NS_PER_MS - 1) / NS_PER_MS; }

/* A thread that sleeps beyond this delay is to be woken. */
static void wake_for(uint64_t delay_ms) {
#ifdef LIBUV_LOCKED
    uint64_t one = 1;
    if (uv_now(&loop) + delay_ms < armed_ms) {
        armed_ms = 0;
        (void)!write(wake_event, &one, sizeof one);
    }
#else
    (void)delay_ms;
#endif
}

static void start(size_t i, uint64_t delay_ms, uint64_t repeat_ms) {
    uv_timer_t *timer = malloc(sizeof *timer);
    LOCK();
    uv_timer_init(&loop, timer);
    timer->data = (void *)i;
    uv_timer_start(timer, tick, delay_ms, repeat_ms);
    timers[i] = timer;
    wake_for(delay_ms);
    UNLOCK();
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, milliseconds(delay_ns), 0); }

void peer_start_every(size_t i, uint64_t interval_ns) {
    uv_update_time(&loop);
    start(i, milliseconds(interval_ns), milliseconds(interval_ns));
}

/* The loop must run once for the memory to come back: peer_flush. */
void peer_cancel(size_t i) {
    if (!timers[i]) return;
    LOCK();
    uv_close((uv_handle_t *)timers[i], closed);
    UNLOCK();
    timers[i] = NULL;
}

void peer_move(size_t i, uint64_t delay_ns) {
    LOCK();
    uv_timer_start(timers[i], tick, milliseconds(delay_ns), 0);
    wake_for(milliseconds(delay_ns));
    UNLOCK();
}

#ifdef LIBUV_LOCKED
void peer_run_once(bool wait) {
    struct pollfd descriptors[2] = { { .events = POLLIN }, { .fd = wake_event, .events = POLLIN } };
    uint64_t ignored;
    LOCK();
    uv_run(&loop, UV_RUN_NOWAIT);
    int timeout = uv_backend_timeout(&loop);
    armed_ms = timeout < 0 ? UINT64_MAX : uv_now(&loop) + (uint64_t)timeout;
    descriptors[0].fd = uv_backend_fd(&loop);
    UNLOCK();
    if (wait && poll(descriptors, 2, timeout) > 0) (void)!read(wake_event, &ignored, sizeof ignored);
}
#else
void peer_flush(void) { uv_run(&loop, UV_RUN_NOWAIT); }
void peer_run_once(bool wait) { uv_run(&loop, wait ? UV_RUN_ONCE : UV_RUN_NOWAIT); }
#endif
