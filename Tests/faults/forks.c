/* Forks in every state, a thousand times each: idle, armed, running on another thread, inside a callback, and while other
 * threads keep the locks hot.
 * covers: world.fork life.release.once
 * field report: 77, 79, 80 */
#include "faults.h"
#include "harness.h"

#include <stdatomic.h>
#include <sys/wait.h>

static pid_t parent;
static atomic_uint foreign_hooks;
static th_counter ticks = TH_COUNTER_INIT;

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    if (getpid() == parent) th_counter_add(&ticks, 1);
}
static void own_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    ++*(unsigned *)context;
}
static void own_release(void *context) { *(unsigned *)context += 100; }
static void release(void *context) {
    (void)context;
    if (getpid() != parent) atomic_fetch_add(&foreign_hooks, 1);
}

/* What a child must find. It says no to a failure by its exit status alone: the parent's stdio may be in any state. */
#define MUST(condition) \
    do { \
        if (!(condition)) _exit(10 + __LINE__ % 100); \
    } while (0)

static void child(wtm_scheduler s, wtm_timer t, wtm_target target) {
    alarm(60);
    MUST(!wtm_timer_is_valid(t));
    MUST(wtm_timer_invalidate(t) == WTM_ERR_GONE && wtm_timer_invalidate_and_wait(t, WTM_NEVER) == WTM_ERR_GONE);
    MUST(wtm_timer_fire(t) == WTM_ERR_GONE);
    if (s.id != 0) MUST(wtm_scheduler_shutdown(s, WTM_NEVER) == WTM_ERR_GONE);
    if (target.id != 0) MUST(wtm_target_release(target) == WTM_ERR_GONE && !wtm_target_is_alive(target));
    wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler mine;
    unsigned count = 0;
    o.drive = WTM_DRIVE_MANUAL;
    MUST(wtm_scheduler_create(&o, &mine) == WTM_OK);
    MUST(wtm_timer_after(mine, 5, own_tick, &count, own_release, NULL) == WTM_OK);
    MUST(wtm_scheduler_advance(mine, 5, NULL) == WTM_OK && count == 101);
    MUST(wtm_scheduler_shutdown(mine, WTM_NEVER) == WTM_OK);
    MUST(!wtm_timer_is_valid(t));
    MUST(atomic_load(&foreign_hooks) == 0);
    _exit(0);
}

static void fork_once(wtm_scheduler s, wtm_timer t, wtm_target target) {
    pid_t pid = fork();
    CHECK_SYS(pid);
    if (pid == 0) child(s, t, target);
    int status;
    while (waitpid(pid, &status, 0) == -1) CHECK_EQ(errno, EINTR);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child ended with %x", status);
}

TEST(idle_and_armed) {
    parent = getpid();
    wtm_scheduler s = th_real();
    wtm_timer t = { 0 };
    wtm_target target;
    CHECK_OK(wtm_target_create(NULL, release, &target));
    for (int i = 0; i < TH_PROCESSES; i++) fork_once(s, t, target);
    CHECK_OK(wtm_timer_every_target(s, TH_HOUR, tick, target, &t));
    for (int i = 0; i < TH_PROCESSES; i++) fork_once(s, t, target);
    CHECK(wtm_timer_is_valid(t));
    CHECK_OK(wtm_target_release(target));
    th_shutdown(s);
}

TEST(running_on_another_thread) {
    parent = getpid();
    wtm_scheduler s = th_real();
    wtm_timer t;
    th_probe probe;
    th_probe_init(&probe);
    th_probe_hold(&probe);
    CHECK_OK(wtm_timer_after(s, 0, th_tick, &probe, release, &t));
    th_probe_wait_holding(&probe);
    for (int i = 0; i < TH_PROCESSES; i++) fork_once(s, t, (wtm_target){ 0 });
    th_probe_let_go(&probe);
    wtm_status status = wtm_timer_invalidate_and_wait(t, WTM_NEVER);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    th_shutdown(s);
}

static th_counter forked = TH_COUNTER_INIT;
static void forking_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)tick;
    fork_once(*(wtm_scheduler *)context, timer, (wtm_target){ 0 });
    th_counter_add(&forked, 1);
}

TEST(inside_a_callback) {
    parent = getpid();
    static wtm_scheduler s, manual;
    s = th_real();
    manual = th_manual();
    wtm_timer t;
    CHECK_OK(wtm_timer_every(manual, 1, forking_tick, &manual, release, NULL));
    for (int i = 0; i < TH_PROCESSES / 2; i++) CHECK_U64(th_advance(manual, 1), 1);
    CHECK_OK(wtm_timer_every(s, TH_US, forking_tick, &s, release, &t));
    th_counter_wait(&forked, TH_PROCESSES);
    CHECK_OK(wtm_timer_invalidate_and_wait(t, WTM_NEVER));
    th_shutdown(s);
    th_shutdown(manual);
}

static atomic_bool stop;
static void *hammer(void *argument) {
    wtm_scheduler s = *(wtm_scheduler *)argument;
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        wtm_timer t;
        wtm_target target;
        CHECK_OK(wtm_target_create(NULL, NULL, &target));
        CHECK_OK(wtm_timer_every_target(s, 50 * TH_US, tick, target, &t));
        CHECK_OK(wtm_timer_reschedule(t, i % 7 * 10 * TH_US));
        if (i % 2) CHECK(wtm_timer_invalidate_and_wait(t, WTM_NEVER) == WTM_OK);
        CHECK_OK(wtm_target_close(target, WTM_NEVER));
    }
    return NULL;
}

TEST(while_other_threads_keep_the_locks_hot) {
    parent = getpid();
    static wtm_scheduler s;
    s = th_real();
    wtm_timer t;
    CHECK_OK(wtm_timer_every(s, 20 * TH_US, tick, NULL, release, &t));
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) threads[i] = th_thread(hammer, &s);
    for (int i = 0; i < TH_PROCESSES; i++) fork_once(s, t, (wtm_target){ 0 });
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++) th_join(threads[i]);
    th_shutdown(s);
    CHECK_EQ(atomic_load(&foreign_hooks), 0);
}
