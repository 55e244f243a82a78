/* model [seed [operations]]: runs episodes in a child process, so that a crash or a hang is found and shrunk like any other
 * difference. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

enum { PATIENCE_SECONDS = 60 }; /* for one episode, which takes milliseconds */
static const uint64_t year = UINT64_C(31557600000000000);

/* What the child tells: which episode it is in, and what differed. */
static struct shared {
    uint64_t episode_seed;
    bool differed;
    char message[sizeof w.message];
} *shared;

static op ops[OPS];

static uint64_t age_of(uint64_t seed) {
    random_source r = { ~seed };
    return random_below(&r, 3) ? random_below(&r, 100 * year) : 0;
}

static void tell(void) {
    shared->differed = true;
    memcpy(shared->message, w.message, sizeof w.message);
}

/* Runs the function in a child; true when the child ended well. */
static bool in_child(bool (*run)(void *), void *argument, unsigned seconds) {
    shared->differed = false;
    shared->message[0] = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(seconds);
        engine_init();
        bool good = run(argument);
        fflush(stdout);
        if (!good) tell();
        _exit(good ? 0 : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return false;
    if (WIFSIGNALED(status))
        snprintf(shared->message, sizeof shared->message, "killed by signal %d%s", WTERMSIG(status),
                 WTERMSIG(status) == 14 ? " (it hung)" : "");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct list {
    const op *ops;
    size_t count;
    uint64_t unit, age;
    bool tolerant;
};

static bool run_list(void *argument) {
    const struct list *l = argument;
    return run_episode(l->ops, l->count, l->unit, l->tolerant, l->age);
}

struct batch {
    uint64_t seed, operations;
};

static bool run_batch(void *argument) {
    struct batch *b = argument;
    random_source seeds = { b->seed };
    uint64_t callbacks = 0;
    for (uint64_t done = 0; done < b->operations; done += OPS) {
        uint64_t unit, seed = shared->episode_seed = random_next(&seeds);
        bool tolerant;
        alarm(PATIENCE_SECONDS);
        generate(seed, ops, OPS, &unit, &tolerant);
        if (!run_episode(ops, OPS, unit, tolerant, age_of(seed))) return false;
        callbacks += w.callbacks;
    }
    printf("seed %" PRIu64 ": %" PRIu64 " operations and %" PRIu64 " callbacks agree\n", b->seed, b->operations, callbacks);
    fflush(stdout);
    return true;
}

/* What kind of difference a message tells: its words without the numbers. */
static void kind_of(const char *message, char *kind, size_t size) {
    size_t n = 0;
    for (; *message != 0 && n + 1 < size && n < 48; message++) {
        if (*message < '0' || *message > '9') kind[n++] = *message;
    }
    kind[n] = 0;
}

/* Whether the list still differs in the same way. */
static bool differs_alike(struct list *l, const char *kind) {
    char now[64];
    if (in_child(run_list, l, 2)) return false;
    kind_of(shared->message, now, sizeof now);
    return strcmp(kind, now) == 0;
}

/* Delta debugging: takes out ever smaller runs of operations as long as the rest still differs; then the callbacks' scripts. */
static void shrink(struct list *l, op *list, const char *kind) {
    for (size_t chunk = l->count / 2; chunk > 0; chunk /= 2) {
        bool again = true;
        while (again) {
            again = false;
            for (size_t at = 0; at + chunk <= l->count;) {
                static op shorter[OPS];
                memcpy(shorter, list, at * sizeof *list);
                memcpy(shorter + at, list + at + chunk, (l->count - at - chunk) * sizeof *list);
                struct list trial = *l;
                trial.ops = shorter;
                trial.count = l->count - chunk;
                if (!differs_alike(&trial, kind)) {
                    at += chunk;
                    continue;
                }
                memcpy(list, shorter, trial.count * sizeof *list);
                l->count = trial.count;
                again = chunk == 1;
            }
        }
    }
    for (size_t i = 0; i < l->count; i++) {
        uint64_t script = list[i].script;
        list[i].script = 0;
        if (!differs_alike(l, kind)) list[i].script = script;
    }
}

static int report(void) {
    struct list l = { ops, OPS, 0, 0, false };
    uint64_t seed = shared->episode_seed;
    printf("episode %" PRIu64 ": %s\n", seed, shared->message);
    generate(seed, ops, OPS, &l.unit, &l.tolerant);
    l.age = age_of(seed);
    char kind[64];
    if (in_child(run_list, &l, 5)) {
        printf("the episode alone does not repeat it\n");
        return 1;
    }
    kind_of(shared->message, kind, sizeof kind);
    shrink(&l, ops, kind);
    l.age = 0;
    if (!differs_alike(&l, kind)) l.age = age_of(seed);
    w.trace = true;
    in_child(run_list, &l, 2);
    printf("shrunk to %zu operations (unit %" PRIu64 ", start at %" PRIu64 "): %s\n", l.count, l.unit, l.age, shared->message);
    return 1;
}

int main(int count, char **arguments) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t fresh = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    struct batch batches[2] = { { 1, 2000000 }, { fresh, 2000000 } }; /* one that is always the same, and one that never was */
    if (count > 1) {
        batches[0].seed = strtoull(arguments[1], NULL, 10);
        batches[0].operations = count > 2 ? strtoull(arguments[2], NULL, 10) : 1000000;
    }
    for (int i = 0; i < (count > 1 ? 1 : 2); i++) {
        printf("seed %" PRIu64 "\n", batches[i].seed);
        if (!in_child(run_batch, &batches[i], PATIENCE_SECONDS)) return report();
    }
    return 0;
}
