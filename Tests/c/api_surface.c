/* Versions, names and messages, initialisers, values and layouts: what programs outside were compiled against. */
#include "harness.h"

#include <stddef.h>

TEST(version_is_told_three_ways) {
    char text[48];
    snprintf(text, sizeof text, "%d.%d.%d", WTM_VERSION_MAJOR, WTM_VERSION_MINOR, WTM_VERSION_PATCH);
    CHECK_EQ(wtm_version_number(), WTM_VERSION_MAJOR << 16 | WTM_VERSION_MINOR << 8 | WTM_VERSION_PATCH);
    CHECK_STR(wtm_version_string(), text);
}

TEST(every_status_has_its_name_and_a_message) {
    static const struct {
        wtm_status status;
        int value;
        const char *name;
    } all[] = {
        { WTM_OK, 0, "WTM_OK" },
        { WTM_RUNNING, 1, "WTM_RUNNING" },
        { WTM_ERR_INVALID, -1, "WTM_ERR_INVALID" },
        { WTM_ERR_GONE, -2, "WTM_ERR_GONE" },
        { WTM_ERR_TARGET_GONE, -3, "WTM_ERR_TARGET_GONE" },
        { WTM_ERR_SHUT_DOWN, -4, "WTM_ERR_SHUT_DOWN" },
        { WTM_ERR_WOULD_DEADLOCK, -5, "WTM_ERR_WOULD_DEADLOCK" },
        { WTM_ERR_TIMED_OUT, -6, "WTM_ERR_TIMED_OUT" },
        { WTM_ERR_LIMIT, -7, "WTM_ERR_LIMIT" },
        { WTM_ERR_UNSUPPORTED, -8, "WTM_ERR_UNSUPPORTED" },
        { WTM_ERR_SYSTEM, -9, "WTM_ERR_SYSTEM" },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        CHECK_EQ(all[i].status, all[i].value);
        CHECK_STR(wtm_status_name(all[i].status), all[i].name);
        const char *message = wtm_status_message(all[i].status);
        CHECK(message != NULL && strlen(message) > 0);
        for (size_t k = 0; k < i; k++) CHECK(strcmp(message, wtm_status_message(all[k].status)) != 0);
    }
}

TEST(unknown_statuses_have_a_fixed_string) {
    static const int unknown[] = { 2, 3, 100, -10, -11, -1000, INT32_MAX, INT32_MIN };
    const char *name = wtm_status_name((wtm_status)unknown[0]), *message = wtm_status_message((wtm_status)unknown[0]);
    CHECK(name != NULL && message != NULL && *name != 0 && *message != 0);
    for (size_t i = 1; i < sizeof unknown / sizeof unknown[0]; i++) {
        CHECK_STR(wtm_status_name((wtm_status)unknown[i]), name);
        CHECK_STR(wtm_status_message((wtm_status)unknown[i]), message);
    }
}

/* Sets size, and every other byte of the value zero. Padding is not looked at: the structs have none to speak of. */
#define CHECK_INIT(type, INIT) \
    do { \
        type made = INIT, zero; \
        memset(&zero, 0, sizeof zero); \
        CHECK_EQ(made.size, sizeof(type)); \
        made.size = 0; \
        CHECK_MSG(memcmp(&made, &zero, sizeof made) == 0, "%s leaves something set", #INIT); \
    } while (0)

TEST(initialisers_set_the_size_and_nothing_else) {
    CHECK_INIT(wtm_timer_options, WTM_TIMER_OPTIONS_INIT);
    CHECK_INIT(wtm_scheduler_options, WTM_SCHEDULER_OPTIONS_INIT);
    CHECK_INIT(wtm_executor_ops, WTM_EXECUTOR_OPS_INIT);
    CHECK_INIT(wtm_weak_ops, WTM_WEAK_OPS_INIT);
    CHECK_INIT(wtm_timer_info, WTM_TIMER_INFO_INIT);
    CHECK_INIT(wtm_scheduler_stats, WTM_SCHEDULER_STATS_INIT);
}

#define FOLLOWS(type, field, earlier) \
    _Static_assert(offsetof(type, field) >= offsetof(type, earlier) + sizeof(((type *)0)->earlier) && \
                       offsetof(type, field) < offsetof(type, earlier) + sizeof(((type *)0)->earlier) + 8, \
                   #type "." #field " does not follow " #earlier)

FOLLOWS(wtm_timer_options, flags, size);
FOLLOWS(wtm_timer_options, fn, flags);
FOLLOWS(wtm_timer_options, context, fn);
FOLLOWS(wtm_timer_options, release, context);
FOLLOWS(wtm_timer_options, ended, release);
FOLLOWS(wtm_timer_options, target, ended);
FOLLOWS(wtm_timer_options, weak, target);
FOLLOWS(wtm_timer_options, executor, weak);
FOLLOWS(wtm_timer_options, clock, executor);
FOLLOWS(wtm_timer_options, missed, clock);
FOLLOWS(wtm_timer_options, delay_ns, missed);
FOLLOWS(wtm_timer_options, deadline_ns, delay_ns);
FOLLOWS(wtm_timer_options, interval_ns, deadline_ns);
FOLLOWS(wtm_timer_options, rate_hz_numerator, interval_ns);
FOLLOWS(wtm_timer_options, rate_hz_denominator, rate_hz_numerator);
FOLLOWS(wtm_timer_options, tolerance_ns, rate_hz_denominator);
FOLLOWS(wtm_timer_options, tick_limit, tolerance_ns);
FOLLOWS(wtm_timer_options, name, tick_limit);
FOLLOWS(wtm_scheduler_options, drive, flags);
FOLLOWS(wtm_scheduler_options, log_level, drive);
FOLLOWS(wtm_scheduler_options, name, log_level);
FOLLOWS(wtm_scheduler_options, max_timers, name);
FOLLOWS(wtm_scheduler_options, executor, max_timers);
FOLLOWS(wtm_scheduler_options, slow_callback_ns, executor);
FOLLOWS(wtm_scheduler_options, thread_stack_bytes, slow_callback_ns);
FOLLOWS(wtm_scheduler_options, timer_slack_ns, thread_stack_bytes);
FOLLOWS(wtm_scheduler_options, spin_ns, timer_slack_ns);
FOLLOWS(wtm_scheduler_options, on_thread_start, spin_ns);
FOLLOWS(wtm_scheduler_options, on_clock_jump, on_thread_start);
FOLLOWS(wtm_scheduler_options, log, on_clock_jump);
FOLLOWS(wtm_scheduler_options, context, log);
FOLLOWS(wtm_scheduler_options, release, context);
FOLLOWS(wtm_tick, scheduled_ns, reserved);
FOLLOWS(wtm_tick, now_ns, scheduled_ns);
FOLLOWS(wtm_tick, next_ns, now_ns);
FOLLOWS(wtm_tick, target, next_ns);
FOLLOWS(wtm_tick, ordinal, target);
FOLLOWS(wtm_tick, missed, ordinal);
FOLLOWS(wtm_timer_info, next_ns, missed_policy);
FOLLOWS(wtm_timer_info, interval_ns, next_ns);
FOLLOWS(wtm_timer_info, tolerance_ns, interval_ns);
FOLLOWS(wtm_timer_info, ticks, tolerance_ns);
FOLLOWS(wtm_timer_info, missed, ticks);
FOLLOWS(wtm_timer_info, dropped, missed);
FOLLOWS(wtm_timer_info, max_lateness_ns, dropped);
FOLLOWS(wtm_timer_info, max_callback_ns, max_lateness_ns);
FOLLOWS(wtm_timer_info, target, max_callback_ns);
FOLLOWS(wtm_timer_info, name, target);
_Static_assert(sizeof(((wtm_timer_info *)0)->name) == 48, "a name field of 48 bytes");
_Static_assert(sizeof(wtm_timer) == 8 && sizeof(wtm_target) == 8 && sizeof(wtm_scheduler) == 8 && sizeof(wtm_executor) == 8,
               "handles of 64 bits");

TEST(values_of_flags_and_enumerators) {
    CHECK_EQ(WTM_TIMER_ABSOLUTE, 1);
    CHECK_EQ(WTM_TIMER_PAUSED, 2);
    CHECK_EQ(WTM_TIMER_RELEASE_ON_EXECUTOR, 4);
    CHECK_EQ(WTM_TIMER_CONCURRENT, 8);
    CHECK_EQ(WTM_TIMER_KEEP, 16);
    CHECK_EQ(WTM_TIMER_IMMEDIATE, 32);
    CHECK_EQ(WTM_TIMER_INLINE, 64);
    CHECK_EQ(WTM_TICK_FIRED, 1);
    CHECK_EQ(WTM_CLOCK_WALL, 2);
    CHECK_EQ(WTM_MISSED_DELAY, 2);
    CHECK_EQ(WTM_REASON_SHUTDOWN, 4);
    CHECK_EQ(WTM_DRIVE_MANUAL, 2);
    CHECK_EQ(WTM_STATE_IDLE, 4);
    CHECK_EQ(WTM_LOG_ERROR, 3);
    CHECK_U64(WTM_NEVER, UINT64_MAX);
}

TEST(the_default_scheduler_is_one_and_starts_again_after_a_shutdown) {
    wtm_scheduler none = { 0 };
    unsigned threads = th_base_threads();
    CHECK(wtm_scheduler_shutdown(none, 0) <= 0); /* makes none where none is */
    th_wait_other_threads(threads);
    wtm_scheduler first = wtm_scheduler_default();
    CHECK(first.id != 0);
    CHECK_U64(wtm_scheduler_default().id, first.id);
    th_probe probe;
    th_probe_init(&probe);
    CHECK_OK(wtm_timer_after(none, 0, th_tick, &probe, th_release, NULL));
    th_probe_wait_released(&probe, 1);
    CHECK_U64(th_stats(none).created, 1);
    CHECK_U64(th_stats(first).created, 1);
    CHECK(wtm_scheduler_now(none, WTM_CLOCK_MONOTONIC) > 0);
    uint64_t delay = 0;
    CHECK_EQ(wtm_scheduler_fd(none), -1);
    CHECK_OK(wtm_scheduler_next_delay(none, &delay));
    CHECK_U64(delay, WTM_NEVER);
    CHECK_STATUS(wtm_scheduler_run_due(none, 0, NULL), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_advance(none, 0, NULL), WTM_ERR_UNSUPPORTED);
    CHECK_STATUS(wtm_scheduler_set_wall(none, 0), WTM_ERR_UNSUPPORTED);
    CHECK_OK(wtm_scheduler_shutdown(none, TH_LIMIT));
    CHECK_STATUS(wtm_scheduler_shutdown(first, 0), WTM_ERR_GONE);
    CHECK_OK(wtm_timer_after(none, 0, th_tick, &probe, th_release, NULL));
    th_probe_wait_released(&probe, 2);
    CHECK(wtm_scheduler_default().id != first.id);
    CHECK_U64(th_stats(none).created, 1);
    th_shutdown(wtm_scheduler_default());
}
