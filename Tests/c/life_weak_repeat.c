/* What may happen while `lock` looks the object up: for each kind of timer, on time and late, what was done there counts as done.
 * covers: life.weak life.release.once stop.none-after stop.sticky time.pause time.fire time.missed */
#include "harness.h"

typedef struct {
    unsigned locked, unlocked, ticks, fired, ended;
    uint64_t last_scheduled, last_now, missed;
    wtm_reason reason;
    wtm_timer timer;
    bool dead;
    unsigned at; /* the lock in which `act` is called */
    void (*act)(wtm_timer timer);
} weak;

static void *lock(void *context) {
    weak *w = context;
    if (w->dead) return NULL;
    if (++w->locked == w->at && w->act != NULL) w->act(w->timer);
    return w;
}
static void unlock(void *strong) { ((weak *)strong)->unlocked++; }

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    weak *w = context;
    CHECK_U64(timer.id, w->timer.id);
    CHECK(tick->target == w);
    CHECK_EQ(w->locked, w->unlocked + 1);
    w->ticks++;
    if (tick->flags & WTM_TICK_FIRED) w->fired++;
    w->last_scheduled = tick->scheduled_ns;
    w->last_now = tick->now_ns;
    w->missed += tick->missed;
}
static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer;
    weak *w = context;
    w->ended++;
    w->reason = reason;
}
static void release(void *context) { CHECK_EQ(((weak *)context)->ended, 1); }

static void start(wtm_scheduler s, weak *w, uint64_t interval, unsigned at, void (*act)(wtm_timer)) {
    wtm_weak_ops ops = { sizeof ops, 0, lock, unlock };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    memset(w, 0, sizeof *w);
    w->at = at;
    w->act = act;
    options.fn = tick;
    options.context = w;
    options.ended = ended;
    options.release = release;
    options.weak = &ops;
    options.delay_ns = 100;
    options.interval_ns = interval;
    CHECK_OK(wtm_timer_start(s, &options, &w->timer));
}

static void stop(wtm_timer t) { CHECK_STATUS(wtm_timer_invalidate(t), WTM_RUNNING); }
static void move(wtm_timer t) { CHECK_OK(wtm_timer_reschedule(t, 1000)); }
static void hold(wtm_timer t) { CHECK_OK(wtm_timer_pause(t)); }
static void fire(wtm_timer t) { CHECK_OK(wtm_timer_fire(t)); }
static void slow(wtm_timer t) { CHECK_OK(wtm_timer_set_interval(t, 500, 0)); }

/* The second lock of a timer with ticks at 100, 200, 300, ... is the one of 200. */
TEST(an_end_in_lock_is_the_end) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 2, stop);
    CHECK_U64(th_advance(s, 1000), 1);
    CHECK_U64(w.last_scheduled, 100);
    CHECK_EQ(w.unlocked, 2);
    CHECK_EQ(w.ended, 1);
    CHECK_EQ(w.reason, WTM_REASON_INVALIDATED);
    CHECK_U64(th_stats(s).ticks, 1);
    th_shutdown(s);
}

TEST(a_move_in_lock_moves_that_tick) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 2, move);
    CHECK_U64(th_advance(s, 1199), 1);
    CHECK_U64(th_advance(s, 1), 1);
    CHECK_U64(w.last_scheduled, 1200);
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_EQ(w.locked, w.unlocked);
    th_shutdown(s);
}

TEST(a_pause_in_lock_holds_that_tick_back) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 2, hold);
    CHECK_U64(th_advance(s, 1000), 1);
    CHECK_OK(wtm_timer_resume(w.timer));
    CHECK_U64(th_advance(s, 0), 1); /* it was due */
    CHECK_U64(w.last_scheduled, 1000);
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_EQ(w.locked, w.unlocked);
    th_shutdown(s);
}

TEST(a_fire_in_lock_comes_after_the_tick) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 2, fire);
    CHECK_U64(th_advance(s, 200), 3);
    CHECK_EQ(w.fired, 1);
    CHECK_U64(th_advance(s, 100), 1);
    CHECK_U64(w.last_scheduled, 300);
    CHECK_EQ(w.locked, 4);
    CHECK_EQ(w.unlocked, 4);
    th_shutdown(s);
}

TEST(an_interval_set_in_lock_counts_from_that_tick) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 2, slow);
    CHECK_U64(th_advance(s, 200), 2);
    CHECK_U64(th_advance(s, 499), 0);
    CHECK_U64(th_advance(s, 1), 1);
    CHECK_U64(w.last_scheduled, 700);
    th_shutdown(s);
}

static void make_last(wtm_timer t) { CHECK_OK(wtm_timer_set_interval(t, 0, 0)); }
static void change(wtm_timer t) { CHECK_OK(wtm_timer_set_interval(t, 60, 0)); }

TEST(an_interval_of_zero_set_in_lock_makes_that_tick_the_last) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 2, make_last);
    CHECK_U64(th_advance(s, 1000), 2);
    CHECK_EQ(w.locked, 2);
    CHECK_EQ(w.unlocked, 2);
    CHECK_EQ(w.reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

TEST(an_interval_set_in_each_lock_holds_no_tick_back) {
    wtm_scheduler s = th_manual();
    weak w;
    start(s, &w, 100, 1, change);
    for (int i = 0; i < 5; i++) {
        CHECK_U64(th_advance(s, i == 0 ? 100 : 60), 1);
        w.at++;
        CHECK_OK(wtm_timer_set_interval(w.timer, 100, 0));
    }
    CHECK_EQ(w.locked, 5);
    th_shutdown(s);
}

TEST(a_dead_object_among_live_ones_ends_its_own_timer_alone) {
    wtm_scheduler s = th_manual();
    weak w[5];
    for (int i = 0; i < 5; i++) start(s, &w[i], 100, 0, NULL);
    CHECK_U64(th_advance(s, 100), 5);
    w[1].dead = w[4].dead = true;
    CHECK_U64(th_advance(s, 100), 3);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(w[i].ended, w[i].dead);
        CHECK_EQ(w[i].ticks, w[i].dead ? 1 : 2);
        CHECK_EQ(wtm_timer_is_valid(w[i].timer), !w[i].dead);
    }
    CHECK_EQ(w[1].reason, WTM_REASON_TARGET_GONE);
    CHECK_U64(th_stats(s).ticks, 8);
    th_shutdown(s);
}

static weak *others;
static void stop_the_others(wtm_timer t) {
    (void)t;
    for (int i = 1; i < 3; i++) CHECK_OK(wtm_timer_invalidate(others[i].timer));
}

TEST(others_that_are_due_may_be_ended_in_lock) {
    wtm_scheduler s = th_manual();
    weak w[4];
    others = w;
    for (int i = 0; i < 4; i++) start(s, &w[i], 100, i == 0 ? 2 : 0, i == 0 ? stop_the_others : NULL);
    CHECK_U64(th_advance(s, 100), 4);
    CHECK_U64(th_advance(s, 100), 2);
    CHECK_EQ(w[1].locked, 1);
    CHECK_EQ(w[2].locked, 1);
    CHECK_EQ(w[3].ticks, 2);
    th_shutdown(s);
}

/* `lock` is part of the callback: its time is the callback's, and what the tick says of the time is as of before it. */
static void burn(wtm_timer t) {
    (void)t;
    uint64_t until = th_now() + 2 * TH_MS;
    while (th_now() < until) continue;
}

TEST(the_time_of_lock_is_the_callbacks) {
    for (uint64_t interval = 0; interval <= TH_HOUR; interval += TH_HOUR) {
        wtm_scheduler s = th_manual();
        weak w;
        start(s, &w, interval, 1, burn);
        wtm_timer_info info = WTM_TIMER_INFO_INIT;
        if (interval == 0) CHECK_OK(wtm_timer_set_interval(w.timer, TH_HOUR, 0));
        CHECK_U64(th_advance(s, 100), 1);
        CHECK_OK(wtm_timer_get_info(w.timer, &info));
        CHECK(info.max_callback_ns >= 2 * TH_MS);
        CHECK(th_stats(s).max_callback_ns >= 2 * TH_MS);
        CHECK_U64(w.last_now, 100);
        th_shutdown(s);
    }
}

static wtm_scheduler hosted;
TEST(a_late_one_misses_what_was_due_before_lock) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_HOST;
    CHECK_OK(wtm_scheduler_create(&options, &hosted));
    weak w;
    uint64_t started = th_now();
    start(hosted, &w, TH_MS, 0, NULL);
    while (th_now() < started + 5 * TH_MS) continue;
    uint32_t ran = 0;
    CHECK_OK(wtm_scheduler_run_due(hosted, 1, &ran));
    CHECK_EQ(ran, 1);
    CHECK(w.missed >= 3);
    CHECK(w.last_now >= w.last_scheduled);
    CHECK(w.last_now - w.last_scheduled < TH_MS); /* the latest that was due */
    CHECK_EQ(w.locked, w.unlocked);
    th_shutdown(hosted);
}
