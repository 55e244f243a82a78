/* Pools: threads, names, serialization of one timer, limits, and fields of the tick on a pool. */
#include "time_record.h"

#include <sys/prctl.h>

static wtm_executor pool_of(uint32_t threads, const char *name) {
    wtm_executor e = { 0 };
    CHECK_OK(wtm_executor_create_pool(threads, name, &e));
    CHECK(e.id != 0);
    return e;
}

static struct {
    th_counter ticks;
    unsigned inside[64], most;
    char name[16];
    pthread_t caller;
    unsigned all, most_all;
} seen_in;

static void raise_to(unsigned *most, unsigned value) {
    unsigned old = __atomic_load_n(most, __ATOMIC_SEQ_CST);
    while (old < value && !__atomic_compare_exchange_n(most, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
}

static void busy(wtm_timer timer, const wtm_tick *tick, void *context) {
    uintptr_t i = (uintptr_t)context;
    (void)timer;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    CHECK(!pthread_equal(pthread_self(), seen_in.caller));
    raise_to(&seen_in.most, __atomic_add_fetch(&seen_in.inside[i], 1, __ATOMIC_SEQ_CST));
    raise_to(&seen_in.most_all, __atomic_add_fetch(&seen_in.all, 1, __ATOMIC_SEQ_CST));
    uint64_t until = th_now() + 300 * US;
    while (th_now() < until) continue;
    __atomic_sub_fetch(&seen_in.all, 1, __ATOMIC_SEQ_CST);
    __atomic_sub_fetch(&seen_in.inside[i], 1, __ATOMIC_SEQ_CST);
    th_counter_add(&seen_in.ticks, 1);
}

static void reset(void) {
    memset(&seen_in, 0, sizeof seen_in);
    th_counter_init(&seen_in.ticks);
    seen_in.caller = pthread_self();
}

static wtm_timer on(wtm_scheduler s, wtm_executor e, wtm_tick_fn fn, void *context, uint64_t interval) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    options.fn = fn;
    options.context = context;
    options.executor = e;
    options.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

/* covers: time.serial */
/* field report: 52 */
TEST(callbacks_of_one_timer_never_overlap_although_the_pool_has_four_threads) {
    wtm_executor pool = pool_of(4, NULL);
    wtm_scheduler s = th_real();
    reset();
    for (uintptr_t i = 0; i < 8; i++) on(s, pool, busy, (void *)i, 100 * US);
    th_counter_wait(&seen_in.ticks, 500);
    th_shutdown(s);
    CHECK_EQ(seen_in.most, 1);
    CHECK_LE(seen_in.most_all, 4);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static void note_name(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    prctl(PR_GET_NAME, seen_in.name);
    th_counter_add(&seen_in.ticks, 1);
}

/* covers: world.threads */
/* field report: 92 */
TEST(pool_threads_carry_the_pools_name_cut_to_15_bytes) {
    static const char *const names[][2] = {
        { NULL, "wtm-pool" }, { "", "wtm-pool" }, { "workers", "workers" }, { "many-many-workers", "many-many-worke" }
    };
    for (int i = 0; i < 4; i++) {
        wtm_executor pool = pool_of(1, names[i][0]);
        wtm_scheduler s = th_real();
        reset();
        on(s, pool, note_name, NULL, MS);
        th_counter_wait(&seen_in.ticks, 1);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
        if (i != 1) CHECK_STR(seen_in.name, names[i][1]);
    }
}

TEST(a_pool_has_its_threads_and_no_more_and_gives_them_back) {
    expect_no_threads();
    wtm_executor pool = pool_of(3, NULL);
    wtm_scheduler s = th_manual();
    reset();
    for (uintptr_t i = 0; i < 12; i++) on(s, pool, busy, (void *)i, 10);
    th_advance(s, 100);
    CHECK_U64(th_counter_get(&seen_in.ticks), 120);
    CHECK_LE(library_threads(NULL, 0), 3);
    CHECK_LE(seen_in.most_all, 3);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    expect_no_threads();
}

TEST(zero_is_one_thread_a_core_and_more_than_1024_are_refused) {
    wtm_executor pool = pool_of(0, NULL), refused = { 7 };
    wtm_scheduler s = th_manual();
    reset();
    for (uintptr_t i = 0; i < 16; i++) on(s, pool, busy, (void *)i, 10);
    th_advance(s, 20);
    CHECK_LE(library_threads(NULL, 0), (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    CHECK_STATUS(wtm_executor_create_pool(1025, NULL, &refused), WTM_ERR_LIMIT);
    CHECK_U64(refused.id, 0);
    CHECK_STATUS(wtm_executor_create_pool(UINT32_MAX, NULL, &refused), WTM_ERR_LIMIT);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(pool_threads_block_signals) {
    pid_t ids[4];
    wtm_executor pool = pool_of(1, NULL);
    wtm_scheduler s = th_manual();
    reset();
    on(s, pool, busy, NULL, 10);
    th_advance(s, 10);
    CHECK_EQ(library_threads(ids, 4), 1);
    uint64_t blocked = th_thread_status(ids[0], "SigBlk", 16);
    CHECK_U64(blocked >> (14 - 1) & 1, 1); /* ALRM */
    CHECK_U64(blocked >> (11 - 1) & 1, 0); /* SEGV */
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(the_schedulers_default_executor_is_used_unless_inline_is_asked_for) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    wtm_executor pool = pool_of(1, NULL), other = pool_of(1, "other");
    wtm_timer_options t = WTM_TIMER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    options.executor = pool;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    reset();
    CHECK_OK(wtm_timer_after(s, 5, note_name, NULL, NULL, NULL));
    th_advance(s, 5);
    CHECK_STR(seen_in.name, "wtm-pool");
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
    t.fn = record;
    t.flags = WTM_TIMER_INLINE;
    CHECK_OK(wtm_timer_start(s, &t, NULL));
    char own_name[16];
    prctl(PR_GET_NAME, own_name);
    t.fn = note_name;
    CHECK_OK(wtm_timer_start(s, &t, NULL));
    th_advance(s, 0);
    CHECK_EQ(rec.count, 1);
    CHECK_STR(seen_in.name, own_name);
    t.executor = other;
    CHECK_STATUS(wtm_timer_start(s, &t, NULL), WTM_ERR_INVALID); /* INLINE with an executor */
    t.flags = 0;
    CHECK_OK(wtm_timer_start(s, &t, NULL));
    th_advance(s, 0);
    CHECK_STR(seen_in.name, "other");
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(other, TH_LIMIT));
}

TEST(one_pool_serves_several_schedulers) {
    wtm_executor pool = pool_of(2, NULL);
    wtm_scheduler s[3];
    reset();
    for (uintptr_t i = 0; i < 3; i++) {
        s[i] = th_real();
        on(s[i], pool, busy, (void *)i, MS);
    }
    th_counter_wait(&seen_in.ticks, 60);
    for (int i = 0; i < 3; i++) th_shutdown(s[i]);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}
