/* Descriptors and threads refused by real limits.
 * covers: world.alloc life.failed
 * field report: 39 */
#include "harness.h"

#include <fcntl.h>
#include <sys/resource.h>

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    th_counter_add(context, 1);
}

/* Asks for each one: to read /proc would take a descriptor itself. */
static unsigned descriptors(void) {
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++) count += fcntl(fd, F_GETFD) != -1;
    return count;
}

static void limit(int resource, rlim_t soft) {
    struct rlimit value;
    CHECK_SYS(getrlimit(resource, &value));
    value.rlim_cur = soft < value.rlim_max ? soft : value.rlim_max;
    CHECK_SYS(setrlimit(resource, &value));
}

static bool is_refusal(wtm_status status) { return status == WTM_ERR_SYSTEM || status == WTM_ERR_LIMIT; }

/* With `spare` descriptors left, everything that may need one answers and the rest goes on. */
static void few_descriptors(void *argument) {
    unsigned spare = *(unsigned *)argument;
    static th_counter ticks = TH_COUNTER_INIT;
    /* The limit is on numbers, so what the program was started with must leave no hole below it. */
    closefrom(3);
    unsigned before = descriptors();
    limit(RLIMIT_NOFILE, before + spare);
    for (int round = 0; round < 20; round++) {
        wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
        wtm_scheduler s;
        o.drive = round % 2 ? WTM_DRIVE_HOST : WTM_DRIVE_THREAD;
        wtm_status status = wtm_scheduler_create(&o, &s);
        if (status != WTM_OK) {
            CHECK_MSG(is_refusal(status) && s.id == 0, "create answers %s", wtm_status_name(status));
            continue;
        }
        for (uint32_t clock = 0; clock < 3; clock++) {
            wtm_timer_options t = WTM_TIMER_OPTIONS_INIT;
            wtm_timer timer;
            t.fn = tick;
            t.context = &ticks;
            t.delay_ns = TH_HOUR;
            t.clock = clock;
            status = wtm_timer_start(s, &t, &timer);
            CHECK_MSG(status == WTM_OK || (is_refusal(status) && timer.id == 0), "start answers %s", wtm_status_name(status));
        }
        uint64_t delay;
        CHECK_OK(wtm_scheduler_next_delay(s, &delay));
        CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
    }
    CHECK_EQ(descriptors(), before);
    limit(RLIMIT_NOFILE, before + 64);
    wtm_scheduler s = th_host(), real = th_real();
    for (uint32_t clock = 0; clock < 3; clock++) {
        wtm_timer_options t = WTM_TIMER_OPTIONS_INIT;
        t.fn = tick;
        t.context = &ticks;
        t.delay_ns = TH_MS;
        t.clock = clock;
        CHECK_OK(wtm_timer_start(real, &t, NULL));
    }
    CHECK(wtm_scheduler_fd(s) >= 0);
    th_counter_wait(&ticks, 3);
    th_shutdown(s);
    th_shutdown(real);
    CHECK_EQ(descriptors(), before);
}

TEST(descriptors_refused_one_after_the_other) {
    for (unsigned spare = 0; spare <= 8; spare++) CHECK_EQ(th_child(few_descriptors, &spare), 0);
}

/* The limit on processes does not bind root. */
static void become_nobody(void) {
    if (geteuid() == 0) CHECK_SYS(setresuid(65534, 65534, 65534));
}

static void no_threads(void *argument) {
    (void)argument;
    static th_counter ticks = TH_COUNTER_INIT;
    become_nobody();
    pid_t ids[4];
    unsigned threads = th_other_threads(ids, 4); /* a sanitizer may have one of its own */
    limit(RLIMIT_NPROC, 0);
    wtm_timer timer;
    wtm_executor pool;
    wtm_scheduler s;
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    o.fn = tick;
    o.context = &ticks;
    o.delay_ns = 1;
    wtm_status status = wtm_timer_start((wtm_scheduler){ 0 }, &o, &timer);
    CHECK_MSG(is_refusal(status) && timer.id == 0, "start without threads answers %s", wtm_status_name(status));
    status = wtm_scheduler_create(NULL, &s);
    CHECK_MSG(is_refusal(status) && s.id == 0, "create without threads answers %s", wtm_status_name(status));
    status = wtm_executor_create_pool(4, "none", &pool);
    CHECK_MSG(is_refusal(status) && pool.id == 0, "a pool without threads answers %s", wtm_status_name(status));
    /* What needs no thread works. */
    wtm_scheduler manual = th_manual();
    CHECK_OK(wtm_timer_start(manual, &o, &timer));
    CHECK_U64(th_advance(manual, 1), 1);
    th_shutdown(manual);
    th_wait_other_threads(threads);
    limit(RLIMIT_NPROC, RLIM_INFINITY);
    CHECK_OK(wtm_timer_start((wtm_scheduler){ 0 }, &o, &timer));
    th_counter_wait(&ticks, 2);
    CHECK_OK(wtm_executor_create_pool(4, "some", &pool));
    CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
}

TEST(threads_refused_and_given_again) { CHECK_EQ(th_child(no_threads, NULL), 0); }

/* A pool that gets some of its threads and then no more leaves none behind. */
static void half_a_pool(void *argument) {
    (void)argument;
    become_nobody();
    pid_t ids[64];
    unsigned threads = th_other_threads(ids, 64);
    for (rlim_t allowed = 1; allowed < 12; allowed++) {
        wtm_executor pool;
        limit(RLIMIT_NPROC, allowed);
        wtm_status status = wtm_executor_create_pool(8, "half", &pool);
        if (status == WTM_OK) {
            CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
        } else {
            CHECK_MSG(is_refusal(status) && pool.id == 0, "a pool answers %s", wtm_status_name(status));
        }
        th_wait_other_threads(threads);
    }
}

TEST(half_a_pool_is_none) { CHECK_EQ(th_child(half_a_pool, NULL), 0); }

TEST(a_stack_that_no_system_has) {
    wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s;
    uint64_t sizes[] = { UINT64_C(1) << 47, UINT64_C(1) << 62, UINT64_MAX };
    for (unsigned i = 0; i < 3; i++) {
        o.thread_stack_bytes = sizes[i];
        CHECK_STATUS(wtm_scheduler_create(&o, &s), WTM_ERR_SYSTEM);
        CHECK_U64(s.id, 0);
    }
    o.thread_stack_bytes = 1;
    CHECK_OK(wtm_scheduler_create(&o, &s));
    th_shutdown(s);
}
