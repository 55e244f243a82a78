/* A custom executor with threads of its own that refuses, runs inside submit, runs twice, late, out of order, and loses, by
 * chance; on a real scheduler, with timers stopped from outside all the while. No promise breaks. The seed is printed. */
#include "time_record.h"

/* covers: time.serial life.release.once life.release.last stop.none-after stop.wait */
enum { BACKLOG = 256, WORKERS = 3, TIMERS = 40, ROUNDS = 60 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*run)(uint64_t work);
    uint64_t work[BACKLOG], state;
    unsigned count, submits;
    bool stop, loses;
} wild = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static uint64_t chance_locked(uint64_t n) {
    wild.state = wild.state * 6364136223846793005u + 1442695040888963407u;
    return (wild.state >> 33) % n;
}

static bool submit(void *context, void (*run)(uint64_t work), uint64_t work) {
    CHECK(context == &wild);
    pthread_mutex_lock(&wild.lock);
    wild.run = run;
    wild.submits++;
    uint64_t way = chance_locked(10);
    bool full = wild.count == BACKLOG;
    if (way < 6 && !full) {
        wild.work[wild.count++] = work;
        pthread_cond_signal(&wild.changed);
    }
    bool loses = wild.loses && way == 9;
    pthread_mutex_unlock(&wild.lock);
    if (way < 6 && !full) return true;
    if (way < 8) {
        run(work);
        return way == 6; /* what it says afterwards does not matter */
    }
    return loses; /* refused, or taken and forgotten */
}

static void *worker(void *argument) {
    (void)argument;
    pthread_mutex_lock(&wild.lock);
    for (;;) {
        while (wild.count == 0 && !wild.stop) pthread_cond_wait(&wild.changed, &wild.lock);
        if (wild.count == 0) break;
        uint64_t i = chance_locked(wild.count), work = wild.work[i];
        bool keeps = chance_locked(4) == 0 && !wild.stop; /* for a second run, some time later */
        if (!keeps) wild.work[i] = wild.work[--wild.count];
        void (*run)(uint64_t) = wild.run;
        pthread_mutex_unlock(&wild.lock);
        run(work);
        pthread_mutex_lock(&wild.lock);
    }
    pthread_mutex_unlock(&wild.lock);
    return NULL;
}

typedef struct subject {
    unsigned inside, ticks, ended, released;
    bool stopped;
} subject;

static void tick(wtm_timer timer, const wtm_tick *t, void *context) {
    subject *s = context;
    (void)timer;
    CHECK_EQ(__atomic_fetch_add(&s->inside, 1, __ATOMIC_SEQ_CST), 0);
    CHECK(!__atomic_load_n(&s->stopped, __ATOMIC_SEQ_CST));
    CHECK_EQ(__atomic_load_n(&s->ended, __ATOMIC_SEQ_CST), 0);
    CHECK_GE(t->now_ns, t->scheduled_ns);
    uint64_t until = th_now() + 5 * US;
    while (th_now() < until) continue;
    __atomic_fetch_add(&s->ticks, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_sub(&s->inside, 1, __ATOMIC_SEQ_CST);
}

static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    subject *s = context;
    (void)timer;
    CHECK(reason != WTM_REASON_NONE);
    CHECK_EQ(__atomic_load_n(&s->inside, __ATOMIC_SEQ_CST), 0);
    CHECK_EQ(__atomic_fetch_add(&s->ended, 1, __ATOMIC_SEQ_CST), 0);
}

static void released(void *context) {
    subject *s = context;
    CHECK_EQ(__atomic_load_n(&s->ended, __ATOMIC_SEQ_CST), 1);
    CHECK_EQ(__atomic_fetch_add(&s->released, 1, __ATOMIC_SEQ_CST), 0);
}

static void run(bool loses, bool scheduler_first) {
    static subject subjects[ROUNDS][TIMERS];
    pthread_t threads[WORKERS];
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    wtm_executor e = { 0 };
    wtm_timer timers[TIMERS];
    memset(subjects, 0, sizeof subjects);
    wild.state = th_now();
    printf("seed %llu\n", (unsigned long long)wild.state);
    wild.count = 0;
    wild.stop = false;
    wild.loses = loses;
    for (int i = 0; i < WORKERS; i++) threads[i] = th_thread(worker, NULL);
    ops.submit = submit;
    CHECK_OK(wtm_executor_create_custom(&ops, &wild, NULL, &e));
    wtm_scheduler s = th_real();
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TIMERS; i++) {
            wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
            options.fn = tick;
            options.ended = ended;
            options.release = released;
            options.context = &subjects[round][i];
            options.executor = e;
            options.interval_ns = i % 4 == 0 ? 0 : 20 * US * (uint64_t)(i % 5 + 1);
            options.missed = (uint32_t)(i % 3);
            /* A hook that is lost would be waited for: for ever, until the executor is shut down. */
            if (!loses && i % 2) options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
            CHECK_OK(wtm_timer_start(s, &options, &timers[i]));
        }
        uint64_t until = th_now() + 2 * MS;
        while (th_now() < until) continue;
        bool last = round == ROUNDS - 1; /* those are left to the shutdowns */
        for (int i = 0; i < TIMERS && !last; i++) {
            subject *one = &subjects[round][i];
            wtm_status status =
                i % 3 == 0 ? wtm_timer_invalidate(timers[i]) : wtm_timer_invalidate_and_wait(timers[i], WTM_NEVER);
            CHECK(status == WTM_OK || status == WTM_ERR_GONE || (i % 3 == 0 && status == WTM_RUNNING));
            if (i % 3 == 0) continue;
            CHECK_EQ(__atomic_load_n(&one->inside, __ATOMIC_SEQ_CST), 0);
            CHECK_EQ(__atomic_load_n(&one->released, __ATOMIC_SEQ_CST), 1);
            __atomic_store_n(&one->stopped, true, __ATOMIC_SEQ_CST);
        }
    }
    if (scheduler_first) th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
    if (!scheduler_first) th_shutdown(s);
    pthread_mutex_lock(&wild.lock);
    wild.stop = true; /* what is left is run late, and does nothing */
    pthread_cond_broadcast(&wild.changed);
    pthread_mutex_unlock(&wild.lock);
    for (int i = 0; i < WORKERS; i++) th_join(threads[i]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TIMERS; i++) {
            CHECK_EQ(subjects[round][i].ended, 1);
            CHECK_EQ(subjects[round][i].released, 1);
        }
    }
}

TEST(late_repeated_and_refused_work_breaks_nothing) { run(false, true); }
TEST(nor_when_the_executor_goes_first) { run(false, false); }
TEST(nor_does_lost_work) { run(true, true); }
TEST(nor_lost_work_when_the_executor_goes_first) { run(true, false); }
