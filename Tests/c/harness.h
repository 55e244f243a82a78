/* The harness of the C tests: checks, registration, latches, probes, threads and child processes.
 *
 * A test file is one program:
 *
 *     #include "harness.h"
 *     TEST(stop_returns_gone_the_second_time) { ... CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE); }
 *
 * The harness has main(): it runs every TEST of the file in order, or those named on the command line. A failed check prints
 * file, line and values and ends the process with 1 at once, from any thread. Nothing here sleeps: threads wait on condition
 * variables, with an upper bound that fails the test. */
#ifndef TESTS_C_HARNESS_H
#define TESTS_C_HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weaktimer.h>

#define TH_US UINT64_C(1000)
#define TH_MS UINT64_C(1000000)
#define TH_SEC UINT64_C(1000000000)
#define TH_HOUR (3600 * TH_SEC)
/* What a wait may take at most before the test fails: far above anything a loaded machine or valgrind needs. */
#define TH_LIMIT (60 * TH_SEC)

/* Checks. */
_Noreturn void th_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void th_check_int(const char *file, int line, const char *text, long long got, long long want);
void th_check_u64(const char *file, int line, const char *text, uint64_t got, char relation, uint64_t want);
void th_check_status(const char *file, int line, const char *text, wtm_status got, wtm_status want);
void th_check_str(const char *file, int line, const char *text, const char *got, const char *want);

#define CHECK(condition) \
    do { \
        if (!(condition)) th_fail(__FILE__, __LINE__, "false: %s", #condition); \
    } while (0)
#define CHECK_MSG(condition, ...) \
    do { \
        if (!(condition)) th_fail(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)
/* Equality of any two integers (64-bit values compare as they are). */
#define CHECK_EQ(got, want) th_check_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(want))
#define CHECK_U64(got, want) th_check_u64(__FILE__, __LINE__, #got, (got), '=', (want))
#define CHECK_GE(got, want) th_check_u64(__FILE__, __LINE__, #got, (got), '>', (want))
#define CHECK_LE(got, want) th_check_u64(__FILE__, __LINE__, #got, (got), '<', (want))
#define CHECK_STATUS(got, want) th_check_status(__FILE__, __LINE__, #got, (got), (want))
#define CHECK_OK(got) CHECK_STATUS(got, WTM_OK)
#define CHECK_STR(got, want) th_check_str(__FILE__, __LINE__, #got, (got), (want))
/* For a system call that must not fail. */
#define CHECK_SYS(call) CHECK_MSG((call) != -1, "%s: %s", #call, strerror(errno))

/* Registration. */
typedef struct th_test {
    const char *name;
    void (*run)(void);
    struct th_test *next;
} th_test;
void th_register(th_test *test);
#define TEST(test_name) \
    static void test_##test_name(void); \
    static th_test entry_##test_name = { #test_name, test_##test_name, NULL }; \
    __attribute__((constructor)) static void register_##test_name(void) { th_register(&entry_##test_name); } \
    static void test_##test_name(void)

/* Real monotonic time in nanoseconds. */
uint64_t th_now(void);

/* A count that threads may wait for. Usable as a latch (wait for 1) and as an event counter. Static: TH_COUNTER_INIT. */
typedef struct th_counter {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t value;
} th_counter;
#define TH_COUNTER_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }
void th_counter_init(th_counter *counter);
void th_counter_add(th_counter *counter, uint64_t n);
uint64_t th_counter_get(th_counter *counter);
/* Fails the test when the count is not reached within TH_LIMIT. */
void th_counter_wait(th_counter *counter, uint64_t at_least);
/* True as soon as the count is reached, false after timeout_ns. */
bool th_counter_wait_for(th_counter *counter, uint64_t at_least, uint64_t timeout_ns);
/* The predicate is asked now and after each th_counter_add; false after timeout_ns. It runs under the counter's lock. */
bool th_wait_until(th_counter *counter, bool (*predicate)(void *context), void *context, uint64_t timeout_ns);

/* Threads. */
pthread_t th_thread(void *(*run)(void *), void *argument);
void *th_join(pthread_t thread);

/* Schedulers, each call checked. */
wtm_scheduler th_scheduler(wtm_drive drive);
wtm_scheduler th_manual(void);
wtm_scheduler th_host(void);
wtm_scheduler th_real(void);
uint64_t th_advance(wtm_scheduler s, uint64_t by_ns);
uint32_t th_run_due(wtm_scheduler s);
wtm_scheduler_stats th_stats(wtm_scheduler s);
wtm_timer_info th_info(wtm_timer t);
/* Shuts down and waits: must answer WTM_OK, then WTM_ERR_GONE. */
void th_shutdown(wtm_scheduler s);

/* A probe is the context of a timer or a target and records what happens to it. `order` has a letter for each event:
 * t tick begins, T tick returns, e ended, r release, h target hook; each hook may be given something to do besides. */
typedef struct th_probe th_probe;
struct th_probe {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned ticks, ended, released, hooks;
    unsigned inside, most_inside; /* callbacks running now, and the most at any one time */
    bool hold, holding;           /* a tick that begins while `hold` is set waits until th_probe_let_go */
    wtm_reason reason;
    wtm_timer timer; /* the handle that the last tick or ended hook was given */
    wtm_tick tick;   /* a copy of the last tick */
    pthread_t tick_thread, ended_thread, release_thread, hook_thread;
    char order[64];
    void (*on_tick)(th_probe *probe);
    void (*on_ended)(th_probe *probe);
    void (*on_release)(th_probe *probe);
    void (*on_hook)(th_probe *probe);
    void *user;
};
void th_probe_init(th_probe *probe);
void th_tick(wtm_timer timer, const wtm_tick *tick, void *context);
void th_ended(wtm_timer timer, wtm_reason reason, void *context);
void th_release(void *context);
void th_target_hook(void *context);
/* Appends a letter to `order`, for events of the test's own. */
void th_probe_note(th_probe *probe, char letter);
void th_probe_hold(th_probe *probe);
void th_probe_let_go(th_probe *probe);
/* Wait until a held tick is inside, until so many ticks have returned, until the release or the target hook has run. */
void th_probe_wait_holding(th_probe *probe);
void th_probe_wait_ticks(th_probe *probe, unsigned at_least);
void th_probe_wait_released(th_probe *probe, unsigned at_least);
void th_probe_wait_hooks(th_probe *probe, unsigned at_least);
unsigned th_probe_ticks(th_probe *probe);
unsigned th_probe_released(th_probe *probe);
unsigned th_probe_hooks(th_probe *probe);
/* Options of a timer whose every hook records into the probe. */
wtm_timer_options th_options(th_probe *probe);

/* A custom executor that keeps its work until it is told to run it. */
typedef struct th_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*run)(uint64_t work);
    uint64_t work[1024];
    unsigned submitted, taken, refused, released;
    bool refuse;
    wtm_executor executor;
} th_queue;
void th_queue_init(th_queue *queue);
/* Runs the oldest `most` pieces of work on the calling thread; returns how many there were. */
unsigned th_queue_run(th_queue *queue, unsigned most);
/* Waits until so many pieces have been submitted in all. */
void th_queue_wait(th_queue *queue, unsigned submitted);
void th_queue_refuse(th_queue *queue, bool refuse);

/* Runs in a forked child; returns its exit status, or 128 + the signal that killed it. The child ends by _exit(0). */
int th_child(void (*run)(void *), void *argument);
int th_wait_child(pid_t child);

/* What the kernel says about this process. */
uint64_t th_resident_bytes(void);
/* Thread ids of the process, the caller's own left out; returns how many there are (at most `limit` are stored). */
unsigned th_other_threads(pid_t *ids, unsigned limit);
/* Waits until there are exactly so many: the kernel lists a thread for a moment after its join. */
void th_wait_other_threads(unsigned count);
/* How many other threads there are while the test has none: waits until it is so. */
unsigned th_base_threads(void);
void th_thread_name(pid_t id, char name[16]);
/* A number from /proc/self/task/<id>/status, such as "SigBlk" (hexadecimal) or "voluntary_ctxt_switches" (decimal). */
uint64_t th_thread_status(pid_t id, const char *field, int base);
/* `size` bytes that end exactly at an unreadable page: reading past them faults. Contents zero. */
void *th_at_page_end(size_t size);

#endif
