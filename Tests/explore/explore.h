/* The schedule explorer: threads run one at a time, and a seeded generator says at each lock who goes on.
 *
 * The library, compiled with WTM_EXPLORE, calls the explorer before it takes and after it gives back a lock, which is where
 * stop, claim and finish hand over to each other. A thread that does not come back to such a point soon (it sleeps, or it
 * waits for a lock that a paused thread holds) is left aside and another goes on, so a seed gives the same decisions but not
 * to the last step the same run. */
#ifndef TESTS_EXPLORE_EXPLORE_H
#define TESTS_EXPLORE_EXPLORE_H

#include <stdint.h>
#include <weaktimer.h>

/* Set in a library that is compiled with WTM_EXPLORE; NULL for no explorer. */
void wtm_explore(void (*yield)(void));

void explore_begin(uint64_t seed);
void explore_end(void);
/* A thread of the scenario takes part from here on. All of `threads` must arrive before any goes on. */
void explore_join(unsigned threads);
/* And no longer. */
void explore_leave(void);
/* A point of the scenario's own, inside callbacks and hooks. */
void explore_point(void);
uint64_t explore_random(void);
/* How many decisions there were in all, and how many threads were left aside. */
extern uint64_t explore_decisions, explore_stalls;

typedef struct scenario {
    const char *name;
    void (*run)(void);
} scenario;
extern const scenario scenarios[];
extern const unsigned scenario_count;

_Noreturn void explore_fail(const char *file, int line, const char *what, long long value);
#define REQUIRE(condition) REQUIRE_VALUE(condition, 0)
#define REQUIRE_VALUE(condition, value) \
    do { \
        if (!(condition)) explore_fail(__FILE__, __LINE__, #condition, (long long)(value)); \
    } while (0)

#endif
