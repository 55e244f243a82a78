/* Plain one-shots with a release hook and nothing else, which end by short ways of their own: after a callback, and by an invalidate.
 * covers: life.release.once life.release.last life.release.when stop.none-after stop.nonblocking stop.self stop.wait */
#include "harness.h"

enum { MOST = 8 };

/* A timer's context. What its hook does besides writing the letter down is up to the test. */
typedef struct {
    wtm_timer timer;
    char tick, hook;
    void (*in_hook)(unsigned which);
    unsigned hooks;
} subject;

static wtm_scheduler s;
static subject all[MOST];
static char order[64];
static wtm_tick last_tick;

static void note(char letter) {
    size_t length = strlen(order);
    CHECK(length + 1 < sizeof order);
    order[length] = letter;
}

static void ticked(wtm_timer timer, const wtm_tick *tick, void *context) {
    subject *self = context;
    CHECK_U64(timer.id, self->timer.id);
    CHECK_EQ(self->hooks, 0);
    last_tick = *tick;
    note(self->tick);
}

static void released(void *context) {
    subject *self = context;
    self->hooks++;
    note(self->hook);
    if (self->in_hook) self->in_hook((unsigned)(self - all));
}

/* The first `count` of 1a, 2b, 3c …: digits for ticks, letters for hooks. */
static void start(wtm_scheduler where, unsigned count, uint64_t delay) {
    memset(order, 0, sizeof order);
    memset(all, 0, sizeof all);
    s = where;
    for (unsigned i = 0; i < count; i++) {
        all[i].tick = (char)('1' + i);
        all[i].hook = (char)('a' + i);
        CHECK_OK(wtm_timer_after(s, delay, ticked, &all[i], released, &all[i].timer));
    }
}

static void check_over(const char *expected, unsigned count) {
    CHECK_STR(order, expected);
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQ(all[i].hooks, 1);
        CHECK_STATUS(wtm_timer_invalidate(all[i].timer), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(all[i].timer, WTM_NEVER), WTM_ERR_GONE);
    }
    th_shutdown(s);
    CHECK_STR(order, expected);
}

TEST(each_hook_runs_right_after_its_tick) {
    start(th_manual(), 3, 5);
    CHECK_U64(th_advance(s, 5), 3);
    check_over("1a2b3c", 3);
    start(th_host(), 3, 0);
    CHECK_EQ(th_run_due(s), 3);
    check_over("1a2b3c", 3);
}

TEST(an_invalidate_runs_the_hook_and_no_tick) {
    start(th_manual(), 3, 5);
    CHECK_OK(wtm_timer_invalidate(all[1].timer));
    CHECK_STR(order, "b");
    CHECK_OK(wtm_timer_invalidate_and_wait(all[0].timer, WTM_NEVER));
    CHECK_U64(th_advance(s, 5), 1);
    wtm_scheduler_stats stats = th_stats(s);
    CHECK_U64(stats.ended[WTM_REASON_COMPLETED], 1);
    CHECK_U64(stats.ended[WTM_REASON_INVALIDATED], 2);
    CHECK_U64(stats.live, 0);
    check_over("ba3c", 3);
}

static void find_gone(unsigned which) {
    wtm_timer timer = all[which].timer;
    wtm_timer_info info = { .size = sizeof info };
    uint64_t next;
    CHECK(!wtm_timer_is_valid(timer));
    CHECK_STATUS(wtm_timer_get_info(timer, &info), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_get_next(timer, &next), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_fire(timer), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(timer, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_set_next(timer, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_pause(timer), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate(timer), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(timer, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}

TEST(a_hook_finds_its_timer_gone) {
    for (int completes = 0; completes < 2; completes++) {
        start(th_manual(), 1, 5);
        all[0].in_hook = find_gone;
        if (completes) th_advance(s, 5);
        else CHECK_OK(wtm_timer_invalidate(all[0].timer));
        check_over(completes ? "1a" : "a", 1);
    }
}

static void end_the_next(unsigned which) { CHECK_OK(wtm_timer_invalidate(all[which + 1].timer)); }

TEST(a_hook_may_end_the_timer_that_is_due_next) {
    start(th_manual(), 3, 5);
    all[0].in_hook = end_the_next;
    CHECK_U64(th_advance(s, 5), 2);
    check_over("1ab3c", 3);
    start(th_manual(), 4, 5);
    all[0].in_hook = all[1].in_hook = end_the_next;
    CHECK_OK(wtm_timer_invalidate(all[0].timer));
    CHECK_U64(th_advance(s, 5), 1);
    check_over("abc4d", 4);
}

/* The dying timer's slot is not free yet. */
static void start_another(unsigned which) {
    subject *other = &all[which + 1];
    *other = (subject){ .tick = '2', .hook = 'b' };
    CHECK_OK(wtm_timer_after(s, 0, ticked, other, released, &other->timer));
    CHECK((uint32_t)other->timer.id != (uint32_t)all[which].timer.id);
}

TEST(a_hook_may_start_a_timer) {
    for (int completes = 0; completes < 2; completes++) {
        start(th_manual(), 1, 5);
        all[0].in_hook = start_another;
        if (completes) th_advance(s, 5);
        else CHECK_OK(wtm_timer_invalidate(all[0].timer));
        th_advance(s, 1);
        check_over(completes ? "1a2b" : "a2b", 2);
    }
}

static void shut_down(unsigned which) {
    (void)which;
    CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}

TEST(a_hook_may_shut_its_scheduler_down) {
    for (int drive = 0; drive < 2; drive++) {
        for (int completes = 0; completes < 2; completes++) {
            start(drive ? th_host() : th_manual(), 3, 0);
            all[0].in_hook = shut_down;
            if (completes)
                CHECK_STATUS(drive ? wtm_scheduler_run_due(s, 0, NULL) : wtm_scheduler_advance(s, 1, NULL), WTM_ERR_SHUT_DOWN);
            else CHECK_OK(wtm_timer_invalidate(all[0].timer));
            CHECK_STR(order, completes ? "1abc" : "abc");
            for (unsigned i = 0; i < 3; i++) CHECK_EQ(all[i].hooks, 1);
            CHECK_STATUS(wtm_scheduler_shutdown(s, WTM_NEVER), WTM_ERR_GONE);
        }
    }
}

static void arm_again(wtm_timer timer, const wtm_tick *tick, void *context) {
    ticked(timer, tick, context);
    if (strlen(order) < 3) CHECK_OK(wtm_timer_reschedule(timer, 5));
}

TEST(one_that_its_callback_moves_goes_on) {
    start(th_manual(), 0, 0);
    all[0] = (subject){ .tick = '1', .hook = 'a' };
    CHECK_OK(wtm_timer_after(s, 5, arm_again, &all[0], released, &all[0].timer));
    CHECK_U64(th_advance(s, 100), 3);
    check_over("111a", 1);
}

/* Real time. */

static uint64_t hook_end;

static void take(uint64_t ns) {
    uint64_t begin = th_now();
    do hook_end = th_now();
    while (hook_end - begin < ns);
}

static void take_long(unsigned which) {
    (void)which;
    take(100 * TH_MS);
}

TEST(what_a_hook_takes_is_neither_a_callbacks_nor_before_the_next_tick) {
    start(th_host(), 2, 0);
    all[0].in_hook = take_long;
    CHECK_EQ(th_run_due(s), 2);
    CHECK_GE(last_tick.now_ns, hook_end);
    CHECK(th_stats(s).max_callback_ns < 100 * TH_MS);
    check_over("1a2b", 2);
}

static th_counter inside = TH_COUNTER_INIT, go = TH_COUNTER_INIT;

static void stay(unsigned which) {
    (void)which;
    th_counter_add(&inside, 1);
    th_counter_wait(&go, 1);
    take(20 * TH_MS);
}

static void *end_first(void *completes) {
    if (completes) th_advance(s, 5);
    else CHECK_OK(wtm_timer_invalidate(all[0].timer));
    return NULL;
}

static void wait_for_the_waiter(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    th_counter_wait(context, 1);
}

TEST(a_wait_covers_the_hook_and_ends_with_it) {
    unsigned late = 0;
    for (unsigned round = 0; round < 6; round++) {
        bool completes = round % 2;
        th_counter waited = TH_COUNTER_INIT;
        start(th_manual(), 1, 5);
        all[0].in_hook = stay;
        wtm_timer second;
        CHECK_OK(wtm_timer_after(s, 5, wait_for_the_waiter, &waited, NULL, &second));
        th_counter_init(&inside);
        th_counter_init(&go);
        pthread_t ender = th_thread(end_first, completes ? &all[0] : NULL);
        th_counter_wait(&inside, 1);
        CHECK_STATUS(wtm_timer_invalidate(all[0].timer), WTM_ERR_GONE);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(all[0].timer, 0), WTM_ERR_TIMED_OUT);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(all[0].timer, TH_MS), WTM_ERR_TIMED_OUT);
        th_counter_add(&go, 1);
        CHECK_STATUS(wtm_timer_invalidate_and_wait(all[0].timer, WTM_NEVER), WTM_ERR_GONE);
        if (th_now() - hook_end > 50 * TH_MS) late++;
        CHECK_EQ(all[0].hooks, 1);
        /* The pass that ran the hook is in its next callback until now. */
        th_counter_add(&waited, 1);
        th_join(ender);
        if (!completes) CHECK_OK(wtm_timer_invalidate(second));
        th_shutdown(s);
    }
    /* Who is not woken looks again 100 ms after it has begun to wait, which is 80 ms late. */
    CHECK_LE(late, 1);
}

static void fork_here(unsigned which) {
    (void)which;
    fflush(NULL);
    pid_t child = fork();
    CHECK_SYS(child);
    if (child == 0) hook_end = 1;
    else CHECK_EQ(th_wait_child(child), 0);
}

TEST(a_child_that_was_forked_in_the_hook_returns_from_it) {
    for (int completes = 0; completes < 2; completes++) {
        hook_end = 0;
        start(th_manual(), 2, 5);
        all[0].in_hook = fork_here;
        if (completes) {
            wtm_status status = wtm_scheduler_advance(s, 5, NULL);
            if (hook_end == 0) CHECK_OK(status);
        } else {
            wtm_timer_invalidate(all[0].timer);
        }
        if (hook_end == 1) {
            CHECK(!wtm_timer_is_valid(all[1].timer));
            CHECK_STATUS(wtm_timer_invalidate(all[1].timer), WTM_ERR_GONE);
            _exit(strcmp(order, completes ? "1a" : "a") != 0);
        }
        th_advance(s, 5);
        check_over(completes ? "1a2b" : "a2b", 2);
    }
}

/* The default scheduler has the same short ways. */
TEST(the_default_scheduler) {
    wtm_scheduler standard = { 0 };
    for (int round = 0; round < 2; round++) {
        start(standard, 2, TH_HOUR);
        wtm_scheduler known = wtm_scheduler_default();
        CHECK_U64(th_stats(known).live, 2);
        CHECK_U64(th_stats(known).created, 2);
        CHECK_OK(wtm_timer_invalidate(all[0].timer));
        CHECK_STR(order, "a");
        th_shutdown(known);
        CHECK_STR(order, "ab");
    }
}
