/* A timer under watch: what its callback and hooks saw, judged as it happens. */
#ifndef TESTS_EXPLORE_WATCH_H
#define TESTS_EXPLORE_WATCH_H

#include "explore.h"

#include <stdatomic.h>

typedef struct watch {
    wtm_timer timer;
    atomic_uint inside, ticks, ended, released, successes;
    atomic_bool stopped, freed;
    bool is_plain; /* no ended hook, and nothing else that would keep it from the short ways */
    void (*also)(struct watch *);
    void (*in_hook)(struct watch *);
} watch;

/* The cast of every scenario. */
extern watch a, b;
extern wtm_scheduler first, second;
extern wtm_target target;
extern atomic_uint target_hooks;

void on_tick(wtm_timer timer, const wtm_tick *tick, void *context);
void on_ended(wtm_timer timer, wtm_reason reason, void *context);
void on_release(void *context);
void on_target(void *context);
wtm_scheduler scheduler(uint32_t drive);
void start(watch *w, wtm_scheduler s, uint64_t interval, bool bound, wtm_executor executor);
void start_plain(watch *w, wtm_scheduler s);
/* Invalidates, or invalidates and waits, and checks what holds then. */
void stop(watch *w, bool wait);

#endif
