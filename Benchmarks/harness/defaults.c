/* What a driver that lacks a feature need not define. */
#include "bench.h"

#define OPTIONAL __attribute__((weak))

OPTIONAL void peer_flush(void) {}
OPTIONAL void peer_close(void) {}
OPTIONAL void peer_start(size_t i, uint64_t delay_ns) { (void)i, (void)delay_ns, bench_fail("cannot start a one-shot"); }
OPTIONAL void peer_cancel(size_t i) { (void)i, bench_fail("cannot cancel"); }
OPTIONAL void peer_move(size_t i, uint64_t delay_ns) { (void)i, (void)delay_ns, bench_fail("cannot move"); }
OPTIONAL void peer_start_at(size_t i, uint64_t deadline_ns) { peer_move(i, deadline_ns); }
OPTIONAL void peer_move_at(size_t i, uint64_t deadline_ns) { peer_move(i, deadline_ns); }
OPTIONAL void peer_start_tolerant(size_t i, uint64_t delay_ns, uint64_t tolerance_ns) {
    (void)tolerance_ns, peer_move(i, delay_ns);
}
OPTIONAL void peer_move_tolerant(size_t i, uint64_t delay_ns) { peer_move(i, delay_ns); }
OPTIONAL void peer_start_every_tolerant(size_t i, uint64_t interval_ns, uint64_t tolerance_ns) {
    (void)tolerance_ns, peer_move(i, interval_ns);
}
OPTIONAL void peer_run_once(bool wait) { (void)wait, bench_fail("has a thread of its own"); }
