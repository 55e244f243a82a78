/* Each kind of executor, times each way of ending, times each order of shutdown, with and without RELEASE_ON_EXECUTOR, the tick
 * delivered or still queued: the ended hook and the release hook run exactly once, with the right reason, and nothing runs after.
 */
#include "exec_hand.h"
#include "time_record.h"

/* covers: life.release.once life.release.last stop.none-after */
enum kind { INLINE, POOL, SERIAL, HAND, INSIDE, KINDS };
enum ending { COMPLETED, INVALIDATED, BY_ITSELF, WAITED, TARGET, CLOSED, LEFT_TO_SHUTDOWN, ENDINGS };
enum order { SCHEDULER_FIRST, EXECUTOR_FIRST, ORDERS };

static struct {
    unsigned ticks, ended, released, hooked;
    bool is_hot;
    wtm_reason reason;
    enum ending ending;
} world;

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)tick;
    CHECK(context == &world);
    CHECK_EQ(__atomic_load_n(&world.ended, __ATOMIC_SEQ_CST), 0);
    __atomic_add_fetch(&world.ticks, 1, __ATOMIC_SEQ_CST);
    if (world.ending != BY_ITSELF) return;
    wtm_status status = wtm_timer_invalidate(timer);
    /* In real time the shutdown may have ended it first. */
    CHECK(status == WTM_RUNNING || (world.is_hot && status == WTM_ERR_GONE));
}

static void on_ended(wtm_timer timer, wtm_reason reason, void *context) {
    CHECK(context == &world);
    CHECK_EQ(__atomic_load_n(&world.released, __ATOMIC_SEQ_CST), 0);
    CHECK_STATUS(wtm_timer_invalidate(timer), WTM_ERR_GONE);
    world.reason = reason;
    __atomic_add_fetch(&world.ended, 1, __ATOMIC_SEQ_CST);
}

static void on_release(void *context) {
    CHECK(context == &world);
    CHECK_EQ(__atomic_load_n(&world.ended, __ATOMIC_SEQ_CST), 1);
    CHECK_EQ(__atomic_load_n(&world.hooked, __ATOMIC_SEQ_CST), 0);
    __atomic_add_fetch(&world.released, 1, __ATOMIC_SEQ_CST);
}

static void on_target_hook(void *context) {
    CHECK(context == &world);
    CHECK_EQ(__atomic_load_n(&world.released, __ATOMIC_SEQ_CST), 1);
    __atomic_add_fetch(&world.hooked, 1, __ATOMIC_SEQ_CST);
}

static bool run_inside(void *context, void (*run)(uint64_t), uint64_t work) {
    (void)context;
    run(work);
    return true;
}

static void *work_off(void *argument) {
    hand_run_all(argument);
    return NULL;
}

static struct {
    wtm_executor pool, executor;
    hand h;
    bool needs_us; /* a hook that only this thread can bring on: waiting for it here would be for ever */
} exec;

static void make_executor(enum kind kind) {
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    ops.submit = run_inside;
    exec.pool.id = exec.executor.id = 0;
    switch (kind) {
    case POOL: CHECK_OK(wtm_executor_create_pool(2, NULL, &exec.executor)); break;
    case SERIAL:
        CHECK_OK(wtm_executor_create_pool(2, NULL, &exec.pool));
        CHECK_OK(wtm_executor_create_serial(exec.pool, &exec.executor));
        break;
    case HAND: exec.executor = hand_executor(&exec.h); break;
    case INSIDE: CHECK_OK(wtm_executor_create_custom(&ops, NULL, NULL, &exec.executor)); break;
    default: break;
    }
}

static void drop_executor(enum kind kind) {
    if (kind == INLINE) return;
    CHECK_OK(wtm_executor_shutdown(exec.executor, TH_LIMIT));
    if (kind == SERIAL) CHECK_OK(wtm_executor_shutdown(exec.pool, TH_LIMIT));
}

static void drop_scheduler(wtm_scheduler s, enum kind kind) {
    wtm_status status = wtm_scheduler_shutdown(s, kind == HAND ? 0 : TH_LIMIT);
    if (status == WTM_ERR_TIMED_OUT && kind == HAND) { /* a hook was handed to the custom executor */
        th_join(th_thread(work_off, &exec.h));
        status = wtm_scheduler_shutdown(s, TH_LIMIT);
        CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
        return;
    }
    CHECK_STATUS(status, WTM_OK);
}

static void end_it(enum ending ending, wtm_timer t, wtm_target target) {
    wtm_status status;
    switch (ending) {
    case INVALIDATED: CHECK_OK(wtm_timer_invalidate(t)); break;
    case WAITED:
        status = wtm_timer_invalidate_and_wait(t, exec.needs_us ? 0 : WTM_NEVER);
        CHECK(status == WTM_OK || (exec.needs_us && status == WTM_ERR_TIMED_OUT));
        break;
    case TARGET: CHECK_OK(wtm_target_release(target)); break;
    case CLOSED:
        status = wtm_target_close(target, exec.needs_us ? 0 : TH_LIMIT);
        CHECK(status == WTM_OK || (exec.needs_us && status == WTM_ERR_TIMED_OUT));
        break;
    default: break;
    }
}

static void one(enum kind kind, enum ending ending, enum order order, bool on_executor, bool leave_queued) {
    static const wtm_reason reasons[] = { WTM_REASON_COMPLETED,   WTM_REASON_INVALIDATED, WTM_REASON_INVALIDATED,
                                          WTM_REASON_INVALIDATED, WTM_REASON_TARGET_GONE, WTM_REASON_TARGET_GONE,
                                          WTM_REASON_SHUTDOWN };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_target target = { 0 };
    wtm_timer t = { 0 };
    memset(&world, 0, sizeof world);
    memset(&exec, 0, sizeof exec);
    world.ending = ending;
    wtm_scheduler s = th_manual();
    make_executor(kind);
    exec.needs_us = on_executor && (kind == HAND || kind == INLINE);
    bool targeted = ending == TARGET || ending == CLOSED;
    if (targeted) CHECK_OK(wtm_target_create(&world, on_target_hook, &target));
    options.fn = on_tick;
    options.context = &world;
    options.ended = on_ended;
    options.release = on_release;
    options.target = target;
    options.executor = exec.executor;
    options.flags = on_executor ? WTM_TIMER_RELEASE_ON_EXECUTOR : 0;
    options.delay_ns = 100;
    options.interval_ns = ending == COMPLETED ? 0 : 100;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_advance(s, 100);
    if (kind == HAND && !leave_queued) th_join(th_thread(work_off, &exec.h));
    CHECK_EQ(world.ticks, leave_queued ? 0 : 1);
    end_it(ending, t, target);
    bool live = ending == LEFT_TO_SHUTDOWN || (leave_queued && (ending == COMPLETED || ending == BY_ITSELF));
    CHECK_EQ(wtm_timer_is_valid(t), live);
    if (kind == INLINE && on_executor) th_advance(s, 0);
    if (kind == HAND && !leave_queued) th_join(th_thread(work_off, &exec.h)); /* the hook */
    if (order == SCHEDULER_FIRST) drop_scheduler(s, kind);
    drop_executor(kind);
    if (order == EXECUTOR_FIRST) drop_scheduler(s, INLINE);
    if (kind == HAND) hand_run_all(&exec.h); /* late: does nothing */
    CHECK_EQ(world.ended, 1);
    CHECK_EQ(world.released, 1);
    CHECK_EQ(world.hooked, targeted);
    CHECK_LE(world.ticks, 1);
    if (!(leave_queued && live)) CHECK_EQ(world.reason, reasons[ending]);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
}

TEST(hooks_run_exactly_once_in_every_combination) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int ending = 0; ending < ENDINGS; ending++)
            for (int order = 0; order < ORDERS; order++)
                for (int on_executor = 0; on_executor < 2; on_executor++) one(kind, ending, order, on_executor != 0, false);
}

TEST(and_when_the_tick_is_still_queued) {
    for (int ending = 0; ending < ENDINGS; ending++)
        for (int order = 0; order < ORDERS; order++)
            for (int on_executor = 0; on_executor < 2; on_executor++) one(HAND, ending, order, on_executor != 0, true);
}

/* On a real scheduler with a hot timer, many times over. */
static void hot(enum kind kind, enum ending ending, enum order order, bool on_executor) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_target target = { 0 };
    wtm_timer t = { 0 };
    memset(&world, 0, sizeof world);
    memset(&exec, 0, sizeof exec);
    world.ending = ending;
    world.is_hot = true;
    wtm_scheduler s = th_real();
    make_executor(kind);
    bool targeted = ending == TARGET || ending == CLOSED;
    if (targeted) CHECK_OK(wtm_target_create(&world, on_target_hook, &target));
    options.fn = on_tick;
    options.context = &world;
    options.ended = on_ended;
    options.release = on_release;
    options.target = target;
    options.executor = exec.executor;
    options.flags = on_executor ? WTM_TIMER_RELEASE_ON_EXECUTOR : 0;
    options.interval_ns = 10 * US;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    uint64_t until = th_now() + 100 * US;
    while (th_now() < until) continue;
    if (ending == INVALIDATED) CHECK_GE((uint64_t)wtm_timer_invalidate(t), WTM_OK);
    else end_it(ending, t, target);
    if (ending == WAITED) CHECK_EQ(world.released, 1);
    if (ending == CLOSED) CHECK_EQ(world.hooked, 1);
    if (order == EXECUTOR_FIRST) drop_executor(kind);
    drop_scheduler(s, kind);
    if (order == SCHEDULER_FIRST) drop_executor(kind);
    CHECK_EQ(world.ended, 1);
    CHECK_EQ(world.released, 1);
    CHECK_EQ(world.hooked, targeted);
}

TEST(and_on_a_hot_timer_in_real_time) {
    static const enum kind kinds[] = { INLINE, POOL, SERIAL, INSIDE };
    for (int round = 0; round < 5; round++)
        for (int k = 0; k < 4; k++)
            for (int ending = INVALIDATED; ending < ENDINGS; ending++)
                for (int order = 0; order < ORDERS; order++)
                    for (int on_executor = 0; on_executor < 2; on_executor++) hot(kinds[k], ending, order, on_executor != 0);
}
