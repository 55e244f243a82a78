/* Cycles through hooks, queued hooks, nested drives and plain threads; and waits that look like cycles and are none.
 * covers: stop.self stop.wait stop.timeout life.borrow time.serial
 * field report: 19, 22, 23, 24 */
#include "harness.h"

static wtm_scheduler s, other;
static wtm_timer a, b;
static th_probe probe_a, probe_b;
static wtm_status seen;
static const wtm_executor none;

static void reset(void) {
    th_probe_init(&probe_a);
    th_probe_init(&probe_b);
    seen = WTM_OK;
}

static wtm_timer start(wtm_scheduler on, th_probe *probe, wtm_executor executor, uint32_t flags, uint64_t delay) {
    wtm_timer_options options = th_options(probe);
    options.executor = executor;
    options.flags = flags;
    options.delay_ns = delay;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(on, &options, &t));
    return t;
}

/* Each on a scheduler and thread of its own, both inside their callbacks and held there. */
static void start_both_held(void (*on_a)(th_probe *), void (*on_b)(th_probe *)) {
    reset();
    s = th_real();
    other = th_real();
    probe_a.on_tick = on_a;
    probe_b.on_tick = on_b;
    th_probe_hold(&probe_a);
    th_probe_hold(&probe_b);
    a = start(s, &probe_a, none, 0, 0);
    b = start(other, &probe_b, none, 0, 0);
    th_probe_wait_holding(&probe_a);
    th_probe_wait_holding(&probe_b);
}

static void wait_for_b(th_probe *probe) {
    (void)probe;
    seen = wtm_timer_invalidate_and_wait(b, WTM_NEVER);
}

/* b has ended, and its release hook is queued on the thread, or behind the callback, that now waits for it. */
TEST(a_wait_for_a_hook_queued_behind_the_caller) {
    for (int which = 0; which < 4; which++) {
        wtm_executor pool = { 0 }, e = { 0 };
        reset();
        if (which >= 1) CHECK_OK(wtm_executor_create_pool(which == 3 ? 2 : 1, NULL, &pool));
        e = pool;
        if (which == 2) CHECK_OK(wtm_executor_create_serial(pool, &e));
        s = th_real();
        probe_a.on_tick = wait_for_b;
        th_probe_hold(&probe_a);
        b = start(s, &probe_b, which == 0 ? none : e, WTM_TIMER_RELEASE_ON_EXECUTOR, TH_HOUR);
        a = start(s, &probe_a, which == 0 ? none : e, 0, 0);
        th_probe_wait_holding(&probe_a);
        CHECK_OK(wtm_timer_invalidate(b));
        th_probe_let_go(&probe_a);
        th_probe_wait_released(&probe_a, 1);
        CHECK_STATUS(seen, which == 3 ? WTM_ERR_GONE : WTM_ERR_WOULD_DEADLOCK); /* a pool of two has a free thread */
        th_probe_wait_released(&probe_b, 1);
        CHECK_STR(probe_b.order, "er");
        th_shutdown(s);
        if (which == 2) CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        if (which >= 1) CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}

/* b ends inside a callback on its own executor: its hook may follow there at once, or queue behind; never a hang. */
TEST(a_wait_that_ends_a_timer_of_the_callers_own_executor) {
    for (int which = 0; which < 3; which++) {
        wtm_executor pool = { 0 }, e = { 0 };
        reset();
        if (which >= 1) CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
        if (which == 1) e = pool;
        if (which == 2) CHECK_OK(wtm_executor_create_serial(pool, &e));
        s = th_real();
        probe_a.on_tick = wait_for_b;
        b = start(s, &probe_b, e, WTM_TIMER_RELEASE_ON_EXECUTOR, TH_HOUR);
        a = start(s, &probe_a, e, 0, 0);
        th_probe_wait_released(&probe_a, 1);
        CHECK(seen == WTM_OK || seen == WTM_ERR_WOULD_DEADLOCK);
        if (seen == WTM_OK) CHECK_EQ(th_probe_released(&probe_b), 1);
        th_probe_wait_released(&probe_b, 1);
        CHECK(pthread_equal(probe_b.release_thread, probe_a.tick_thread));
        CHECK_STR(probe_b.order, "er");
        th_shutdown(s);
        if (which == 2) CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        if (which >= 1) CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}

static void wait_for_a(th_probe *probe) {
    (void)probe;
    seen = wtm_timer_invalidate_and_wait(a, WTM_NEVER);
}
static void stop_b(th_probe *probe) {
    (void)probe;
    CHECK_OK(wtm_timer_invalidate(b));
}

/* a's callback stops b; b's hook, on the same thread, waits for a. */
TEST(a_hook_inside_a_callback_waits_for_that_callback) {
    reset();
    s = th_manual();
    probe_a.on_tick = stop_b;
    probe_b.on_release = wait_for_a;
    b = start(s, &probe_b, none, 0, 5);
    a = start(s, &probe_a, none, 0, 0);
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
    CHECK_EQ(probe_a.reason, WTM_REASON_INVALIDATED);
    CHECK_STR(probe_a.order, "tTer");
    th_shutdown(s);
}

/* a's callback advances another scheduler, whose callback turns back to the first. */
static void advance_other(th_probe *probe) {
    (void)probe;
    uint64_t ran = 0;
    CHECK_OK(wtm_scheduler_advance(other, 0, &ran));
    CHECK_U64(ran, 1);
}
static void turn_back(th_probe *probe) {
    (void)probe;
    uint64_t ran = 7;
    CHECK_STATUS(wtm_scheduler_advance(s, 0, &ran), WTM_ERR_WOULD_DEADLOCK);
    CHECK_U64(ran, 0);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(a, 0), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    seen = WTM_ERR_WOULD_DEADLOCK;
}
TEST(nested_drives_on_one_thread) {
    reset();
    s = th_manual();
    other = th_manual();
    probe_a.on_tick = advance_other;
    probe_b.on_tick = turn_back;
    a = start(s, &probe_a, none, 0, 0);
    b = start(other, &probe_b, none, 0, 0);
    uint64_t ran = 7;
    CHECK_STATUS(wtm_scheduler_advance(s, 0, &ran), WTM_ERR_SHUT_DOWN);
    CHECK_U64(ran, 0);
    CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_scheduler_shutdown(s, TH_LIMIT), WTM_ERR_GONE);
    th_shutdown(other);
    CHECK_STR(probe_a.order, "tTer");
}

/* WOULD_DEADLOCK comes before TIMED_OUT: once a waits for b, even a question by b is told so. */
static void ask_a_until_told(th_probe *probe) {
    (void)probe;
    do {
        seen = wtm_timer_invalidate_and_wait(a, 0);
        CHECK(seen == WTM_ERR_TIMED_OUT || seen == WTM_ERR_WOULD_DEADLOCK);
    } while (seen == WTM_ERR_TIMED_OUT);
}
static void hold_then_wait_for_b(th_probe *probe) {
    (void)probe;
    wtm_status status = wtm_timer_invalidate_and_wait(b, WTM_NEVER);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
}
TEST(a_question_inside_a_cycle_is_told_would_deadlock) {
    start_both_held(hold_then_wait_for_b, ask_a_until_told);
    th_probe_let_go(&probe_a);
    th_probe_let_go(&probe_b);
    th_probe_wait_released(&probe_a, 1);
    th_probe_wait_released(&probe_b, 1);
    CHECK_STATUS(seen, WTM_ERR_WOULD_DEADLOCK);
    th_shutdown(s), th_shutdown(other);
}

/* A release hook on one thread waits for a timer whose callback waits for the hook's timer. */
static void hold_b_then_wait(th_probe *probe) {
    (void)probe;
    wtm_status status = wtm_timer_invalidate_and_wait(a, TH_LIMIT);
    CHECK(status == WTM_ERR_WOULD_DEADLOCK || status == WTM_ERR_GONE || status == WTM_OK);
    seen = status;
}
static wtm_status from_hook;
static void hook_waits_for_b(th_probe *probe) {
    (void)probe;
    from_hook = wtm_timer_invalidate_and_wait(b, TH_LIMIT);
}
TEST(a_cycle_through_a_hook) {
    for (int i = 0; i < 30; i++) {
        reset();
        s = th_real();
        other = th_manual();
        probe_b.on_tick = hold_b_then_wait;
        probe_a.on_release = hook_waits_for_b;
        th_probe_hold(&probe_b);
        a = start(other, &probe_a, none, 0, TH_HOUR);
        b = start(s, &probe_b, none, 0, 0);
        th_probe_wait_holding(&probe_b);
        th_probe_let_go(&probe_b);
        wtm_status status = wtm_timer_invalidate(a); /* its hook runs here, unless b's callback was first */
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
        th_probe_wait_released(&probe_a, 1);
        th_probe_wait_released(&probe_b, 1);
        CHECK(seen != WTM_ERR_TIMED_OUT && from_hook != WTM_ERR_TIMED_OUT);
        CHECK((seen == WTM_ERR_WOULD_DEADLOCK) + (from_hook == WTM_ERR_WOULD_DEADLOCK) <= 1);
        th_shutdown(s), th_shutdown(other);
    }
}

/* No cycle: a chain main -> a -> b, where b waits for nobody. */
static void *wait_for_a_thread(void *argument) {
    *(wtm_status *)argument = wtm_timer_invalidate_and_wait(a, WTM_NEVER);
    return NULL;
}
TEST(a_chain_of_waits_is_no_cycle) {
    for (int i = 0; i < 30; i++) {
        reset();
        s = th_real();
        other = th_real();
        probe_a.on_tick = wait_for_b;
        th_probe_hold(&probe_a);
        th_probe_hold(&probe_b);
        a = start(s, &probe_a, none, 0, 0);
        b = start(other, &probe_b, none, 0, 0);
        th_probe_wait_holding(&probe_a);
        th_probe_wait_holding(&probe_b);
        wtm_status status = WTM_ERR_SYSTEM;
        pthread_t waiter = th_thread(wait_for_a_thread, &status);
        th_probe_let_go(&probe_a);
        th_probe_let_go(&probe_b);
        th_join(waiter);
        CHECK(status == WTM_OK || status == WTM_ERR_GONE); /* gone, when its callback was over before the wait began */
        CHECK(seen == WTM_OK || seen == WTM_ERR_GONE);
        th_shutdown(s), th_shutdown(other);
    }
}

/* A callback on a pool that belongs to the advance that waits for it. */
static void turn_on_its_advance(th_probe *probe) {
    CHECK_STATUS(wtm_scheduler_advance(s, 1, NULL), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_executor_shutdown(*(wtm_executor *)probe->user, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
    CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}
TEST(a_pool_callback_that_turns_on_its_own_advance_and_pool) {
    reset();
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    s = th_manual();
    probe_a.on_tick = turn_on_its_advance;
    probe_a.user = &pool;
    a = start(s, &probe_a, pool, 0, 0);
    CHECK_STATUS(wtm_scheduler_advance(s, 0, NULL), WTM_ERR_SHUT_DOWN);
    th_probe_wait_released(&probe_a, 1);
    wtm_status status = wtm_executor_shutdown(pool, TH_LIMIT); /* completes after that tick */
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    status = wtm_scheduler_shutdown(s, TH_LIMIT);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_STR(probe_a.order, "tTer");
}
