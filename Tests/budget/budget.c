/* One operation on 100,000 timers inside a function of its own, whose instructions callgrind counts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weaktimer.h>

enum { COUNT = 100000 };
#define SECOND 1000000000ull
#define MEASURED __attribute__((noinline))

static wtm_timer timers[COUNT];
static uint64_t delays[COUNT];
static uint32_t order[COUNT];
static uint32_t ticks;

static void check(int good, const char *what) {
    if (!good) {
        fprintf(stderr, "budget: %s failed\n", what);
        exit(1);
    }
}

static uint64_t next_random(void) {
    static uint64_t state = 1;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void tick(wtm_timer timer, const wtm_tick *what, void *context) {
    (void)timer;
    (void)what;
    (void)context;
    ticks++;
}

static MEASURED void measured_schedule(wtm_scheduler s) {
    for (size_t i = 0; i < COUNT; i++) check(wtm_timer_after(s, delays[i], tick, NULL, NULL, &timers[i]) == WTM_OK, "schedule");
}

static MEASURED void measured_cancel(void) {
    for (size_t i = 0; i < COUNT; i++) check(wtm_timer_invalidate(timers[order[i]]) == WTM_OK, "cancel");
}

static MEASURED void measured_reschedule(void) {
    for (size_t i = 0; i < COUNT; i++) check(wtm_timer_reschedule(timers[order[i]], delays[i]) == WTM_OK, "reschedule");
}

static MEASURED void measured_reschedule_later(void) {
    for (size_t i = 0; i < COUNT; i++)
        check(wtm_timer_reschedule(timers[order[i]], 100000 * SECOND) == WTM_OK, "reschedule later");
}

static MEASURED void measured_is_valid(void) {
    for (size_t i = 0; i < COUNT; i++) check(wtm_timer_is_valid(timers[order[i]]), "is_valid");
}

/* One tick of each: of one-shots, and of repeating timers of three kinds. */
#define MEASURED_TICKS(name) \
    static MEASURED void measured_##name(wtm_scheduler s) { \
        while (ticks < COUNT) check(wtm_scheduler_run_due(s, 0, NULL) == WTM_OK, #name); \
    }
MEASURED_TICKS(fire)
MEASURED_TICKS(tick)
MEASURED_TICKS(tick_target)
MEASURED_TICKS(tick_weak)

static const struct {
    const char *operation;
    void (*measure)(wtm_scheduler s);
} due[] = {
    { "fire", measured_fire },
    { "tick", measured_tick },
    { "tick_target", measured_tick_target },
    { "tick_weak", measured_tick_weak },
};

static void *lock(void *weak) { return weak; }
static void unlock(void *strong) { (void)strong; }

/* Timers that are all due already, in order: one-shots, or such as have their next tick long after. */
static void start_due(wtm_scheduler s, const char *operation) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_weak_ops ops = WTM_WEAK_OPS_INIT;
    ops.lock = lock;
    ops.unlock = unlock;
    options.flags = WTM_TIMER_ABSOLUTE;
    options.fn = tick;
    if (strcmp(operation, "fire") != 0) options.interval_ns = UINT64_MAX / 2;
    if (strcmp(operation, "tick_target") == 0) check(wtm_target_create(timers, NULL, &options.target) == WTM_OK, "target");
    if (strcmp(operation, "tick_weak") == 0) {
        options.weak = &ops;
        options.context = timers;
    }
    for (size_t i = 0; i < COUNT; i++) {
        options.deadline_ns = 1 + i;
        check(wtm_timer_start(s, &options, &timers[i]) == WTM_OK, "start");
    }
}

/* Deadlines so far ahead that none falls due, however slow valgrind is. */
static void prepare(void) {
    for (uint32_t i = 0; i < COUNT; i++) {
        delays[i] = (1000 + next_random() % 60000) * SECOND + next_random() % SECOND;
        uint32_t other = (uint32_t)(next_random() % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
}

int main(int count, char **values) {
    const char *operation = count == 2 ? values[1] : "";
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s;
    prepare();
    for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
        if (strcmp(operation, due[i].operation) != 0) continue;
        options.drive = WTM_DRIVE_HOST;
        check(wtm_scheduler_create(&options, &s) == WTM_OK, "create");
        start_due(s, operation);
        due[i].measure(s);
        check(wtm_scheduler_shutdown(s, WTM_NEVER) == WTM_OK, "shutdown");
        return 0;
    }
    check(wtm_scheduler_create(&options, &s) == WTM_OK, "create");
    if (strcmp(operation, "schedule") == 0) { /* the first use of the memory is no part of it */
        for (size_t i = 0; i < COUNT; i++)
            check(wtm_timer_after(s, delays[i], tick, NULL, NULL, &timers[i]) == WTM_OK, "first schedule");
        for (size_t i = 0; i < COUNT; i++) check(wtm_timer_invalidate(timers[i]) == WTM_OK, "first cancel");
    }
    measured_schedule(s);
    if (strcmp(operation, "reschedule") == 0) measured_reschedule();
    else if (strcmp(operation, "reschedule_later") == 0) measured_reschedule_later();
    else if (strcmp(operation, "cancel") == 0) measured_cancel();
    else if (strcmp(operation, "is_valid") == 0) measured_is_valid();
    else check(strcmp(operation, "schedule") == 0, "argument");
    check(wtm_scheduler_shutdown(s, WTM_NEVER) == WTM_OK, "shutdown");
    return 0;
}
