/* A timer that is always late starves neither its neighbours nor shutdown. */
#include "time_record.h"

/* covers: time.fair */
static struct {
    th_counter neighbours;
    unsigned ticks[8];
    uint64_t greedy;
} fair;

static void greedy(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    uint64_t until = th_now() + 200 * US;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    while (th_now() < until) continue;
    fair.greedy++;
}

static void neighbour(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    ++*(unsigned *)context;
    th_counter_add(&fair.neighbours, 1);
}

static void run(uint32_t policy, unsigned greedy_timers) {
    wtm_scheduler s = th_real();
    memset(&fair, 0, sizeof fair);
    th_counter_init(&fair.neighbours);
    for (unsigned i = 0; i < greedy_timers; i++) {
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = greedy;
        options.interval_ns = 1;
        options.missed = policy;
        CHECK_OK(wtm_timer_start(s, &options, NULL));
    }
    for (int i = 0; i < 8; i++) CHECK_OK(wtm_timer_every(s, 2 * MS, neighbour, &fair.ticks[i], NULL, NULL));
    th_counter_wait(&fair.neighbours, 8 * 40);
    th_shutdown(s); /* within its bound, although something is always due */
    for (int i = 0; i < 8; i++) CHECK_GE(fair.ticks[i], 30);
    CHECK_GE(fair.greedy, 10);
}

TEST(a_slow_callback_on_one_nanosecond_does_not_starve_others) { run(WTM_MISSED_COALESCE, 1); }
TEST(nor_does_an_endless_burst) { run(WTM_MISSED_BURST, 2); }
TEST(nor_does_an_endless_delay) { run(WTM_MISSED_DELAY, 3); }

TEST(under_manual_time_one_nanosecond_ticks_at_every_nanosecond) {
    wtm_scheduler s = manual_scheduler();
    START(s, TAG(1), .interval_ns = 1);
    START(s, TAG(2), .interval_ns = 100);
    CHECK_U64(th_advance(s, 1000), 1010);
    uint64_t ordinal = 0;
    for (size_t i = 0; i < 1010; i++) {
        if (rec.at[i].tag == 2) continue;
        ordinal++;
        EXPECT_TICK(i, ordinal, 0, ordinal, ordinal, ordinal + 1);
    }
    CHECK_U64(ordinal, 1000);
    th_shutdown(s);
}

/* An immediate self-rearming one-shot lets the pass go on, and invalidate from outside stops it. */
static th_counter rearmed;

static void rearm_at_once(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)tick;
    (void)context;
    wtm_status status = wtm_timer_reschedule(timer, 0);
    CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    th_counter_add(&rearmed, 1);
}

TEST(a_one_shot_that_rearms_itself_at_once_can_be_stopped) {
    wtm_scheduler s = th_real();
    wtm_timer t = { 0 };
    unsigned ticks = 0;
    th_counter_init(&rearmed);
    th_counter_init(&fair.neighbours);
    CHECK_OK(wtm_timer_after(s, 0, rearm_at_once, NULL, NULL, &t));
    th_counter_wait(&rearmed, 1000);
    CHECK_OK(wtm_timer_every(s, MS, neighbour, &ticks, NULL, NULL));
    th_counter_wait(&fair.neighbours, 20);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_OK);
    uint64_t at_stop = th_counter_get(&rearmed);
    th_counter_wait(&fair.neighbours, 25);
    CHECK_U64(th_counter_get(&rearmed), at_stop);
    th_shutdown(s);
}
