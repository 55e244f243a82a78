/* Statistics and info: identities that always hold, and what each counter counts. */
#include "exec_hand.h"
#include "time_record.h"

/* field report: 86, 92 */
static uint64_t sum(const uint64_t *buckets, int n) {
    uint64_t total = 0;
    for (int i = 0; i < n; i++) total += buckets[i];
    return total;
}

static void check_identities(const wtm_scheduler_stats *stats) {
    CHECK_EQ(stats->size, sizeof *stats);
    CHECK_U64(stats->created, stats->live + sum(stats->ended, 5));
    CHECK_U64(stats->ended[WTM_REASON_NONE], 0);
    CHECK_U64(sum(stats->callback_log2, 32), stats->ticks);
    CHECK_LE(sum(stats->lateness_log2, 32), stats->ticks);
}

TEST(each_way_of_ending_has_its_counter) {
    wtm_scheduler s = manual_scheduler();
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    for (int i = 0; i < 5; i++) START(s, .delay_ns = 10);
    for (int i = 0; i < 4; i++) CHECK_OK(wtm_timer_invalidate(START(s, .delay_ns = 10)));
    for (int i = 0; i < 3; i++) START(s, .interval_ns = 1000, .target = target);
    for (int i = 0; i < 2; i++) START(s, .interval_ns = 1000);
    wtm_scheduler_stats stats = th_stats(s);
    check_identities(&stats);
    CHECK_U64(stats.created, 14);
    CHECK_U64(stats.live, 10);
    CHECK_U64(stats.ended[WTM_REASON_INVALIDATED], 4);
    th_advance(s, 10);
    CHECK_OK(wtm_target_release(target));
    stats = th_stats(s);
    check_identities(&stats);
    CHECK_U64(stats.ended[WTM_REASON_COMPLETED], 5);
    CHECK_U64(stats.ended[WTM_REASON_TARGET_GONE], 3);
    CHECK_U64(stats.live, 2);
    CHECK_U64(stats.ticks, 5);
    th_shutdown(s);
    CHECK_STATUS(wtm_scheduler_get_stats(s, &stats), WTM_ERR_GONE);
    CHECK_EQ(stats.size, sizeof stats);
    CHECK_U64(stats.created, 0);
}

TEST(lateness_counts_from_the_earliest_ideal_tick_in_log2_buckets) {
    wtm_scheduler s = manual_scheduler();
    th_advance(s, UINT64_C(1) << 40);
    uint64_t now = mono(s), expected[32] = { 0 };
    static const uint64_t late[] = {
        0, 1, 2, 3, 4, 7, 8, 1023, 1024, 65535, UINT64_C(1) << 30, (UINT64_C(1) << 31) - 1, UINT64_C(1) << 31, UINT64_C(1) << 39
    };
    static const int bucket[] = { 0, 0, 1, 1, 2, 2, 3, 9, 10, 15, 30, 30, 31, 31 };
    for (int i = 0; i < 14; i++) {
        START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = now - late[i], .interval_ns = UINT64_C(1) << 45);
        expected[bucket[i]]++;
    }
    START(s, .flags = WTM_TIMER_ABSOLUTE, .deadline_ns = now - 9000, .interval_ns = 1000); /* ten ideal ticks, lateness 9000 */
    expected[13]++;
    CHECK_U64(th_advance(s, 0), 15);
    wtm_scheduler_stats stats = th_stats(s);
    check_identities(&stats);
    for (int i = 0; i < 32; i++) CHECK_U64(stats.lateness_log2[i], expected[i]);
    CHECK_U64(stats.max_lateness_ns, UINT64_C(1) << 39);
    CHECK_U64(stats.missed, 9);
    th_shutdown(s);
}

static void burn(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t until = th_now() + (uint64_t)(uintptr_t)context;
    (void)timer;
    (void)tick;
    while (th_now() < until) continue;
}

TEST(callback_time_is_measured) {
    wtm_scheduler s = th_host();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_every(s, TH_HOUR, burn, (void *)(uintptr_t)(3 * MS), NULL, &t));
    CHECK_OK(wtm_timer_fire(t));
    CHECK_EQ(th_run_due(s), 1);
    wtm_scheduler_stats stats = th_stats(s);
    check_identities(&stats);
    CHECK_GE(stats.max_callback_ns, 3 * MS);
    CHECK_GE(th_info(t).max_callback_ns, 3 * MS);
    CHECK_U64(sum(stats.callback_log2, 21), 0); /* 2^21 ns is 2.1 ms */
    CHECK_U64(sum(stats.callback_log2 + 21, 11), 1);
    CHECK_U64(sum(stats.lateness_log2, 32), 0); /* it was fired */
    CHECK_U64(stats.max_lateness_ns, 0);
    th_shutdown(s);
}

TEST(dropped_ticks_are_counted_for_the_timer_and_the_scheduler) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = hand_executor(&h);
    wtm_timer t = START(s, .interval_ns = 100, .executor = e);
    h.refuse = true;
    th_advance(s, 500);
    h.refuse = false;
    th_advance(s, 100);
    hand_run_all(&h);
    wtm_timer_info info = th_info(t);
    CHECK_U64(info.dropped, 5);
    CHECK_U64(info.ticks, 1);
    EXPECT_TICK(0, 6, 0, 600, 600, 700);
    wtm_scheduler_stats stats = th_stats(s);
    check_identities(&stats);
    CHECK_U64(stats.dropped, 5);
    CHECK_U64(stats.ticks, 1);
    th_shutdown(s);
}

TEST(wakeups_count_calls_of_run_due_and_advance) {
    wtm_scheduler s = manual_scheduler(), host = th_host();
    for (int i = 0; i < 7; i++) th_advance(s, 10);
    CHECK_U64(th_stats(s).wakeups, 7);
    for (int i = 0; i < 5; i++) th_run_due(host);
    CHECK_U64(th_stats(host).wakeups, 5);
    th_shutdown(s);
    th_shutdown(host);
}

TEST(info_tells_all_about_a_timer) {
    wtm_scheduler s = manual_scheduler();
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    wtm_timer t = START(s, .interval_ns = 1000, .tolerance_ns = 700, .missed = WTM_MISSED_DELAY, .clock = WTM_CLOCK_BOOTTIME,
                        .target = target, .name = "heartbeat");
    wtm_timer_info info = th_info(t);
    CHECK_EQ(info.size, sizeof info);
    CHECK_EQ(info.state, WTM_STATE_ARMED);
    CHECK_EQ(info.clock, WTM_CLOCK_BOOTTIME);
    CHECK_EQ(info.missed_policy, WTM_MISSED_DELAY);
    CHECK_U64(info.next_ns, 1000);
    CHECK_U64(info.interval_ns, 1000);
    CHECK_U64(info.tolerance_ns, 500);
    CHECK_U64(info.target.id, target.id);
    CHECK_STR(info.name, "heartbeat");
    CHECK_U64(info.ticks, 0);
    wtm_timer plain = START(s, .delay_ns = 5);
    info = th_info(plain);
    CHECK_STR(info.name, "");
    CHECK_U64(info.target.id, 0);
    CHECK_U64(info.interval_ns, 0);
    CHECK_OK(wtm_target_release(target));
    CHECK_STATUS(wtm_timer_get_info(t, &info), WTM_ERR_GONE);
    CHECK_EQ(info.size, sizeof info);
    CHECK_STR(info.name, "");
    th_shutdown(s);
}

TEST(names_are_cut_to_47_bytes_at_a_character) {
    static const char ascii[] = "0123456789012345678901234567890123456789012345678901234567890";
    /* 45 bytes, then a character of three bytes that would end at 48, then one of two at 46..47. */
    static const char three[] = "012345678901234567890123456789012345678901234\xe2\x82\xac!";
    static const char two[] = "012345678901234567890123456789012345678901234\xc3\xa9!";
    wtm_scheduler s = manual_scheduler();
    CHECK_EQ(strlen(th_info(START(s, .delay_ns = 5, .name = ascii)).name), 47);
    CHECK_EQ(strncmp(th_info(START(s, .delay_ns = 5, .name = ascii)).name, ascii, 47), 0);
    CHECK_EQ(strlen(th_info(START(s, .delay_ns = 5, .name = three)).name), 45);
    CHECK_EQ(strlen(th_info(START(s, .delay_ns = 5, .name = two)).name), 47);
    th_shutdown(s);
}

TEST(max_timers_counts_live_timers) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    wtm_timer t[3], refused = { 7 };
    options.drive = WTM_DRIVE_MANUAL;
    options.max_timers = 3;
    memset(&rec, 0, sizeof rec);
    CHECK_OK(wtm_scheduler_create(&options, &s));
    for (int i = 0; i < 3; i++) CHECK_OK(wtm_timer_after(s, 100, record, NULL, NULL, &t[i]));
    CHECK_STATUS(wtm_timer_after(s, 100, record, NULL, record_released, &refused), WTM_ERR_LIMIT);
    CHECK_U64(refused.id, 0);
    CHECK_EQ(rec.released, 0);
    CHECK_U64(th_stats(s).created, 3);
    CHECK_OK(wtm_timer_invalidate(t[1]));
    CHECK_OK(wtm_timer_after(s, 50, record, NULL, NULL, NULL));
    th_advance(s, 50);
    CHECK_OK(wtm_timer_after(s, 50, record, NULL, NULL, NULL));
    CHECK_STATUS(wtm_timer_after(s, 50, record, NULL, NULL, NULL), WTM_ERR_LIMIT);
    th_shutdown(s);
}

static th_counter churned;

static void *churn(void *argument) {
    wtm_scheduler s = *(wtm_scheduler *)argument;
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &target));
    for (uint64_t i = 0; i < 20000; i++) {
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_after(s, i % 3 * 10 * US, burn, NULL, NULL, NULL));
        CHECK_OK(wtm_timer_after(s, TH_HOUR, burn, NULL, NULL, &t));
        CHECK_OK(wtm_timer_invalidate(t));
        CHECK_OK(wtm_timer_after_target(s, TH_HOUR, burn, target, NULL));
        if (i % 100 == 99) {
            CHECK_OK(wtm_target_release(target));
            CHECK_OK(wtm_target_create(NULL, NULL, &target));
        }
    }
    CHECK_OK(wtm_target_release(target));
    th_counter_add(&churned, 1);
    return NULL;
}

TEST(the_balance_holds_at_every_moment) {
    wtm_scheduler s = th_real();
    uint64_t looks = 0, created = 0;
    th_counter_init(&churned);
    pthread_t a = th_thread(churn, &s), b = th_thread(churn, &s);
    do {
        wtm_scheduler_stats stats = th_stats(s);
        CHECK_U64(stats.created, stats.live + sum(stats.ended, 5));
        CHECK_LE(sum(stats.lateness_log2, 32), stats.ticks);
        CHECK_GE(stats.created, created);
        created = stats.created;
        looks++;
    } while (th_counter_get(&churned) < 2);
    th_join(a);
    th_join(b);
    CHECK_GE(looks, 2);
    CHECK_U64(th_stats(s).created, 2 * 60000);
    CHECK_U64(th_stats(s).ended[WTM_REASON_INVALIDATED], 2 * 20000);
    CHECK_U64(th_stats(s).ended[WTM_REASON_TARGET_GONE], 2 * 20000);
    th_shutdown(s);
}
