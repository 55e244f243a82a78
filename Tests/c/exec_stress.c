/* A pool of four under load: starts, stops, waits, moves and target deaths from several threads, for some seconds; each timer's
 * hooks run once, and no callback after a stop that waited. The seed is printed. */
#include "time_record.h"

#include <time.h>

/* covers: life.release.once stop.wait time.serial */
enum { WORKERS = 4, SECONDS = 4 };

typedef struct subject {
    bool concurrent;
    unsigned inside, ended, released;
} subject;

static wtm_scheduler scheduler;
static wtm_executor executors[3]; /* a pool, a serial queue over it, inline */
static uint64_t deadline, seed, started, released_total;

static void tick(wtm_timer timer, const wtm_tick *t, void *context) {
    subject *s = context;
    (void)timer;
    CHECK_GE(t->now_ns, t->scheduled_ns);
    unsigned inside = __atomic_add_fetch(&s->inside, 1, __ATOMIC_SEQ_CST);
    CHECK_LE(inside, s->concurrent ? 4 : 1);
    CHECK_EQ(__atomic_load_n(&s->ended, __ATOMIC_SEQ_CST), 0);
    __atomic_sub_fetch(&s->inside, 1, __ATOMIC_SEQ_CST);
}

static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    subject *s = context;
    (void)timer;
    CHECK(reason != WTM_REASON_NONE);
    CHECK_EQ(__atomic_load_n(&s->inside, __ATOMIC_SEQ_CST), 0);
    CHECK_EQ(__atomic_add_fetch(&s->ended, 1, __ATOMIC_SEQ_CST), 1);
}

static void release(void *context) {
    subject *s = context;
    CHECK_EQ(__atomic_load_n(&s->ended, __ATOMIC_SEQ_CST), 1);
    CHECK_EQ(__atomic_add_fetch(&s->released, 1, __ATOMIC_SEQ_CST), 1);
    __atomic_add_fetch(&released_total, 1, __ATOMIC_SEQ_CST);
    free(s); /* a touch after this is a use after free, which the sanitizers see */
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static wtm_timer start_one(uint64_t *state, wtm_target target) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    subject *s = calloc(1, sizeof *s);
    unsigned kind = (unsigned)(next_random(state) % 3);
    options.fn = tick;
    options.ended = ended;
    options.release = release;
    options.context = s;
    options.target = target;
    options.executor = executors[kind];
    options.missed = (uint32_t)(next_random(state) % 3);
    options.interval_ns = next_random(state) % 3 ? 1 + next_random(state) % (100 * US) : 0;
    options.delay_ns = next_random(state) % (200 * US);
    if (kind == 0 && next_random(state) % 2) {
        options.flags |= WTM_TIMER_CONCURRENT;
        s->concurrent = true;
    }
    if (next_random(state) % 3 == 0) options.flags |= WTM_TIMER_RELEASE_ON_EXECUTOR;
    __atomic_add_fetch(&started, 1, __ATOMIC_SEQ_CST);
    CHECK_OK(wtm_timer_start(scheduler, &options, &t));
    return t;
}

static void *work(void *argument) {
    uint64_t state = seed + (uint64_t)(uintptr_t)argument * 0x9e3779b97f4a7c15u;
    wtm_timer mine[32] = { { 0 } };
    wtm_target target = { 0 };
    /* A machine that stands still gets the time that it needs for a thousand. */
    while (th_now() < deadline || __atomic_load_n(&started, __ATOMIC_SEQ_CST) < 1000) {
        unsigned i = (unsigned)(next_random(&state) % 32);
        if (target.id == 0) CHECK_OK(wtm_target_create(NULL, NULL, &target));
        switch (next_random(&state) % 10) {
        case 0: wtm_timer_invalidate(mine[i]); break;
        case 1: {
            wtm_status status = wtm_timer_invalidate_and_wait(mine[i], WTM_NEVER);
            CHECK(status == WTM_OK || status == WTM_ERR_GONE);
            break;
        }
        case 2: wtm_timer_reschedule(mine[i], next_random(&state) % (300 * US)); break;
        case 3: wtm_timer_fire(mine[i]); break;
        case 4: next_random(&state) % 2 ? wtm_timer_pause(mine[i]) : wtm_timer_resume(mine[i]); break;
        case 5:
            if (next_random(&state) % 8 == 0) {
                if (next_random(&state) % 2) CHECK_OK(wtm_target_release(target));
                else CHECK_OK(wtm_target_close(target, WTM_NEVER));
                target.id = 0;
            }
            break;
        default:
            if (wtm_timer_is_valid(mine[i])) break;
            mine[i] = start_one(&state, next_random(&state) % 2 ? target : (wtm_target){ 0 });
        }
    }
    if (target.id != 0) CHECK_OK(wtm_target_release(target));
    return NULL;
}

TEST(four_threads_on_a_pool_of_four) {
    pthread_t threads[WORKERS];
    const char *given = getenv("WEAKTIMER_TEST_SEED");
    seed = given != NULL ? strtoull(given, NULL, 10) : th_now();
    printf("seed %llu\n", (unsigned long long)seed);
    CHECK_OK(wtm_executor_create_pool(4, NULL, &executors[0]));
    CHECK_OK(wtm_executor_create_serial(executors[0], &executors[1]));
    scheduler = th_real();
    deadline = th_now() + SECONDS * SEC;
    for (uintptr_t i = 0; i < WORKERS; i++) threads[i] = th_thread(work, (void *)i);
    for (int i = 0; i < WORKERS; i++) th_join(threads[i]);
    wtm_scheduler_stats stats = th_stats(scheduler);
    CHECK_U64(stats.created, started);
    uint64_t over = 0;
    for (int i = 0; i < 5; i++) over += stats.ended[i];
    CHECK_U64(stats.created, stats.live + over);
    th_shutdown(scheduler);
    CHECK_U64(released_total, started);
    CHECK_OK(wtm_executor_shutdown(executors[1], TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(executors[0], TH_LIMIT));
    CHECK_GE(started, 1000);
}
