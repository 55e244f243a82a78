/* Where the ticks of a timer lie: first, interval, ordinals, and that nothing drifts. */
#include "time_record.h"

/* covers: time.no-drift time.manual */
TEST(an_interval_gives_the_grid_start_plus_k_intervals) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 77);
    START(s, .interval_ns = 100);
    CHECK_U64(th_advance(s, 1000), 10);
    CHECK_EQ(rec.count, 10);
    for (uint64_t k = 1; k <= 10; k++) EXPECT_TICK(k - 1, k, 0, 77 + 100 * k, 77 + 100 * k, 177 + 100 * k);
    th_shutdown(s);
}

/* field report: 67 */
TEST(the_first_tick_comes_after_the_delay_and_not_at_creation) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .delay_ns = 30, .interval_ns = 100);
    CHECK_EQ(rec.count, 0);
    CHECK_U64(next_of(t), 30);
    CHECK_U64(th_advance(s, 29), 0);
    CHECK_U64(th_advance(s, 1), 1);
    CHECK_U64(th_advance(s, 99), 0);
    CHECK_U64(th_advance(s, 101), 2);
    EXPECT_TICK(0, 1, 0, 30, 30, 130);
    EXPECT_TICK(1, 2, 0, 130, 130, 230);
    EXPECT_TICK(2, 3, 0, 230, 230, 330);
    th_shutdown(s);
}

/* field report: 67 */
TEST(immediate_makes_the_start_the_first_tick) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 77);
    START(s, .interval_ns = 100, .flags = WTM_TIMER_IMMEDIATE);
    CHECK_EQ(rec.count, 0); /* never inside the start call */
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_U64(th_advance(s, 0), 0);
    CHECK_U64(th_advance(s, 100), 1);
    EXPECT_TICK(0, 1, 0, 77, 77, 177);
    EXPECT_TICK(1, 2, 0, 177, 177, 277);
    th_shutdown(s);
}

TEST(immediate_does_nothing_on_a_one_shot) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = START(s, .flags = WTM_TIMER_IMMEDIATE);
    CHECK_U64(next_of(t), 0);
    CHECK_U64(th_advance(s, 10), 1);
    EXPECT_TICK(0, 1, 0, 0, 0, WTM_NEVER);
    th_shutdown(s);
}

TEST(an_absolute_deadline_ignores_the_delay_and_a_delay_the_deadline) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 100);
    wtm_timer absolute = START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 500, .delay_ns = 9, .interval_ns = 7);
    wtm_timer relative = START(s, TAG(2), .deadline_ns = 9, .delay_ns = 350);
    CHECK_U64(next_of(absolute), 500);
    CHECK_U64(next_of(relative), 450);
    CHECK_U64(th_advance(s, 407), 3);
    EXPECT_TICK(0, 1, 0, 450, 450, WTM_NEVER);
    EXPECT_TICK(1, 1, 0, 500, 500, 507);
    EXPECT_TICK(2, 2, 0, 507, 507, 514);
    th_shutdown(s);
}

TEST(a_one_shot_ticks_once_and_then_never) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_after(s, 40, record, NULL, record_released, &t));
    CHECK_U64(th_advance(s, 1000), 1);
    EXPECT_TICK(0, 1, 0, 40, 40, WTM_NEVER);
    CHECK_EQ(rec.released, 1);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_U64(th_advance(s, 1000), 0);
    th_shutdown(s);
}

TEST(the_short_forms_lie_where_the_long_form_does) {
    wtm_scheduler s = manual_scheduler();
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    CHECK_OK(wtm_timer_every(s, 50, record, NULL, NULL, NULL));
    CHECK_OK(wtm_timer_every_target(s, 60, record, target, NULL));
    CHECK_OK(wtm_timer_after_target(s, 70, record, target, NULL));
    CHECK_U64(th_advance(s, 120), 5);
    EXPECT_TICK(0, 1, 0, 50, 50, 100);
    EXPECT_TICK(1, 1, 0, 60, 60, 120);
    EXPECT_TICK(2, 1, 0, 70, 70, WTM_NEVER);
    EXPECT_TICK(3, 2, 0, 100, 100, 150);
    EXPECT_TICK(4, 2, 0, 120, 120, 180);
    CHECK_OK(wtm_target_release(target));
    th_shutdown(s);
}

static uint64_t exact_ticks;

static void check_exact(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    uint64_t interval = (uint64_t)(uintptr_t)context;
    exact_ticks++;
    CHECK_U64(tick->ordinal, exact_ticks);
    CHECK_U64(tick->scheduled_ns, exact_ticks * interval);
    CHECK_U64(tick->now_ns, exact_ticks * interval);
    CHECK_U64(tick->next_ns, (exact_ticks + 1) * interval);
    CHECK_U64(tick->missed, 0);
}

/* covers: time.no-drift */
/* field report: 58, 59 */
TEST(a_million_ticks_lie_on_the_grid_to_the_nanosecond) {
    static const uint64_t intervals[] = { 1, 3, 999, 1000, 1024, 999983, 16 * MS + 666667 };
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        wtm_scheduler s = manual_scheduler();
        uint64_t count = i + 1 == sizeof intervals / sizeof *intervals ? 1000000 : 100000;
        exact_ticks = 0;
        CHECK_OK(wtm_timer_every(s, intervals[i], check_exact, (void *)(uintptr_t)intervals[i], NULL, NULL));
        CHECK_U64(th_advance(s, count * intervals[i]), count);
        CHECK_U64(exact_ticks, count);
        th_shutdown(s);
    }
}

/* covers: time.no-drift time.never-early */
/* field report: 59, 64 */
static struct {
    th_counter count;
    uint64_t first, before, interval;
} slow;

static void check_slow(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    uint64_t now = th_now();
    if (slow.first == 0) {
        CHECK_U64(tick->ordinal, 1 + tick->missed);
        slow.first = tick->scheduled_ns - tick->missed * slow.interval;
    }
    CHECK_GE(now, tick->now_ns);
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    CHECK_U64(tick->scheduled_ns, slow.first + (tick->ordinal - 1) * slow.interval);
    CHECK_U64(tick->next_ns, tick->scheduled_ns + slow.interval);
    while (th_now() < now + slow.interval / 3) continue; /* a callback that takes a third of the interval */
    th_counter_add(&slow.count, 1);
}

TEST(what_callbacks_cost_does_not_move_the_grid_in_real_time) {
    wtm_scheduler s = th_real();
    th_counter_init(&slow.count);
    slow.interval = 3 * MS;
    uint64_t before = th_now();
    CHECK_OK(wtm_timer_every(s, slow.interval, check_slow, NULL, NULL, NULL));
    uint64_t after = th_now();
    th_counter_wait(&slow.count, 100);
    th_shutdown(s);
    CHECK_GE(slow.first, before + slow.interval);
    CHECK_LE(slow.first, after + slow.interval);
}
