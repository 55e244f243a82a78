/* A cycle of others is told to one of them, never to a bystander who waits for what they hold up; and a cycle that closes without
 * a new wait, by work that is queued behind a waiting callback, is found as well. covers: stop.self stop.wait field report: 22 */
#include "harness.h"

static wtm_scheduler s, other;
static wtm_timer a, b, victim;
static th_probe probe_a, probe_b, probe_victim;
static wtm_status seen_by_a, seen_by_b, seen_by_bystander;
static th_counter in_ended, go, waiting;

static void a_waits_for_b(th_probe *probe) {
    (void)probe;
    th_counter_add(&waiting, 1);
    seen_by_a = wtm_timer_invalidate_and_wait(b, WTM_NEVER);
}
static void b_waits_for_the_victim(th_probe *probe) {
    (void)probe;
    th_counter_add(&waiting, 1);
    seen_by_b = wtm_timer_invalidate_and_wait(victim, WTM_NEVER);
}
static void block_in_ended(th_probe *probe) {
    (void)probe;
    th_counter_add(&in_ended, 1);
    th_counter_wait(&go, 1);
}
static void *end_the_victim(void *argument) {
    (void)argument;
    CHECK_OK(wtm_timer_invalidate(victim));
    return NULL;
}
static void *bystand(void *argument) {
    (void)argument;
    seen_by_bystander = wtm_timer_invalidate_and_wait(victim, WTM_NEVER);
    return NULL;
}

/* a runs on a serial queue and waits for b, b waits for the victim, whose `ended` hook is running elsewhere: no cycle. Then that
 * hook returns, and the victim's release hook is queued behind a. */
TEST(a_bystander_is_not_told_of_a_cycle_of_others) {
    for (int round = 0; round < 10; round++) {
        wtm_executor pool = { 0 }, serial = { 0 }, none = { 0 };
        th_probe_init(&probe_a), th_probe_init(&probe_b), th_probe_init(&probe_victim);
        th_counter_init(&in_ended), th_counter_init(&go), th_counter_init(&waiting);
        CHECK_OK(wtm_executor_create_pool(2, NULL, &pool));
        CHECK_OK(wtm_executor_create_serial(pool, &serial));
        s = th_real(), other = th_real();
        wtm_timer_options options = th_options(&probe_victim);
        options.executor = serial;
        options.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
        options.delay_ns = TH_HOUR;
        CHECK_OK(wtm_timer_start(s, &options, &victim));
        probe_victim.on_ended = block_in_ended;
        pthread_t ender = th_thread(end_the_victim, NULL);
        th_counter_wait(&in_ended, 1);

        probe_a.on_tick = a_waits_for_b;
        probe_b.on_tick = b_waits_for_the_victim;
        th_probe_hold(&probe_a), th_probe_hold(&probe_b);
        options = th_options(&probe_a);
        options.executor = serial;
        CHECK_OK(wtm_timer_start(s, &options, &a));
        options = th_options(&probe_b);
        options.executor = none;
        CHECK_OK(wtm_timer_start(other, &options, &b));
        th_probe_wait_holding(&probe_a), th_probe_wait_holding(&probe_b);
        th_probe_let_go(&probe_b), th_probe_let_go(&probe_a);
        th_counter_wait(&waiting, 2);
        /* Gives the two the time to be asleep in their waits; the outcome is the same if they are not. */
        if (round % 2) (void)th_counter_wait_for(&waiting, 3, 5 * TH_MS);
        th_counter_add(&go, 1);
        th_join(ender);
        pthread_t bystander = th_thread(bystand, NULL);
        th_join(bystander);
        CHECK_STATUS(seen_by_bystander, WTM_ERR_GONE);
        th_probe_wait_released(&probe_a, 1), th_probe_wait_released(&probe_b, 1);
        CHECK_EQ((seen_by_a == WTM_ERR_WOULD_DEADLOCK) + (seen_by_b == WTM_ERR_WOULD_DEADLOCK), 1);
        CHECK_STR(probe_victim.order, "er");
        th_shutdown(s), th_shutdown(other);
        CHECK_OK(wtm_executor_shutdown(serial, TH_LIMIT));
        CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
    }
}
