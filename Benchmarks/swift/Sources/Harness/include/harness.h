/* What the Swift driver sees of the harness. */
#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stddef.h>
#include <stdint.h>

int bench_main(int count, char **values);
void bench_tick(size_t i);
void bench_skipped(size_t i, uint64_t ticks);

#endif
