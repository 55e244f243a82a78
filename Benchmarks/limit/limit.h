/* The limit L: what a timing wheel in plain C costs behind a shared library with a mutex and a clock read, and nothing else: no
 * generations, no release hooks, no targets, no statistics, no order within a slot. Nodes come from a pool and go back to it. */
#ifndef LIMIT_H
#define LIMIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct limit limit;
typedef struct limit_node limit_node;
typedef void (*limit_fn)(void *context);

/* Ticks of 2^tick_shift ns. With `thread`, ticks arrive on a thread of its own; without, the caller runs limit_run. */
limit *limit_open(unsigned tick_shift, bool thread);
limit_node *limit_start(limit *wheel, uint64_t delay_ns, limit_fn fn, void *context);
limit_node *limit_start_every(limit *wheel, uint64_t interval_ns, limit_fn fn, void *context);
void limit_cancel(limit *wheel, limit_node *node); /* not of a one-shot that has fired: that node is gone */
void limit_move(limit *wheel, limit_node *node, uint64_t delay_ns);
void limit_run(limit *wheel);

#endif
