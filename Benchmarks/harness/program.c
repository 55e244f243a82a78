/* bench-PEER WORKLOAD [n=…] [duration_ms=…] [tolerance_us=…] [interval_us=…]: runs one workload, prints one line of JSON. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(const bench_arguments *);
} workloads[] = {
    { "operations", workload_operations }, { "fire", workload_fire },         { "fire_spread", workload_fire_spread },
    { "ticks", workload_ticks },           { "lateness", workload_lateness }, { "cross", workload_cross },
    { "memory", workload_memory },         { "idle", workload_idle },         { "wakeups", workload_wakeups },
    { "pause", workload_pause },           { "touch", workload_touch },       { "instructions", workload_instructions },
};

static bench_handler current_handler;
static const char *separator = "";

void bench_set_handler(bench_handler handler) { current_handler = handler; }
void bench_tick(size_t i) { current_handler(i); }

void bench_report(const char *key, double value) {
    printf("%s\"%s\": %.4f", separator, key, value);
    separator = ", ";
}

static void ignore_tick(size_t i) { (void)i; }
static void ignore_skip(size_t i, uint64_t ticks) { (void)i, (void)ticks; }
static void (*current_skip)(size_t i, uint64_t ticks) = ignore_skip;

void bench_set_skip_handler(void (*handler)(size_t i, uint64_t ticks)) { current_skip = handler; }
void bench_skipped(size_t i, uint64_t ticks) { current_skip(i, ticks); }

static bool take(const char *argument, const char *key, uint64_t factor, uint64_t *out) {
    size_t length = strlen(key);
    if (strncmp(argument, key, length) != 0 || argument[length] != '=') return false;
    *out = (uint64_t)(strtod(argument + length + 1, NULL) * (double)factor);
    return true;
}

int main(int count, char **values) {
    bench_arguments arguments = { .n = 10000, .duration_ns = 3 * NS_PER_S, .interval_ns = NS_PER_MS };
    uint64_t n = arguments.n;
    if (count < 2) bench_fail("usage: bench-PEER WORKLOAD [n=…] [duration_ms=…] [tolerance_us=…] [interval_us=…]");
    arguments.workload = values[1];
    for (int i = 2; i < count; i++)
        if (!take(values[i], "n", 1, &n) && !take(values[i], "duration_ms", NS_PER_MS, &arguments.duration_ns) &&
            !take(values[i], "tolerance_us", 1000, &arguments.tolerance_ns) &&
            !take(values[i], "interval_us", 1000, &arguments.interval_ns))
            bench_fail("unknown argument");
    arguments.n = n;
    if (arguments.n > peer_largest_n) bench_fail("more timers than this peer takes");
    bench_set_handler(ignore_tick);
    for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
        if (strcmp(workloads[i].name, arguments.workload) == 0) {
            printf("{\"peer\": \"%s\", \"workload\": \"%s\", \"n\": %zu, \"figures\": {", peer_name, arguments.workload,
                   arguments.n);
            workloads[i].run(&arguments);
            printf("}}\n");
            fflush(stdout);
            _Exit(0); /* peers with live threads and timers need not be taken apart */
        }
    bench_fail("no such workload");
}
