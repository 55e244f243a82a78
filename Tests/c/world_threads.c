/* Library threads: signals blocked, names, close-on-exec descriptors, on_thread_start, and that none keeps the process alive.
 * covers: world.threads
 * field report: 82, 84, 92 */
#include "harness.h"

#include <fcntl.h>
#include <signal.h>

static th_counter started;
static pid_t start_thread, tick_thread;
static unsigned starts;

static void note_start(void *context) {
    (void)context;
    starts++;
    start_thread = gettid();
}
static void note_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    tick_thread = gettid();
    th_counter_add(&started, 1);
}

/* The thread that a timer on this scheduler and executor ticks on. */
static pid_t thread_of(wtm_scheduler s, wtm_executor e) {
    th_counter_init(&started);
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = note_tick;
    options.executor = e;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    th_counter_wait(&started, 1);
    return tick_thread;
}

static bool is_fault(int number) {
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGTRAP || number == SIGSYS;
}

static void check_mask(pid_t id) {
    uint64_t blocked = th_thread_status(id, "SigBlk", 16);
    for (int number = 1; number <= 64; number++) {
        /* KILL and STOP cannot be blocked; 32 and 33 belong to the C library. */
        if (number == SIGKILL || number == SIGSTOP || number == 32 || number == 33) continue;
        bool is_blocked = blocked >> (number - 1) & 1;
        CHECK_MSG(is_blocked == !is_fault(number), "signal %d is%s blocked", number, is_blocked ? "" : " not");
    }
}

TEST(threads_block_all_signals_but_faults_and_carry_names) {
    static const struct {
        const char *given, *scheduler, *pool;
    } rows[] = { { NULL, "wtm-scheduler", "wtm-pool" },
                 { "reaper", "reaper", "reaper" },
                 { "a-name-of-more-than-15", "a-name-of-more-", "a-name-of-more-" } };
    sigset_t before, after;
    memset(&before, 0, sizeof before); /* the kernel fills in its part alone */
    memset(&after, 0, sizeof after);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[16];
        wtm_scheduler s = { 0 };
        wtm_executor pool = { 0 }, serial = { 0 }, none = { 0 };
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        options.name = rows[i].given;
        options.on_thread_start = note_start;
        starts = 0;
        CHECK_OK(wtm_scheduler_create(&options, &s));
        CHECK_OK(wtm_executor_create_pool(2, rows[i].given, &pool));
        CHECK_OK(wtm_executor_create_serial(pool, &serial));
        pid_t own = thread_of(s, none), of_pool = thread_of(s, pool), of_serial = thread_of(s, serial);
        CHECK(own != gettid() && of_pool != own && of_serial != own);
        CHECK_EQ(starts, 1);
        CHECK_EQ(start_thread, own);
        check_mask(own), check_mask(of_pool), check_mask(of_serial);
        th_thread_name(own, name);
        CHECK_STR(name, rows[i].scheduler);
        th_thread_name(of_pool, name);
        CHECK_MSG(strncmp(name, rows[i].pool, strlen(rows[i].pool)) == 0, "a pool thread is called %s", name);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    CHECK_EQ(memcmp(&before, &after, sizeof before), 0); /* the caller's mask is its own */
}

static void log_nothing(void *context, wtm_log_level level, const char *message) { (void)context, (void)level, (void)message; }

/* Whatever threads a scheduler has, with everything switched on that could ask for one, all are like this, and all end with it.
 */
TEST(every_thread_of_a_scheduler_is_blocked_named_and_joined) {
    enum { most = 16 };
    pid_t before[most], during[most];
    unsigned count_before = th_base_threads();
    th_other_threads(before, most);
    char own_name[16], name[16];
    th_thread_name(gettid(), own_name);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.name = "all-on";
    options.slow_callback_ns = TH_MS;
    options.log = log_nothing;
    options.spin_ns = 1;
    wtm_scheduler s = { 0 };
    CHECK_OK(wtm_scheduler_create(&options, &s));
    for (uint32_t clock = 0; clock < 3; clock++) {
        wtm_timer_options timer = WTM_TIMER_OPTIONS_INIT;
        timer.fn = note_tick;
        timer.clock = clock;
        timer.delay_ns = TH_HOUR;
        CHECK_OK(wtm_timer_start(s, &timer, NULL));
    }
    wtm_executor none = { 0 };
    thread_of(s, none);
    unsigned count = th_other_threads(during, most);
    CHECK(count > count_before && count <= most);
    for (unsigned i = 0; i < count; i++) {
        bool is_old = false;
        for (unsigned k = 0; k < count_before; k++) is_old = is_old || before[k] == during[i];
        if (is_old) continue;
        check_mask(during[i]);
        uint64_t until = th_now() + TH_LIMIT; /* a thread names itself, so it has the program's name for a moment */
        do {
            CHECK_MSG(th_now() < until, "a library thread has the program's name, %s", own_name);
            th_thread_name(during[i], name);
        } while (strcmp(name, own_name) == 0);
    }
    th_shutdown(s);
    th_wait_other_threads(count_before);
}

TEST(no_library_thread_takes_a_signal_of_the_process) {
    wtm_scheduler s = th_real();
    wtm_executor none = { 0 };
    thread_of(s, none);
    sigset_t usr1, pending;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    CHECK_SYS(kill(getpid(), SIGUSR1)); /* would end the process if any thread took it */
    thread_of(s, none);
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGUSR1));
    CHECK_EQ(sigwaitinfo(&usr1, NULL), SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
    th_shutdown(s);
}

TEST(host_and_manual_schedulers_have_no_thread_and_no_thread_start) {
    unsigned threads = th_base_threads();
    starts = 0;
    for (uint32_t drive = WTM_DRIVE_HOST; drive <= WTM_DRIVE_MANUAL; drive++) {
        wtm_scheduler s = { 0 };
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        options.drive = drive;
        options.on_thread_start = note_start;
        CHECK_OK(wtm_scheduler_create(&options, &s));
        CHECK_OK(wtm_timer_after(s, 0, note_tick, NULL, NULL, NULL));
        if (drive == WTM_DRIVE_HOST) CHECK_EQ(th_run_due(s), 1);
        else CHECK_U64(th_advance(s, 0), 1);
        CHECK_EQ(tick_thread, gettid());
        th_wait_other_threads(threads);
        th_shutdown(s);
    }
    CHECK_EQ(starts, 0);
}

enum { most_descriptors = 1024 };
static void open_descriptors(bool open[most_descriptors]) {
    for (int fd = 0; fd < most_descriptors; fd++) open[fd] = fcntl(fd, F_GETFD) != -1;
}

TEST(every_descriptor_is_close_on_exec_and_closed_at_the_end) {
    bool before[most_descriptors], during[most_descriptors], after[most_descriptors];
    open_descriptors(before);
    wtm_scheduler all[3];
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    for (int drive = 0; drive < 3; drive++) {
        all[drive] = th_scheduler((wtm_drive)drive);
        for (uint32_t clock = 0; clock < 3; clock++) {
            wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
            options.fn = note_tick;
            options.clock = clock;
            options.delay_ns = TH_HOUR;
            CHECK_OK(wtm_timer_start(all[drive], &options, NULL));
            options.executor = pool;
            CHECK_OK(wtm_timer_start(all[drive], &options, NULL));
        }
    }
    wtm_executor none = { 0 };
    thread_of(all[0], none); /* the thread has been through its loop */
    open_descriptors(during);
    CHECK(during[wtm_scheduler_fd(all[WTM_DRIVE_HOST])]);
    for (int fd = 0; fd < most_descriptors; fd++) {
        if (during[fd] && !before[fd]) CHECK_MSG(fcntl(fd, F_GETFD) & FD_CLOEXEC, "descriptor %d survives exec", fd);
    }
    for (int drive = 0; drive < 3; drive++) th_shutdown(all[drive]);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    open_descriptors(after);
    for (int fd = 0; fd < most_descriptors; fd++) CHECK_MSG(after[fd] == before[fd], "descriptor %d was left open", fd);
}

TEST(stack_sizes_are_taken) {
    static const uint64_t sizes[] = { 0, 1, 64 << 10, 256 << 10, 16 << 20 };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
        wtm_scheduler s = { 0 };
        wtm_executor none = { 0 };
        options.thread_stack_bytes = sizes[i];
        CHECK_OK(wtm_scheduler_create(&options, &s));
        thread_of(s, none);
        th_shutdown(s);
    }
}
