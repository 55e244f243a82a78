/* RELEASE_ON_EXECUTOR: the release hook runs where the callbacks run, on every executor and in every way of ending. */
#include "exec_hand.h"
#include "time_record.h"

#include <sys/prctl.h>

/* covers: life.release.when life.release.once */
static struct {
    th_counter released;
    pthread_t thread;
    char name[16];
} rel;

static void note_release(void *context) {
    (void)context;
    rel.thread = pthread_self();
    prctl(PR_GET_NAME, rel.name);
    th_counter_add(&rel.released, 1);
}

static wtm_timer on(wtm_scheduler s, wtm_executor e, uint64_t interval, uint64_t delay, wtm_target target) {
    return START(s, .executor = e, .interval_ns = interval, .delay_ns = delay, .release = note_release,
                 .flags = WTM_TIMER_RELEASE_ON_EXECUTOR, .target = target);
}

static wtm_scheduler begin(wtm_drive drive) {
    wtm_scheduler s = th_scheduler(drive);
    memset(&rec, 0, sizeof rec);
    memset(&rel, 0, sizeof rel);
    th_counter_init(&rel.released);
    rec.scheduler = s;
    return s;
}

static const wtm_target none = { 0 };
static const wtm_executor inline_executor = { 0 };

TEST(on_a_pool_and_a_serial_queue_it_runs_on_a_pool_thread) {
    for (int kind = 0; kind < 2; kind++) {
        wtm_executor pool = { 0 }, serial = { 0 };
        wtm_target target = { 0 };
        CHECK_OK(wtm_executor_create_pool(1, "hooks", &pool));
        CHECK_OK(wtm_executor_create_serial(pool, &serial));
        CHECK_OK(wtm_target_create(NULL, NULL, &target));
        wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
        wtm_executor e = kind ? serial : pool;
        on(s, e, 0, 10, none);
        th_advance(s, 10);
        th_counter_wait(&rel.released, 1); /* completed */
        CHECK_STR(rel.name, "hooks");
        CHECK_OK(wtm_timer_invalidate(on(s, e, 100, 0, none)));
        th_counter_wait(&rel.released, 2); /* invalidated */
        CHECK_STR(rel.name, "hooks");
        on(s, e, 100, 0, target);
        CHECK_OK(wtm_target_release(target));
        th_counter_wait(&rel.released, 3); /* target gone */
        CHECK_STR(rel.name, "hooks");
        on(s, e, 100, 0, none);
        th_shutdown(s); /* waited for */
        CHECK_U64(th_counter_get(&rel.released), 4);
        CHECK_STR(rel.name, "hooks");
        CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}

/* covers: stop.wait */
static bool may_stay;
static void advance_in_hook(void *context) {
    wtm_status status = wtm_scheduler_advance(*(wtm_scheduler *)context, 0, NULL);
    CHECK_MSG(status == WTM_OK || (may_stay && status == WTM_ERR_WOULD_DEADLOCK), "advance answers %s", wtm_status_name(status));
    th_counter_add(&rel.released, 1);
}

/* covers: life.borrow */
/* The target's hook runs where the last of its timers' hooks ran: on the pool it is a stay in the scheduler, and where the target was released
 * it is not, should the pool have been quicker. */
TEST(the_targets_hook_that_follows_it_may_ask_to_drive_the_scheduler) {
    for (uint32_t flags = 0; flags <= WTM_TIMER_RELEASE_ON_EXECUTOR; flags += WTM_TIMER_RELEASE_ON_EXECUTOR) {
        wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
        wtm_executor pool;
        wtm_target target;
        may_stay = flags != 0;
        CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
        CHECK_OK(wtm_target_create(&s, advance_in_hook, &target));
        START(s, .executor = pool, .interval_ns = 100, .release = note_release, .flags = flags, .target = target);
        CHECK_OK(wtm_target_release(target));
        th_counter_wait(&rel.released, 2);
        th_shutdown(s);
        CHECK_OK(wtm_executor_shutdown(pool, WTM_NEVER));
    }
}

TEST(stop_and_wait_covers_a_hook_on_the_executor) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    for (uint64_t i = 1; i <= 200; i++) {
        wtm_timer t = on(s, pool, 50 * US, 0, none);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_OK);
        CHECK_U64(th_counter_get(&rel.released), i);
    }
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(inline_means_the_next_advance_or_run_due_or_the_shutdown) {
    wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
    CHECK_OK(wtm_timer_invalidate(on(s, inline_executor, 100, 0, none)));
    CHECK_U64(th_counter_get(&rel.released), 0);
    th_advance(s, 0);
    CHECK_U64(th_counter_get(&rel.released), 1);
    CHECK_OK(wtm_timer_invalidate(on(s, inline_executor, 100, 0, none)));
    th_shutdown(s);
    CHECK_U64(th_counter_get(&rel.released), 2);
    s = begin(WTM_DRIVE_HOST);
    CHECK_OK(wtm_timer_invalidate(on(s, inline_executor, TH_HOUR, 0, none)));
    CHECK_U64(th_counter_get(&rel.released), 0);
    th_run_due(s);
    CHECK_U64(th_counter_get(&rel.released), 1);
    on(s, inline_executor, TH_HOUR, 0, none);
    th_shutdown(s);
    CHECK_U64(th_counter_get(&rel.released), 2);
}

TEST(inline_on_a_scheduler_with_a_thread_means_that_thread) {
    wtm_scheduler s = begin(WTM_DRIVE_THREAD);
    CHECK_OK(wtm_timer_invalidate(on(s, inline_executor, TH_HOUR, 0, none)));
    th_counter_wait(&rel.released, 1);
    CHECK(!pthread_equal(rel.thread, pthread_self()));
    CHECK_STR(rel.name, "wtm-scheduler");
    CHECK_STATUS(wtm_timer_invalidate_and_wait(on(s, inline_executor, TH_HOUR, 0, none), WTM_NEVER), WTM_OK);
    CHECK_U64(th_counter_get(&rel.released), 2);
    th_shutdown(s);
}

TEST(a_refused_hook_runs_at_once_where_the_timer_was_ended) {
    hand h;
    wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
    wtm_executor e = hand_executor(&h);
    wtm_timer t = on(s, e, 100, 0, none);
    h.refuse = true;
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_U64(th_counter_get(&rel.released), 1);
    CHECK(pthread_equal(rel.thread, pthread_self()));
    t = on(s, e, 0, 10, none);
    th_advance(s, 10); /* both tick and hook are refused */
    CHECK_U64(th_counter_get(&rel.released), 2);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(on_a_custom_executor_the_hook_is_work_like_any_other) {
    hand h;
    wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
    wtm_executor e = hand_executor(&h);
    wtm_timer t = on(s, e, 100, 0, none);
    CHECK_OK(wtm_timer_invalidate(t));
    CHECK_U64(th_counter_get(&rel.released), 0);
    CHECK_EQ(hand_waiting(&h), 1);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT); /* its hook is still to come */
    hand_run_one(&h);
    CHECK_U64(th_counter_get(&rel.released), 1);
    h.run(h.work[0]);
    CHECK_U64(th_counter_get(&rel.released), 1);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_GONE);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(hooks_still_queued_run_on_the_thread_that_shuts_the_executor_down) {
    hand h;
    wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
    wtm_executor e = hand_executor(&h);
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_invalidate(on(s, e, 100, 0, none)));
    CHECK_EQ(hand_waiting(&h), 3);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
    CHECK_U64(th_counter_get(&rel.released), 3);
    CHECK(pthread_equal(rel.thread, pthread_self()));
    hand_run_all(&h);
    CHECK_U64(th_counter_get(&rel.released), 3);
    th_shutdown(s);
}

TEST(a_shutdown_waits_for_hooks_that_a_custom_executor_sits_on) {
    for (int way = 0; way < 2; way++) {
        hand h;
        wtm_scheduler s = begin(WTM_DRIVE_MANUAL);
        wtm_executor e = hand_executor(&h);
        on(s, e, 100, 0, none);
        CHECK_STATUS(wtm_scheduler_shutdown(s, 0), WTM_ERR_TIMED_OUT);
        CHECK_U64(th_counter_get(&rel.released), 0);
        if (way == 0) hand_run_all(&h);
        CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
        CHECK_U64(th_counter_get(&rel.released), 1);
        wtm_status status = wtm_scheduler_shutdown(s, TH_LIMIT); /* it went on by itself */
        CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    }
}
