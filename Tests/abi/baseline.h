#ifndef WEAKTIMER_H
#define WEAKTIMER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define WTM_VERSION_MAJOR 0
#define WTM_VERSION_MINOR 1
#define WTM_VERSION_PATCH 0
#define WTM_NEVER UINT64_MAX
#if defined(__swift__)
#define WTM_NULLABLE _Nullable
#define WTM_NONNULL _Nonnull
#else
#define WTM_NULLABLE
#define WTM_NONNULL
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef struct wtm_scheduler {
    uint64_t id;
} wtm_scheduler;
typedef struct wtm_timer {
    uint64_t id;
} wtm_timer;
typedef struct wtm_target {
    uint64_t id;
} wtm_target;
typedef struct wtm_executor {
    uint64_t id;
} wtm_executor;
typedef enum wtm_status {
    WTM_OK = 0,
    WTM_RUNNING = 1,
    WTM_ERR_INVALID = -1,
    WTM_ERR_GONE = -2,
    WTM_ERR_TARGET_GONE = -3,
    WTM_ERR_SHUT_DOWN = -4,
    WTM_ERR_WOULD_DEADLOCK = -5,
    WTM_ERR_TIMED_OUT = -6,
    WTM_ERR_LIMIT = -7,
    WTM_ERR_UNSUPPORTED = -8,
    WTM_ERR_SYSTEM = -9
} wtm_status;
typedef enum wtm_clock {
    WTM_CLOCK_MONOTONIC = 0,
    WTM_CLOCK_BOOTTIME = 1,
    WTM_CLOCK_WALL = 2
} wtm_clock;
typedef enum wtm_missed_policy {
    WTM_MISSED_COALESCE = 0,
    WTM_MISSED_BURST = 1,
    WTM_MISSED_DELAY = 2
} wtm_missed_policy;
typedef enum wtm_reason {
    WTM_REASON_NONE = 0,
    WTM_REASON_COMPLETED = 1,
    WTM_REASON_INVALIDATED = 2,
    WTM_REASON_TARGET_GONE = 3,
    WTM_REASON_SHUTDOWN = 4
} wtm_reason;
typedef enum wtm_drive {
    WTM_DRIVE_THREAD = 0,
    WTM_DRIVE_HOST = 1,
    WTM_DRIVE_MANUAL = 2
} wtm_drive;
typedef enum wtm_timer_state {
    WTM_STATE_ARMED = 0,
    WTM_STATE_PAUSED = 1,
    WTM_STATE_QUEUED = 2,
    WTM_STATE_RUNNING = 3,
    WTM_STATE_IDLE = 4
} wtm_timer_state;
typedef enum wtm_log_level {
    WTM_LOG_DEBUG = 0,
    WTM_LOG_INFO = 1,
    WTM_LOG_WARNING = 2,
    WTM_LOG_ERROR = 3
} wtm_log_level;
enum {
    WTM_TIMER_ABSOLUTE = 1,
    WTM_TIMER_PAUSED = 2,
    WTM_TIMER_RELEASE_ON_EXECUTOR = 4,
    WTM_TIMER_CONCURRENT = 8,
    WTM_TIMER_KEEP = 16,
    WTM_TIMER_IMMEDIATE = 32,
    WTM_TIMER_INLINE = 64
};
enum {
    WTM_TICK_FIRED = 1
};
typedef struct wtm_tick {
    uint32_t size;
    uint32_t flags;
    uint32_t clock;
    uint32_t reserved;
    uint64_t scheduled_ns;
    uint64_t now_ns;
    uint64_t next_ns;
    void *WTM_NULLABLE target;
    uint64_t ordinal;
    uint64_t missed;
} wtm_tick;
typedef void (*wtm_tick_fn)(wtm_timer timer, const wtm_tick *WTM_NONNULL tick, void *WTM_NULLABLE context);
typedef void (*wtm_release_fn)(void *WTM_NULLABLE context);
typedef void (*wtm_ended_fn)(wtm_timer timer, wtm_reason reason, void *WTM_NULLABLE context);
typedef struct wtm_weak_ops {
    uint32_t size;
    uint32_t reserved;
    void *WTM_NULLABLE (*WTM_NULLABLE lock)(void *WTM_NULLABLE weak);
    void (*WTM_NULLABLE unlock)(void *WTM_NULLABLE strong);
} wtm_weak_ops;
typedef struct wtm_timer_options {
    uint32_t size;
    uint32_t flags;
    wtm_tick_fn WTM_NULLABLE fn;
    void *WTM_NULLABLE context;
    wtm_release_fn WTM_NULLABLE release;
    wtm_ended_fn WTM_NULLABLE ended;
    wtm_target target;
    const wtm_weak_ops *WTM_NULLABLE weak;
    wtm_executor executor;
    uint32_t clock;
    uint32_t missed;
    uint64_t delay_ns;
    uint64_t deadline_ns;
    uint64_t interval_ns;
    uint32_t rate_hz_numerator;
    uint32_t rate_hz_denominator;
    uint64_t tolerance_ns;
    uint64_t tick_limit;
    const char *WTM_NULLABLE name;
} wtm_timer_options;
typedef struct wtm_timer_info {
    uint32_t size;
    uint32_t state;
    uint32_t clock;
    uint32_t missed_policy;
    uint64_t next_ns;
    uint64_t interval_ns;
    uint64_t tolerance_ns;
    uint64_t ticks;
    uint64_t missed;
    uint64_t dropped;
    uint64_t max_lateness_ns;
    uint64_t max_callback_ns;
    wtm_target target;
    char name[48];
} wtm_timer_info;
typedef struct wtm_scheduler_options {
    uint32_t size;
    uint32_t flags;
    uint32_t drive;
    uint32_t log_level;
    const char *WTM_NULLABLE name;
    uint64_t max_timers;
    wtm_executor executor;
    uint64_t slow_callback_ns;
    uint64_t thread_stack_bytes;
    uint64_t timer_slack_ns;
    uint64_t spin_ns;
    void (*WTM_NULLABLE on_thread_start)(void *WTM_NULLABLE context);
    void (*WTM_NULLABLE on_clock_jump)(void *WTM_NULLABLE context, int64_t delta_ns);
    void (*WTM_NULLABLE log)(void *WTM_NULLABLE context, wtm_log_level level, const char *WTM_NONNULL message);
    void *WTM_NULLABLE context;
    wtm_release_fn WTM_NULLABLE release;
} wtm_scheduler_options;
typedef struct wtm_scheduler_stats {
    uint32_t size;
    uint32_t reserved;
    uint64_t live;
    uint64_t created;
    uint64_t ticks;
    uint64_t missed;
    uint64_t dropped;
    uint64_t wakeups;
    uint64_t ended[5];
    uint64_t lateness_log2[32];
    uint64_t callback_log2[32];
    uint64_t max_lateness_ns;
    uint64_t max_callback_ns;
} wtm_scheduler_stats;
typedef struct wtm_executor_ops {
    uint32_t size;
    uint32_t reserved;
    bool (*WTM_NULLABLE submit)(void *WTM_NULLABLE context, void (*WTM_NONNULL run)(uint64_t work), uint64_t work);
} wtm_executor_ops;
typedef bool (*wtm_visit_fn)(wtm_timer timer, const wtm_timer_info *WTM_NONNULL info, void *WTM_NULLABLE context);
uint32_t wtm_version_number(void);
const char *WTM_NONNULL wtm_version_string(void);
const char *WTM_NONNULL wtm_status_name(wtm_status status);
const char *WTM_NONNULL wtm_status_message(wtm_status status);
wtm_scheduler wtm_scheduler_default(void);
wtm_status wtm_scheduler_create(const wtm_scheduler_options *WTM_NULLABLE options, wtm_scheduler *WTM_NULLABLE out);
wtm_status wtm_scheduler_shutdown(wtm_scheduler s, uint64_t timeout_ns);
uint64_t wtm_scheduler_now(wtm_scheduler s, wtm_clock clock);
int wtm_scheduler_fd(wtm_scheduler s);
wtm_status wtm_scheduler_next_delay(wtm_scheduler s, uint64_t *WTM_NULLABLE out_delay_ns);
wtm_status wtm_scheduler_run_due(wtm_scheduler s, uint32_t max_ticks, uint32_t *WTM_NULLABLE out_ran);
wtm_status wtm_scheduler_advance(wtm_scheduler s, uint64_t by_ns, uint64_t *WTM_NULLABLE out_ran);
wtm_status wtm_scheduler_set_wall(wtm_scheduler s, uint64_t unix_ns);
wtm_status wtm_scheduler_get_stats(wtm_scheduler s, wtm_scheduler_stats *WTM_NULLABLE out);
wtm_status wtm_scheduler_for_each(wtm_scheduler s, wtm_visit_fn WTM_NULLABLE visit, void *WTM_NULLABLE context);
wtm_status wtm_target_create(void *WTM_NULLABLE context, wtm_release_fn WTM_NULLABLE release,
                             wtm_target *WTM_NULLABLE out);
wtm_status wtm_target_retain(wtm_target t);
wtm_status wtm_target_release(wtm_target t);
wtm_status wtm_target_try_retain(wtm_target t, void *WTM_NULLABLE *WTM_NULLABLE out_context);
bool wtm_target_is_alive(wtm_target t);
wtm_status wtm_target_invalidate_timers(wtm_target t);
wtm_status wtm_target_close(wtm_target t, uint64_t timeout_ns);
wtm_status wtm_timer_start(wtm_scheduler s, const wtm_timer_options *WTM_NULLABLE options, wtm_timer *WTM_NULLABLE out);
wtm_status wtm_timer_after(wtm_scheduler s, uint64_t delay_ns, wtm_tick_fn WTM_NULLABLE fn, void *WTM_NULLABLE context,
                           wtm_release_fn WTM_NULLABLE release, wtm_timer *WTM_NULLABLE out);
wtm_status wtm_timer_every(wtm_scheduler s, uint64_t interval_ns, wtm_tick_fn WTM_NULLABLE fn,
                           void *WTM_NULLABLE context, wtm_release_fn WTM_NULLABLE release,
                           wtm_timer *WTM_NULLABLE out);
wtm_status wtm_timer_after_target(wtm_scheduler s, uint64_t delay_ns, wtm_tick_fn WTM_NULLABLE fn, wtm_target t,
                                  wtm_timer *WTM_NULLABLE out);
wtm_status wtm_timer_every_target(wtm_scheduler s, uint64_t interval_ns, wtm_tick_fn WTM_NULLABLE fn, wtm_target t,
                                  wtm_timer *WTM_NULLABLE out);
wtm_status wtm_timer_invalidate(wtm_timer t);
wtm_status wtm_timer_invalidate_and_wait(wtm_timer t, uint64_t timeout_ns);
bool wtm_timer_is_valid(wtm_timer t);
wtm_status wtm_timer_fire(wtm_timer t);
wtm_status wtm_timer_reschedule(wtm_timer t, uint64_t delay_ns);
wtm_status wtm_timer_set_next(wtm_timer t, uint64_t deadline_ns);
wtm_status wtm_timer_get_next(wtm_timer t, uint64_t *WTM_NULLABLE out_deadline_ns);
wtm_status wtm_timer_set_interval(wtm_timer t, uint64_t interval_ns, uint64_t tolerance_ns);
wtm_status wtm_timer_set_interval_only(wtm_timer t, uint64_t interval_ns);
wtm_status wtm_timer_set_tolerance(wtm_timer t, uint64_t tolerance_ns);
wtm_status wtm_timer_pause(wtm_timer t);
wtm_status wtm_timer_resume(wtm_timer t);
wtm_status wtm_timer_get_info(wtm_timer t, wtm_timer_info *WTM_NULLABLE out);
wtm_status wtm_executor_create_pool(uint32_t threads, const char *WTM_NULLABLE name, wtm_executor *WTM_NULLABLE out);
wtm_status wtm_executor_create_serial(wtm_executor pool, wtm_executor *WTM_NULLABLE out);
wtm_status wtm_executor_create_custom(const wtm_executor_ops *WTM_NULLABLE ops, void *WTM_NULLABLE context,
                                      wtm_release_fn WTM_NULLABLE release, wtm_executor *WTM_NULLABLE out);
wtm_timer wtm_executor_work_timer(uint64_t work);
wtm_status wtm_executor_shutdown(wtm_executor e, uint64_t timeout_ns);
#define WTM_TIMER_OPTIONS_INIT \
    { sizeof(wtm_timer_options), 0, NULL, NULL, NULL, NULL, { 0 }, NULL, { 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL }
#define WTM_SCHEDULER_OPTIONS_INIT \
    { sizeof(wtm_scheduler_options), 0, 0, 0, NULL, 0, { 0 }, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL }
#define WTM_EXECUTOR_OPS_INIT { sizeof(wtm_executor_ops), 0, NULL }
#define WTM_WEAK_OPS_INIT { sizeof(wtm_weak_ops), 0, NULL, NULL }
#define WTM_TIMER_INFO_INIT { sizeof(wtm_timer_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 } }
#define WTM_SCHEDULER_STATS_INIT { sizeof(wtm_scheduler_stats), 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, 0, 0 }
#ifdef __cplusplus
}
#endif
#endif
