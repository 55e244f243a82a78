/* A 4-ary heap of allocated timers with a mutex and a thread, as a careful programmer writes it in an afternoon. */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>

const char *const peer_name = "heap4";
const unsigned peer_features = PEER_OWN_THREAD | PEER_THREAD_SAFE | PEER_MOVES | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 1000000;

typedef struct timer {
    uint64_t deadline_ns, interval_ns;
    size_t position, index;
} timer;

#define FIRED SIZE_MAX /* the position of one that is in the heap no more; peer_cancel frees it */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t earlier;
static timer **heap, **timers;
static size_t count;

static void put(size_t at, timer *t) {
    heap[at] = t;
    t->position = at;
}

static void sift_up(size_t at, timer *t) {
    while (at > 0 && heap[(at - 1) / 4]->deadline_ns > t->deadline_ns) {
        put(at, heap[(at - 1) / 4]);
        at = (at - 1) / 4;
    }
    put(at, t);
}

static void sift_down(size_t at, timer *t) {
    for (;;) {
        size_t child = 4 * at + 1, last = child + 4 < count ? child + 4 : count, least = child;
        for (size_t each = child + 1; each < last; each++)
            if (heap[each]->deadline_ns < heap[least]->deadline_ns) least = each;
        if (child >= count || heap[least]->deadline_ns >= t->deadline_ns) break;
        put(at, heap[least]);
        at = least;
    }
    put(at, t);
}

static void settle(size_t at, timer *t) {
    if (at > 0 && heap[(at - 1) / 4]->deadline_ns > t->deadline_ns) sift_up(at, t);
    else sift_down(at, t);
}

static void take_out(timer *t) {
    timer *last = heap[--count];
    if (last != t) settle(t->position, last);
}

static void serve(uint64_t now) {
    while (count > 0 && heap[0]->deadline_ns <= now) {
        timer *t = heap[0];
        size_t index = t->index;
        if (t->interval_ns) {
            t->deadline_ns += t->interval_ns;
            sift_down(0, t);
        } else {
            take_out(t);
            t->position = FIRED;
        }
        pthread_mutex_unlock(&lock);
        bench_tick(index);
        pthread_mutex_lock(&lock);
    }
}

static void *run(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        serve(bench_now());
        if (count == 0) {
            pthread_cond_wait(&earlier, &lock);
            continue;
        }
        uint64_t wake = heap[0]->deadline_ns;
        struct timespec until = { (time_t)(wake / NS_PER_S), (long)(wake % NS_PER_S) };
        pthread_cond_timedwait(&earlier, &lock, &until);
    }
    return NULL;
}

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    pthread_t thread;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&earlier, &monotonic);
    heap = malloc(capacity * sizeof *heap);
    timers = bench_allocate(capacity * sizeof *timers);
    if (!heap || pthread_create(&thread, NULL, run, NULL) != 0) bench_fail("cannot open");
}

static void start(size_t i, uint64_t delay_ns, uint64_t interval_ns) {
    timer *t = malloc(sizeof *t);
    t->deadline_ns = bench_now() + delay_ns;
    t->interval_ns = interval_ns;
    t->index = i;
    timers[i] = t;
    pthread_mutex_lock(&lock);
    sift_up(count++, t);
    bool first = heap[0] == t;
    pthread_mutex_unlock(&lock);
    if (first) pthread_cond_signal(&earlier);
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, 0); }
void peer_start_every(size_t i, uint64_t interval_ns) { start(i, interval_ns, interval_ns); }

void peer_cancel(size_t i) {
    pthread_mutex_lock(&lock);
    if (timers[i]->position != FIRED) take_out(timers[i]);
    pthread_mutex_unlock(&lock);
    free(timers[i]);
}

void peer_move(size_t i, uint64_t delay_ns) {
    uint64_t deadline = bench_now() + delay_ns;
    pthread_mutex_lock(&lock);
    timers[i]->deadline_ns = deadline;
    if (timers[i]->position == FIRED) sift_up(count++, timers[i]);
    else settle(timers[i]->position, timers[i]);
    bool first = heap[0] == timers[i];
    pthread_mutex_unlock(&lock);
    if (first) pthread_cond_signal(&earlier);
}
