/* explore [rounds] [seed] [scenario]: so many rounds of each scenario, each round with a seed of its own.
 *
 * covers: stop.none-after stop.nonblocking stop.wait stop.self life.release.once life.release.last life.eager life.borrow
 *         time.serial stop.shutdown stop.sticky
 * field report: 5, 10, 43, 46, 51 */
#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t seed;
static const char *name;

void explore_fail(const char *file, int line, const char *what, long long value) {
    fprintf(stderr, "%s:%d: false: %s (%lld); again with: explore 1 %llu %s\n", file, line, what, value, (unsigned long long)seed,
            name);
    _exit(1);
}

int main(int count, char **arguments) {
    uint64_t rounds = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000;
    uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : (uint64_t)time(NULL) * 1000000;
    alarm(600);
    for (unsigned i = 0; i < scenario_count; i++) {
        name = scenarios[i].name;
        if (count > 3 && strcmp(arguments[3], name) != 0) continue;
        explore_decisions = explore_stalls = 0;
        for (uint64_t round = 0; round < rounds; round++) {
            seed = first + round;
            explore_begin(seed);
            scenarios[i].run();
            explore_end();
        }
        printf("%s: %llu rounds from seed %llu, %llu decisions, %llu stalls\n", name, (unsigned long long)rounds,
               (unsigned long long)first, (unsigned long long)explore_decisions, (unsigned long long)explore_stalls);
        fflush(stdout);
    }
    return 0;
}
