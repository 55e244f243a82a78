/* Thousands of timers that are due in the same few milliseconds, which the wheel prepares before their time: each ticks once, in
 * order of deadline and never early, whatever is cancelled, moved and started meanwhile. */
/* covers: time.order time.never-early stop.none-after */
#include "harness.h"

#include <poll.h>

enum { COUNT = 6000, ADDED = 600 };
static wtm_timer timers[COUNT];
static uint8_t ticks[COUNT + ADDED];
static uint64_t deadlines[COUNT + ADDED], last;
static th_counter served = TH_COUNTER_INIT;

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    size_t i = (size_t)(uintptr_t)context;
    CHECK_U64(tick->scheduled_ns, deadlines[i]);
    CHECK_GE(tick->now_ns, tick->scheduled_ns);
    CHECK_GE(tick->scheduled_ns, last);
    last = tick->scheduled_ns;
    ticks[i]++;
    th_counter_add(&served, 1);
}

static wtm_timer start(wtm_scheduler s, size_t i, uint64_t deadline) {
    wtm_timer timer;
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    o.flags = WTM_TIMER_ABSOLUTE;
    o.deadline_ns = deadlines[i] = deadline;
    o.fn = tick;
    o.context = (void *)(uintptr_t)i;
    CHECK_OK(wtm_timer_start(s, &o, &timer));
    return timer;
}

/* Fills a few slots of four milliseconds, takes a third out, moves some and adds some, part of it while the first are due already
 * on a slow machine: what was too late for that is not expected to be in order. Gives how many are to tick. */
static uint64_t fill(wtm_scheduler s, uint64_t in) {
    uint64_t expected = COUNT + ADDED, base = th_now() + in;
    last = 0;
    memset(ticks, 0, sizeof ticks);
    for (size_t i = 0; i < COUNT; i++) timers[i] = start(s, i, base + i * 7919 % (10 * TH_MS));
    for (size_t i = 0; i < COUNT; i++) {
        if (i % 3 == 1) {
            CHECK_OK(wtm_timer_invalidate(timers[i]));
            expected--;
        } else if (i % 7 == 2) {
            deadlines[i] += 3 * TH_MS;
            CHECK_OK(wtm_timer_set_next(timers[i], deadlines[i]));
        }
    }
    for (size_t i = 0; i < ADDED; i++) start(s, COUNT + i, base + i * 104729 % (10 * TH_MS));
    CHECK_MSG(th_now() < base, "the machine stood still");
    return expected;
}

static void check(void) {
    for (size_t i = 0; i < COUNT + ADDED; i++) CHECK_EQ(ticks[i], !(i < COUNT && i % 3 == 1));
}

TEST(a_thread_prepares_and_serves_them) {
    wtm_scheduler s = th_real();
    uint64_t before = th_counter_get(&served);
    uint64_t expected = fill(s, TH_SEC);
    th_counter_wait(&served, before + expected);
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
    check();
}

TEST(a_host_prepares_and_serves_them) {
    wtm_scheduler s = th_host();
    uint64_t before = th_counter_get(&served);
    struct pollfd fd = { .fd = wtm_scheduler_fd(s), .events = POLLIN };
    CHECK(fd.fd >= 0);
    uint64_t expected = fill(s, TH_SEC), left = expected;
    while (left > 0) {
        CHECK_SYS(poll(&fd, 1, (int)(TH_LIMIT / TH_MS)));
        left -= th_run_due(s);
    }
    CHECK_U64(th_counter_get(&served), before + expected);
    th_shutdown(s);
    check();
}

enum { BEHIND = 50000, AHEAD = 500, MOVED = 200, BEFORE = 20, COMING = 100, AFTER = 20 };
static wtm_timer behind[BEHIND];

static void count_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    CHECK_GE(tick->scheduled_ns, last);
    ++*(unsigned *)context;
}

/* Those that were started last are prepared first, and are due before the others, or were moved to a time when no others are due.
 * Takes the others back while the host still prepares them: what is left must wake it all the same. Whether there was time for
 * that. */
static bool host_is_told_of_the_first(void) {
    wtm_scheduler s = th_host();
    struct pollfd fd = { .fd = wtm_scheduler_fd(s), .events = POLLIN };
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    unsigned late = 0;
    /* Both are in the same 268 milliseconds, which are one slot as long as they are to come. */
    uint64_t due = ((th_now() >> 28) + 3) << 28, count = th_counter_get(&served);
    last = 0;
    o.flags = WTM_TIMER_ABSOLUTE;
    o.deadline_ns = due + 30 * TH_US;
    o.fn = count_tick;
    o.context = &late;
    for (size_t i = 0; i < BEHIND; i++) CHECK_OK(wtm_timer_start(s, &o, &behind[i]));
    for (size_t i = 0; i < AHEAD + MOVED; i++) {
        wtm_timer timer = start(s, i, due);
        if (i < AHEAD) continue;
        deadlines[i] += UINT64_C(1) << 28;
        CHECK_OK(wtm_timer_set_next(timer, deadlines[i]));
    }
    for (size_t i = 0; i < BEFORE; i++) start(s, AHEAD + MOVED + i, due - 3 * TH_MS);
    for (size_t i = 0; i < AFTER; i++) start(s, AHEAD + MOVED + BEFORE + i, due + 5 * TH_MS);
    th_run_due(s);
    for (int portions = 0; portions < 20 && th_now() < due; portions++) {
        CHECK_SYS(poll(&fd, 1, (int)(TH_LIMIT / TH_MS)));
        th_run_due(s);
    }
    bool in_time = late == 0;
    /* Those with even numbers first, then the others from both ends inwards: wherever what is prepared ends, its neighbours stay
     * longest. */
    for (size_t i = 0; i < BEHIND && in_time; i += 2) CHECK_OK(wtm_timer_invalidate(behind[i]));
    for (size_t i = 1; i < BEHIND / 2 && in_time; i += 2) {
        CHECK_OK(wtm_timer_invalidate(behind[i]));
        CHECK_OK(wtm_timer_invalidate(behind[BEHIND - i]));
    }
    /* These come to the slot when all that was in it is prepared or gone. */
    for (size_t i = 0; i < COMING && in_time; i++) CHECK_OK(wtm_timer_start(s, &o, &behind[i]));
    uint64_t before = th_now(), delay;
    in_time = in_time && before < due;
    while (th_run_due(s), before = th_now(), before < due) {
        CHECK_OK(wtm_scheduler_next_delay(s, &delay));
        CHECK_LE(delay, due - before);
        CHECK_SYS(poll(&fd, 1, (int)(TH_LIMIT / TH_MS)));
    }
    while (th_counter_get(&served) < count + AHEAD + MOVED + BEFORE + AFTER) {
        CHECK_EQ(poll(&fd, 1, (int)(TH_LIMIT / TH_MS)), 1);
        th_run_due(s);
    }
    CHECK(late == COMING || !in_time);
    th_shutdown(s);
    return in_time;
}

/* A machine that stands still for that long has another try. */
TEST(a_host_is_told_of_what_is_prepared_though_the_rest_is_cancelled) {
    for (int i = 0; i < 10 && !host_is_told_of_the_first(); i++) continue;
}

/* Under manual time nothing is prepared, and the outcome is the same. */
TEST(manual_time_serves_them) {
    wtm_scheduler s = th_manual();
    th_advance(s, th_now());
    uint64_t expected = fill(s, TH_SEC);
    CHECK_U64(th_advance(s, 2 * TH_SEC), expected);
    th_shutdown(s);
    check();
}
