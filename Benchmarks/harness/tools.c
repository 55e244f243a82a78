/* Clocks, random numbers, percentiles and what the kernel tells of this process. */
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t bench_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* splitmix64 */
uint64_t bench_random(void) {
    static uint64_t state = 20240607;
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

uint64_t *bench_random_delays(size_t count, uint64_t low_ns, uint64_t high_ns) {
    uint64_t *delays = bench_allocate(count * sizeof *delays);
    for (size_t i = 0; i < count; i++) delays[i] = low_ns + bench_random_below(high_ns - low_ns);
    return delays;
}

uint32_t *bench_permutation(size_t count) {
    uint32_t *order = bench_allocate(count * sizeof *order);
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = bench_random_below(i);
        uint32_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
    return order;
}

uint32_t *bench_random_indices(size_t count, size_t bound) {
    uint32_t *indices = bench_allocate(count * sizeof *indices);
    for (size_t i = 0; i < count; i++) indices[i] = (uint32_t)bench_random_below(bound);
    return indices;
}

static int compare_u64(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_double(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_percentile(uint64_t *values, size_t count, double fraction) {
    if (count == 0) return 0;
    qsort(values, count, sizeof *values, compare_u64);
    size_t at = (size_t)((double)(count - 1) * fraction + 0.5);
    return (double)values[at];
}

double bench_median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare_double);
    return values[count / 2];
}

size_t bench_resident_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0, resident = 0;
    if (!file || fscanf(file, "%lu %lu", &pages, &resident) != 2) bench_fail("cannot read /proc/self/statm");
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t switches_of(const char *task) {
    char path[300], line[200];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task);
    FILE *file = fopen(path, "r");
    uint64_t count = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "voluntary_ctxt_switches:", 24) == 0) count = strtoull(line + 24, NULL, 10);
    if (file) fclose(file);
    return count;
}

uint64_t bench_context_switches(void) {
    DIR *tasks = opendir("/proc/self/task");
    uint64_t count = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.') count += switches_of(entry->d_name);
    if (tasks) closedir(tasks);
    return count;
}

void bench_sleep(uint64_t ns) {
    struct timespec t = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
    while (nanosleep(&t, &t) != 0 && errno == EINTR) continue;
}

void bench_run_until(atomic_bool *done) {
    if (peer_features & PEER_OWN_THREAD) {
        while (!atomic_load_explicit(done, memory_order_acquire)) bench_sleep(5 * NS_PER_MS);
    } else {
        while (!atomic_load_explicit(done, memory_order_relaxed)) peer_run_once(true);
    }
}

void *bench_allocate(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) bench_fail("out of memory");
    return memset(memory, 0x5a, bytes);
}

void bench_fail(const char *message) {
    fprintf(stderr, "%s: %s\n", peer_name, message);
    exit(1);
}
