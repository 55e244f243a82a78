/* Checks, registration, main, counters, threads and children. The probe and the scheduler helpers are in harness_probe.c. */
#include "harness.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <time.h>

/* Tests fork while library threads live, and go on using threads in the child; many children exit while threads run. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) { return "die_after_fork=0:atexit_sleep_ms=0"; }

static th_test *first_test, **last_test = &first_test;
static const char *volatile current_test = "(none)";

void th_register(th_test *test) {
    *last_test = test;
    last_test = &test->next;
}

void th_fail(const char *file, int line, const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s:%d: in %s: %s\n", file, line, current_test, text);
    fflush(stderr);
    /* Not exit: the failure may be on a thread in the middle of a callback. */
    _exit(1);
}

void th_check_int(const char *file, int line, const char *text, long long got, long long want) {
    if (got != want)
        th_fail(file, line, "%s is %lld (0x%llx), expected %lld (0x%llx)", text, got, (unsigned long long)got, want,
                (unsigned long long)want);
}

void th_check_u64(const char *file, int line, const char *text, uint64_t got, char relation, uint64_t want) {
    bool holds = relation == '>' ? got >= want : relation == '<' ? got <= want : got == want;
    if (!holds) {
        th_fail(file, line, "%s is %llu, expected %s %llu", text, (unsigned long long)got,
                relation == '>'   ? "at least"
                : relation == '<' ? "at most"
                                  : "exactly",
                (unsigned long long)want);
    }
}

void th_check_status(const char *file, int line, const char *text, wtm_status got, wtm_status want) {
    if (got != want)
        th_fail(file, line, "%s answered %d (%s), expected %d (%s)", text, (int)got, wtm_status_name(got), (int)want,
                wtm_status_name(want));
}

void th_check_str(const char *file, int line, const char *text, const char *got, const char *want) {
    if (got == NULL || strcmp(got, want) != 0)
        th_fail(file, line, "%s is \"%s\", expected \"%s\"", text, got ? got : "(null)", want);
}

uint64_t th_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * TH_SEC + (uint64_t)now.tv_nsec;
}

void th_counter_init(th_counter *counter) {
    pthread_mutex_init(&counter->lock, NULL);
    pthread_cond_init(&counter->changed, NULL);
    counter->value = 0;
}

void th_counter_add(th_counter *counter, uint64_t n) {
    pthread_mutex_lock(&counter->lock);
    counter->value += n;
    pthread_cond_broadcast(&counter->changed);
    pthread_mutex_unlock(&counter->lock);
}

uint64_t th_counter_get(th_counter *counter) {
    pthread_mutex_lock(&counter->lock);
    uint64_t value = counter->value;
    pthread_mutex_unlock(&counter->lock);
    return value;
}

bool th_wait_until(th_counter *counter, bool (*predicate)(void *), void *context, uint64_t timeout_ns) {
    uint64_t until = th_now() + timeout_ns;
    struct timespec limit = { (time_t)(until / TH_SEC), (long)(until % TH_SEC) };
    int error = 0;
    pthread_mutex_lock(&counter->lock);
    bool holds;
    while (!(holds = predicate(context)) && error == 0)
        error = pthread_cond_clockwait(&counter->changed, &counter->lock, CLOCK_MONOTONIC, &limit);
    pthread_mutex_unlock(&counter->lock);
    return holds;
}

struct reached {
    th_counter *counter;
    uint64_t at_least;
};

static bool is_reached(void *context) {
    struct reached *reached = context;
    return reached->counter->value >= reached->at_least;
}

bool th_counter_wait_for(th_counter *counter, uint64_t at_least, uint64_t timeout_ns) {
    struct reached reached = { counter, at_least };
    return th_wait_until(counter, is_reached, &reached, timeout_ns);
}

void th_counter_wait(th_counter *counter, uint64_t at_least) {
    CHECK_MSG(th_counter_wait_for(counter, at_least, TH_LIMIT), "a counter did not reach %llu", (unsigned long long)at_least);
}

pthread_t th_thread(void *(*run)(void *), void *argument) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, run, argument), 0);
    return thread;
}

/* Plain pthread_join, which the thread sanitizer knows; the alarm of the test bounds it. */
void *th_join(pthread_t thread) {
    void *result = NULL;
    CHECK_EQ(pthread_join(thread, &result), 0);
    return result;
}

int th_child(void (*run)(void *), void *argument) {
    fflush(NULL);
    pid_t child = fork();
    CHECK_SYS(child);
    if (child == 0) {
        alarm(120); /* alarms are not inherited: a child that hangs must end too */
        run(argument);
        _exit(0);
    }
    return th_wait_child(child);
}

int th_wait_child(pid_t child) {
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) == -1 && errno == EINTR) continue;
    CHECK_EQ(ended, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void on_alarm(int signal_number) {
    (void)signal_number;
    static const char text[] = "timed out in ";
    const char *name = current_test;
    if (write(2, text, sizeof text - 1) < 0 || write(2, name, strlen(name)) < 0 || write(2, "\n", 1) < 0) _exit(125);
    _exit(124);
}

static bool is_wanted(const th_test *test, int count, char **names) {
    for (int i = 1; i < count; i++) {
        if (strcmp(names[i], test->name) == 0) return true;
    }
    return count < 2;
}

static unsigned base_threads;
unsigned th_base_threads(void) {
    th_wait_other_threads(base_threads);
    return base_threads;
}

static void *tell_id(void *argument) {
    *(pid_t *)argument = gettid();
    return NULL;
}

/* Tests count threads: a sanitizer starts its own with the first one of the program, and that first one must have gone. */
static void count_base_threads(void) {
    enum { most = 16 };
    pid_t first = 0, ids[most];
    th_join(th_thread(tell_id, &first));
    bool is_there = true;
    while (is_there) {
        is_there = false;
        base_threads = th_other_threads(ids, most);
        for (unsigned i = 0; i < base_threads && i < most; i++) is_there = is_there || ids[i] == first;
    }
}

int main(int count, char **names) {
    unsigned run = 0;
    count_base_threads();
    signal(SIGALRM, on_alarm);
    for (th_test *test = first_test; test != NULL; test = test->next) {
        if (!is_wanted(test, count, names)) continue;
        current_test = test->name;
        uint64_t begin = th_now();
        alarm(240);
        test->run();
        alarm(0);
        printf("ok %s (%.3f s)\n", test->name, (double)(th_now() - begin) / 1e9);
        fflush(stdout);
        run++;
    }
    if (run == 0) {
        fprintf(stderr, "no such test\n");
        return 2;
    }
    return 0;
}
