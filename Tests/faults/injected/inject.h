/* The entry points of a library that is compiled with WTM_FAULTS. */
#ifndef TESTS_FAULTS_INJECT_H
#define TESTS_FAULTS_INJECT_H

#include <stdint.h>

/* Refuses the nth request of a kind from now on; 0 refuses none. Kinds: 0 memory, 1 thread, 2 eventfd, 3 timerfd, 4 epoll. */
void wtm_fault_inject(int32_t kind, uint64_t nth);
/* How many requests of a kind there were. */
uint64_t wtm_fault_count(int32_t kind);
/* Adds to what a clock reads (0 monotonic, 1 boottime, 2 wall); wraps, so that a clock can be set back. */
void wtm_fault_shift_clock(int32_t clock, uint64_t by);

#endif
