/* A timer over somebody else's weak references.
 *
 * Where objects already have counted references of their own (std::weak_ptr, a language runtime, a kernel-style
 * refcount), a timer can use those in place of a wtm_target: two functions, lock and unlock, and the caller's
 * weak reference as the context. Each tick locks it, calls with the strong pointer, and unlocks. When lock
 * answers NULL the timer ends. Here: a document with a strong and a weak count.
 *
 * covers: life.weak life.borrow */
#include <stdatomic.h>
#include <weaktimer.h>

#include "common/example.h"

/* ---- the foreign object: strong references keep the text, weak ones only the counts ---- */

typedef struct document {
    atomic_int strong; /* 0: dead */
    atomic_int weak;   /* weak references, plus one for all strong ones together */
    int saves;
    int *saves_at_death;
} document;

static document *document_create(int *saves_at_death) {
    document *d = calloc(1, sizeof *d);
    REQUIRE(d != NULL);
    atomic_init(&d->strong, 1);
    atomic_init(&d->weak, 1);
    d->saves_at_death = saves_at_death;
    return d;
}

static void document_weak_release(void *weak) {
    document *d = weak;
    if (atomic_fetch_sub(&d->weak, 1) == 1) free(d);
}

static void *document_weak_retain(document *d) {
    atomic_fetch_add(&d->weak, 1);
    return d;
}

static void document_release(void *strong) {
    document *d = strong;
    if (atomic_fetch_sub(&d->strong, 1) != 1) return;
    *d->saves_at_death = d->saves; /* its destructor */
    document_weak_release(d);
}

/* Weak to strong: succeeds only while somebody holds it. */
static void *document_lock(void *weak) {
    document *d = weak;
    int count = atomic_load(&d->strong);
    while (count > 0) {
        if (atomic_compare_exchange_weak(&d->strong, &count, count + 1)) return d;
    }
    return NULL;
}

/* ---- the timer over it ---- */

static wtm_reason reason_seen = WTM_REASON_NONE;

static void autosave(wtm_timer timer, const wtm_tick *tick, void *context) {
    document *d = tick->target; /* what lock gave: strong for the length of this call */
    (void)timer, (void)context;
    d->saves++;
    printf("%llu s: saved %d times\n", (unsigned long long)(tick->now_ns / SECONDS(1)), d->saves);
}

static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer, (void)context;
    reason_seen = reason;
}

int main(void) {
    wtm_scheduler_options manual = WTM_SCHEDULER_OPTIONS_INIT;
    manual.drive = WTM_DRIVE_MANUAL;
    wtm_scheduler scheduler;
    SUCCEED(wtm_scheduler_create(&manual, &scheduler));

    int saves_at_death = -1;
    document *d = document_create(&saves_at_death);

    wtm_weak_ops ops = WTM_WEAK_OPS_INIT;
    ops.lock = document_lock;
    ops.unlock = document_release;

    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = autosave;
    options.weak = &ops;                       /* copied by the call */
    options.context = document_weak_retain(d); /* the timer's own weak reference ... */
    options.release = document_weak_release;   /* ... given back by the hook */
    options.ended = ended;
    options.interval_ns = SECONDS(30);
    options.name = "autosave";
    wtm_timer timer;
    SUCCEED(wtm_timer_start(scheduler, &options, &timer));

    SUCCEED(wtm_scheduler_advance(scheduler, SECONDS(95), NULL));
    REQUIRE(d->saves == 3);

    document_release(d); /* the user closes the document: the timer does not keep it */
    REQUIRE(saves_at_death == 3);
    REQUIRE(wtm_timer_is_valid(timer)); /* nobody told the library: it finds out at the next tick */

    uint64_t ran = 1;
    SUCCEED(wtm_scheduler_advance(scheduler, SECONDS(30), &ran));
    REQUIRE(ran == 0); /* a NULL from lock is no tick */
    REQUIRE(!wtm_timer_is_valid(timer));
    REQUIRE(reason_seen == WTM_REASON_TARGET_GONE);
    SUCCEED(wtm_scheduler_shutdown(scheduler, WTM_NEVER));
    return EXIT_SUCCESS;
}
