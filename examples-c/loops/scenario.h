/* What happens in each of the loop examples; the loops themselves differ in a few lines only.
 *
 * A host-driven scheduler has no thread. It gives a descriptor that is readable while something is due: the
 * host's loop watches it and calls wtm_scheduler_run_due() when it is. Callbacks run there, on the loop's thread. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <weaktimer.h>

#include "../common/example.h"

typedef struct scenario {
    wtm_scheduler scheduler;
    int fd;
    pthread_t loop_thread;
    pthread_t visitor;
    void (*quit)(void *loop); /* how this loop is told to return */
    void *loop;
    int beats;
    int visits;
    int farewells;
} scenario;

/* Makes the scheduler and its timers. */
void scenario_start(scenario *s, void (*quit)(void *loop), void *loop);

/* To be called when the descriptor is readable. */
void scenario_readable(scenario *s);

/* Checks what has happened, and shuts the scheduler down. To be called when the loop has returned and does
 * not watch the descriptor any more, which belongs to the scheduler. */
void scenario_finish(scenario *s);

#endif
