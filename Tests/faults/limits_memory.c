/* Memory refused by a real limit on the address space, at one size after the other.
 * covers: world.alloc life.failed life.release.once
 * field report: 39, 86 */
#include "harness.h"

#include <stdatomic.h>
#include <sys/resource.h>

enum { MOST = 400000 };
static atomic_uint releases;
static wtm_timer handles[MOST];

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }
static void release(void *context) {
    (void)context;
    atomic_fetch_add(&releases, 1);
}

static uint64_t address_space(void) {
    unsigned long long pages;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit_address_space(uint64_t spare) {
    struct rlimit limit;
    CHECK_SYS(getrlimit(RLIMIT_AS, &limit));
    limit.rlim_cur = spare == UINT64_MAX ? limit.rlim_max : address_space() + spare;
    CHECK_SYS(setrlimit(RLIMIT_AS, &limit));
}

static bool is_refusal(wtm_status status) { return status == WTM_ERR_SYSTEM || status == WTM_ERR_LIMIT; }

/* Starts timers (with names, which cost memory of their own) until the library says no, and takes them all back. */
static void timers_until_refused(void *argument) {
    uint64_t spare = *(uint64_t *)argument;
    wtm_scheduler s = th_manual();
    unsigned made = 0, other = 0;
    limit_address_space(spare);
    for (;; made++) {
        CHECK(made < MOST);
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = tick;
        o.release = release;
        o.delay_ns = TH_HOUR + made;
        o.clock = made % 3;
        o.name = "a timer with a name";
        o.interval_ns = made % 2 ? TH_SEC : 0;
        wtm_status status = wtm_timer_start(s, &o, &handles[made]);
        if (status != WTM_OK) {
            CHECK_MSG(is_refusal(status), "start answers %s", wtm_status_name(status));
            CHECK_U64(handles[made].id, 0);
            /* Once refused, other things may still fit; they must say so, or no. */
            wtm_target target;
            wtm_scheduler another;
            status = wtm_target_create(NULL, NULL, &target);
            CHECK(status == WTM_OK ? wtm_target_release(target) == WTM_OK : is_refusal(status) && target.id == 0);
            status = wtm_scheduler_create(NULL, &another);
            CHECK(status == WTM_OK ? wtm_scheduler_shutdown(another, WTM_NEVER) == WTM_OK
                                   : is_refusal(status) && another.id == 0);
            if (++other == 3) break;
        }
    }
    CHECK_EQ(atomic_load(&releases), 0);
    /* Ending, moving, pausing and firing need no memory. */
    for (unsigned i = 0; i < made; i += 3) {
        if (handles[i].id == 0) continue;
        CHECK_OK(wtm_timer_reschedule(handles[i], TH_SEC));
        CHECK_OK(wtm_timer_pause(handles[i]));
        CHECK_OK(wtm_timer_fire(handles[i]));
        CHECK_OK(wtm_timer_resume(handles[i]));
    }
    unsigned live = 0;
    for (unsigned i = 0; i < made; i++) live += handles[i].id != 0;
    for (unsigned i = 0; i < made; i += 2) {
        if (handles[i].id != 0) CHECK_OK(wtm_timer_invalidate(handles[i]));
    }
    th_advance(s, TH_SEC);
    /* Room again: what was given back serves new timers. */
    wtm_timer again;
    bool room = made > 0 && handles[0].id != 0;
    if (room) CHECK_OK(wtm_timer_after(s, TH_HOUR, tick, NULL, release, &again));
    limit_address_space(UINT64_MAX);
    CHECK_OK(wtm_timer_after(s, TH_HOUR, tick, NULL, release, &again));
    th_shutdown(s);
    CHECK_EQ(atomic_load(&releases), live + 1 + room);
}

TEST(memory_refused_at_any_size_leaves_the_library_usable) {
    uint64_t spares[] = { 0, 4096, 65536, UINT64_C(1) << 20, UINT64_C(4) << 20, UINT64_C(16) << 20 };
    for (unsigned i = 0; i < sizeof spares / sizeof spares[0]; i++) CHECK_EQ(th_child(timers_until_refused, &spares[i]), 0);
}

/* A library that was never used must say no to its first call, and yes when there is memory. */
static void first_use(void *argument) {
    uint64_t spare = *(uint64_t *)argument;
    wtm_timer timer;
    wtm_scheduler s;
    limit_address_space(spare);
    wtm_status status = wtm_timer_after(wtm_scheduler_default(), TH_HOUR, tick, NULL, release, &timer);
    CHECK_MSG(status == WTM_OK || is_refusal(status), "%s", wtm_status_name(status));
    CHECK_EQ(atomic_load(&releases), 0);
    status = wtm_scheduler_create(NULL, &s);
    if (status != WTM_OK) CHECK_MSG(is_refusal(status) && s.id == 0, "%s", wtm_status_name(status));
    limit_address_space(UINT64_MAX);
    CHECK_OK(wtm_timer_after(wtm_scheduler_default(), TH_HOUR, tick, NULL, release, &timer));
    CHECK_OK(wtm_timer_invalidate_and_wait(timer, WTM_NEVER));
    CHECK(atomic_load(&releases) >= 1);
}

TEST(memory_refused_at_first_use) {
    for (uint64_t spare = 0; spare <= UINT64_C(24) << 20; spare = spare == 0 ? 4096 : spare * 2)
        CHECK_EQ(th_child(first_use, &spare), 0);
}
