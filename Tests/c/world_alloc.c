/* The system refuses a thread, a descriptor or memory: SYSTEM or LIMIT, nothing taken, and the library stays usable. Each case
 * runs in a child of its own, whose limits it lowers.
 * covers: world.alloc life.failed */
#include "harness.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

static void set_limit(int which, rlim_t soft) {
    struct rlimit limit;
    CHECK_SYS(getrlimit((__rlimit_resource_t)which, &limit));
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    CHECK_SYS(setrlimit((__rlimit_resource_t)which, &limit));
}

static void check_usable(void) {
    th_probe probe;
    th_probe_init(&probe);
    wtm_scheduler s = th_real(), m = th_manual(), h = th_host(), none = { 0 };
    CHECK_OK(wtm_timer_after(s, 0, th_tick, &probe, th_release, NULL));
    th_probe_wait_released(&probe, 1);
    CHECK_OK(wtm_timer_after(none, 0, th_tick, &probe, th_release, NULL));
    th_probe_wait_released(&probe, 2);
    CHECK_OK(wtm_timer_after(m, 0, th_tick, &probe, th_release, NULL));
    CHECK_U64(th_advance(m, 0), 1);
    CHECK_OK(wtm_timer_after(h, 0, th_tick, &probe, th_release, NULL));
    CHECK_EQ(th_run_due(h), 1);
    th_shutdown(s), th_shutdown(m), th_shutdown(h);
}

static void without_threads(void *argument) {
    (void)argument;
    if (geteuid() == 0) { /* the superuser is not counted */
        CHECK_SYS(setgroups(0, NULL));
        CHECK_SYS(setgid(64123));
        CHECK_SYS(setuid(64123));
    }
    set_limit(RLIMIT_NPROC, 1);
    th_probe probe;
    th_probe_init(&probe);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.context = &probe;
    options.release = th_release;
    wtm_scheduler s = { 7 }, none = { 0 };
    wtm_executor e = { 7 };
    wtm_timer t = { 7 };
    for (int i = 0; i < 100; i++) {
        s.id = e.id = t.id = 7;
        CHECK_STATUS(wtm_scheduler_create(&options, &s), WTM_ERR_SYSTEM);
        CHECK_U64(s.id, 0);
        CHECK_STATUS(wtm_timer_after(none, 0, th_tick, &probe, th_release, &t), WTM_ERR_SYSTEM);
        CHECK_U64(t.id, 0);
    }
    /* A pool's threads may come with its creation or with its first work: it is refused, or its ticks are dropped. */
    wtm_scheduler m = th_manual();
    wtm_status status = wtm_executor_create_pool(3, NULL, &e);
    CHECK(status == WTM_ERR_SYSTEM || status == WTM_OK);
    if (status == WTM_OK) {
        wtm_timer_options on_pool = th_options(&probe);
        on_pool.executor = e;
        status = wtm_timer_start(m, &on_pool, &t);
        CHECK(status == WTM_ERR_SYSTEM || status == WTM_OK);
        th_advance(m, 0);
        CHECK_EQ(probe.released, status == WTM_OK);
        CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        probe.released = 0;
    } else {
        CHECK_U64(e.id, 0);
    }
    CHECK_EQ(probe.released, 0);
    /* Drives without a thread go on working. */
    CHECK_OK(wtm_timer_after(m, 5, th_tick, &probe, th_release, NULL));
    CHECK_U64(th_advance(m, 5), 1);
    th_shutdown(m);
    set_limit(RLIMIT_NPROC, RLIM_INFINITY);
    check_usable();
}

TEST(no_thread) { CHECK_EQ(th_child(without_threads, NULL), 0); }

static void without_descriptors(void *argument) {
    (void)argument;
    wtm_scheduler running = th_real(), h = { 7 }, s = { 7 };
    th_probe probe;
    th_probe_init(&probe);
    int next = dup(0);
    CHECK_SYS(next);
    close(next);
    set_limit(RLIMIT_NOFILE, (rlim_t)next);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_HOST;
    options.context = &probe;
    options.release = th_release;
    for (int i = 0; i < 100; i++) {
        h.id = 7;
        CHECK_STATUS(wtm_scheduler_create(&options, &h), WTM_ERR_SYSTEM);
        CHECK_U64(h.id, 0);
        /* A thread of its own, and wall time, may or may not need one. */
        s.id = 7;
        wtm_status status = wtm_scheduler_create(NULL, &s);
        CHECK(status == WTM_OK || status == WTM_ERR_SYSTEM);
        CHECK((s.id == 0) == (status != WTM_OK));
        if (status == WTM_OK) th_shutdown(s);
        wtm_timer_options wall = th_options(&probe);
        wtm_timer t = { 7 };
        wall.clock = WTM_CLOCK_WALL;
        wall.delay_ns = TH_HOUR;
        unsigned released = probe.released;
        status = wtm_timer_start(running, &wall, &t);
        CHECK(status == WTM_OK || status == WTM_ERR_SYSTEM);
        CHECK((t.id == 0) == (status != WTM_OK));
        if (status == WTM_OK) CHECK_OK(wtm_timer_invalidate(t));
        CHECK_EQ(probe.released, released + (status == WTM_OK));
    }
    /* What runs goes on running. */
    th_probe own;
    th_probe_init(&own);
    CHECK_OK(wtm_timer_after(running, TH_MS, th_tick, &own, th_release, NULL));
    th_probe_wait_released(&own, 1);
    set_limit(RLIMIT_NOFILE, 1024);
    CHECK_OK(wtm_timer_after(running, TH_MS, th_tick, &own, th_release, NULL));
    th_probe_wait_released(&own, 2);
    th_shutdown(running);
    check_usable();
}

TEST(no_descriptor) { CHECK_EQ(th_child(without_descriptors, NULL), 0); }

#ifndef UNDER_SANITIZER /* a sanitizer's own bookkeeping needs address space and dies without it */
enum { kept = 4000000 };
static wtm_timer timers[kept];

static void without_memory(void *argument) {
    (void)argument;
    wtm_scheduler m = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_timer_after(m, TH_HOUR, th_tick, &probe, th_release, &timers[0]));
    unsigned long long pages;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    set_limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + (16 << 20));
    unsigned count = 1;
    wtm_status status = WTM_OK;
    wtm_timer_options options = th_options(&probe);
    options.name = "named, so that it has a cold record too";
    while (count < kept) {
        options.delay_ns = TH_HOUR + count * 7919u;
        timers[count].id = 7;
        status = wtm_timer_start(m, &options, &timers[count]);
        if (status != WTM_OK) break;
        count++;
    }
    CHECK(status == WTM_ERR_SYSTEM || status == WTM_ERR_LIMIT);
    CHECK_U64(timers[count].id, 0);
    CHECK_EQ(probe.released, 0);
    wtm_target target = { 7 };
    wtm_scheduler s = { 7 };
    for (int i = 0; i < 100000; i++) { /* every maker of things meets the end of memory, or still has room */
        target.id = 7;
        status = wtm_target_create(NULL, NULL, &target);
        CHECK(status == WTM_OK || ((status == WTM_ERR_SYSTEM || status == WTM_ERR_LIMIT) && target.id == 0));
    }
    status = wtm_scheduler_create(NULL, &s); /* a stack of a thread is refused, unless it was there */
    CHECK(status == WTM_OK || ((status == WTM_ERR_SYSTEM || status == WTM_ERR_LIMIT) && s.id == 0));
    if (status == WTM_OK) th_shutdown(s);
    /* Ending, moving, pausing, firing and shutting down need no memory. */
    for (unsigned i = 0; i < count; i++) {
        CHECK_OK(wtm_timer_reschedule(timers[i], TH_HOUR + i % 1000));
        CHECK_OK(wtm_timer_pause(timers[i]));
        CHECK_OK(wtm_timer_resume(timers[i]));
        CHECK_OK(wtm_timer_set_next(timers[i], TH_HOUR + i));
        CHECK_OK(wtm_timer_fire(timers[i]));
    }
    CHECK_U64(th_advance(m, 0), count); /* the fired ticks complete the one-shots */
    CHECK_EQ(probe.ticks, count);
    CHECK_EQ(probe.released, count);
    set_limit(RLIMIT_AS, RLIM_INFINITY);
    for (unsigned i = 0; i < 1000; i++) CHECK_OK(wtm_timer_start(m, &options, &timers[i]));
    th_shutdown(m);
    CHECK_EQ(probe.released, count + 1000);
    check_usable();
}

TEST(no_memory) { CHECK_EQ(th_child(without_memory, NULL), 0); }
#endif
