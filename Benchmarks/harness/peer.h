/* What a driver supplies for the timer library that it stands for. One program is linked per driver, so that memory,
 * threads and shared-library boundaries are those of that library alone. A driver keeps its own handles, by index. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    PEER_OWN_THREAD = 1,   /* ticks arrive on a thread of the library's own; peer_run_once is never called */
    PEER_THREAD_SAFE = 2,  /* start, cancel and move may be called while another thread fires */
    PEER_MOVES = 4,        /* peer_move exists */
    PEER_ABSOLUTE = 8,     /* peer_start_at and peer_move_at exist */
    PEER_TOLERANCE = 16,   /* peer_start_tolerant and peer_move_tolerant exist */
    PEER_KEEPS_FIRED = 64, /* a one-shot that has fired is still the user's, to be given back by peer_cancel */
    PEER_RAW = 32          /* sleeps only: takes part in the lateness workload alone */
};

extern const char *const peer_name;
extern const unsigned peer_features;
extern const size_t peer_largest_n;

/* Room for `capacity` timers; `threaded` when the workload calls from a second thread. */
void peer_open(size_t capacity, bool threaded);
void peer_close(void);

/* One-shots and repeating timers that call bench_tick(i). Allocation of the handle counts, as does giving it back. */
void peer_start(size_t i, uint64_t delay_ns);
void peer_start_every(size_t i, uint64_t interval_ns);
void peer_cancel(size_t i);
void peer_move(size_t i, uint64_t delay_ns);

/* Only with the matching feature. Deadlines are CLOCK_MONOTONIC nanoseconds. */
void peer_start_at(size_t i, uint64_t deadline_ns);
void peer_move_at(size_t i, uint64_t deadline_ns);
void peer_start_tolerant(size_t i, uint64_t delay_ns, uint64_t tolerance_ns);
void peer_move_tolerant(size_t i, uint64_t delay_ns); /* of a timer from peer_start_tolerant */
void peer_start_every_tolerant(size_t i, uint64_t interval_ns, uint64_t tolerance_ns);

/* Ends what the calls of a phase left to do later (completions to be drained). Timed with the phase. */
void peer_flush(void);

/* Runs what is due; sleeps for the next event if nothing is and `wait` is set. */
void peer_run_once(bool wait);

/* The harness side: called by the driver for each tick; before it, for a tick that stands for others as well, bench_skipped. */
void bench_tick(size_t i);
void bench_skipped(size_t i, uint64_t ticks);

#ifdef __cplusplus
}
#endif

#endif
