/* Ten thousand schedulers made and shut down, and 4,096 alive at once.
 * covers: stop.shutdown world.alloc life.free world.threads
 * field report: 88 */
#include "faults.h"
#include "harness.h"

#include <dirent.h>
#include <sys/resource.h>

static th_counter ticks = TH_COUNTER_INIT;
static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    th_counter_add(&ticks, 1);
}

static unsigned descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    CHECK(directory != NULL);
    unsigned count = 0;
    while (readdir(directory) != NULL) count++;
    closedir(directory);
    return count;
}

TEST(ten_thousand_made_and_shut_down_leave_nothing) {
    pid_t ids[4];
    unsigned threads = th_other_threads(ids, 4); /* a sanitizer may have one of its own */
    for (uint32_t drive = WTM_DRIVE_THREAD; drive <= WTM_DRIVE_MANUAL; drive++) {
        uint64_t resident = 0;
        unsigned fds = 0;
        for (int i = 0; i < 10000; i++) {
            if (i == 100) {
                resident = th_resident_bytes();
                fds = descriptors();
            }
            wtm_scheduler s = th_scheduler((wtm_drive)drive);
            for (uint32_t clock = 0; clock < 3; clock++) {
                wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
                o.fn = tick;
                o.delay_ns = TH_HOUR;
                o.clock = clock;
                CHECK_OK(wtm_timer_start(s, &o, NULL));
            }
            CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
            CHECK_STATUS(wtm_scheduler_shutdown(s, 0), WTM_ERR_GONE);
        }
        CHECK_EQ(descriptors(), fds);
        th_wait_other_threads(threads);
        CHECK_LE(th_resident_bytes(), resident + (UINT64_C(4) << 20) * TH_GROWTH);
    }
}

enum { ALIVE = 4096, THREADS_ALIVE = 200 };
static wtm_scheduler alive[ALIVE];

TEST(four_thousand_alive) {
    uint64_t before = th_counter_get(&ticks);
    for (int i = 0; i < ALIVE; i++) {
        alive[i] = th_manual();
        CHECK_OK(wtm_timer_every(alive[i], TH_MS, tick, NULL, NULL, NULL));
    }
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < ALIVE; i++) CHECK_U64(th_advance(alive[i], TH_MS), 1);
    }
    CHECK_U64(th_counter_get(&ticks) - before, 4 * ALIVE);
    for (int i = 0; i < ALIVE; i++) CHECK_U64(wtm_scheduler_now(alive[i], WTM_CLOCK_MONOTONIC), 4 * TH_MS);
    for (int i = 0; i < ALIVE; i++) th_shutdown(alive[i]);
}

TEST(hundreds_alive_with_threads) {
    struct rlimit files;
    CHECK_SYS(getrlimit(RLIMIT_NOFILE, &files));
    files.rlim_cur = files.rlim_max;
    CHECK_SYS(setrlimit(RLIMIT_NOFILE, &files));
    uint64_t before = th_counter_get(&ticks);
    pid_t ids[4];
    unsigned threads = th_other_threads(ids, 4);
    for (int i = 0; i < THREADS_ALIVE; i++) {
        wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
        o.thread_stack_bytes = 65536;
        CHECK_OK(wtm_scheduler_create(&o, &alive[i]));
        CHECK_OK(wtm_timer_after(alive[i], TH_MS, tick, NULL, NULL, NULL));
    }
    th_counter_wait(&ticks, before + THREADS_ALIVE);
    for (int i = 0; i < THREADS_ALIVE; i++) th_shutdown(alive[i]);
    th_wait_other_threads(threads);
}
