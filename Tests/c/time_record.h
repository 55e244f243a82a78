/* A recorder of ticks for tests under manual time: what each callback was told, in the order of the calls.
   Single-threaded on purpose: under manual time every callback runs on the thread that advances. */
#ifndef TIME_RECORD_H
#define TIME_RECORD_H

#include "harness.h"

#include <stdint.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define SEC UINT64_C(1000000000)
#define DAY (UINT64_C(86400) * SEC)
#define YEAR (UINT64_C(31557600) * SEC) /* 365.25 days */

enum { SEEN_MAX = 4096 };

typedef struct seen {
    uint64_t timer;
    uint64_t tag;
    wtm_tick tick;
    uint64_t scheduler_now; /* what the scheduler's own clock said inside the callback */
} seen;

typedef void (*during_fn)(wtm_timer timer, const wtm_tick *tick, uint64_t tag);

static struct {
    seen at[SEEN_MAX];
    size_t count;            /* every callback, also those beyond SEEN_MAX */
    wtm_scheduler scheduler; /* whose clock the callback reads */
    during_fn during;        /* what the test wants done inside each callback */
    uint64_t ended;          /* calls of the ended hook */
    wtm_reason reason;       /* of the last one */
    uint64_t ended_tag;
    uint64_t released; /* calls of the release hook */
} rec;

static inline void record(wtm_timer timer, const wtm_tick *tick, void *context) {
    if (rec.count < SEEN_MAX) {
        seen *entry = &rec.at[rec.count];
        entry->timer = timer.id;
        entry->tag = (uint64_t)(uintptr_t)context;
        entry->tick = *tick;
        entry->scheduler_now = wtm_scheduler_now(rec.scheduler, (wtm_clock)tick->clock);
    }
    rec.count++;
    if (rec.during != NULL) rec.during(timer, tick, (uint64_t)(uintptr_t)context);
}

/* Hooks of timers on a pool may run at the same time. */
static pthread_mutex_t rec_hooks = PTHREAD_MUTEX_INITIALIZER;

static inline void record_ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer;
    pthread_mutex_lock(&rec_hooks);
    rec.ended++;
    rec.reason = reason;
    rec.ended_tag = (uint64_t)(uintptr_t)context;
    pthread_mutex_unlock(&rec_hooks);
}

static inline void record_released(void *context) {
    (void)context;
    pthread_mutex_lock(&rec_hooks);
    rec.released++;
    pthread_mutex_unlock(&rec_hooks);
}

static inline void forget(void) {
    wtm_scheduler s = rec.scheduler;
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
}

static inline wtm_scheduler manual_scheduler(void) {
    wtm_scheduler s = th_manual();
    memset(&rec, 0, sizeof rec);
    rec.scheduler = s;
    return s;
}

static inline wtm_timer start_with(wtm_scheduler s, wtm_timer_options options) {
    wtm_timer t = { 0 };
    options.size = sizeof options;
    if (options.fn == NULL) options.fn = record;
    if (options.ended == NULL) options.ended = record_ended;
    if (options.release == NULL) options.release = record_released;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    CHECK(t.id != 0);
    return t;
}

/* START(s, .interval_ns = 100, …): a timer whose callback is the recorder; TAG(n) tells timers apart. */
#define START(s, ...) start_with((s), (wtm_timer_options){ __VA_ARGS__ })
#define TAG(n) .context = (void *)(uintptr_t)(n)

/* Threads of the library: those beside the caller that were not there before main. The thread sanitizer has one of its own, which
 * it starts with the first other thread. */
static pid_t foreign_threads[8];
static unsigned foreign_count;

#if defined(__SANITIZE_THREAD__)
#define THREAD_OF_THE_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_OF_THE_SANITIZER 1
#endif
#endif
#ifndef THREAD_OF_THE_SANITIZER
#define THREAD_OF_THE_SANITIZER 0
#endif

static inline void *no_work(void *id) {
    *(pid_t *)id = gettid();
    return NULL;
}

__attribute__((constructor)) static void note_foreign_threads(void) {
    pthread_t thread;
    pid_t gone = 0;
    if (THREAD_OF_THE_SANITIZER && pthread_create(&thread, NULL, no_work, &gone) == 0) pthread_join(thread, NULL);
    unsigned count = th_other_threads(foreign_threads, 8);
    for (unsigned i = 0; i < count; i++) {
        if (foreign_threads[i] != gone) foreign_threads[foreign_count++] = foreign_threads[i];
    }
}

static inline unsigned library_threads(pid_t *ids, unsigned limit) {
    pid_t all[64];
    unsigned count = th_other_threads(all, 64), kept = 0;
    CHECK(count <= 64 && foreign_count <= 8);
    for (unsigned i = 0; i < count; i++) {
        bool foreign = false;
        for (unsigned f = 0; f < foreign_count; f++) foreign |= all[i] == foreign_threads[f];
        if (foreign) continue;
        if (kept < limit) ids[kept] = all[i];
        kept++;
    }
    return kept;
}

/* A joined thread may be listed for an instant longer. */
static inline void expect_no_threads(void) {
    uint64_t until = th_now() + 10 * SEC;
    while (library_threads(NULL, 0) != 0) CHECK(th_now() < until);
}

static inline uint64_t mono(wtm_scheduler s) { return wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC); }

static inline uint64_t next_of(wtm_timer t) {
    uint64_t next = 0;
    CHECK_OK(wtm_timer_get_next(t, &next));
    return next;
}

/* The whole of the i-th recorded tick. `late` ticks have now after scheduled. */
#define EXPECT_TICK(i, ordinal_, missed_, scheduled_, now_, next_) \
    do { \
        CHECK(rec.count > (size_t)(i)); \
        CHECK_EQ(rec.at[i].tick.size, sizeof(wtm_tick)); \
        CHECK_EQ(rec.at[i].tick.flags, 0); \
        CHECK_U64(rec.at[i].tick.ordinal, (ordinal_)); \
        CHECK_U64(rec.at[i].tick.missed, (missed_)); \
        CHECK_U64(rec.at[i].tick.scheduled_ns, (scheduled_)); \
        CHECK_U64(rec.at[i].tick.now_ns, (now_)); \
        CHECK_U64(rec.at[i].tick.next_ns, (next_)); \
        CHECK_U64(rec.at[i].scheduler_now, rec.at[i].tick.now_ns); \
    } while (0)

#define EXPECT_FIRED(i, ordinal_, now_) \
    do { \
        CHECK(rec.count > (size_t)(i)); \
        CHECK_EQ(rec.at[i].tick.flags, WTM_TICK_FIRED); \
        CHECK_U64(rec.at[i].tick.ordinal, (ordinal_)); \
        CHECK_U64(rec.at[i].tick.missed, 0); \
        CHECK_U64(rec.at[i].tick.scheduled_ns, (now_)); \
        CHECK_U64(rec.at[i].tick.now_ns, (now_)); \
    } while (0)

#endif
