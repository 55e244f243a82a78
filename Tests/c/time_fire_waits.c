/* A fire that waits for its timer's turn, or was asked for before a drive: what meets it meanwhile neither delays nor loses it. */
#include "time_record.h"

#include <stdatomic.h>

/* covers: time.fire */
enum { DUE = 50000, ROUNDS = 2 };
static wtm_timer waiting;
static atomic_uint fired;
static _Atomic uint64_t begun;

static void nothing(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
}

static void count_fired(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)context;
    if (tick->flags & WTM_TICK_FIRED) fired++;
}

static void fire_the_waiting(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
    CHECK_OK(wtm_timer_fire(waiting));
    begun = th_now();
}

static wtm_status later(void) { return wtm_timer_reschedule(waiting, TH_HOUR); }
static wtm_status much_later(void) { return wtm_timer_set_next(waiting, WTM_NEVER); }
static wtm_status to_repeat(void) {
    wtm_status status = wtm_timer_set_interval(waiting, TH_HOUR, 0);
    return status == WTM_OK ? wtm_timer_reschedule(waiting, TH_HOUR) : status;
}
static wtm_status to_pause(void) { return wtm_timer_pause(waiting); }

static wtm_status (*meddle)(void);
static bool keeps, too_late;

/* One that is not kept is plain: it has no hooks either. */
static wtm_timer start_waiting(wtm_scheduler s, uint64_t deadline) {
    if (keeps) return START(s, .fn = count_fired, .flags = WTM_TIMER_KEEP | WTM_TIMER_ABSOLUTE, .deadline_ns = deadline);
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = count_fired;
    options.flags = WTM_TIMER_ABSOLUTE;
    options.deadline_ns = deadline;
    wtm_timer timer;
    CHECK_OK(wtm_timer_start(s, &options, &timer));
    return timer;
}

/* Comes while the pass collects what is due, between two portions. */
static void *meddle_meanwhile(void *after) {
    while (begun == 0) {}
    while (th_now() < begun + *(uint64_t *)after) {}
    wtm_status status = meddle();
    /* Where the machine is slow, one that is not kept may have had its tick. */
    too_late = !keeps && status == WTM_ERR_GONE;
    if (!too_late) CHECK_OK(status);
    return NULL;
}

TEST(a_due_timer_that_is_moved_while_a_pass_collects_still_delivers_its_fire) {
    static wtm_status (*const ways[])(void) = { later, much_later, to_repeat, to_pause };
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        for (unsigned round = 0; round < 2 * ROUNDS; round++) {
            keeps = round < ROUNDS;
            wtm_scheduler s = th_host();
            /* Due in the same slot of a higher level, as long as the machine is not slow. */
            uint64_t due = mono(s) + 100 * MS, after = (round % ROUNDS + 1) * 100 * US;
            wtm_timer first;
            meddle = ways[way];
            begun = 0;
            fired = 0;
            for (size_t i = 0; i < DUE; i++) {
                START(s, .fn = nothing, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = due + i * 7919 % (400 * US));
            }
            waiting = start_waiting(s, due + 200 * US);
            first = START(s, .fn = fire_the_waiting, .interval_ns = TH_HOUR);
            CHECK_OK(wtm_timer_fire(first));
            pthread_t thread = th_thread(meddle_meanwhile, &after);
            while (mono(s) < due + MS) {}
            th_run_due(s);
            CHECK_SYS(pthread_join(thread, NULL));
            th_run_due(s);
            if (!too_late) CHECK_EQ(fired, 1);
            th_shutdown(s);
        }
    }
}

static wtm_scheduler manual;
static wtm_timer second;
static void fire_the_second_and_set_back(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    if (tag != 1 || rec.count != 1) return;
    CHECK_OK(wtm_timer_fire(second));
    CHECK_OK(wtm_scheduler_set_wall(manual, tick->now_ns - 500 * MS));
}

/* covers: time.clocks */
TEST(a_fire_does_not_wait_for_a_date_that_has_gone_away) {
    for (unsigned interval = 0; interval < 2; interval++) {
        wtm_scheduler s = manual = manual_scheduler();
        rec.during = fire_the_second_and_set_back;
        CHECK_OK(wtm_scheduler_set_wall(s, 1000 * SEC));
        uint64_t every = interval * TH_HOUR;
        START(s, TAG(1), .clock = WTM_CLOCK_WALL, .flags = WTM_TIMER_KEEP, .delay_ns = MS, .interval_ns = every);
        second = START(s, TAG(2), .clock = WTM_CLOCK_WALL, .flags = WTM_TIMER_KEEP, .delay_ns = MS, .interval_ns = every);
        CHECK_U64(th_advance(s, MS), 2);
        CHECK_U64(rec.at[1].tag, 2);
        EXPECT_FIRED(1, 0, 1000 * SEC + MS - 500 * MS);
        CHECK_U64(th_advance(s, 499 * MS), 0);
        CHECK_U64(th_advance(s, MS), interval == 0 ? 1 : 2);
        th_shutdown(s);
    }
}

static wtm_timer to_come;
static void outlast_the_next(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag != 1) return;
    uint64_t due = next_of(to_come);
    while (mono(rec.scheduler) < due) {}
}

/* What falls due during the callbacks of a call waits for the next one, also where the call began with a fire. */
TEST(a_host_gets_no_more_than_was_due_when_it_called) {
    for (unsigned is_fired = 0; is_fired < 2; is_fired++) {
        wtm_scheduler s = th_host();
        memset(&rec, 0, sizeof rec);
        rec.scheduler = s;
        rec.during = outlast_the_next;
        wtm_timer first = START(s, TAG(1), .delay_ns = is_fired ? TH_HOUR : 0);
        if (is_fired) CHECK_OK(wtm_timer_fire(first));
        to_come = START(s, TAG(2), .delay_ns = 20 * MS);
        uint32_t ran = 0;
        CHECK_OK(wtm_scheduler_run_due(s, 0, &ran));
        CHECK_EQ(ran, 1);
        CHECK_U64(rec.at[0].tag, 1);
        CHECK_OK(wtm_scheduler_run_due(s, 0, &ran));
        CHECK_EQ(ran, 1);
        CHECK_U64(rec.at[1].tag, 2);
        th_shutdown(s);
    }
}

static wtm_timer late;
static uint64_t turn;
static void fire_the_late_now_and_then(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    if (tag == 1 && turn % 3 != 0) CHECK_OK(wtm_timer_fire(late));
}

/* covers: time.missed */
/* A tick that is late may be served in one way or another; its place on the grid is the same. */
TEST(a_late_tick_counts_the_same_with_a_fire_behind_it) {
    enum { EVERY = 1000, TURNS = 61 };
    wtm_scheduler s = th_host();
    rec.scheduler = s;
    rec.during = fire_the_late_now_and_then;
    uint64_t start = mono(s), ordinal = 0, missed = 0, ticks = 0, fires = 0;
    START(s, TAG(1), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = start, .interval_ns = EVERY);
    late = START(s, TAG(2), .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = start + 1, .interval_ns = EVERY);
    for (turn = 0; turn < TURNS; turn++) {
        rec.count = 0;
        /* Both are due, and several of their ticks are. */
        for (uint64_t until = mono(s) + 5 * EVERY; mono(s) < until;) {}
        th_run_due(s);
        for (unsigned i = 0; i < rec.count; i++) {
            if (rec.at[i].tag != 2) continue;
            const wtm_tick *tick = &rec.at[i].tick;
            if (tick->flags & WTM_TICK_FIRED) {
                fires++;
                CHECK_U64(tick->ordinal, ordinal);
                continue;
            }
            ticks++;
            missed += tick->missed;
            CHECK_U64(tick->ordinal, ordinal + tick->missed + 1);
            ordinal = tick->ordinal;
            CHECK_U64(tick->scheduled_ns, start + 1 + (ordinal - 1) * EVERY);
            CHECK_U64(tick->next_ns, tick->scheduled_ns + EVERY);
        }
    }
    CHECK_U64(fires, 40); /* asked for in two turns of three, delivered in the next */
    CHECK(ticks >= TURNS);
    CHECK_U64(th_info(late).missed, missed);
    CHECK_U64(th_info(late).ticks, ticks + fires);
    CHECK_U64(ordinal, ticks + missed);
    th_shutdown(s);
}
