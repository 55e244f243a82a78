/* Scheduler shutdown: ends every timer, runs every hook, joins its thread; what is answered during and after it.
 * covers: stop.shutdown life.release.once life.release.last
 * field report: 10, 82, 83 */
#include "harness.h"

static wtm_scheduler s;
static th_counter go, inside;

static void note_release(void *context) { th_probe_note(context, 'R'); }

static wtm_scheduler create(wtm_drive drive, th_probe *probe) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = (uint32_t)drive;
    options.context = probe;
    options.release = note_release;
    wtm_scheduler made = { 0 };
    CHECK_OK(wtm_scheduler_create(&options, &made));
    return made;
}

TEST(every_timer_ends_every_hook_runs_the_thread_is_gone) {
    for (int drive = 0; drive < 3; drive++) {
        unsigned threads = th_base_threads();
        th_probe probe, own;
        th_probe_init(&probe);
        th_probe_init(&own);
        s = create((wtm_drive)drive, &own);
        th_wait_other_threads(threads + (drive == WTM_DRIVE_THREAD));
        wtm_timer timers[100];
        for (int i = 0; i < 100; i++) {
            wtm_timer_options options = th_options(&probe);
            options.delay_ns = TH_HOUR;
            options.flags = i % 4 == 0 ? WTM_TIMER_PAUSED : i % 4 == 1 ? WTM_TIMER_RELEASE_ON_EXECUTOR : 0;
            options.interval_ns = i % 3 ? TH_HOUR : 0;
            CHECK_OK(wtm_timer_start(s, &options, &timers[i]));
        }
        CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
        CHECK_EQ(probe.released, 100);
        CHECK_EQ(probe.ended, 100);
        CHECK_EQ(probe.ticks, 0);
        CHECK_EQ(probe.reason, WTM_REASON_SHUTDOWN);
        CHECK_STR(own.order, "R");
        th_wait_other_threads(threads);
        for (int i = 0; i < 100; i++) CHECK_STATUS(wtm_timer_invalidate(timers[i]), WTM_ERR_GONE);
    }
}

TEST(later_calls_answer_gone) {
    for (int drive = 0; drive < 3; drive++) {
        s = th_scheduler((wtm_drive)drive);
        th_shutdown(s);
        wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
        wtm_timer t = { 7 };
        CHECK_STATUS(wtm_timer_after(s, 0, th_tick, NULL, NULL, &t), WTM_ERR_GONE);
        CHECK_U64(t.id, 0);
        CHECK_STATUS(wtm_scheduler_get_stats(s, &stats), WTM_ERR_GONE);
        CHECK_STATUS(wtm_scheduler_run_due(s, 0, NULL), WTM_ERR_GONE);
        CHECK_STATUS(wtm_scheduler_advance(s, 0, NULL), WTM_ERR_GONE);
        CHECK_STATUS(wtm_scheduler_set_wall(s, 0), WTM_ERR_GONE);
        CHECK_EQ(wtm_scheduler_fd(s), -1);
        CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_GONE);
    }
}

static void block(th_probe *probe) {
    (void)probe;
    th_counter_add(&inside, 1);
    th_counter_wait(&go, 1);
}
static void *shut_down_thread(void *argument) {
    *(wtm_status *)argument = wtm_scheduler_shutdown(s, WTM_NEVER);
    return NULL;
}

/* While it is under way (a callback holds it up): start is refused, a second shutdown is told so, and it is never entered twice.
 */
TEST(while_a_shutdown_is_under_way) {
    th_probe probe, own, refused;
    th_probe_init(&probe);
    th_probe_init(&own);
    th_probe_init(&refused);
    th_probe_hold(&probe);
    s = create(WTM_DRIVE_THREAD, &own);
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, NULL));
    th_probe_wait_holding(&probe);
    CHECK_STATUS(wtm_scheduler_shutdown(s, 0), WTM_ERR_TIMED_OUT);
    uint64_t begin = th_now();
    wtm_status status = wtm_scheduler_shutdown(s, 5 * TH_MS);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_TIMED_OUT);
    if (status == WTM_ERR_TIMED_OUT) CHECK_GE(th_now() - begin, 5 * TH_MS);
    wtm_timer t = { 7 };
    wtm_timer_options options = th_options(&refused);
    CHECK_STATUS(wtm_timer_start(s, &options, &t), WTM_ERR_SHUT_DOWN);
    CHECK_U64(t.id, 0);
    CHECK_STATUS(wtm_timer_after(s, 0, th_tick, &refused, th_release, NULL), WTM_ERR_SHUT_DOWN);
    CHECK_STATUS(wtm_timer_every(s, 1, th_tick, &refused, th_release, NULL), WTM_ERR_SHUT_DOWN);
    CHECK_STR(own.order, "");
    wtm_status second = WTM_OK;
    pthread_t waiter = th_thread(shut_down_thread, &second);
    th_probe_let_go(&probe);
    th_join(waiter);
    CHECK(second == WTM_ERR_SHUT_DOWN || second == WTM_ERR_GONE);
    CHECK_STR(probe.order, "tTr");
    CHECK_STR(own.order, "R");
    CHECK_STR(refused.order, "");
    CHECK_STATUS(wtm_scheduler_shutdown(s, 0), WTM_ERR_GONE);
}

TEST(it_waits_for_a_running_callback_and_ends_the_others) {
    th_probe own;
    th_probe_init(&own);
    s = create(WTM_DRIVE_THREAD, &own);
    CHECK_OK(wtm_timer_every(s, TH_HOUR, th_tick, &own, th_release, NULL));
    th_probe probe;
    th_probe_init(&probe);
    th_counter_init(&go), th_counter_init(&inside);
    probe.on_tick = block;
    CHECK_OK(wtm_timer_after(s, 0, th_tick, &probe, th_release, NULL));
    th_counter_wait(&inside, 1);
    th_counter_add(&go, 1);
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
    CHECK_STR(own.order, "rR");
}

static wtm_status from_within;
static void shut_down_from_hook(th_probe *probe) {
    (void)probe;
    from_within = wtm_scheduler_shutdown(s, WTM_NEVER);
}

TEST(a_threads_own_callback_shuts_its_scheduler_down) {
    th_probe own, probe;
    th_probe_init(&own);
    th_probe_init(&probe);
    unsigned threads = th_base_threads();
    s = create(WTM_DRIVE_THREAD, &own);
    probe.on_tick = shut_down_from_hook;
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, NULL));
    th_probe_wait_released(&probe, 1);
    CHECK_STATUS(from_within, WTM_ERR_WOULD_DEADLOCK);
    wtm_status status = wtm_scheduler_shutdown(s, WTM_NEVER);
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_STR(probe.order, "tTr");
    CHECK_STR(own.order, "R");
    th_wait_other_threads(threads);
}

TEST(a_hook_that_a_shutdown_runs_may_not_wait_for_it) {
    th_probe own, probe;
    th_probe_init(&own);
    th_probe_init(&probe);
    s = create(WTM_DRIVE_MANUAL, &own);
    probe.on_release = shut_down_from_hook;
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, &probe, th_release, NULL));
    from_within = WTM_OK;
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
    CHECK_STATUS(from_within, WTM_ERR_WOULD_DEADLOCK);
    CHECK_STR(own.order, "R");
}

static wtm_timer left;
static wtm_status stop_answer;
static void stop_what_is_left(th_probe *probe) {
    (void)probe;
    stop_answer = wtm_timer_invalidate(left);
}

TEST(a_hook_that_a_shutdown_runs_may_stop_what_is_left) {
    th_probe own, probe;
    th_probe_init(&own);
    th_probe_init(&probe);
    s = create(WTM_DRIVE_MANUAL, &own);
    probe.on_release = stop_what_is_left;
    CHECK_OK(wtm_timer_after(s, TH_HOUR, th_tick, &probe, th_release, NULL));
    CHECK_OK(wtm_timer_every(s, TH_HOUR, th_tick, &probe, NULL, &left));
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
    CHECK_OK(stop_answer);
    CHECK_STR(probe.order, "r");
    CHECK_STR(own.order, "R");
}

TEST(a_hosts_call_in_which_its_scheduler_is_shut_down_says_so) {
    th_probe own, probe;
    uint32_t ran = 7;
    th_probe_init(&own);
    th_probe_init(&probe);
    s = create(WTM_DRIVE_HOST, &own);
    probe.on_tick = shut_down_from_hook;
    CHECK_OK(wtm_timer_every(s, 1, th_tick, &probe, th_release, NULL));
    while (probe.ticks == 0) {
        wtm_status status = wtm_scheduler_run_due(s, 0, &ran);
        CHECK_STATUS(status, probe.ticks == 0 ? WTM_OK : WTM_ERR_SHUT_DOWN);
    }
    CHECK_STATUS(from_within, WTM_ERR_WOULD_DEADLOCK);
    CHECK_STR(probe.order, "tTr");
    CHECK_STR(own.order, "R");
    CHECK_STATUS(wtm_scheduler_run_due(s, 0, &ran), WTM_ERR_GONE);
}

/* Starts race with a shutdown: each either is refused and took nothing, or ends with its hooks like any other. */
static th_counter released;
static void count_release(void *context) {
    (void)context;
    th_counter_add(&released, 1);
}
static void tick_nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }
static void *start_until_refused(void *argument) {
    uint64_t started = 0;
    wtm_timer t;
    wtm_status status;
    for (;;) {
        t.id = 7;
        status = wtm_timer_every(s, TH_HOUR, tick_nothing, NULL, count_release, &t);
        if (status != WTM_OK) break;
        started++;
        th_counter_add(&inside, 1);
    }
    CHECK(status == WTM_ERR_SHUT_DOWN || status == WTM_ERR_GONE);
    CHECK_U64(t.id, 0);
    *(uint64_t *)argument = started;
    return NULL;
}

TEST(starts_that_race_with_a_shutdown) {
    for (int round = 0; round < 50; round++) {
        th_counter_init(&released);
        th_counter_init(&inside);
        s = th_real();
        uint64_t started[4] = { 0 }, all = 0;
        pthread_t starters[4];
        for (int i = 0; i < 4; i++) starters[i] = th_thread(start_until_refused, &started[i]);
        th_counter_wait(&inside, 20);
        CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
        for (int i = 0; i < 4; i++) {
            th_join(starters[i]);
            all += started[i];
        }
        CHECK_U64(th_counter_get(&released), all);
    }
}
