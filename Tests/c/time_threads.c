/* Moving one timer from many threads at once: nothing is lost, nothing overlaps, and it can be stopped. */
#include "time_record.h"

/* covers: time.pause time.serial stop.sticky */
/* field report: 43, 46 */
static struct {
    wtm_timer timer;
    th_counter ticks;
    unsigned inside, ended, released;
} shared;

static void tick(wtm_timer timer, const wtm_tick *t, void *context) {
    (void)timer;
    CHECK(context == &shared);
    CHECK_EQ(__atomic_fetch_add(&shared.inside, 1, __ATOMIC_SEQ_CST), 0);
    CHECK_GE(t->now_ns, t->scheduled_ns);
    __atomic_fetch_sub(&shared.inside, 1, __ATOMIC_SEQ_CST);
    th_counter_add(&shared.ticks, 1);
}

static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer;
    CHECK_EQ(reason, WTM_REASON_INVALIDATED);
    CHECK(context == &shared);
    __atomic_fetch_add(&shared.ended, 1, __ATOMIC_SEQ_CST);
}

static void released(void *context) {
    CHECK(context == &shared);
    __atomic_fetch_add(&shared.released, 1, __ATOMIC_SEQ_CST);
}

static void begin(wtm_scheduler s, wtm_executor e) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    memset(&shared, 0, sizeof shared);
    th_counter_init(&shared.ticks);
    options.fn = tick;
    options.ended = ended;
    options.release = released;
    options.context = &shared;
    options.interval_ns = 50 * US;
    options.executor = e;
    CHECK_OK(wtm_timer_start(s, &options, &shared.timer));
}

static void *move_about(void *argument) {
    uint64_t state = (uint64_t)(uintptr_t)argument * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < 4000; i++) {
        uint64_t next = 0;
        wtm_status status = WTM_OK;
        state = state * 6364136223846793005u + 1442695040888963407u;
        switch (state >> 61) {
        case 0: status = wtm_timer_pause(shared.timer); break;
        case 1:
        case 2: status = wtm_timer_resume(shared.timer); break;
        case 3: status = wtm_timer_reschedule(shared.timer, state >> 40 & 0xffff); break;
        case 4: status = wtm_timer_set_next(shared.timer, 0); break;
        case 5: status = wtm_timer_set_interval(shared.timer, 10000 + (state >> 40 & 0xffff), state >> 50 & 0xff); break;
        case 6: status = wtm_timer_fire(shared.timer); break;
        default: status = wtm_timer_get_next(shared.timer, &next);
        }
        CHECK_STATUS(status, WTM_OK);
    }
    return NULL;
}

static void *invalidate(void *argument) {
    (void)argument;
    return (void *)(intptr_t)wtm_timer_invalidate(shared.timer);
}

static void all_at_once(wtm_executor e) {
    wtm_scheduler s = th_real();
    pthread_t threads[8];
    begin(s, e);
    for (uintptr_t i = 0; i < 4; i++) threads[i] = th_thread(move_about, (void *)i);
    for (int i = 0; i < 4; i++) th_join(threads[i]);
    uint64_t so_far = th_counter_get(&shared.ticks);
    CHECK_OK(wtm_timer_resume(shared.timer)); /* however they left it, it goes on from here */
    CHECK_OK(wtm_timer_reschedule(shared.timer, 0));
    th_counter_wait(&shared.ticks, so_far + 10);
    for (int i = 0; i < 8; i++) threads[i] = th_thread(invalidate, NULL);
    int succeeded = 0;
    for (int i = 0; i < 8; i++) {
        wtm_status status = (wtm_status)(intptr_t)th_join(threads[i]);
        CHECK(status == WTM_OK || status == WTM_RUNNING || status == WTM_ERR_GONE);
        succeeded += status != WTM_ERR_GONE;
    }
    CHECK_EQ(succeeded, 1);
    th_shutdown(s);
    CHECK_EQ(shared.ended, 1);
    CHECK_EQ(shared.released, 1);
}

TEST(inline_timers_stand_being_moved_from_four_threads) { all_at_once((wtm_executor){ 0 }); }

TEST(pool_timers_stand_being_moved_from_four_threads) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(3, NULL, &pool));
    all_at_once(pool);
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

static wtm_timer races[2000];
static th_counter go;

static void *pause_and_resume_all(void *argument) {
    th_counter_wait(&go, 1);
    for (int i = 0; i < 2000; i++) {
        wtm_status status = argument ? wtm_timer_pause(races[i]) : wtm_timer_resume(races[i]);
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    }
    return NULL;
}

/* field report: 46 */
TEST(pausing_resuming_and_dropping_at_once_is_clean) {
    wtm_scheduler s = manual_scheduler();
    th_counter_init(&go);
    for (int i = 0; i < 2000; i++) races[i] = START(s, .interval_ns = TH_HOUR);
    pthread_t a = th_thread(pause_and_resume_all, &go), b = th_thread(pause_and_resume_all, NULL);
    th_counter_add(&go, 1);
    for (int i = 0; i < 2000; i++) CHECK_OK(wtm_timer_invalidate(races[i]));
    th_join(a);
    th_join(b);
    CHECK_EQ(rec.released, 2000);
    CHECK_U64(th_stats(s).live, 0);
    th_shutdown(s);
}

static void *resume_at_once(void *argument) {
    CHECK_OK(wtm_timer_resume(*(wtm_timer *)argument));
    return NULL;
}

TEST(a_pause_that_has_returned_holds_until_resume) {
    wtm_scheduler s = th_real();
    begin(s, (wtm_executor){ 0 });
    for (int i = 0; i < 200; i++) {
        CHECK_OK(wtm_timer_pause(shared.timer));
        th_probe probe; /* a callback that had begun may end; after this one no other can have begun */
        th_probe_init(&probe);
        wtm_timer_options options = th_options(&probe);
        CHECK_OK(wtm_timer_start(s, &options, NULL));
        th_probe_wait_ticks(&probe, 1);
        uint64_t count = th_counter_get(&shared.ticks);
        uint64_t until = th_now() + 100 * US;
        while (th_now() < until) continue;
        CHECK_U64(th_counter_get(&shared.ticks), count);
        th_join(th_thread(resume_at_once, &shared.timer));
        th_counter_wait(&shared.ticks, count + 1);
        th_probe_wait_released(&probe, 1);
    }
    CHECK_STATUS(wtm_timer_invalidate_and_wait(shared.timer, WTM_NEVER), WTM_OK);
    th_shutdown(s);
}

static void *set_the_interval(void *argument) {
    wtm_timer *timer = argument;
    for (uint64_t i = 0; i < 20000; i++) {
        CHECK_OK(wtm_timer_set_interval_only(*timer, 1000 * SEC + i));
        CHECK_U64(th_info(*timer).interval_ns, 1000 * SEC + i);
    }
    return NULL;
}

static void *set_the_tolerance(void *argument) {
    wtm_timer *timer = argument;
    for (uint64_t i = 0; i < 20000; i++) {
        CHECK_OK(wtm_timer_set_tolerance(*timer, i));
        CHECK_U64(th_info(*timer).tolerance_ns, i);
    }
    return NULL;
}

TEST(who_sets_the_interval_and_who_sets_the_tolerance_do_not_disturb_each_other) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .interval_ns = 1000 * SEC);
    pthread_t a = th_thread(set_the_interval, &t), b = th_thread(set_the_tolerance, &t);
    th_join(a);
    th_join(b);
    th_shutdown(s);
}
