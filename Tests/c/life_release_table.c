/* The release hook, by table: every state × every way of ending × where callbacks run × RELEASE_ON_EXECUTOR. In each cell the
 * hook runs exactly once, after `ended`, at the right moment, on the right thread, and the target's hook after it.
 * covers: life.release.once life.release.last life.release.when life.eager stop.nonblocking stop.timeout
 * field report: 7, 8, 11, 12, 20, 33, 35, 36 */
#include "harness.h"

enum state { ARMED, PAUSED, IDLE, QUEUED, RUNNING, states };
enum way { INVALIDATE, WAIT, TARGET_RELEASE, TARGET_CLOSE, TARGET_TIMERS, SHUTDOWN, ways };
static const char *const state_names[] = { "armed", "paused", "idle", "queued", "running" };
static const char *const way_names[] = { "invalidate", "wait", "target_release", "target_close", "target_invalidate_timers",
                                         "shutdown" };

typedef struct cell {
    enum state state;
    enum way way;
    bool custom, on_executor;
    wtm_scheduler s;
    th_queue queue;
    th_probe probe;
    wtm_target target;
    wtm_timer timer;
} cell;

#define HERE \
    "%s, %s, %s%s: ", state_names[c->state], way_names[c->way], c->custom ? "custom executor" : "inline", \
        c->on_executor ? ", RELEASE_ON_EXECUTOR" : ""
#define EXPECT(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, HERE); \
            fprintf(stderr, "order is \"%s\"\n", c->probe.order); \
            th_fail(__FILE__, __LINE__, "false: %s", #condition); \
        } \
    } while (0)

static void *run_tick(void *argument) {
    cell *c = argument;
    if (c->custom) {
        CHECK_EQ(th_queue_run(&c->queue, 1), 1);
    } else {
        wtm_status status = wtm_scheduler_advance(c->s, 0, NULL);
        EXPECT(status == (c->way == SHUTDOWN ? WTM_ERR_SHUT_DOWN : WTM_OK));
    }
    return NULL;
}

/* Runs, on a thread of its own, what the executor still has: the hooks that were queued. */
static void *run_rest(void *argument) {
    cell *c = argument;
    if (c->custom) th_queue_run(&c->queue, 100);
    else if (c->way != SHUTDOWN) CHECK_OK(wtm_scheduler_advance(c->s, 0, NULL));
    return NULL;
}

static void prepare(cell *c, pthread_t *helper) {
    c->s = th_manual();
    th_probe_init(&c->probe);
    if (c->custom) th_queue_init(&c->queue);
    CHECK_OK(wtm_target_create(&c->probe, th_target_hook, &c->target));
    wtm_timer_options options = th_options(&c->probe);
    options.target = c->target;
    if (c->custom) options.executor = c->queue.executor;
    if (c->on_executor) options.flags |= WTM_TIMER_RELEASE_ON_EXECUTOR;
    if (c->state == PAUSED) options.flags |= WTM_TIMER_PAUSED;
    if (c->state == IDLE) options.flags |= WTM_TIMER_KEEP;
    if (c->state == ARMED) options.delay_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(c->s, &options, &c->timer));
    if (c->state == RUNNING) th_probe_hold(&c->probe);
    bool due = c->state == QUEUED || c->state == IDLE || c->state == RUNNING;
    if (due && (c->custom || c->state == IDLE)) CHECK_U64(th_advance(c->s, 0), 1);
    if (c->state == IDLE && c->custom) CHECK_EQ(th_queue_run(&c->queue, 1), 1);
    if (c->state == RUNNING) {
        *helper = th_thread(run_tick, c);
        th_probe_wait_holding(&c->probe);
    }
    static const uint32_t shown[] = { WTM_STATE_ARMED, WTM_STATE_PAUSED, WTM_STATE_IDLE, WTM_STATE_QUEUED, WTM_STATE_RUNNING };
    EXPECT(th_info(c->timer).state == shown[c->state]);
}

static wtm_status end(cell *c) {
    switch (c->way) {
    case INVALIDATE: return wtm_timer_invalidate(c->timer);
    case WAIT: return wtm_timer_invalidate_and_wait(c->timer, 0);
    case TARGET_RELEASE: return wtm_target_release(c->target);
    case TARGET_CLOSE: return wtm_target_close(c->target, 0);
    case TARGET_TIMERS: return wtm_target_invalidate_timers(c->target);
    default: return wtm_scheduler_shutdown(c->s, 0);
    }
}

/* With a time limit of 0 the waiting ways time out where there is something to wait for. */
static wtm_status expected(const cell *c) {
    bool queued_hook = c->on_executor && (c->custom || c->way != SHUTDOWN);
    if (c->way == INVALIDATE) return c->state == RUNNING ? WTM_RUNNING : WTM_OK;
    if (c->way == WAIT || c->way == TARGET_CLOSE || c->way == SHUTDOWN)
        return c->state == RUNNING || queued_hook ? WTM_ERR_TIMED_OUT : WTM_OK;
    return WTM_OK;
}

static void check_after_end(cell *c) {
    bool target_died = c->way == TARGET_RELEASE || c->way == TARGET_CLOSE;
    EXPECT(!wtm_timer_is_valid(c->timer));
    CHECK_STATUS(wtm_timer_invalidate(c->timer), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(c->timer, 0), WTM_ERR_GONE);
    EXPECT(wtm_target_is_alive(c->target) == !target_died);
    if (c->state == RUNNING) {
        CHECK_STR(c->probe.order, "t"); /* nothing touches the context while the callback has it */
    } else if (!c->on_executor) {
        EXPECT(c->probe.released == 1 && c->probe.ended == 1);
        EXPECT(pthread_equal(c->probe.release_thread, pthread_self()));
        EXPECT(pthread_equal(c->probe.ended_thread, pthread_self()));
        EXPECT(c->probe.hooks == (unsigned)target_died);
    } else if (expected(c) == WTM_ERR_TIMED_OUT || c->way == INVALIDATE || c->way == TARGET_RELEASE || c->way == TARGET_TIMERS) {
        EXPECT(c->probe.released == 0);
        EXPECT(c->probe.hooks == 0);
    }
}

static void finish(cell *c, pthread_t helper) {
    bool ran = c->state == IDLE || c->state == RUNNING;
    if (c->state == RUNNING) {
        th_probe_let_go(&c->probe);
        th_join(helper);
        if (!c->on_executor) {
            EXPECT(c->probe.released == 1);
            EXPECT(pthread_equal(c->probe.release_thread, helper));
        } /* on an executor's own thread its hook may follow at once */
    }
    bool was_released = c->probe.released == 1;
    pthread_t runner = th_thread(run_rest, c);
    th_join(runner);
    if (c->way == SHUTDOWN) {
        wtm_status status = wtm_scheduler_shutdown(c->s, TH_LIMIT);
        EXPECT(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    }
    EXPECT(c->probe.released == 1);
    if (!was_released && c->custom) EXPECT(pthread_equal(c->probe.release_thread, runner));
    CHECK_STATUS(wtm_timer_invalidate_and_wait(c->timer, WTM_NEVER), WTM_ERR_GONE);
    if (c->way == TARGET_RELEASE || c->way == TARGET_CLOSE) CHECK_STATUS(wtm_target_release(c->target), WTM_ERR_GONE);
    else CHECK_OK(wtm_target_release(c->target));
    CHECK_STR(c->probe.order, ran ? "tTerh" : "erh");
    EXPECT(c->probe.reason == (c->way == SHUTDOWN                                   ? WTM_REASON_SHUTDOWN
                               : c->way == TARGET_RELEASE || c->way == TARGET_CLOSE ? WTM_REASON_TARGET_GONE
                                                                                    : WTM_REASON_INVALIDATED));
    EXPECT(c->probe.timer.id == c->timer.id);
    if (c->way != SHUTDOWN) {
        wtm_scheduler_stats stats = th_stats(c->s);
        EXPECT(stats.live == 0 && stats.created == 1 && stats.ended[c->probe.reason] == 1);
        th_shutdown(c->s);
    }
    if (c->custom) {
        CHECK_OK(wtm_executor_shutdown(c->queue.executor, TH_LIMIT));
        EXPECT(c->queue.released == 1);
    }
    EXPECT(c->probe.released == 1 && c->probe.ended == 1 && c->probe.hooks == 1);
}

static void run_table(bool custom, bool on_executor) {
    static cell room; /* the queue is large */
    for (int state = 0; state < states; state++) {
        if (state == QUEUED && !custom) continue; /* inline ticks are never queued */
        for (int way = 0; way < ways; way++) {
            cell *c = &room;
            memset(c, 0, sizeof *c);
            c->state = (enum state)state;
            c->way = (enum way)way;
            c->custom = custom;
            c->on_executor = on_executor;
            pthread_t helper = pthread_self();
            prepare(c, &helper);
            wtm_status status = end(c);
            EXPECT(status == expected(c));
            check_after_end(c);
            finish(c, helper);
        }
    }
}

TEST(inline_callbacks) { run_table(false, false); }
TEST(inline_callbacks_release_on_executor) { run_table(false, true); }
TEST(custom_executor) { run_table(true, false); }
TEST(custom_executor_release_on_executor) { run_table(true, true); }
