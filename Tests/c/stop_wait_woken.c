/* Whoever waits is woken by the end that it waits for, also when that comes in the very moment in which the wait begins. A wait looks again every
 * 100 ms whatever happens, so an end that went unnoticed shows as a wait of that length. One of two threads ends a thing whose hook takes
 * a moment; the other waits for it, and moves the beginning of its wait to where the hook ends. */
#include "harness.h"

#include <sched.h>
#include <stdatomic.h>

/* Where ends go unnoticed, some ten waits of a second's are late; the machine may hold a thread up for that long, too. */
enum { HOOK_STEPS = 60, LATE_ALLOWED = 2 };
static const uint64_t duration = 2 * TH_SEC;

static atomic_uint round_begun, round_done;
static atomic_bool in_hook, hook_over, is_last;
static _Atomic uint64_t subject;
static void (*end_subject)(uint64_t id);

static void pass_time(unsigned steps) {
    for (volatile unsigned i = 0; i < steps; i++) {}
}

static void hook(void *context) {
    (void)context;
    atomic_store(&in_hook, true);
    pass_time(HOOK_STEPS);
    atomic_store(&hook_over, true);
}

static void nothing(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
}

static void await_round(atomic_uint *reached, unsigned round) {
    for (unsigned looks = 1; *reached < round; looks++) {
        if (looks % 4096 == 0) sched_yield();
    }
}

static void *end_each(void *unused) {
    for (unsigned round = 1; !is_last; round++) {
        await_round(&round_begun, round);
        end_subject(atomic_load(&subject));
        atomic_store(&round_done, round);
    }
    return unused;
}

/* How many of the waits took about as long as a beat. */
static unsigned late_waits(uint64_t (*make)(void), void (*end)(uint64_t), void (*wait)(uint64_t)) {
    end_subject = end;
    round_begun = 0;
    round_done = 0;
    is_last = false;
    unsigned late = 0, delay = HOOK_STEPS;
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, end_each, NULL), 0);
    uint64_t limit = th_now() + duration;
    for (unsigned round = 1; !is_last; round++) {
        uint64_t id = make();
        in_hook = false;
        hook_over = false;
        subject = id;
        is_last = late > LATE_ALLOWED || th_now() > limit;
        atomic_store(&round_begun, round);
        for (unsigned looks = 1; !in_hook; looks++) {
            if (looks % 4096 == 0) sched_yield();
        }
        pass_time(delay);
        if (!hook_over) {
            delay += round % 2;
        } else if (delay > 0) {
            delay--;
        }
        uint64_t before = th_now();
        wait(id);
        if (th_now() - before >= 90 * TH_MS) late++;
        await_round(&round_done, round);
    }
    pthread_join(thread, NULL);
    return late;
}

static wtm_scheduler scheduler;

static uint64_t make_timer(void) {
    wtm_timer timer;
    CHECK_OK(wtm_timer_after(scheduler, TH_HOUR, nothing, NULL, hook, &timer));
    return timer.id;
}

static void end_timer(uint64_t id) { wtm_timer_invalidate((wtm_timer){ id }); }

static void wait_for_timer(uint64_t id) {
    CHECK_STATUS(wtm_timer_invalidate_and_wait((wtm_timer){ id }, WTM_NEVER), WTM_ERR_GONE);
}

/* covers: stop.wait */
TEST(the_end_of_a_timer_wakes_who_waits_for_it) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    CHECK_OK(wtm_scheduler_create(&options, &scheduler));
    CHECK_LE(late_waits(make_timer, end_timer, wait_for_timer), LATE_ALLOWED);
    CHECK_OK(wtm_scheduler_shutdown(scheduler, WTM_NEVER));
}

static uint64_t make_target(void) {
    wtm_target target;
    CHECK_OK(wtm_target_create(NULL, hook, &target));
    return target.id;
}

static void end_target(uint64_t id) { wtm_target_release((wtm_target){ id }); }

static void wait_for_target(uint64_t id) {
    wtm_status status = wtm_target_close((wtm_target){ id }, WTM_NEVER);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
}

/* covers: stop.wait */
TEST(the_end_of_a_target_wakes_who_closes_it) { CHECK_LE(late_waits(make_target, end_target, wait_for_target), LATE_ALLOWED); }
