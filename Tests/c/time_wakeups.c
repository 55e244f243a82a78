/* Wake-ups in real time, by our own statistic and by the kernel's count of the thread's context switches. */
#include "time_record.h"

/* Ticks are counted without a lock, and only the awaited one wakes the test: a callback that had to wait for the test's lock
 * would be counted by the kernel as a sleep of the library's thread. */
static uint64_t ticks, awaited;
static th_counter reached;
static pid_t thread_id;
static th_counter thread_up;

static void note_thread(void *context) {
    (void)context;
    thread_id = gettid();
    th_counter_add(&thread_up, 1);
}

static wtm_scheduler observed(void) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    th_counter_init(&thread_up);
    th_counter_init(&reached);
    ticks = awaited = 0;
    options.on_thread_start = note_thread;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    return s;
}

static uint64_t switches(void) { return th_thread_status(thread_id, "voluntary_ctxt_switches", 10); }

static void count_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    uint64_t count = __atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST), goal = __atomic_load_n(&awaited, __ATOMIC_SEQ_CST);
    if (goal != 0 && count >= goal && __atomic_compare_exchange_n(&awaited, &goal, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        th_counter_add(&reached, 1);
}

static uint64_t ticks_so_far(void) { return __atomic_load_n(&ticks, __ATOMIC_SEQ_CST); }

static void await_ticks(uint64_t n) {
    uint64_t before = th_counter_get(&reached);
    __atomic_store_n(&awaited, n, __ATOMIC_SEQ_CST);
    if (ticks_so_far() >= n && __atomic_exchange_n(&awaited, 0, __ATOMIC_SEQ_CST) == n) return;
    th_counter_wait(&reached, before + 1);
}

static uint64_t random_state = 0x2545f4914f6cdd1du;
static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static wtm_timer tolerant(wtm_scheduler s, uint64_t delay, uint64_t interval, uint64_t tolerance) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t = { 0 };
    options.fn = count_tick;
    options.delay_ns = delay;
    options.interval_ns = interval;
    options.tolerance_ns = tolerance;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

/* A wait of so long by the clock: on a counter that nobody counts up. */
static void let_pass(uint64_t ns) {
    static th_counter nobody = TH_COUNTER_INIT;
    CHECK(!th_counter_wait_for(&nobody, 1, ns));
}

/* covers: time.tolerance */
/* field report: 66 */
TEST(a_thousand_timers_of_100_ms_tolerance_share_three_wake_ups) {
    wtm_scheduler s = observed();
    uint64_t base = th_now() + 1500 * MS;
    for (int i = 0; i < 1000; i++) tolerant(s, base + next_random() % (100 * MS) - th_now(), 0, 100 * MS);
    th_counter_wait(&thread_up, 1);
    let_pass(100 * MS);
    CHECK(th_now() < base); /* else this machine is too slow to tell anything */
    CHECK_U64(ticks_so_far(), 0);
    uint64_t wakeups = th_stats(s).wakeups, context_switches = switches();
    await_ticks(1000);
    CHECK_LE(th_stats(s).wakeups - wakeups, 3);
    CHECK_LE(switches() - context_switches, 4); /* one more for a lock that the starts contended */
    th_shutdown(s);
}

/* From before the first start, in the order of rising, of falling and of random deadlines, with and without time between two starts. */
TEST(starting_a_thousand_timers_of_100_ms_tolerance_costs_few_wake_ups_more) {
    for (int order = 0; order < 3; order++) {
        for (unsigned pause = 0; pause < 2; pause++) {
            wtm_scheduler s = observed();
            th_counter_wait(&thread_up, 1);
            uint64_t base = th_now() + 1500 * MS, ran = ticks_so_far();
            for (unsigned i = 0; i < 1000; i++) {
                uint64_t place = order == 0 ? i : order == 1 ? 999 - i : next_random() % 1000;
                tolerant(s, base + place * (100 * US) - th_now(), 0, 100 * MS);
                uint64_t until = th_now() + pause * 50 * US;
                while (th_now() < until) {}
            }
            CHECK(th_now() < base); /* else this machine is too slow to tell anything */
            await_ticks(ran + 1000);
            CHECK_LE(th_stats(s).wakeups, 3 + 2 + 3); /* two more, as a rule; where others have the processors a few */
            th_shutdown(s);
        }
    }
}

/* covers: time.tolerance */
TEST(ten_thousand_timers_of_10_percent_cost_16_wake_ups_a_second) {
    wtm_scheduler s = observed();
    for (int i = 0; i < 10000; i++) tolerant(s, SEC + next_random() % SEC, SEC, 100 * MS);
    await_ticks(11000);
    uint64_t before = ticks_so_far(), wakeups = th_stats(s).wakeups, context_switches = switches(), begin = th_now();
    let_pass(3 * SEC);
    uint64_t passed = th_now() - begin;
    CHECK_LE(th_stats(s).wakeups - wakeups, 16 * passed / SEC + 1);
    CHECK_LE(switches() - context_switches, 16 * passed / SEC + 16); /* blocking on a lock counts there too */
    CHECK_GE(ticks_so_far() - before, 10000 * 2);
    th_shutdown(s);
}

/* covers: world.idle */
/* field report: 63, 88 */
TEST(a_hundred_thousand_timers_an_hour_out_cost_no_wake_up) {
    wtm_scheduler s = observed();
    for (int i = 0; i < 100000; i++) tolerant(s, TH_HOUR + (uint64_t)i * MS, 0, 0);
    th_counter_wait(&thread_up, 1);
    pid_t ids[4];
    CHECK_EQ(library_threads(ids, 4), 1);
    let_pass(100 * MS);
    uint64_t wakeups = th_stats(s).wakeups, context_switches = switches();
    let_pass(SEC);
    CHECK_U64(th_stats(s).wakeups, wakeups);
    CHECK_U64(switches(), context_switches);
    th_shutdown(s);
}

/* covers: world.idle */
TEST(a_cancelled_wake_up_happens_at_most_once) {
    wtm_scheduler s = observed();
    wtm_timer t = tolerant(s, 200 * MS, 0, 0);
    tolerant(s, TH_HOUR, 0, 0);
    th_counter_wait(&thread_up, 1);
    let_pass(50 * MS);
    uint64_t wakeups = th_stats(s).wakeups;
    CHECK_OK(wtm_timer_invalidate(t));
    for (int i = 0; i < 100; i++) {
        wtm_timer later = tolerant(s, TH_HOUR + SEC, 0, 0); /* later timers make nobody wake */
        CHECK_OK(wtm_timer_reschedule(later, 2 * TH_HOUR));
        CHECK_OK(wtm_timer_invalidate(later));
    }
    let_pass(600 * MS);
    CHECK_LE(th_stats(s).wakeups - wakeups, 1);
    CHECK_U64(ticks_so_far(), 0);
    th_shutdown(s);
}

/* covers: world.idle */
TEST(thousands_that_were_moved_to_later_wake_nobody_more_than_twice) {
    enum { MANY = 5000 };
    static wtm_timer timers[MANY];
    wtm_scheduler s = observed();
    for (unsigned i = 0; i < MANY; i++) timers[i] = tolerant(s, SEC + i, 0, 0);
    th_counter_wait(&thread_up, 1);
    for (unsigned i = 0; i < MANY; i++) CHECK_OK(wtm_timer_reschedule(timers[i], TH_HOUR));
    let_pass(50 * MS);
    uint64_t wakeups = th_stats(s).wakeups;
    let_pass(SEC + 200 * MS);
    CHECK_LE(th_stats(s).wakeups - wakeups, 2);
    CHECK_U64(ticks_so_far(), 0);
    th_shutdown(s);
}

TEST(an_earlier_timer_wakes_the_thread) {
    wtm_scheduler s = observed();
    tolerant(s, TH_HOUR, 0, 0);
    th_counter_wait(&thread_up, 1);
    for (uint64_t i = 1; i <= 200; i++) {
        tolerant(s, next_random() % (300 * US), 0, 0);
        await_ticks(i);
    }
    /* By each verb, at any moment of the thread's falling asleep, and long after it. */
    for (uint64_t i = 201; i <= 500; i++) {
        wtm_timer t = tolerant(s, TH_HOUR, 0, 0);
        let_pass(next_random() % (100 * US));
        if (i % 2) CHECK_OK(wtm_timer_reschedule(t, i % 3 * 10 * US));
        else CHECK_OK(wtm_timer_set_next(t, i % 3 ? th_now() + 10 * US : 0));
        await_ticks(i);
    }
    wtm_timer p = tolerant(s, TH_HOUR, 0, 0);
    CHECK_OK(wtm_timer_pause(p));
    CHECK_OK(wtm_timer_reschedule(p, MS));
    let_pass(5 * MS);
    CHECK_OK(wtm_timer_resume(p));
    await_ticks(501);
    th_shutdown(s);
}
