/* The lock where the kernel refuses the barrier that its sleepers ask for (old kernels, sandboxes): nobody sleeps for ever, and nothing
 * is lost.
 * covers: life.release.once stop.wait */
#include "harness.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { THREADS = 8, TURNS = 20000 };
static wtm_scheduler s;
static th_counter ticks = TH_COUNTER_INIT, hooks = TH_COUNTER_INIT;

static void refuse_barriers(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { .len = sizeof filter / sizeof *filter, .filter = filter };
    CHECK_SYS(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    CHECK_SYS(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
    CHECK(syscall(SYS_membarrier, 0, 0, 0) == -1 && errno == EPERM);
}

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    th_counter_add(&ticks, 1);
}
static void release(void *context) {
    (void)context;
    th_counter_add(&hooks, 1);
}

/* Starts, moves and stops on one scheduler, from all threads at once, while its own thread ticks. */
static void *contend(void *argument) {
    (void)argument;
    for (int i = 0; i < TURNS; i++) {
        wtm_timer timer;
        CHECK_OK(wtm_timer_after(s, TH_HOUR, tick, NULL, release, &timer));
        CHECK_OK(wtm_timer_reschedule(timer, i % 2 ? TH_HOUR : 2 * TH_HOUR));
        CHECK_OK(i % 8 ? wtm_timer_invalidate(timer) : wtm_timer_invalidate_and_wait(timer, WTM_NEVER));
    }
    return NULL;
}

TEST(without_the_barrier_nobody_sleeps_for_ever) {
    refuse_barriers();
    s = th_real();
    wtm_timer often;
    CHECK_OK(wtm_timer_every(s, 20 * TH_US, tick, NULL, release, &often));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) threads[i] = th_thread(contend, NULL);
    for (int i = 0; i < THREADS; i++) th_join(threads[i]);
    th_counter_wait(&ticks, 10);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&hooks), THREADS * TURNS + 1);
}
