/* The scheduler's own thread: when it starts, its name, slack, signals and stack, and the spin option. */
#include "time_record.h"

#include <sys/prctl.h>

/* covers: world.threads */
static struct {
    th_counter started, ticked, released;
    pthread_t thread;
    pid_t id;
    void *context;
    int slack;
    unsigned before_ticks;
} own;

static void on_start(void *context) {
    own.thread = pthread_self();
    own.id = gettid();
    own.context = context;
    own.slack = prctl(PR_GET_TIMERSLACK);
    own.before_ticks = (unsigned)th_counter_get(&own.ticked);
    th_counter_add(&own.started, 1);
}

static void on_release(void *context) {
    CHECK(context == &own);
    th_counter_add(&own.released, 1);
}

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    CHECK(pthread_equal(pthread_self(), own.thread));
    th_counter_add(&own.ticked, 1);
}

static wtm_scheduler_options observed(void) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    memset(&own, 0, sizeof own);
    th_counter_init(&own.started);
    th_counter_init(&own.ticked);
    th_counter_init(&own.released);
    options.on_thread_start = on_start;
    options.release = on_release;
    options.context = &own;
    return options;
}

static wtm_scheduler create(const wtm_scheduler_options *options) {
    wtm_scheduler s = { 0 };
    CHECK_OK(wtm_scheduler_create(options, &s));
    CHECK_OK(wtm_timer_every(s, MS, on_tick, NULL, NULL, NULL));
    th_counter_wait(&own.ticked, 3);
    return s;
}

TEST(on_thread_start_is_called_once_on_the_own_thread_before_anything_else) {
    wtm_scheduler_options options = observed();
    wtm_scheduler s = create(&options);
    CHECK_U64(th_counter_get(&own.started), 1);
    CHECK_EQ(own.before_ticks, 0);
    CHECK(own.context == &own);
    CHECK(!pthread_equal(own.thread, pthread_self()));
    pid_t ids[4];
    CHECK_EQ(library_threads(ids, 4), 1);
    CHECK_EQ(ids[0], own.id);
    CHECK_U64(th_counter_get(&own.released), 0);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&own.released), 1); /* runs last */
    CHECK_U64(th_counter_get(&own.started), 1);
    expect_no_threads(); /* joined */
}

TEST(host_driven_and_manual_schedulers_have_no_thread_to_start) {
    static const uint32_t drives[] = { WTM_DRIVE_HOST, WTM_DRIVE_MANUAL };
    for (int i = 0; i < 2; i++) {
        wtm_scheduler_options options = observed();
        wtm_scheduler s = { 0 };
        options.drive = drives[i];
        CHECK_OK(wtm_scheduler_create(&options, &s));
        rec.scheduler = s;
        CHECK_OK(wtm_timer_after(s, 0, record, NULL, NULL, NULL));
        if (i == 0) th_run_due(s);
        else th_advance(s, 10);
        CHECK_U64(th_counter_get(&own.started), 0);
        CHECK_EQ(library_threads(NULL, 0), 0);
        th_shutdown(s);
        CHECK_U64(th_counter_get(&own.released), 1);
    }
}

/* field report: 92 */
TEST(the_thread_carries_the_schedulers_name_cut_to_15_bytes) {
    static const char *const names[][2] = { { NULL, "wtm-scheduler" },
                                            { "clock", "clock" },
                                            { "a-name-of-20-letters", "a-name-of-20-le" } };
    for (int i = 0; i < 3; i++) {
        wtm_scheduler_options options = observed();
        char name[16];
        options.name = names[i][0];
        wtm_scheduler s = create(&options);
        th_thread_name(own.id, name);
        CHECK_STR(name, names[i][1]);
        th_shutdown(s);
    }
}

TEST(every_signal_is_blocked_but_those_that_a_fault_delivers) {
    wtm_scheduler_options options = observed();
    wtm_scheduler s = create(&options);
    uint64_t blocked = th_thread_status(own.id, "SigBlk", 16);
    static const int faults[] = { 11, 7, 8, 4, 5, 31 }; /* SEGV BUS FPE ILL TRAP SYS */
    for (int i = 0; i < 6; i++) CHECK_U64(blocked >> (faults[i] - 1) & 1, 0);
    static const int others[] = { 1, 2, 3, 6, 10, 12, 13, 14, 15, 17, 18, 20, 28 };
    for (int i = 0; i < 13; i++) CHECK_U64(blocked >> (others[i] - 1) & 1, 1);
    th_shutdown(s);
}

TEST(timer_slack_is_one_nanosecond_unless_asked_otherwise) {
    wtm_scheduler_options options = observed();
    wtm_scheduler s = create(&options);
    CHECK_EQ(own.slack, 1);
    th_shutdown(s);
    options = observed();
    options.timer_slack_ns = 123456;
    s = create(&options);
    CHECK_EQ(own.slack, 123456);
    th_shutdown(s);
}

TEST(the_stack_size_is_raised_to_the_minimum_and_refused_when_impossible) {
    wtm_scheduler_options options = observed();
    wtm_scheduler s = { 0 };
    options.thread_stack_bytes = 1;
    s = create(&options);
    th_shutdown(s);
    options = observed();
    options.thread_stack_bytes = 4 << 20;
    s = create(&options);
    th_shutdown(s);
    options = observed();
    options.thread_stack_bytes = UINT64_MAX / 2;
    s.id = 7;
    CHECK_STATUS(wtm_scheduler_create(&options, &s), WTM_ERR_SYSTEM);
    CHECK_U64(s.id, 0);
    CHECK_U64(th_counter_get(&own.released), 0); /* a failed create takes nothing */
}

static void shut_down_at_start(void *context) {
    (void)context;
    th_counter_wait(&own.ticked, 1); /* until the handle is known */
    own.slack = wtm_scheduler_shutdown(*(wtm_scheduler *)own.context, WTM_NEVER);
    th_counter_add(&own.started, 1);
}

TEST(shutdown_from_on_thread_start_would_deadlock) {
    static wtm_scheduler s;
    wtm_scheduler_options options = observed();
    options.on_thread_start = shut_down_at_start;
    options.release = NULL;
    own.context = &s;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    th_counter_add(&own.ticked, 1);
    th_counter_wait(&own.started, 1);
    CHECK_EQ(own.slack, WTM_ERR_WOULD_DEADLOCK);
    wtm_status status = wtm_scheduler_shutdown(s, TH_LIMIT); /* it completes by itself after the hook */
    CHECK(status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
}

/* With spin the thread is there before the deadline, and still never early. */
static uint64_t spun_late[200];
static th_counter spun;

static void note_lateness(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t now = th_now();
    (void)timer;
    (void)context;
    CHECK_GE(now, tick->scheduled_ns);
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    uint64_t n = th_counter_get(&spun);
    if (n < 200) spun_late[n] = now - tick->scheduled_ns;
    th_counter_add(&spun, 1);
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* covers: time.never-early */
TEST(spinning_is_never_early_and_close) {
    wtm_scheduler_options options = observed();
    wtm_scheduler s = { 0 };
    options.spin_ns = 200 * US;
    th_counter_init(&spun);
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK_OK(wtm_timer_every(s, 2 * MS, note_lateness, NULL, NULL, NULL));
    th_counter_wait(&spun, 200);
    th_shutdown(s);
    qsort(spun_late, 200, sizeof *spun_late, by_value);
    CHECK_LE(spun_late[20], 200 * US); /* a tenth at least, on the busiest machine */
}

TEST(a_spinning_scheduler_still_hears_of_earlier_timers_and_of_shutdown) {
    wtm_scheduler_options options = observed();
    wtm_scheduler s = { 0 };
    options.spin_ns = WTM_NEVER; /* spins all the way */
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK_OK(wtm_timer_after(s, TH_HOUR, on_tick, NULL, NULL, NULL));
    CHECK_OK(wtm_timer_after(s, MS, on_tick, NULL, NULL, NULL));
    th_counter_wait(&own.ticked, 1);
    th_shutdown(s);
}

static void note_other(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    th_counter_add(context, 1);
}

/* covers: time.tolerance */
TEST(spinning_for_one_clock_does_not_hold_up_the_others) {
    static th_counter seen = TH_COUNTER_INIT;
    wtm_scheduler_options options = observed();
    wtm_scheduler s = { 0 };
    options.spin_ns = TH_HOUR;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK_OK(wtm_timer_after(s, TH_HOUR / 2, on_tick, NULL, NULL, NULL));
    for (uint32_t clock = WTM_CLOCK_BOOTTIME; clock <= WTM_CLOCK_WALL; clock++) {
        wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
        o.fn = note_other;
        o.context = &seen;
        o.clock = clock;
        o.delay_ns = 10 * MS * clock;
        CHECK_OK(wtm_timer_start(s, &o, NULL));
    }
    th_counter_wait(&seen, 2);
    th_shutdown(s);
}
