/* The binary interface of version 0 on 64-bit systems: each field at its offset, each enumerator at its value. Programs that
 * are compiled already rely on these, so a line here may be added, never changed. The checks are made by the compiler. */
#include <stddef.h>
#include <weaktimer.h>

#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has changed its size")
#define VALUE(name, value) _Static_assert((name) == (value), #name " has changed its value")

// clang-format off: several to a line

SIZE(wtm_scheduler, 8); SIZE(wtm_timer, 8); SIZE(wtm_target, 8); SIZE(wtm_executor, 8);
SIZE(wtm_status, 4); SIZE(wtm_clock, 4); SIZE(wtm_missed_policy, 4); SIZE(wtm_reason, 4);
SIZE(wtm_drive, 4); SIZE(wtm_timer_state, 4); SIZE(wtm_log_level, 4);

SIZE(wtm_tick, 64);
AT(wtm_tick, size, 0); AT(wtm_tick, flags, 4); AT(wtm_tick, clock, 8); AT(wtm_tick, reserved, 12);
AT(wtm_tick, scheduled_ns, 16); AT(wtm_tick, now_ns, 24); AT(wtm_tick, next_ns, 32); AT(wtm_tick, target, 40);
AT(wtm_tick, ordinal, 48); AT(wtm_tick, missed, 56);

SIZE(wtm_weak_ops, 24);
AT(wtm_weak_ops, size, 0); AT(wtm_weak_ops, reserved, 4); AT(wtm_weak_ops, lock, 8); AT(wtm_weak_ops, unlock, 16);

SIZE(wtm_timer_options, 128);
AT(wtm_timer_options, size, 0); AT(wtm_timer_options, flags, 4); AT(wtm_timer_options, fn, 8);
AT(wtm_timer_options, context, 16); AT(wtm_timer_options, release, 24); AT(wtm_timer_options, ended, 32);
AT(wtm_timer_options, target, 40); AT(wtm_timer_options, weak, 48); AT(wtm_timer_options, executor, 56);
AT(wtm_timer_options, clock, 64); AT(wtm_timer_options, missed, 68); AT(wtm_timer_options, delay_ns, 72);
AT(wtm_timer_options, deadline_ns, 80); AT(wtm_timer_options, interval_ns, 88);
AT(wtm_timer_options, rate_hz_numerator, 96); AT(wtm_timer_options, rate_hz_denominator, 100);
AT(wtm_timer_options, tolerance_ns, 104); AT(wtm_timer_options, tick_limit, 112); AT(wtm_timer_options, name, 120);

SIZE(wtm_timer_info, 136);
AT(wtm_timer_info, size, 0); AT(wtm_timer_info, state, 4); AT(wtm_timer_info, clock, 8);
AT(wtm_timer_info, missed_policy, 12); AT(wtm_timer_info, next_ns, 16); AT(wtm_timer_info, interval_ns, 24);
AT(wtm_timer_info, tolerance_ns, 32); AT(wtm_timer_info, ticks, 40); AT(wtm_timer_info, missed, 48);
AT(wtm_timer_info, dropped, 56); AT(wtm_timer_info, max_lateness_ns, 64); AT(wtm_timer_info, max_callback_ns, 72);
AT(wtm_timer_info, target, 80); AT(wtm_timer_info, name, 88);

SIZE(wtm_scheduler_options, 112);
AT(wtm_scheduler_options, size, 0); AT(wtm_scheduler_options, flags, 4); AT(wtm_scheduler_options, drive, 8);
AT(wtm_scheduler_options, log_level, 12); AT(wtm_scheduler_options, name, 16);
AT(wtm_scheduler_options, max_timers, 24); AT(wtm_scheduler_options, executor, 32);
AT(wtm_scheduler_options, slow_callback_ns, 40); AT(wtm_scheduler_options, thread_stack_bytes, 48);
AT(wtm_scheduler_options, timer_slack_ns, 56); AT(wtm_scheduler_options, spin_ns, 64);
AT(wtm_scheduler_options, on_thread_start, 72); AT(wtm_scheduler_options, on_clock_jump, 80);
AT(wtm_scheduler_options, log, 88); AT(wtm_scheduler_options, context, 96); AT(wtm_scheduler_options, release, 104);

SIZE(wtm_scheduler_stats, 624);
AT(wtm_scheduler_stats, size, 0); AT(wtm_scheduler_stats, reserved, 4); AT(wtm_scheduler_stats, live, 8);
AT(wtm_scheduler_stats, created, 16); AT(wtm_scheduler_stats, ticks, 24); AT(wtm_scheduler_stats, missed, 32);
AT(wtm_scheduler_stats, dropped, 40); AT(wtm_scheduler_stats, wakeups, 48); AT(wtm_scheduler_stats, ended, 56);
AT(wtm_scheduler_stats, lateness_log2, 96); AT(wtm_scheduler_stats, callback_log2, 352);
AT(wtm_scheduler_stats, max_lateness_ns, 608); AT(wtm_scheduler_stats, max_callback_ns, 616);

SIZE(wtm_executor_ops, 16);
AT(wtm_executor_ops, size, 0); AT(wtm_executor_ops, reserved, 4); AT(wtm_executor_ops, submit, 8);

VALUE(WTM_OK, 0); VALUE(WTM_RUNNING, 1); VALUE(WTM_ERR_INVALID, -1); VALUE(WTM_ERR_GONE, -2);
VALUE(WTM_ERR_TARGET_GONE, -3); VALUE(WTM_ERR_SHUT_DOWN, -4); VALUE(WTM_ERR_WOULD_DEADLOCK, -5);
VALUE(WTM_ERR_TIMED_OUT, -6); VALUE(WTM_ERR_LIMIT, -7); VALUE(WTM_ERR_UNSUPPORTED, -8); VALUE(WTM_ERR_SYSTEM, -9);
VALUE(WTM_CLOCK_MONOTONIC, 0); VALUE(WTM_CLOCK_BOOTTIME, 1); VALUE(WTM_CLOCK_WALL, 2);
VALUE(WTM_MISSED_COALESCE, 0); VALUE(WTM_MISSED_BURST, 1); VALUE(WTM_MISSED_DELAY, 2);
VALUE(WTM_REASON_NONE, 0); VALUE(WTM_REASON_COMPLETED, 1); VALUE(WTM_REASON_INVALIDATED, 2);
VALUE(WTM_REASON_TARGET_GONE, 3); VALUE(WTM_REASON_SHUTDOWN, 4);
VALUE(WTM_DRIVE_THREAD, 0); VALUE(WTM_DRIVE_HOST, 1); VALUE(WTM_DRIVE_MANUAL, 2);
VALUE(WTM_STATE_ARMED, 0); VALUE(WTM_STATE_PAUSED, 1); VALUE(WTM_STATE_QUEUED, 2); VALUE(WTM_STATE_RUNNING, 3);
VALUE(WTM_STATE_IDLE, 4);
VALUE(WTM_LOG_DEBUG, 0); VALUE(WTM_LOG_INFO, 1); VALUE(WTM_LOG_WARNING, 2); VALUE(WTM_LOG_ERROR, 3);
VALUE(WTM_TIMER_ABSOLUTE, 1); VALUE(WTM_TIMER_PAUSED, 2); VALUE(WTM_TIMER_RELEASE_ON_EXECUTOR, 4);
VALUE(WTM_TIMER_CONCURRENT, 8); VALUE(WTM_TIMER_KEEP, 16); VALUE(WTM_TIMER_IMMEDIATE, 32); VALUE(WTM_TIMER_INLINE, 64);
VALUE(WTM_TICK_FIRED, 1);
VALUE(WTM_NEVER, UINT64_MAX);

/* The initialisers set the size and nothing else; they are constant expressions. */
static const wtm_timer_options timer_options = WTM_TIMER_OPTIONS_INIT;
static const wtm_scheduler_options scheduler_options = WTM_SCHEDULER_OPTIONS_INIT;
static const wtm_executor_ops executor_ops = WTM_EXECUTOR_OPS_INIT;
static const wtm_weak_ops weak_ops = WTM_WEAK_OPS_INIT;
static const wtm_timer_info timer_info = WTM_TIMER_INFO_INIT;
static const wtm_scheduler_stats scheduler_stats = WTM_SCHEDULER_STATS_INIT;

static int only_size(const void *initialised, size_t bytes) {
    const unsigned char *byte = initialised;
    uint32_t size = *(const uint32_t *)initialised;
    for (size_t i = sizeof size; i < bytes; i++) {
        if (byte[i] != 0) return 0;
    }
    return size == bytes;
}

int main(void) {
    return only_size(&timer_options, sizeof timer_options) && only_size(&scheduler_options, sizeof scheduler_options) &&
           only_size(&executor_ops, sizeof executor_ops) && only_size(&weak_ops, sizeof weak_ops) &&
           only_size(&timer_info, sizeof timer_info) && only_size(&scheduler_stats, sizeof scheduler_stats) ? 0 : 1;
}
