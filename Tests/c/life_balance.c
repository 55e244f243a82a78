/* The books balance at every moment: created = live + the sum of all ends, by reason, whatever ends a timer; and counts of hooks
 * agree. covers: life.release.once life.eager stop.shutdown field report: 12, 33 */
#include "harness.h"

static wtm_scheduler s;
static unsigned released, by_reason[5];

static void tick_nothing(wtm_timer timer, const wtm_tick *tick, void *context) { (void)timer, (void)tick, (void)context; }
static void count_release(void *context) {
    (void)context;
    released++;
}
static void count_reason(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer, (void)context;
    CHECK(reason > WTM_REASON_NONE && reason <= WTM_REASON_SHUTDOWN);
    by_reason[reason]++;
}

static void check_books(uint64_t created, uint64_t live) {
    wtm_scheduler_stats stats = th_stats(s);
    CHECK_U64(stats.created, created);
    CHECK_U64(stats.live, live);
    uint64_t ended = 0;
    for (int i = 0; i < 5; i++) {
        CHECK_U64(stats.ended[i], by_reason[i]);
        ended += stats.ended[i];
    }
    CHECK_U64(stats.created, stats.live + ended);
    CHECK_U64(released, ended);
}

static wtm_timer start(wtm_target target, uint32_t flags, uint64_t interval, uint64_t limit) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick_nothing;
    options.ended = count_reason;
    options.release = count_release;
    options.target = target;
    options.flags = flags;
    options.delay_ns = 10;
    options.interval_ns = interval;
    options.tick_limit = limit;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(s, &options, &t));
    return t;
}

TEST(the_books_balance_after_every_sort_of_end) {
    static const wtm_target none = { 0 };
    s = th_manual();
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(&released, NULL, &target));
    check_books(0, 0);
    start(none, 0, 0, 0);                  /* completes at 10 */
    start(none, 0, 10, 3);                 /* completes at 30 */
    wtm_timer last = start(none, 0, 5, 0); /* completes at the tick after set_interval(0) */
    wtm_timer fired = start(none, WTM_TIMER_PAUSED, 0, 0);
    wtm_timer kept = start(none, WTM_TIMER_KEEP, 0, 0);
    for (int i = 0; i < 3; i++) start(target, 0, 7, 0);
    for (int i = 0; i < 2; i++) start(none, 0, 1000, 0);
    wtm_timer stopped = start(none, 0, 1000, 0);
    check_books(11, 11);
    CHECK_OK(wtm_timer_invalidate(stopped));
    check_books(11, 10);
    CHECK_STATUS(wtm_timer_invalidate(stopped), WTM_ERR_GONE); /* counted once */
    CHECK_STATUS(wtm_timer_invalidate_and_wait(stopped, 0), WTM_ERR_GONE);
    check_books(11, 10);
    th_advance(s, 10);
    check_books(11, 9);
    CHECK_OK(wtm_timer_fire(fired)); /* completes a one-shot, paused or not */
    th_advance(s, 0);
    check_books(11, 8);
    CHECK_OK(wtm_timer_set_interval(last, 0, 0));
    th_advance(s, 5);
    CHECK(!wtm_timer_is_valid(last));
    check_books(11, 7);
    th_advance(s, 15);
    check_books(11, 6);
    CHECK(wtm_timer_is_valid(kept));
    CHECK_OK(wtm_timer_invalidate(kept));
    check_books(11, 5);
    CHECK_OK(wtm_target_release(target));
    check_books(11, 2);
    CHECK_EQ(by_reason[WTM_REASON_COMPLETED], 4);
    CHECK_EQ(by_reason[WTM_REASON_INVALIDATED], 2);
    CHECK_EQ(by_reason[WTM_REASON_TARGET_GONE], 3);
    th_shutdown(s);
    CHECK_EQ(by_reason[WTM_REASON_SHUTDOWN], 2);
    CHECK_EQ(released, 11);
}

/* Failed starts leave the books alone. */
TEST(failed_starts_are_not_counted) {
    s = th_manual();
    released = 0;
    memset(by_reason, 0, sizeof by_reason);
    wtm_target dead = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &dead));
    CHECK_OK(wtm_target_release(dead));
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick_nothing;
    options.ended = count_reason;
    options.release = count_release;
    options.target = dead;
    CHECK_STATUS(wtm_timer_start(s, &options, NULL), WTM_ERR_TARGET_GONE);
    options.target.id = 0;
    options.clock = 9;
    CHECK_STATUS(wtm_timer_start(s, &options, NULL), WTM_ERR_INVALID);
    CHECK_STATUS(wtm_timer_every(s, 0, tick_nothing, NULL, count_release, NULL), WTM_ERR_INVALID);
    check_books(0, 0);
    th_shutdown(s);
    CHECK_EQ(released, 0);
}
