/* The order of ticks: by deadline, equals in arming order; passes; lateness across clocks. */
#include "time_record.h"

/* covers: time.order */
enum { MANY = 2000 };

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

TEST(ticks_run_by_deadline_and_equal_ones_in_arming_order) {
    static const uint64_t spans[] = { 1, 16, 5000, 3 * MS, 100 * SEC, 20 * YEAR };
    for (size_t round = 0; round < sizeof spans / sizeof *spans; round++) {
        wtm_scheduler s = manual_scheduler();
        th_advance(s, next_random() % SEC);
        for (uint64_t i = 0; i < MANY; i++) START(s, TAG(i), .delay_ns = next_random() % spans[round] + 1);
        CHECK_U64(th_advance(s, spans[round]), MANY);
        for (size_t i = 1; i < MANY; i++) {
            const seen *a = &rec.at[i - 1], *b = &rec.at[i];
            CHECK(a->tick.scheduled_ns < b->tick.scheduled_ns ||
                  (a->tick.scheduled_ns == b->tick.scheduled_ns && a->tag < b->tag));
            CHECK_U64(b->tick.now_ns, b->tick.scheduled_ns);
        }
        th_shutdown(s);
    }
}

TEST(late_ticks_run_in_the_same_order_in_one_pass) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 10000);
    for (uint64_t i = 0; i < MANY; i++) START(s, TAG(i), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = next_random() % 10001);
    CHECK_U64(th_advance(s, 0), MANY);
    for (size_t i = 1; i < MANY; i++) {
        const seen *a = &rec.at[i - 1], *b = &rec.at[i];
        CHECK(a->tick.scheduled_ns < b->tick.scheduled_ns || (a->tick.scheduled_ns == b->tick.scheduled_ns && a->tag < b->tag));
        CHECK_U64(b->tick.now_ns, 10000);
    }
    th_shutdown(s);
}

TEST(every_way_of_arming_goes_behind_those_armed_before) {
    wtm_scheduler s = manual_scheduler();
    wtm_timer a = START(s, TAG(1), .delay_ns = 100);
    wtm_timer b = START(s, TAG(2), .delay_ns = 100);
    wtm_timer c = START(s, TAG(3), .delay_ns = 100);
    wtm_timer d = START(s, TAG(4), .delay_ns = 100, .interval_ns = 1000);
    START(s, TAG(5), .delay_ns = 100);
    CHECK_OK(wtm_timer_reschedule(a, 100));
    CHECK_OK(wtm_timer_set_next(b, 100));
    CHECK_OK(wtm_timer_pause(c));
    CHECK_OK(wtm_timer_resume(c));
    CHECK_OK(wtm_timer_set_interval(d, 500, 0)); /* this is no arming */
    CHECK_U64(th_advance(s, 100), 5);
    static const uint64_t order[] = { 4, 5, 1, 2, 3 };
    for (int i = 0; i < 5; i++) CHECK_U64(rec.at[i].tag, order[i]);
    th_shutdown(s);
}

static wtm_scheduler inner;

static void start_one_more(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    if (tag == 1 && tick->ordinal == 1) START(inner, TAG(2), .delay_ns = 100);
}

static wtm_timer start_at(wtm_scheduler s, bool plain, uint64_t tag, uint64_t deadline) {
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t;
    o.fn = record;
    o.context = (void *)(uintptr_t)tag;
    o.flags = WTM_TIMER_ABSOLUTE;
    o.deadline_ns = deadline;
    if (!plain) return start_with(s, o); /* with hooks */
    CHECK_OK(wtm_timer_start(s, &o, &t));
    return t;
}

/* To sooner, to later and to the same deadline. */
static void moved_ones_go_last(wtm_scheduler s, bool plain, uint64_t deadline) {
    wtm_timer moved[6];
    static const uint64_t before[] = { 5000, 1, 0 }, after[] = { 1, 5000, 10 * MS };
    for (uint64_t i = 0; i < 3; i++) moved[i] = start_at(s, plain, 10 + i, deadline + after[i]);
    for (uint64_t i = 0; i < 3; i++) moved[3 + i] = start_at(s, plain, 13 + i, deadline - before[i]);
    for (uint64_t i = 0; i < 6; i++) start_at(s, plain, i, deadline);
    for (uint64_t i = 0; i < 6; i++) CHECK_OK(wtm_timer_set_next(moved[5 - i], deadline));
}

TEST(moved_ones_go_behind_those_armed_before_on_every_drive) {
    static const uint64_t order[] = { 0, 1, 2, 3, 4, 5, 15, 14, 13, 12, 11, 10 };
    for (unsigned way = 0; way < 4; way++) {
        bool host = way & 1;
        wtm_scheduler s = host ? th_host() : th_manual();
        memset(&rec, 0, sizeof rec);
        rec.scheduler = s;
        uint64_t now = wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC), ran = 0;
        moved_ones_go_last(s, way & 2, now + 20 * MS);
        if (host) {
            while (ran < 12) ran += th_run_due(s);
        } else {
            ran = th_advance(s, 20 * MS);
        }
        CHECK_U64(ran, 12);
        for (int i = 0; i < 12; i++) CHECK_U64(rec.at[i].tag, order[i]);
        th_shutdown(s);
    }
}

TEST(a_repeating_timer_is_armed_before_its_callback) {
    wtm_scheduler s = manual_scheduler();
    inner = s;
    rec.during = start_one_more;
    START(s, TAG(1), .interval_ns = 100);
    CHECK_U64(th_advance(s, 200), 3);
    CHECK_U64(rec.at[1].tag, 1); /* both due at 200; the repeating one was armed first */
    CHECK_U64(rec.at[2].tag, 2);
    th_shutdown(s);
}

TEST(each_tick_of_a_repeating_timer_arms_it_anew) {
    wtm_scheduler s = manual_scheduler();
    START(s, TAG(1), .interval_ns = 100);
    START(s, TAG(2), .delay_ns = 200);
    START(s, TAG(3), .delay_ns = 150, .interval_ns = 50);
    CHECK_U64(th_advance(s, 200), 5);
    static const uint64_t order[] = { 1, 3, 2, 1, 3 }; /* at 200: armed at the start, at 100, at 150 */
    for (int i = 0; i < 5; i++) CHECK_U64(rec.at[i].tag, order[i]);
    th_shutdown(s);
}

/* Two late bursts and one more: each is served once a pass. */
TEST(a_timer_still_due_after_its_turn_waits_for_the_others) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 1000);
    START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 500, .interval_ns = 100, .missed = WTM_MISSED_BURST,
          .tick_limit = 4);
    START(s, TAG(2), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 950, .interval_ns = 10, .missed = WTM_MISSED_BURST,
          .tick_limit = 3);
    START(s, TAG(3), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 990);
    CHECK_U64(th_advance(s, 0), 8);
    static const uint64_t order[] = { 1, 2, 3, 1, 2, 1, 2, 1 };
    for (int i = 0; i < 8; i++) CHECK_U64(rec.at[i].tag, order[i]);
    th_shutdown(s);
}

/* A coalesced tick has its place by the earliest ideal deadline that it stands for. */
TEST(the_earliest_deadline_a_tick_stands_for_gives_it_its_place) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, 1000);
    START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 600);
    START(s, TAG(2), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 500, .interval_ns = 100);
    START(s, TAG(3), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 400);
    CHECK_U64(th_advance(s, 0), 3);
    CHECK_U64(rec.at[0].tag, 3);
    CHECK_U64(rec.at[1].tag, 2);
    EXPECT_TICK(1, 6, 5, 1000, 1000, 1100);
    CHECK_U64(rec.at[2].tag, 1);
    th_shutdown(s);
}

TEST(across_clocks_the_order_is_by_lateness) {
    wtm_scheduler s = manual_scheduler();
    CHECK_OK(wtm_scheduler_set_wall(s, 500000));
    th_advance(s, 1000);                                                                            /* wall 501000 */
    START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 900);                              /* 100 late */
    START(s, TAG(2), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 500800, .clock = WTM_CLOCK_WALL);  /* 200 late */
    START(s, TAG(3), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 850, .clock = WTM_CLOCK_BOOTTIME); /* 150 late */
    START(s, TAG(4), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = 500999, .clock = WTM_CLOCK_WALL);  /* 1 late */
    CHECK_U64(th_advance(s, 0), 4);
    static const uint64_t order[] = { 2, 3, 1, 4 };
    for (int i = 0; i < 4; i++) CHECK_U64(rec.at[i].tag, order[i]);
    th_shutdown(s);
}

TEST(across_clocks_on_time_ticks_run_when_they_fall_due) {
    wtm_scheduler s = manual_scheduler();
    CHECK_OK(wtm_scheduler_set_wall(s, 5000));
    START(s, TAG(1), .delay_ns = 30);
    START(s, TAG(2), .delay_ns = 20, .clock = WTM_CLOCK_WALL);
    START(s, TAG(3), .delay_ns = 10, .clock = WTM_CLOCK_BOOTTIME);
    CHECK_U64(th_advance(s, 100), 3);
    EXPECT_TICK(0, 1, 0, 10, 10, WTM_NEVER);
    EXPECT_TICK(1, 1, 0, 5020, 5020, WTM_NEVER);
    EXPECT_TICK(2, 1, 0, 30, 30, WTM_NEVER);
    th_shutdown(s);
}

static struct {
    th_counter count;
    uint64_t last_scheduled, last_tag;
} real;

static void check_real(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t tag = (uint64_t)(uintptr_t)context;
    (void)timer;
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    CHECK_GE(tick->scheduled_ns, real.last_scheduled);
    if (tick->scheduled_ns == real.last_scheduled) CHECK_GE(tag, real.last_tag + 1);
    real.last_scheduled = tick->scheduled_ns;
    real.last_tag = tag;
    if (tag % 100 == 0) { /* now and then a callback makes all behind it late */
        uint64_t until = th_now() + 2 * MS;
        while (th_now() < until) continue;
    }
    th_counter_add(&real.count, 1);
}

/* Half of them are pushed back once, which may leave them where they were filed at first. */
TEST(in_real_time_too_also_when_callbacks_make_others_late) {
    wtm_scheduler s = th_real();
    static wtm_timer timers[MANY];
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    memset(&real, 0, sizeof real);
    th_counter_init(&real.count);
    uint64_t base = th_now() + 500 * MS;
    options.fn = check_real;
    options.flags = WTM_TIMER_ABSOLUTE;
    for (uint64_t i = 0; i < MANY; i++) {
        options.context = (void *)(uintptr_t)(MANY + i);
        options.deadline_ns = base + next_random() % (50 * MS) / US * US;
        CHECK_OK(wtm_timer_start(s, &options, &timers[i]));
    }
    for (uint64_t i = 0; i < MANY; i += 2) {
        wtm_timer t = { 0 };
        options.context = (void *)(uintptr_t)(2 * MANY + i); /* armed later than all above */
        options.deadline_ns = base - 100 * MS;
        CHECK_OK(wtm_timer_invalidate(timers[i]));
        CHECK_OK(wtm_timer_start(s, &options, &t));
        CHECK_OK(wtm_timer_set_next(t, base + next_random() % (50 * MS) / US * US));
    }
    CHECK(th_now() < base - 100 * MS); /* else this machine is too slow to tell anything */
    th_counter_wait(&real.count, MANY);
    th_shutdown(s);
}

/* Filed for one microsecond and moved to a later one, past which the host drives at last: in its place among those of other slots. */
TEST(a_late_pass_gives_a_moved_timer_its_place) {
    for (uint64_t round = 0; round < 100; round++) {
        wtm_scheduler s = th_host();
        wtm_timer moved = { 0 };
        uint64_t base = th_now() + MS + round * 7 * US;
        START(s, TAG(0), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = base);
        moved = START(s, TAG(2), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = base + 10);
        START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = base + 150 * US);
        CHECK_OK(wtm_timer_set_next(moved, base + 300 * US));
        rec.count = 0;
        while (th_now() < base + 400 * US) continue;
        CHECK_U64(th_run_due(s), 3);
        for (uint64_t i = 0; i < 3; i++) CHECK_U64(rec.at[i].tag, i);
        th_shutdown(s);
    }
}
