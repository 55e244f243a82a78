/* Struct sizes: today's, smaller (also cut in the middle of a field), larger with a zero and a non-zero tail, below 4, far too
 * large. Each struct stands at the end of a page that is followed by an unreadable one, so that reading past it faults. */
#include "harness.h"

#include <stddef.h>

static const uint32_t absurd_sizes[] = { 0, 1, 2, 3, 1u << 16, INT32_MAX, UINT32_MAX - 1, UINT32_MAX };
enum { absurd_count = sizeof absurd_sizes / sizeof absurd_sizes[0], most_above = 1024 };

/* A copy of `full` cut to `size` bytes (or lengthened by zeros) at the end of a page, with its size field set. */
static void *sized(const void *full, size_t today, uint32_t size) {
    char *copy = th_at_page_end(size < 4 ? 4 : size);
    memcpy(copy, full, size < 4 ? 4 : size < today ? size : today);
    memcpy(copy, &size, 4);
    return copy;
}

static wtm_scheduler manual;
static th_probe probe;

static wtm_status start(const void *options) {
    wtm_timer t = { 7 };
    wtm_status status = wtm_timer_start(manual, options, &t);
    if (status == WTM_OK) CHECK_OK(wtm_timer_invalidate(t));
    else CHECK_U64(t.id, 0);
    return status;
}

TEST(timer_options_of_every_size) {
    th_probe_init(&probe);
    manual = th_manual();
    wtm_timer_options full = th_options(&probe);
    full.tick_limit = 3;
    for (uint32_t size = 4; size <= sizeof full; size++) {
        bool has_fn = size >= offsetof(wtm_timer_options, fn) + sizeof full.fn;
        CHECK_STATUS(start(sized(&full, sizeof full, size)), has_fn ? WTM_OK : WTM_ERR_INVALID);
    }
    for (uint32_t above = 1; above <= most_above; above++) {
        char *longer = sized(&full, sizeof full, (uint32_t)sizeof full + above);
        CHECK_OK(start(longer));
        longer[sizeof full + above - 1] = 1;
        CHECK_STATUS(start(longer), WTM_ERR_INVALID);
    }
    for (int i = 0; i < absurd_count; i++) {
        wtm_timer_options *short_one = sized(&full, sizeof full, sizeof full);
        short_one->size = absurd_sizes[i];
        CHECK_STATUS(start(short_one), WTM_ERR_INVALID);
    }
    wtm_timer_options *just_above = sized(&full, sizeof full, sizeof full);
    just_above->size = sizeof full + most_above + 1;
    CHECK_STATUS(start(just_above), WTM_ERR_INVALID);
    th_shutdown(manual);
}

TEST(a_field_that_is_cut_has_its_default) {
    th_probe_init(&probe);
    manual = th_manual();
    wtm_timer_options full = th_options(&probe);
    full.interval_ns = UINT64_C(0x0101010101010101);
    wtm_timer t = { 0 };
    /* Cut inside interval_ns: a one-shot with no delay, which is due at once. */
    const void *cut = sized(&full, sizeof full, offsetof(wtm_timer_options, interval_ns) + 5);
    CHECK_OK(wtm_timer_start(manual, cut, &t));
    CHECK_U64(th_info(t).interval_ns, 0);
    CHECK_U64(th_advance(manual, 0), 1);
    CHECK_STR(probe.order, "tTer");
    /* Cut inside release and ended: neither runs. */
    cut = sized(&full, sizeof full, offsetof(wtm_timer_options, release) + 7);
    CHECK_OK(wtm_timer_start(manual, cut, &t));
    CHECK_U64(th_advance(manual, 0), 1);
    CHECK_STR(probe.order, "tTertT");
    th_shutdown(manual);
}

TEST(scheduler_options_of_every_size) {
    wtm_scheduler_options full = WTM_SCHEDULER_OPTIONS_INIT;
    full.drive = WTM_DRIVE_MANUAL;
    wtm_scheduler s = { 0 };
    for (uint32_t size = offsetof(wtm_scheduler_options, log_level); size <= sizeof full + most_above; size++) {
        char *options = sized(&full, sizeof full, size);
        CHECK_OK(wtm_scheduler_create((const void *)options, &s));
        CHECK_OK(wtm_scheduler_advance(s, 1, NULL));
        th_shutdown(s);
        if (size <= sizeof full) continue;
        options[size - 1] = 1;
        s.id = 7;
        CHECK_STATUS(wtm_scheduler_create((const void *)options, &s), WTM_ERR_INVALID);
        CHECK_U64(s.id, 0);
    }
    for (uint32_t size = 4; size < offsetof(wtm_scheduler_options, log_level); size += 7) {
        CHECK_OK(wtm_scheduler_create(sized(&full, sizeof full, size), &s)); /* its drive is cut: a thread of its own */
        CHECK_STATUS(wtm_scheduler_advance(s, 1, NULL), WTM_ERR_UNSUPPORTED);
        th_shutdown(s);
    }
    for (int i = 0; i < absurd_count; i++) {
        wtm_scheduler_options *options = sized(&full, sizeof full, sizeof full);
        options->size = absurd_sizes[i];
        CHECK_STATUS(wtm_scheduler_create(options, &s), WTM_ERR_INVALID);
    }
}

static void *lock_weak(void *weak) { return weak; }
static void unlock_strong(void *strong) { (void)strong; }
static bool refuse(void *context, void (*run)(uint64_t), uint64_t work) {
    (void)context, (void)run, (void)work;
    return false;
}

TEST(weak_ops_of_every_size) {
    th_probe_init(&probe);
    manual = th_manual();
    wtm_weak_ops full = WTM_WEAK_OPS_INIT;
    full.lock = lock_weak;
    full.unlock = unlock_strong;
    wtm_timer_options options = th_options(&probe);
    for (uint32_t size = 4; size <= sizeof full + most_above; size++) {
        char *ops = sized(&full, sizeof full, size);
        options.weak = (const void *)ops;
        CHECK_STATUS(start(&options), size >= sizeof full ? WTM_OK : WTM_ERR_INVALID);
        if (size <= sizeof full) continue;
        ops[size - 1] = 1;
        CHECK_STATUS(start(&options), WTM_ERR_INVALID);
    }
    for (int i = 0; i < absurd_count; i++) {
        wtm_weak_ops *ops = sized(&full, sizeof full, sizeof full);
        ops->size = absurd_sizes[i];
        options.weak = ops;
        CHECK_STATUS(start(&options), WTM_ERR_INVALID);
    }
    th_shutdown(manual);
}

TEST(executor_ops_of_every_size) {
    wtm_executor_ops full = WTM_EXECUTOR_OPS_INIT;
    full.submit = refuse;
    for (uint32_t size = 4; size <= sizeof full + most_above; size++) {
        char *ops = sized(&full, sizeof full, size);
        wtm_executor e = { 7 };
        wtm_status status = wtm_executor_create_custom((const void *)ops, NULL, NULL, &e);
        CHECK_STATUS(status, size >= sizeof full ? WTM_OK : WTM_ERR_INVALID);
        if (status != WTM_OK) CHECK_U64(e.id, 0);
        else CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        if (size <= sizeof full) continue;
        ops[size - 1] = 1;
        CHECK_STATUS(wtm_executor_create_custom((const void *)ops, NULL, NULL, &e), WTM_ERR_INVALID);
    }
    for (int i = 0; i < absurd_count; i++) {
        wtm_executor_ops *ops = sized(&full, sizeof full, sizeof full);
        wtm_executor e = { 7 };
        ops->size = absurd_sizes[i];
        CHECK_STATUS(wtm_executor_create_custom(ops, NULL, NULL, &e), WTM_ERR_INVALID);
    }
}

/* A result struct of `size` bytes of noise; after the call its whole fields equal those of `full` and the unknown tail is zero.
 */
static void check_result(wtm_status (*get)(void *), const void *full, size_t today) {
    for (uint32_t size = 4; size <= today + most_above; size++) {
        unsigned char *out = th_at_page_end(size);
        memset(out, 0xee, size);
        memcpy(out, &size, 4);
        CHECK_OK(get(out));
        CHECK_EQ(memcmp(out, &size, 4), 0);
        size_t whole = size < 8 ? 4 : size < today ? size & ~(size_t)7 : today; /* fields begin at multiples of 8 */
        CHECK_MSG(memcmp(out + 4, (const char *)full + 4, whole - 4) == 0, "size %u differs", size);
        for (size_t i = today; i < size; i++) CHECK_EQ(out[i], 0);
    }
    for (int i = 0; i < absurd_count; i++) {
        unsigned char *out = th_at_page_end(today);
        memset(out, 0xee, today);
        memcpy(out, &absurd_sizes[i], 4);
        CHECK_STATUS(get(out), WTM_ERR_INVALID);
        CHECK_EQ(memcmp(out, &absurd_sizes[i], 4), 0);
    }
}

static wtm_timer a_timer;
static wtm_status get_info(void *out) { return wtm_timer_get_info(a_timer, out); }
static wtm_status get_stats(void *out) { return wtm_scheduler_get_stats(manual, out); }

TEST(result_structs_of_every_size) {
    th_probe_init(&probe);
    manual = th_manual();
    wtm_timer_options options = th_options(&probe);
    options.name = "a name of some length, cut nowhere";
    options.interval_ns = 5;
    CHECK_OK(wtm_timer_start(manual, &options, &a_timer));
    CHECK_U64(th_advance(manual, 12), 2);
    wtm_timer_info info = th_info(a_timer);
    CHECK_STR(info.name, options.name);
    check_result(get_info, &info, sizeof info);
    wtm_scheduler_stats stats = th_stats(manual);
    CHECK_U64(stats.ticks, 2);
    check_result(get_stats, &stats, sizeof stats);
    th_shutdown(manual);
}
