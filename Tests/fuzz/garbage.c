/* Fuzzer: raw bytes in every option struct, handle, size, enumerator and number that the library takes.
 *
 * Structs lie in memory of exactly their stated size, so that a sanitizer sees a read beyond it. Pointers alone are
 * chosen, since no library can survive a wild one. Whatever the call answers, it must be a status that the contract
 * knows, a failure must leave its outputs zero and have taken nothing, and a success must release once.
 *
 * covers: life.failed life.release.once time.range world.alloc */
#include "fuzz.h"

#include <stdatomic.h>

enum { CONTEXTS = 64 };
static atomic_uint releases[CONTEXTS];
static bool taken[CONTEXTS];
static unsigned contexts;
static wtm_scheduler manual, host;
static wtm_target target;
static wtm_timer a_timer;
static wtm_executor custom;

static void tick(wtm_timer timer, const wtm_tick *t, void *context) {
    (void)context;
    if (t->ordinal > 100) wtm_timer_invalidate(timer);
}
static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)context;
    FZ_CHECK(timer.id != 0 && reason != WTM_REASON_NONE, "ended for no reason");
}
static void release(void *context) { atomic_fetch_add((atomic_uint *)context, 1); }
static void *lock(void *weak) { return weak; }
static void unlock(void *strong) { (void)strong; }
static bool submit(void *context, void (*run)(uint64_t), uint64_t work) {
    (void)context;
    run(work);
    return true;
}
static void start_hook(void *context) { (void)context; }
static void jump_hook(void *context, int64_t delta) { (void)context, (void)delta; }
static void log_hook(void *context, wtm_log_level level, const char *message) { (void)context, (void)level, (void)message; }
static bool visit(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer, (void)info, (void)context;
    return true;
}

static atomic_uint *fresh_context(void) { return &releases[contexts < CONTEXTS ? contexts : CONTEXTS - 1]; }

/* The outcome of a call that was given fresh_context() and a release hook. */
static void outcome(wtm_status got, uint64_t handle, bool hook) {
    FZ_CHECK(got <= WTM_OK && got >= WTM_ERR_SYSTEM, "status %d", (int)got);
    FZ_CHECK((got == WTM_OK) == (handle != 0), "status %s with handle %llx", wtm_status_name(got), (unsigned long long)handle);
    if (contexts >= CONTEXTS) return;
    if (got != WTM_OK) FZ_CHECK(atomic_load(&releases[contexts]) == 0, "a start that failed took its context");
    taken[contexts] = got == WTM_OK && hook;
    contexts++;
}

/* Memory of exactly the size that the struct claims, within what the contract lets the library read. */
static void *garbage_struct(size_t today, uint32_t *out_claim) {
    static const uint32_t claims[] = { 0, 1, 3, 4, 5, 8, 16, 1024 };
    uint8_t kind = fz_u8();
    uint32_t claim = (uint32_t)today;
    if (kind < 8) claim = claims[kind];
    else if (kind < 40) claim = (uint32_t)today - kind + 8;
    else if (kind < 72) claim = (uint32_t)today + (kind - 40) * 33;
    else if (kind < 80) claim = (uint32_t)today + 1024 + (kind - 76);
    else if (kind < 84) claim = fz_u32();
    size_t readable = claim < 4 || claim > today + 1024 ? 4 : claim;
    uint8_t *memory = malloc(readable);
    FZ_CHECK(memory != NULL, "no memory");
    bool raw = fz_u8() & 1;
    for (size_t i = 0; i < readable; i++) memory[i] = raw && i < today ? fz_u8() : 0;
    if (readable > today && (fz_u8() & 3) == 0) memory[readable - 1] = fz_u8();
    memcpy(memory, &claim, 4);
    *out_claim = claim;
    return memory;
}

/* Sets a pointer field, if the struct reaches so far; a cut field has its default. */
#define POINTER(type, memory, claim, field, value) \
    do { \
        if ((claim) >= offsetof(type, field) + sizeof(((type *)0)->field) && (claim) <= sizeof(type) + 1024) { \
            ((type *)(memory))->field = (fz_u8() & 3) == 0 ? NULL : (value); \
        } else if ((claim) > offsetof(type, field) && (claim) <= sizeof(type) + 1024) { \
            memset((uint8_t *)(memory) + offsetof(type, field), 0x5a, (claim) - offsetof(type, field)); \
        } \
    } while (0)

static uint64_t garbage_handle(uint64_t real) {
    switch (fz_u8() % 6) {
    case 0: return 0;
    case 1: return fz_u64();
    case 2: return real ^ (UINT64_C(1) << fz_u8() % 64);
    case 3: return real + fz_u8() - 128;
    case 4: return target.id;
    default: return real;
    }
}

static void garbage_start(void) {
    uint32_t claim, weak_claim = 4;
    uint8_t *o = garbage_struct(sizeof(wtm_timer_options), &claim);
    wtm_weak_ops *weak = NULL;
    atomic_uint *context = fresh_context();
    if ((fz_u8() & 3) == 0) {
        weak = garbage_struct(sizeof(wtm_weak_ops), &weak_claim);
        POINTER(wtm_weak_ops, weak, weak_claim, lock, lock);
        POINTER(wtm_weak_ops, weak, weak_claim, unlock, unlock);
    }
    POINTER(wtm_timer_options, o, claim, fn, tick);
    POINTER(wtm_timer_options, o, claim, context, context);
    POINTER(wtm_timer_options, o, claim, release, release);
    POINTER(wtm_timer_options, o, claim, ended, ended);
    POINTER(wtm_timer_options, o, claim, weak, weak);
    POINTER(wtm_timer_options, o, claim, name, "garbage");
    if (claim >= sizeof(wtm_timer_options) && claim <= sizeof(wtm_timer_options) + 1024) {
        wtm_timer_options *full = (wtm_timer_options *)o;
        if (full->context == NULL) full->release = NULL; /* the release counts in its context */
        if (fz_u8() & 1) full->flags &= 127;
        if (fz_u8() & 1) full->clock %= 3;
        if (fz_u8() & 1) full->missed %= 3;
        if (fz_u8() & 1) full->rate_hz_numerator = full->rate_hz_denominator = 0;
        full->target.id = fz_u8() & 1 ? 0 : garbage_handle(target.id);
        full->executor.id = fz_u8() & 1 ? 0 : garbage_handle(custom.id);
    } else if (claim >= offsetof(wtm_timer_options, release) + sizeof(void *) && claim <= sizeof(wtm_timer_options) + 1024) {
        if (((wtm_timer_options *)o)->context == NULL) ((wtm_timer_options *)o)->release = NULL;
    }
    bool hook = claim >= offsetof(wtm_timer_options, release) + sizeof(void *) && claim <= sizeof(wtm_timer_options) + 1024 &&
                ((wtm_timer_options *)o)->release != NULL;
    wtm_timer out = { 1 };
    wtm_scheduler s = { fz_u8() & 3 ? manual.id : garbage_handle(host.id) };
    if (s.id == 0) s = manual; /* the default scheduler would tick on its own thread for ever */
    wtm_status got = wtm_timer_start(s, (const wtm_timer_options *)o, &out);
    FZ_CHECK(got != WTM_OK || (claim >= 16 && claim <= sizeof(wtm_timer_options) + 1024), "size %u was taken", claim);
    outcome(got, out.id, hook);
    if (got == WTM_OK) a_timer = out;
    free(weak);
    free(o);
}

static void garbage_scheduler(void) {
    uint32_t claim;
    uint8_t *o = garbage_struct(sizeof(wtm_scheduler_options), &claim);
    wtm_scheduler_options *full = (wtm_scheduler_options *)o;
    atomic_uint *context = fresh_context();
    POINTER(wtm_scheduler_options, o, claim, name, "a garbage scheduler");
    POINTER(wtm_scheduler_options, o, claim, on_thread_start, start_hook);
    POINTER(wtm_scheduler_options, o, claim, on_clock_jump, jump_hook);
    POINTER(wtm_scheduler_options, o, claim, log, log_hook);
    bool whole = claim >= sizeof *full && claim <= sizeof *full + 1024;
    if (claim >= offsetof(wtm_scheduler_options, context) && claim < sizeof *full)
        memset(o + offsetof(wtm_scheduler_options, context), 0, claim - offsetof(wtm_scheduler_options, context));
    if (whole) {
        full->context = context;
        full->release = fz_u8() & 1 ? release : NULL;
        full->spin_ns %= 1000000;
        if (fz_u8() & 1) full->flags = 0;
        if (fz_u8() & 1) full->drive %= 3;
        if (fz_u8() & 1) full->log_level %= 4;
        if (fz_u8() & 1) full->thread_stack_bytes %= 1 << 20;
        full->executor.id = fz_u8() & 1 ? 0 : garbage_handle(custom.id);
    }
    wtm_scheduler out = { 1 };
    bool hook = whole && full->release != NULL;
    wtm_status got = wtm_scheduler_create((const wtm_scheduler_options *)o, &out);
    outcome(got, out.id, hook);
    if (got == WTM_OK) FZ_CHECK(wtm_scheduler_shutdown(out, WTM_NEVER) == WTM_OK, "a scheduler that does not go");
    free(o);
}

static void garbage_executor(void) {
    uint32_t claim;
    uint8_t *o = garbage_struct(sizeof(wtm_executor_ops), &claim);
    POINTER(wtm_executor_ops, o, claim, submit, submit);
    wtm_executor out = { 1 };
    atomic_uint *context = fresh_context();
    wtm_status got = wtm_executor_create_custom((const wtm_executor_ops *)o, context, release, &out);
    outcome(got, out.id, true);
    if (got == WTM_OK) FZ_CHECK(wtm_executor_shutdown(out, WTM_NEVER) == WTM_OK, "an executor that does not go");
    free(o);
    uint32_t threads = fz_u32();
    if (threads <= 1024) threads += 1025;
    FZ_CHECK(wtm_executor_create_pool(threads, NULL, &out) == WTM_ERR_LIMIT && out.id == 0, "%u threads", threads);
}

/* Result structs: written within their size alone, and zero after a failure. */
static void garbage_results(void) {
    uint32_t claim;
    uint8_t *info = garbage_struct(sizeof(wtm_timer_info), &claim);
    wtm_status got = wtm_timer_get_info((wtm_timer){ garbage_handle(a_timer.id) }, (wtm_timer_info *)info);
    bool invalid = claim < 4 || claim > sizeof(wtm_timer_info) + 1024;
    FZ_CHECK(memcmp(info, &claim, 4) == 0, "size was changed");
    FZ_CHECK(invalid == (got == WTM_ERR_INVALID), "size %u answers %s", claim, wtm_status_name(got));
    for (uint32_t i = 4; got != WTM_OK && !invalid && i < claim; i++)
        FZ_CHECK(info[i] == 0, "byte %u is not zero after a failure", i);
    for (uint32_t i = sizeof(wtm_timer_info); !invalid && i < claim; i++) FZ_CHECK(info[i] == 0, "the unknown tail is not zero");
    free(info);
    uint8_t *stats = garbage_struct(sizeof(wtm_scheduler_stats), &claim);
    got = wtm_scheduler_get_stats(fz_u8() & 1 ? manual : (wtm_scheduler){ garbage_handle(manual.id) | 1 },
                                  (wtm_scheduler_stats *)stats);
    invalid = claim < 4 || claim > sizeof(wtm_scheduler_stats) + 1024;
    FZ_CHECK(invalid == (got == WTM_ERR_INVALID), "size %u answers %s", claim, wtm_status_name(got));
    for (uint32_t i = 4; got != WTM_OK && !invalid && i < claim; i++)
        FZ_CHECK(stats[i] == 0, "byte %u is not zero after a failure", i);
    free(stats);
}

static void garbage_handles(void) {
    wtm_timer t = { garbage_handle(a_timer.id) };
    wtm_target g = { garbage_handle(target.id) };
    wtm_executor e = { fz_u8() & 1 ? fz_u64() : a_timer.id };
    wtm_scheduler s = { garbage_handle(manual.id) };
    if (s.id == 0) s.id = 1;
    uint64_t out = 1, n = fz_u64();
    uint32_t ran = 1;
    void *context;
    wtm_status got = WTM_OK;
    switch (fz_u8() % 24) {
    case 0: got = wtm_timer_invalidate(t); break;
    case 1: got = wtm_timer_invalidate_and_wait(t, n % 1000); break;
    case 2: got = (wtm_status) - (int)wtm_timer_is_valid(t); break;
    case 3: got = wtm_timer_fire(t); break;
    case 4: got = wtm_timer_reschedule(t, n); break;
    case 5: got = wtm_timer_set_next(t, n); break;
    case 6: got = wtm_timer_get_next(t, &out); break;
    case 7:
        got = wtm_timer_set_interval(t, n, fz_u64());
        FZ_CHECK(got == wtm_timer_set_interval_only(t, n) && got == wtm_timer_set_tolerance(t, n), "three setters differ");
        break;
    case 8: got = wtm_timer_pause(t); break;
    case 9: got = wtm_timer_resume(t); break;
    case 10: got = wtm_target_retain(g); break;
    case 11: got = wtm_target_try_retain(g, &context); break;
    case 12: got = wtm_target_invalidate_timers(g); break;
    case 13:
        (void)wtm_executor_work_timer(n);
        got = e.id == 0 ? WTM_OK : wtm_executor_shutdown(e, n % 1000);
        break;
    case 14: got = wtm_scheduler_next_delay(s, &out); break;
    case 15: got = wtm_scheduler_run_due(s, (uint32_t)n, &ran); break;
    case 16: got = wtm_scheduler_set_wall(s, n); break;
    case 17: got = wtm_scheduler_for_each(s, visit, NULL); break;
    case 18: wtm_scheduler_now(s, (wtm_clock)(int)n); break;
    case 19: wtm_scheduler_fd(s); break;
    case 20:
        FZ_CHECK(strlen(wtm_status_name((wtm_status)(int)n)) > 0 && strlen(wtm_status_message((wtm_status)(int)n)) > 0,
                 "no text");
        break;
    case 21: got = wtm_executor_create_serial(e, &e); break;
    case 22: got = wtm_target_retain((wtm_target){ fz_u64() }); break;
    default: got = wtm_scheduler_advance(s, n % UINT64_C(1000000000), &out); break;
    }
    FZ_CHECK(got >= WTM_ERR_SYSTEM && got <= WTM_RUNNING, "status %d", (int)got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fz_in = (fz_input){ data, data + (size > 4096 ? 4096 : size) };
    memset(releases, 0, sizeof releases);
    memset(taken, 0, sizeof taken);
    contexts = 0;
    wtm_scheduler_options so = WTM_SCHEDULER_OPTIONS_INIT;
    so.drive = WTM_DRIVE_MANUAL;
    FZ_CHECK(wtm_scheduler_create(&so, &manual) == WTM_OK, "no manual scheduler");
    so.drive = WTM_DRIVE_HOST;
    FZ_CHECK(wtm_scheduler_create(&so, &host) == WTM_OK, "no host-driven scheduler");
    FZ_CHECK(wtm_target_create(NULL, NULL, &target) == WTM_OK, "no target");
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    ops.submit = submit;
    FZ_CHECK(wtm_executor_create_custom(&ops, NULL, NULL, &custom) == WTM_OK, "no executor");
    a_timer = (wtm_timer){ 0 };
    while (fz_more() && contexts < CONTEXTS) {
        switch (fz_u8() % 8) {
        case 0:
        case 1: garbage_start(); break;
        case 2: garbage_scheduler(); break;
        case 3: garbage_executor(); break;
        case 4: garbage_results(); break;
        default: garbage_handles(); break;
        }
    }
    FZ_CHECK(wtm_scheduler_shutdown(manual, WTM_NEVER) == WTM_OK, "the manual scheduler does not go");
    FZ_CHECK(wtm_scheduler_shutdown(host, WTM_NEVER) == WTM_OK, "the host-driven scheduler does not go");
    wtm_target_close(target, WTM_NEVER);
    FZ_CHECK(wtm_executor_shutdown(custom, WTM_NEVER) == WTM_OK, "the executor does not go");
    for (unsigned i = 0; i < contexts; i++)
        FZ_CHECK(atomic_load(&releases[i]) == (taken[i] ? 1u : 0u), "context %u: %u releases", i, atomic_load(&releases[i]));
    return 0;
}
