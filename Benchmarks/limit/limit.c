#define _GNU_SOURCE
#include "wheel.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One lock per callback: finish the last, claim the next. */
void limit_run(limit *w) {
    limit_node *finished = NULL;
    pthread_mutex_lock(&w->lock);
    collect(w, now_ns());
    for (;;) {
        if (finished) give_node(w, finished);
        ring *first = w->due.next;
        if (first == &w->due) break;
        limit_node *node = (limit_node *)first;
        unlink_node(w, node);
        limit_fn fn = node->fn;
        void *context = node->context;
        finished = NULL;
        if (node->interval_ns) {
            node->deadline_ns += node->interval_ns;
            file(w, node);
        } else {
            finished = node;
        }
        pthread_mutex_unlock(&w->lock);
        fn(context);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
}

static void sleep_until(limit *w, uint64_t wake) {
    struct epoll_event event;
    uint64_t now = now_ns(), ignored;
    uint64_t wait = wake == NEVER ? 0 : wake > now ? wake - now : 0;
    struct timespec timeout = { (time_t)(wait / 1000000000u), (long)(wait % 1000000000u) };
    if (epoll_pwait2(w->epoll, &event, 1, wake == NEVER ? NULL : &timeout, NULL) > 0)
        (void)!read(w->event, &ignored, sizeof ignored);
}

static void *run_thread(void *context) {
    limit *w = context;
    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
    for (;;) {
        limit_run(w);
        pthread_mutex_lock(&w->lock);
        uint64_t wake = next_wake(w);
        w->armed_ns = wake;
        pthread_mutex_unlock(&w->lock);
        if (wake > now_ns()) sleep_until(w, wake);
        pthread_mutex_lock(&w->lock);
        w->armed_ns = 0;
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

limit *limit_open(unsigned tick_shift, bool thread) {
    limit *w = calloc(1, sizeof *w);
    pthread_t id;
    if (!w) abort();
    pthread_mutex_init(&w->lock, NULL);
    w->shift = tick_shift;
    w->tick = now_ns() >> tick_shift;
    for (int i = 0; i < LEVELS * SLOTS; i++) {
        ring *slot = &w->slots[i / SLOTS][i % SLOTS];
        slot->next = slot->previous = slot;
    }
    w->due.next = w->due.previous = &w->due;
    w->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    w->epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = { .events = EPOLLIN };
    if (epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->event, &event) != 0) abort();
    if (thread && (pthread_create(&id, NULL, run_thread, w) != 0 || pthread_detach(id) != 0)) abort();
    return w;
}

static void wake_thread(limit *w) {
    uint64_t one = 1;
    (void)!write(w->event, &one, sizeof one);
}

static limit_node *start(limit *w, uint64_t delay, uint64_t interval, limit_fn fn, void *context) {
    uint64_t deadline = now_ns() + delay;
    pthread_mutex_lock(&w->lock);
    limit_node *node = take_node(w);
    node->deadline_ns = deadline;
    node->interval_ns = interval;
    node->fn = fn;
    node->context = context;
    file(w, node);
    bool wake = deadline < w->armed_ns;
    if (wake) w->armed_ns = deadline;
    pthread_mutex_unlock(&w->lock);
    if (wake) wake_thread(w);
    return node;
}

limit_node *limit_start(limit *w, uint64_t delay_ns, limit_fn fn, void *context) { return start(w, delay_ns, 0, fn, context); }

limit_node *limit_start_every(limit *w, uint64_t interval_ns, limit_fn fn, void *context) {
    return start(w, interval_ns, interval_ns, fn, context);
}

void limit_cancel(limit *w, limit_node *node) {
    pthread_mutex_lock(&w->lock);
    unlink_node(w, node);
    give_node(w, node);
    pthread_mutex_unlock(&w->lock);
}

void limit_move(limit *w, limit_node *node, uint64_t delay_ns) {
    uint64_t deadline = now_ns() + delay_ns;
    pthread_mutex_lock(&w->lock);
    unlink_node(w, node);
    node->deadline_ns = deadline;
    file(w, node);
    bool wake = deadline < w->armed_ns;
    if (wake) w->armed_ns = deadline;
    pthread_mutex_unlock(&w->lock);
    if (wake) wake_thread(w);
}
