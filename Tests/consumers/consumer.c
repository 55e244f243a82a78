/* What a C program does first: a timer bound to a target that dies. Linked in each way in which the library can be linked. */
#include <stdio.h>
#include <stdlib.h>
#include <weaktimer.h>

static int ticks;
static int releases;

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    ticks++;
}

static void on_release(void *context) {
    (void)context;
    releases++;
}

static void expect(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "consumer: not so: %s\n", what);
        exit(1);
    }
}

int main(void) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler scheduler;
    wtm_target target;
    wtm_timer timer;
    uint64_t ran = 0;
    uint32_t header = WTM_VERSION_MAJOR << 16 | WTM_VERSION_MINOR << 8 | WTM_VERSION_PATCH;

    expect(wtm_version_number() == header, "the library has the header's version");
    options.drive = WTM_DRIVE_MANUAL;
    expect(wtm_scheduler_create(&options, &scheduler) == WTM_OK, "a scheduler is created");
    expect(wtm_target_create(&ticks, on_release, &target) == WTM_OK, "a target is created");
    expect(wtm_timer_every_target(scheduler, 10, on_tick, target, &timer) == WTM_OK, "a timer starts");
    expect(wtm_scheduler_advance(scheduler, 50, &ran) == WTM_OK, "time moves on");
    expect(ticks == 5 && ran == 5, "five ticks in fifty nanoseconds");
    expect(wtm_target_release(target) == WTM_OK, "the target is released");
    expect(releases == 1 && !wtm_timer_is_valid(timer), "the timer ended with its target");
    expect(wtm_scheduler_shutdown(scheduler, WTM_NEVER) == WTM_OK, "the scheduler shuts down");
    printf("C consumer of WeakTimer %s: %d ticks\n", wtm_version_string(), ticks);
    return 0;
}
