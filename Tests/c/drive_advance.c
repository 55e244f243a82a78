/* Manual time: advance runs everything that falls due, each at its own virtual time, on the calling thread. */
#include "exec_hand.h"
#include "time_record.h"

/* covers: time.manual */
/* field report: 89, 91 */
static pthread_t caller;
static wtm_scheduler at;

static void check_thread(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tag;
    CHECK(pthread_equal(pthread_self(), caller));
    CHECK_U64(mono(at), tick->now_ns);
}

TEST(callbacks_run_on_the_calling_thread_before_advance_returns) {
    at = manual_scheduler();
    caller = pthread_self();
    rec.during = check_thread;
    START(at, .interval_ns = 7);
    START(at, .interval_ns = 11);
    CHECK_EQ(library_threads(NULL, 0), 0);
    CHECK_U64(th_advance(at, 77), 18);
    CHECK_EQ(rec.count, 18);
    CHECK_U64(mono(at), 77);
    CHECK_EQ(library_threads(NULL, 0), 0);
    th_shutdown(at);
}

TEST(advance_of_zero_fires_what_equals_now) {
    wtm_scheduler s = manual_scheduler();
    CHECK_U64(th_advance(s, 0), 0);
    START(s, .delay_ns = 0);
    START(s, .delay_ns = 1);
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_U64(th_advance(s, 0), 0);
    CHECK_U64(th_advance(s, 1), 1);
    th_shutdown(s);
}

TEST(out_ran_may_be_null) {
    wtm_scheduler s = manual_scheduler();
    START(s, .delay_ns = 5);
    CHECK_OK(wtm_scheduler_advance(s, 10, NULL));
    CHECK_EQ(rec.count, 1);
    th_shutdown(s);
}

static void make_and_move(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    static wtm_timer far;
    (void)timer;
    (void)tick;
    if (tag == 1) {
        START(at, TAG(2), .delay_ns = 0); /* due at this very instant */
        START(at, TAG(3), .delay_ns = 10);
        far = START(at, TAG(4), .delay_ns = SEC);
    }
    if (tag == 3) CHECK_OK(wtm_timer_reschedule(far, 20));
}

TEST(timers_made_or_moved_inside_callbacks_count_within_the_same_advance) {
    at = manual_scheduler();
    rec.during = make_and_move;
    START(at, TAG(1), .delay_ns = 100);
    CHECK_U64(th_advance(at, 130), 4);
    static const uint64_t times[] = { 100, 100, 110, 130 };
    for (uint64_t i = 0; i < 4; i++) {
        CHECK_U64(rec.at[i].tag, i + 1);
        CHECK_U64(rec.at[i].tick.now_ns, times[i]);
    }
    th_shutdown(at);
}

static void drive_inside(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    uint64_t ran = 7;
    (void)timer;
    (void)tick;
    (void)tag;
    CHECK_STATUS(wtm_scheduler_advance(at, 5, &ran), WTM_ERR_WOULD_DEADLOCK);
    CHECK_U64(ran, 0);
}

TEST(advance_from_a_callback_of_the_same_scheduler_would_deadlock) {
    at = manual_scheduler();
    rec.during = drive_inside;
    START(at, .interval_ns = 100);
    CHECK_U64(th_advance(at, 200), 2);
    CHECK_U64(mono(at), 200);
    th_shutdown(at);
}

static wtm_scheduler nested;

static void drive_other(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t ran = 0;
    (void)timer;
    (void)tick;
    CHECK_OK(wtm_scheduler_advance(nested, 50, &ran));
    *(uint64_t *)context += ran;
}

TEST(advance_of_another_scheduler_from_a_callback_works) {
    at = manual_scheduler();
    nested = th_manual();
    uint64_t inner_ticks = 0;
    CHECK_OK(wtm_timer_every(nested, 25, record, NULL, NULL, NULL));
    CHECK_OK(wtm_timer_every(at, 100, drive_other, &inner_ticks, NULL, NULL));
    CHECK_U64(th_advance(at, 300), 3);
    CHECK_U64(inner_ticks, 6);
    CHECK_EQ(rec.count, 6);
    CHECK_U64(mono(nested), 150);
    th_shutdown(nested);
    th_shutdown(at);
}

static struct {
    uint64_t inside, total;
} together;

static void never_twice_at_once(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    CHECK_U64(__atomic_fetch_add(&together.inside, 1, __ATOMIC_SEQ_CST), 0);
    uint64_t until = th_now() + 20 * US;
    while (th_now() < until) continue;
    __atomic_fetch_sub(&together.inside, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&together.total, 1, __ATOMIC_SEQ_CST);
}

static void *advance_often(void *argument) {
    uint64_t total = 0;
    for (int i = 0; i < 500; i++) total += th_advance(*(wtm_scheduler *)argument, 10);
    return (void *)(uintptr_t)total;
}

TEST(two_threads_advance_one_after_the_other) {
    wtm_scheduler s = th_manual();
    memset(&together, 0, sizeof together);
    CHECK_OK(wtm_timer_every(s, 5, never_twice_at_once, NULL, NULL, NULL));
    pthread_t a = th_thread(advance_often, &s), b = th_thread(advance_often, &s);
    uint64_t ran = (uint64_t)(uintptr_t)th_join(a);
    ran += (uint64_t)(uintptr_t)th_join(b);
    CHECK_U64(mono(s), 10000);
    CHECK_U64(ran, 2000);
    CHECK_U64(together.total, 2000);
    th_shutdown(s);
}

static void shut_down_inside(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    (void)tag;
    if (rec.count == 2) CHECK_STATUS(wtm_scheduler_shutdown(at, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}

/* covers: stop.shutdown */
TEST(a_shutdown_meanwhile_makes_advance_answer_shut_down) {
    uint64_t ran = 7;
    at = manual_scheduler();
    rec.during = shut_down_inside;
    START(at, .interval_ns = 100);
    CHECK_STATUS(wtm_scheduler_advance(at, 1000, &ran), WTM_ERR_SHUT_DOWN);
    CHECK_U64(ran, 0);
    CHECK_EQ(rec.count, 2);
    CHECK_EQ(rec.released, 1);
    CHECK_EQ(rec.reason, WTM_REASON_SHUTDOWN);
    wtm_status status = wtm_scheduler_advance(at, 1, &ran);
    CHECK(status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
    CHECK_STATUS(wtm_scheduler_shutdown(at, WTM_NEVER), WTM_ERR_GONE);
}

static struct {
    uint64_t ticks;
    pthread_t thread;
} pooled;

static void pool_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    CHECK(!pthread_equal(pthread_self(), caller));
    CHECK_U64(tick->now_ns, tick->scheduled_ns); /* handed over at its virtual time, and time stands still meanwhile */
    CHECK_U64(mono(*(wtm_scheduler *)context), tick->now_ns);
    uint64_t until = th_now() + 50 * US;
    while (th_now() < until) continue;
    __atomic_fetch_add(&pooled.ticks, 1, __ATOMIC_SEQ_CST);
}

TEST(ticks_for_pools_and_serial_queues_are_waited_for) {
    wtm_executor pool = { 0 }, serial = { 0 };
    CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
    CHECK_OK(wtm_executor_create_serial(pool, &serial));
    caller = pthread_self();
    for (int kind = 0; kind < 2; kind++) {
        wtm_scheduler s = th_manual();
        pooled.ticks = 0;
        for (int i = 0; i < 5; i++) {
            wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
            options.fn = pool_tick;
            options.context = &s;
            options.interval_ns = 100;
            options.executor = kind ? serial : pool;
            CHECK_OK(wtm_timer_start(s, &options, NULL));
        }
        CHECK_U64(th_advance(s, 1000), 50);
        CHECK_U64(pooled.ticks, 50);
        th_shutdown(s);
    }
    CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(ticks_for_custom_executors_are_not_waited_for) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    START(s, .interval_ns = 100, .executor = e);
    START(s, .delay_ns = 350, .executor = e);
    CHECK_U64(th_advance(s, 1000), 2); /* handed over */
    CHECK_EQ(rec.count, 0);
    CHECK_EQ(hand_waiting(&h), 2);
    hand_run_all(&h);
    CHECK_EQ(rec.count, 2);
    EXPECT_TICK(0, 10, 9, 1000, 1000, 1100);
    EXPECT_TICK(1, 1, 0, 350, 1000, WTM_NEVER);
    th_shutdown(s);
}

TEST(drive_functions_of_another_drive_are_unsupported) {
    wtm_scheduler manual = th_manual(), host = th_host(), real = th_real();
    uint32_t ran = 7;
    uint64_t ran64 = 7;
    CHECK_STATUS(wtm_scheduler_advance(host, 1, &ran64), WTM_ERR_UNSUPPORTED);
    CHECK_U64(ran64, 0);
    CHECK_STATUS(wtm_scheduler_advance(real, 1, NULL), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_set_wall(host, 1), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_set_wall(real, 1), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_run_due(manual, 0, &ran), WTM_ERR_UNSUPPORTED);
    CHECK_EQ(ran, 0);
    CHECK_STATUS(wtm_scheduler_run_due(real, 0, NULL), WTM_ERR_UNSUPPORTED);
    CHECK_EQ(wtm_scheduler_fd(manual), -1);
    CHECK_EQ(wtm_scheduler_fd(real), -1);
    CHECK_EQ(wtm_scheduler_fd((wtm_scheduler){ 99 }), -1);
    CHECK(wtm_scheduler_fd(host) >= 0);
    th_shutdown(manual);
    th_shutdown(real);
    th_shutdown(host);
    CHECK_EQ(wtm_scheduler_fd(host), -1);
}
