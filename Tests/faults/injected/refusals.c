/* The nth request for memory, a thread or a descriptor is refused, for each n until the whole scenario asks for fewer.
 *
 * Every call answers success, SYSTEM or LIMIT; a failed one has taken nothing; what needs nothing never fails; and when all
 * is done each hook has run exactly once and the library works as before.
 * covers: world.alloc life.failed life.release.once */
#include "harness.h"
#include "inject.h"

#include <stdatomic.h>

enum { TIMERS = 24 };
static atomic_uint ticks, releases, wanted, executor_releases, executors_wanted, target_hooks, targets_wanted;

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    atomic_fetch_add(&ticks, 1);
}
static void release(void *context) {
    (void)context;
    atomic_fetch_add(&releases, 1);
}
static void executor_release(void *context) {
    (void)context;
    atomic_fetch_add(&executor_releases, 1);
}
static void target_hook(void *context) {
    (void)context;
    atomic_fetch_add(&target_hooks, 1);
}
static bool submit(void *context, void (*run)(uint64_t), uint64_t work) {
    (void)context;
    run(work);
    return true;
}
static void *lock(void *weak) { return weak; }
static void unlock(void *strong) { (void)strong; }

/* Success, or an honest refusal that left the handle zero. */
static bool judge(wtm_status status, uint64_t handle) {
    CHECK_MSG(status == WTM_OK || status == WTM_ERR_SYSTEM || status == WTM_ERR_LIMIT, "a call answers %s",
              wtm_status_name(status));
    CHECK_EQ(status == WTM_OK, handle != 0);
    return status == WTM_OK;
}

#define got(call, handle) (status = (call), judge(status, (handle)))

static void on_scheduler(wtm_scheduler s, uint32_t drive, wtm_executor pool, wtm_executor serial, wtm_executor custom,
                         wtm_target target) {
    wtm_timer timers[TIMERS];
    wtm_status status;
    wtm_executor executors[] = { { 0 }, pool, serial, custom };
    static const wtm_weak_ops weak = { sizeof weak, 0, lock, unlock };
    for (unsigned i = 0; i < TIMERS; i++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = tick;
        o.context = &ticks;
        o.release = release;
        o.delay_ns = i % 2 ? TH_HOUR : 1;
        o.clock = i % 3;
        o.executor = executors[i % 4];
        o.name = i % 5 == 0 ? "a name" : NULL;
        o.interval_ns = i % 7 == 3 ? TH_MS : 0;
        if (i % 6 == 1) o.target = target;
        else if (i % 6 == 2) o.weak = &weak;
        if (i % 8 == 7) o.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
        if (got(wtm_timer_start(s, &o, &timers[i]), timers[i].id)) atomic_fetch_add(&wanted, 1);
    }
    for (unsigned i = 0; i < TIMERS; i += 2) {
        wtm_timer t = timers[i ^ 1];
        if (!wtm_timer_is_valid(t)) continue;
        CHECK_OK(wtm_timer_pause(t));
        CHECK_OK(wtm_timer_reschedule(t, TH_HOUR));
        CHECK_OK(wtm_timer_fire(t));
        status = wtm_timer_resume(t); /* where a thread drives, the fired tick may have completed a one-shot by now */
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    }
    if (drive == WTM_DRIVE_MANUAL) CHECK_OK(wtm_scheduler_advance(s, 20, NULL));
    else if (drive == WTM_DRIVE_HOST) CHECK_OK(wtm_scheduler_run_due(s, 0, NULL));
    for (unsigned i = 0; i < TIMERS; i += 3) {
        status = timers[i].id == 0 ? WTM_ERR_GONE : wtm_timer_invalidate_and_wait(timers[i], WTM_NEVER);
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    }
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
    for (unsigned i = 0; i < TIMERS; i++) CHECK(!wtm_timer_is_valid(timers[i]));
}

static void scenario(void) {
    wtm_executor pool, serial = { 0 }, custom;
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    wtm_target target;
    wtm_status status;
    ops.submit = submit;
    if (got(wtm_target_create(NULL, target_hook, &target), target.id)) atomic_fetch_add(&targets_wanted, 1);
    if (got(wtm_executor_create_pool(3, "pool", &pool), pool.id)) got(wtm_executor_create_serial(pool, &serial), serial.id);
    if (got(wtm_executor_create_custom(&ops, NULL, executor_release, &custom), custom.id)) atomic_fetch_add(&executors_wanted, 1);
    for (uint32_t drive = 0; drive < 3; drive++) {
        wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
        wtm_scheduler s;
        o.drive = drive;
        o.name = "scenario";
        o.release = release;
        if (!got(wtm_scheduler_create(&o, &s), s.id)) continue;
        atomic_fetch_add(&wanted, 1);
        on_scheduler(s, drive, pool, serial, custom, target);
    }
    if (target.id != 0) CHECK_OK(wtm_target_close(target, WTM_NEVER));
    if (serial.id != 0) CHECK_OK(wtm_executor_shutdown(serial, WTM_NEVER));
    if (pool.id != 0) CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
    if (custom.id != 0) CHECK_OK(wtm_executor_shutdown(custom, WTM_NEVER));
    wtm_timer timer;
    if (got(wtm_timer_after((wtm_scheduler){ 0 }, TH_HOUR, tick, NULL, release, &timer), timer.id)) {
        atomic_fetch_add(&wanted, 1);
        CHECK_OK(wtm_timer_invalidate(timer));
    }
    wtm_scheduler_shutdown((wtm_scheduler){ 0 }, WTM_NEVER);
    CHECK_EQ(atomic_load(&releases), atomic_load(&wanted));
    CHECK_EQ(atomic_load(&target_hooks), atomic_load(&targets_wanted));
    CHECK_EQ(atomic_load(&executor_releases), atomic_load(&executors_wanted));
    th_wait_other_threads(0);
}

/* A scheduler that is watched has a second thread. Whichever is refused, nothing of the user's is called, and its slot serves others. */
static void never_called(void *context) {
    (void)context;
    CHECK(!"a hook of a scheduler that was refused");
}
static void sink(void *context, wtm_log_level level, const char *message) { (void)context, (void)level, (void)message; }

TEST(a_watched_scheduler_that_is_refused_leaves_nothing_behind) {
    for (uint64_t nth = 1; nth <= 2; nth++) {
        wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
        wtm_scheduler s = { 1 }, plain = { 0 };
        o.slow_callback_ns = TH_SEC;
        o.log = sink;
        o.on_thread_start = never_called;
        o.release = never_called;
        wtm_fault_inject(1, nth);
        CHECK_STATUS(wtm_scheduler_create(&o, &s), WTM_ERR_SYSTEM);
        wtm_fault_inject(1, 0);
        CHECK_U64(s.id, 0);
        CHECK_OK(wtm_scheduler_create(NULL, &plain));
        CHECK_OK(wtm_scheduler_shutdown(plain, TH_LIMIT));
        th_wait_other_threads(0);
    }
}

/* Slots of timers that ended a moment ago serve again, without a request for memory: also those that are still linked. */
TEST(the_slots_of_ended_timers_need_no_memory) {
    enum { CHUNK = 1024, ENDED = 5 };
    static wtm_timer timers[CHUNK];
    wtm_scheduler s = th_manual();
    for (unsigned i = 0; i < CHUNK; i++) CHECK_OK(wtm_timer_after(s, TH_HOUR, tick, NULL, NULL, &timers[i]));
    for (unsigned i = 0; i < ENDED; i++) CHECK_OK(wtm_timer_invalidate(timers[i * 200]));
    uint64_t before = wtm_fault_count(0);
    for (unsigned i = 0; i < ENDED; i++) CHECK_OK(wtm_timer_after(s, TH_HOUR, tick, NULL, NULL, &timers[i * 200]));
    CHECK_U64(wtm_fault_count(0), before);
    CHECK_OK(wtm_timer_after(s, TH_HOUR, tick, NULL, NULL, NULL));
    CHECK_U64(wtm_fault_count(0), before + 1);
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
}

typedef struct refusal {
    int kind;
    uint64_t nth;
} refusal;

/* The exit status tells whether the refusal struck. */
static void refused(void *argument) {
    refusal *r = argument;
    wtm_fault_inject(r->kind, r->nth);
    scenario();
    bool struck = wtm_fault_count(r->kind) >= r->nth;
    wtm_fault_inject(r->kind, 0);
    unsigned before = atomic_load(&wanted);
    scenario(); /* as if nothing had been */
    CHECK_EQ(atomic_load(&wanted) - before, 3 * TIMERS + 4);
    _exit(struck ? 0 : 7);
}

static void each_in_turn(int kind, uint64_t at_least) {
    for (uint64_t nth = 1;; nth++) {
        refusal r = { kind, nth };
        CHECK(nth < 2000);
        int status = th_child(refused, &r);
        if (status == 7) {
            CHECK_GE(nth, at_least);
            printf("   %llu requests of kind %d refused, one at a time\n", (unsigned long long)nth - 1, kind);
            return;
        }
        CHECK_MSG(status == 0, "request %llu of kind %d: the child ended with %d", (unsigned long long)nth, kind, status);
    }
}

TEST(memory) { each_in_turn(0, 10); }
TEST(threads) { each_in_turn(1, 5); }
TEST(event_descriptors) { each_in_turn(2, 2); }
TEST(timer_descriptors) { each_in_turn(3, 2); }
TEST(epoll_descriptors) { each_in_turn(4, 1); }
