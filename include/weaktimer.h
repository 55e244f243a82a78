/**
 * @file weaktimer.h
 * @brief Timers that cannot leak, cannot outlive what they serve, and can be stopped from any thread.
 *
 * C99 and C++11 upward. One library, libweaktimer, which needs the C library alone.
 */
#ifndef WEAKTIMER_H
#define WEAKTIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * @defgroup weaktimer WeakTimer
 *
 * @brief The library as a whole: what it is made of, and the rules that hold for every function.
 *
 * An object that refreshes itself, and ends when its owner drops it:
 *
 * <!-- snippet: first.c#header -->
 * @code{.c}
 * static void refresh(wtm_timer timer, const wtm_tick *tick, void *context) {
 *     struct model *model = context; // alive for the length of this call
 *     model->refreshed++;
 * }
 *
 * static void model_free(void *context) { free(context); } // once, after the last refresh
 *
 * static struct model *model_create(void) {
 *     struct model *model = calloc(1, sizeof *model);
 *     wtm_scheduler everywhere = { 0 }; // the default scheduler
 *     wtm_target_create(model, model_free, &model->lifetime);
 *     wtm_timer_every_target(everywhere, 500 * 1000000ull, refresh, model->lifetime, NULL); // every half second
 *     return model;
 * }
 *
 * static void model_drop(struct model *model) {
 *     wtm_target_release(model->lifetime); // no more refreshes, and the model is freed: nobody stops a timer
 * }
 * @endcode
 *
 * ### Model
 *
 * - A **scheduler** owns time. It keeps timers, sleeps until the next one is due and delivers ticks. There is a
 *   default one, which the zero handle names, so that many programs never make one.
 * - A **timer** is a callback with a schedule: once, or again and again. It never keeps its target alive.
 * - A **target** is the thing that a timer serves: a counted lifetime round a pointer of yours. Timers are bound to
 *   it weakly and end with it.
 * - An **executor** says where callbacks run: on the scheduler's own thread (the default, called inline), in a
 *   pool, in a serial queue over a pool, or wherever a function of yours puts them.
 *
 * Each is named by a **handle**, a number in a struct of its own type, which is passed by value. A handle keeps
 * nothing alive and needs no destroy call; copies are as good as the original. The zero value means "none". A
 * handle whose object has ended, a forged one, or one of another kind is defined: the call answers #WTM_ERR_GONE
 * and touches nothing, for ever, since no handle is ever given out twice.
 *
 * ### Weakness
 *
 * Most timer libraries make you choose between a timer that keeps its object alive (and the object never ends) and
 * a raw pointer (and the callback finds it freed). Here the object becomes a target:
 *
 * - wtm_target_create() gives one strong reference, wtm_target_retain() and wtm_target_release() count, and
 *   wtm_target_try_retain() turns a mere handle into a reference if the target still lives.
 * - When the last strong reference goes, **every timer bound to the target has ended when the release call
 *   returns**: eagerly, not at its next tick. The target's own release hook, which frees the object, runs once,
 *   after the last callback and the last hook of those timers.
 * - A running callback borrows the target. It delays the hook until it returns, but it is no strong reference: the
 *   target counts as dead from the moment at which the last reference went, and hot timers cannot keep it alive
 *   from tick to tick.
 *
 * Where objects have weak references of their own (`std::weak_ptr`, a language runtime, a refcount with a weak
 * count), #wtm_weak_ops lets a timer use those. Nobody tells the library of a death then, so such a timer ends at
 * the first tick that finds its object dead.
 *
 * A timer needs no target: with a plain context it lives until it completes, is stopped, or its scheduler ends.
 *
 * ### Threads and re-entrancy
 *
 * Every function may be called from any thread, at any time, without a lock of yours. None is async-signal-safe.
 *
 * No callback, hook, weak operation, log sink or executor function is ever called with a lock of the library held,
 * so **every function may be called from inside every one of them**, except where its own text says otherwise; the
 * exceptions answer #WTM_ERR_WOULD_DEADLOCK or #WTM_ERR_UNSUPPORTED and never hang.
 *
 * Callbacks of one timer never overlap, on any executor, unless it was started with #WTM_TIMER_CONCURRENT.
 * Callbacks of different timers may run at the same time if an executor has several threads. On one scheduler with
 * the inline executor they run one after the other, in the order of their deadlines, equal ones in the order of
 * arming; a timer that is still due after its tick (#WTM_MISSED_BURST) waits until all others that are due have had theirs.
 *
 * There are two ways to stop, with two names:
 *
 * - wtm_timer_invalidate() **never waits** for code of yours. When it has returned, no callback starts any more.
 *   One may still be running, and then it says so with #WTM_RUNNING. It may be called with any lock held.
 * - wtm_timer_invalidate_and_wait() also **waits** for a callback that is running and for the hooks, so that what
 *   they use may be taken apart. Do not call it with a lock held that the callback needs.
 *
 * A wait that could end only by the progress of its own caller is answered with #WTM_ERR_WOULD_DEADLOCK in place of
 * being entered: from the timer's own callback, and also where callbacks on several threads or schedulers wait for
 * each other in a circle. What such a call ended stays ended. Waits for locks of yours cannot be seen.
 *
 * Threads of the library block all signals but SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS, bear a name,
 * and do not keep the process alive. Descriptors are close-on-exec.
 *
 * ### Time
 *
 * All times are unsigned 64-bit **nanoseconds**. Every value is accepted: sums saturate, and #WTM_NEVER (the
 * largest) never comes. Nothing is ever shortened or rounded down.
 *
 * - A callback **never starts before its deadline** on the timer's own clock.
 * - Ticks lie on a grid: tick k is due at first + (k - 1) * interval, whatever the callbacks cost and however long
 *   it runs. Rates given as a fraction (60000/1001 a second) are exact as well: tick k is due at
 *   first + (k - 1) / rate, rounded up to a whole nanosecond, so rounding never adds up.
 * - A callback that comes so late that further ticks are due stands for all of them by default, and says how many
 *   it stands for beyond itself (#wtm_missed_policy names the alternatives).
 * - A **tolerance** allows a tick to come up to that much later, so that timers share wake-ups. It changes neither
 *   phase nor drift.
 * - Clocks (#wtm_clock) are chosen per timer: monotonic, boottime (counts suspend), wall (follows the calendar).
 * - Relative times count from the moment of the call.
 *
 * A scheduler made with #WTM_DRIVE_MANUAL has a clock that moves only when it is told to (wtm_scheduler_advance()):
 * the same engine with a number for a clock, for tests that neither sleep nor flicker. One made with
 * #WTM_DRIVE_HOST has no thread and lives in an event loop of yours.
 *
 * ### Ownership
 *
 * - A start call that answers #WTM_OK takes the context: the timer's `release` hook will be called with it
 *   **exactly once**, for every way in which a timer can end, as the last thing that touches it: after the last
 *   callback and after `ended`. Free the context there and nowhere else.
 * - A start call that fails takes nothing: the hook does not run and the handle is zero.
 * - The hook runs at the end of the timer, not at its old deadline: on the thread that ended it, before that call
 *   returns, if no callback is running; else on the thread that runs the callback, right after it. With
 *   #WTM_TIMER_RELEASE_ON_EXECUTOR it runs on the timer's executor.
 * - Option structs, names, #wtm_weak_ops and #wtm_executor_ops are copied; they may go when the call returns. What
 *   is handed to a callback (the tick, the info, the message) lives until the callback returns.
 * - In a forked child, and at exit, no hooks run.
 *
 * ### Errors
 *
 * Functions answer a #wtm_status: not negative is success. Only wtm_timer_invalidate() answers #WTM_RUNNING.
 * Outputs are written on success and set to zero on failure (of a result struct everything after `size`; `size`
 * itself is never changed). `errno` means nothing.
 *
 * These pointers may be NULL: every `context`, `release`, `ended` and `name`, `options` where it means "all
 * defaults", the `out` of the start functions (fire and forget), `out_ran`, and each hook in an option struct. Any
 * other NULL is #WTM_ERR_INVALID, which is checked before anything else, and nothing happens. Unknown flags and
 * enumerators are #WTM_ERR_INVALID. No value that C can pass makes the library trap or abort.
 *
 * Ending, moving, pausing, firing and shutting down need no memory and cannot fail for lack of it.
 *
 * ### Structs and versions
 *
 * Every struct that you fill in begins with `size`, the caller's `sizeof`. The `*_INIT` macros set it and leave
 * every other field zero, which is its default. A smaller size than the library's is honoured (a program built
 * against an older header: what is missing, also a field cut in its middle, has its default). A larger one is
 * accepted when the part that the library does not know is zero, and is #WTM_ERR_INVALID otherwise. A size below 4,
 * or more than 1,024 above the library's, is #WTM_ERR_INVALID. In result structs the part that the library does not
 * know is set to zero.
 *
 * ### Caveats
 *
 * - Callbacks and hooks must not unwind through the library: no exception, `longjmp`, `pthread_exit` or
 *   cancellation.
 * - #WTM_RUNNING means that a callback may still be using the context. Free it in the hook, or wait.
 * - A wait while holding a lock that the callback wants is a deadlock that the library cannot see. Bound the wait
 *   if in doubt.
 * - An inline callback delays all others of its scheduler. Long work belongs on a pool. `slow_callback_ns` in
 *   #wtm_scheduler_options finds the culprit by name.
 * - With #wtm_weak_ops, `release` frees the caller's weak reference; the object itself is the business of `unlock`.
 * - Time limits of waits are real monotonic time, also under manual time. 0 asks without waiting.
 * - A wake-up that was armed before its timer was cancelled or moved may still happen, once; no callback comes of
 *   it.
 * - After `fork` every inherited handle is #WTM_ERR_GONE in the child, no inherited hook runs there, and the
 *   library works afresh. The parent notices nothing.
 * - The library stays mapped after `dlclose`. Before unloading a plugin of your own, end its timers **and wait**
 *   (wtm_timer_invalidate_and_wait(), wtm_target_close() or wtm_scheduler_shutdown()): its callbacks are its code.
 * - A target's timers may be ended by any thread; what the object's own threads do needs its own references.
 *
 * @{
 */

/** Version of this header; the library's own is told by wtm_version_number(). */
#define WTM_VERSION_MAJOR 0
/** Minor version: functions and fields are added, nothing is taken away or changed. */
#define WTM_VERSION_MINOR 1
/** Patch version: corrections. */
#define WTM_VERSION_PATCH 0

/** The time that never comes: a deadline that does not fire, a wait without limit, "nothing is due". */
#define WTM_NEVER UINT64_MAX

/* Nullability marks are for Swift's importer alone (it defines __swift__): in C and C++ they would be an extension. */
#if defined(__swift__)
#define WTM_NULLABLE _Nullable
#define WTM_NONNULL _Nonnull
#else
/** Marks pointers that may be NULL for Swift; nothing in C. What may be NULL in C is told under Errors. */
#define WTM_NULLABLE
/** Marks pointers that are never NULL for Swift; nothing in C. */
#define WTM_NONNULL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Names a scheduler. The zero handle names the default one, wherever a scheduler is taken. */
typedef struct wtm_scheduler {
    /**
     * Not to be interpreted; 0 is none. Good as a hash key, and it fits where an event loop keeps 64 bits of yours.
     */
    uint64_t id;
} wtm_scheduler;

/** Names a timer. Keeps nothing alive; #WTM_ERR_GONE answers every call once the timer has ended. */
typedef struct wtm_timer {
    /** Not to be interpreted; 0 is none. */
    uint64_t id;
} wtm_timer;

/**
 * Names a target. The handle is a weak reference: wtm_target_try_retain() makes it a strong one while the target
 * lives.
 */
typedef struct wtm_target {
    /** Not to be interpreted; 0 is none. */
    uint64_t id;
} wtm_target;

/** Names an executor. Zero means inline, or the scheduler's default where that has one. */
typedef struct wtm_executor {
    /** Not to be interpreted; 0 is none. */
    uint64_t id;
} wtm_executor;

/**
 * What a call answers. Not negative is success. Each function lists those that it can give, and why. Besides, where a
 * scheduler is taken, zero may have to make the default one: #WTM_ERR_SYSTEM if its thread or memory is refused.
 */
typedef enum wtm_status {
    /** Done. */
    WTM_OK = 0,
    /** Done, and a last callback is still running. From wtm_timer_invalidate() alone. */
    WTM_RUNNING = 1,
    /**
     * An argument that can never be right: NULL, an unknown flag or enumerator, a bad size, options that contradict
     * each other.
     */
    WTM_ERR_INVALID = -1,
    /** The handle names nothing that lives: ended, stale, zero, forged, or of another kind. */
    WTM_ERR_GONE = -2,
    /** The target that a timer was to be bound to has died. */
    WTM_ERR_TARGET_GONE = -3,
    /** The scheduler or executor is being shut down. */
    WTM_ERR_SHUT_DOWN = -4,
    /** The wait could end only by the caller's own progress. What the call ended stays ended. */
    WTM_ERR_WOULD_DEADLOCK = -5,
    /** The time limit of a wait has passed. What the call ended stays ended. */
    WTM_ERR_TIMED_OUT = -6,
    /** A limit has been reached: `max_timers`, a tick limit, a count. */
    WTM_ERR_LIMIT = -7,
    /** This object cannot do that: a drive function on a scheduler of another drive. */
    WTM_ERR_UNSUPPORTED = -8,
    /** The system refused a thread, a descriptor or memory. Nothing has changed; the library stays usable. */
    WTM_ERR_SYSTEM = -9
} wtm_status;

/** Which time a timer lives by. */
typedef enum wtm_clock {
    /**
     * The default. Counts from an unspecified start, never steps, and stands still while the machine is suspended.
     */
    WTM_CLOCK_MONOTONIC = 0,
    /** As monotonic, but time spent in suspend counts: a timer that fell due meanwhile fires on resume. */
    WTM_CLOCK_BOOTTIME = 1,
    /**
     * Nanoseconds since 1 January 1970 UTC. Timers are looked at anew when the calendar is stepped. A step forwards
     * over several ticks of a repeating timer makes them missed ticks. After a step back a repeating timer that has
     * ticked goes on at the first point of its grid after the new now, be it before the first tick. One-shots, first
     * ticks, and the deadlines of reschedule, set_next and resume wait for their date.
     */
    WTM_CLOCK_WALL = 2
} wtm_clock;

/**
 * What becomes of ticks that fall due while an earlier callback runs, or while the thread or the machine stands
 * still.
 */
typedef enum wtm_missed_policy {
    /**
     * The default: one callback for all that are due; `missed` says how many it stands for beyond itself. No burst
     * after a sleep.
     */
    WTM_MISSED_COALESCE = 0,
    /** Every tick gets its callback, one after the other; other timers get their turn in between. */
    WTM_MISSED_BURST = 1,
    /**
     * A tick so late that its successor is already due lays the successor, and the grid, one interval after its own
     * start. Nothing is missed.
     */
    WTM_MISSED_DELAY = 2
} wtm_missed_policy;

/** Why a timer has ended. */
typedef enum wtm_reason {
    /** It has not. */
    WTM_REASON_NONE = 0,
    /** A one-shot has had its tick, or a tick limit is reached. */
    WTM_REASON_COMPLETED = 1,
    /** wtm_timer_invalidate(), wtm_timer_invalidate_and_wait() or wtm_target_invalidate_timers(). */
    WTM_REASON_INVALIDATED = 2,
    /** Its target died, or `lock` of its weak operations answered NULL. */
    WTM_REASON_TARGET_GONE = 3,
    /** Its scheduler was shut down. */
    WTM_REASON_SHUTDOWN = 4
} wtm_reason;

/** Who makes a scheduler's time pass. */
typedef enum wtm_drive {
    /** The default: a thread of its own. */
    WTM_DRIVE_THREAD = 0,
    /**
     * An event loop of yours, by wtm_scheduler_fd() or wtm_scheduler_next_delay(), and wtm_scheduler_run_due(). No
     * thread.
     */
    WTM_DRIVE_HOST = 1,
    /** wtm_scheduler_advance() alone. No thread, no system clock. */
    WTM_DRIVE_MANUAL = 2
} wtm_drive;

/** Where a live timer stands. A timer that has ended has no state: its handle is #WTM_ERR_GONE. */
typedef enum wtm_timer_state {
    /** Waits for its deadline. */
    WTM_STATE_ARMED = 0,
    /** Paused, or created with #WTM_TIMER_PAUSED and not yet resumed. */
    WTM_STATE_PAUSED = 1,
    /** Due, and handed to an executor that has not begun to run it. */
    WTM_STATE_QUEUED = 2,
    /** Its callback runs. */
    WTM_STATE_RUNNING = 3,
    /** A one-shot with #WTM_TIMER_KEEP between uses: reschedule or set_next arm it again. */
    WTM_STATE_IDLE = 4
} wtm_timer_state;

/** How much a scheduler's log tells: its own level and what is above. */
typedef enum wtm_log_level {
    /** Everything. The default where a log sink is given. */
    WTM_LOG_DEBUG = 0,
    /** The death of a target that ended a named timer, clock jumps. */
    WTM_LOG_INFO = 1,
    /** Slow callbacks, refused work. */
    WTM_LOG_WARNING = 2,
    /** What the system refused. */
    WTM_LOG_ERROR = 3
} wtm_log_level;

/** @} */

/**
 * @addtogroup weaktimer_timer
 * @{
 */

/** Flags of wtm_timer_options::flags. */
enum {
    /** `deadline_ns` says when the first tick is due, and `delay_ns` is ignored. */
    WTM_TIMER_ABSOLUTE = 1,
    /** Created, not started: wtm_timer_resume() starts it, and the delay counts from there. */
    WTM_TIMER_PAUSED = 2,
    /**
     * The release hook runs on the timer's executor (inline: on the scheduler's thread, or in the next run_due or
     * advance).
     */
    WTM_TIMER_RELEASE_ON_EXECUTOR = 4,
    /** Callbacks of this timer may overlap, on as many threads as its pool has. Needs a pool as the executor. */
    WTM_TIMER_CONCURRENT = 8,
    /** A one-shot stays valid after its tick, #WTM_STATE_IDLE, to be rescheduled. Nothing on a repeating timer. */
    WTM_TIMER_KEEP = 16,
    /**
     * A repeating timer's first tick is due at once, the second one interval later. Nothing on a one-shot. Never together
     * with #WTM_TIMER_ABSOLUTE or a delay.
     */
    WTM_TIMER_IMMEDIATE = 32,
    /** Inline, although the scheduler has another default executor. */
    WTM_TIMER_INLINE = 64
};

/** Flags of wtm_tick::flags. */
enum {
    /** This tick was asked for by wtm_timer_fire() and is not one of the schedule. */
    WTM_TICK_FIRED = 1
};

/** What a callback is told about its tick. Lives until the callback returns. Times are on the timer's own clock. */
typedef struct wtm_tick {
    /** The library's sizeof(wtm_tick): look before you read a field that a newer header has. */
    uint32_t size;
    /** 0 or #WTM_TICK_FIRED. */
    uint32_t flags;
    /** The timer's #wtm_clock. */
    uint32_t clock;
    /** 0. */
    uint32_t reserved;
    /**
     * The ideal deadline, in ns; of several coalesced ones the latest that is not after now. Of a fired tick:
     * `now_ns`.
     */
    uint64_t scheduled_ns;
    /**
     * The time at which the callback was started, in ns; `now_ns - scheduled_ns` is how late it is. Never before
     * `scheduled_ns`. With weak operations the callback begins with `lock`. Where callbacks of less than a
     * microsecond follow one another, it may be about a microsecond old.
     */
    uint64_t now_ns;
    /** The next ideal deadline, in ns, or #WTM_NEVER. */
    uint64_t next_ns;
    /**
     * The target's context, or the strong pointer of the weak operations, alive for the length of the callback;
     * NULL without either.
     */
    void *WTM_NULLABLE target;
    /**
     * Which ideal tick this is, from 1. Missed ones count, fired ones do not: of a fired tick it is that of the
     * last ideal one.
     */
    uint64_t ordinal;
    /** How many ideal ticks this one stands for beyond itself. 0 unless the policy is coalesce. */
    uint64_t missed;
} wtm_tick;

/**
 * The callback of a timer.
 *
 * It runs where the timer's executor puts it, and never with a lock of the library held. Every function may be
 * called from it; for the timer itself: wtm_timer_reschedule() arms a one-shot again, wtm_timer_invalidate() ends
 * it (and answers #WTM_RUNNING), wtm_timer_invalidate_and_wait() ends it as well (and answers
 * #WTM_ERR_WOULD_DEADLOCK).
 *
 * @param timer    the timer, valid until the callback returns unless something ends it meanwhile
 * @param tick     what is due, until the callback returns
 * @param context  the options' `context` if that is set, else the target's context
 */
typedef void (*wtm_tick_fn)(wtm_timer timer, const wtm_tick *WTM_NONNULL tick, void *WTM_NULLABLE context);

/**
 * A release hook: called exactly once, as the last thing that touches its context.
 *
 * @param context  that of the timer, target, executor or scheduler to which the hook was given
 */
typedef void (*wtm_release_fn)(void *WTM_NULLABLE context);

/**
 * Told that a timer has ended, and why. Called once, after the last callback and before `release`: on the thread that
 * ended the timer, or on the one that ran the last callback. Only `release` is moved by #WTM_TIMER_RELEASE_ON_EXECUTOR.
 *
 * @param timer    its handle, #WTM_ERR_GONE already
 * @param reason   never #WTM_REASON_NONE
 * @param context  what the callback gets
 */
typedef void (*wtm_ended_fn)(wtm_timer timer, wtm_reason reason, void *WTM_NULLABLE context);

/**
 * Weak references of the caller's own kind, for a timer that has no #wtm_target. Initialise with
 * #WTM_WEAK_OPS_INIT.
 */
typedef struct wtm_weak_ops {
    /** sizeof(wtm_weak_ops). */
    uint32_t size;
    /** Ignored. */
    uint32_t reserved;
    /**
     * Makes the timer's `context`, a weak reference, a strong one: a pointer that stays good until `unlock`, or
     * NULL when the object has died. NULL ends the timer (#WTM_REASON_TARGET_GONE) without a tick. Called before
     * each callback. Required.
     */
    void *WTM_NULLABLE (*WTM_NULLABLE lock)(void *WTM_NULLABLE weak);
    /**
     * Gives back what `lock` gave, after the callback; it may be the last reference, and may destroy the object.
     * Required.
     */
    void (*WTM_NULLABLE unlock)(void *WTM_NULLABLE strong);
} wtm_weak_ops;

/**
 * All that can be said about a timer at its start. Initialise with #WTM_TIMER_OPTIONS_INIT and set what differs.
 *
 * A timer with neither interval nor rate is a one-shot.
 *
 * Starts copy what they need, so a thread that starts many timers of a kind may keep one of these and set only what
 * differs from one to the next: to clear 128 bytes costs with some compilers as much as half a start.
 */
typedef struct wtm_timer_options {
    /** sizeof(wtm_timer_options). */
    uint32_t size;
    /** Any of `WTM_TIMER_…`. Default: none. */
    uint32_t flags;
    /** The callback. Required. */
    wtm_tick_fn WTM_NULLABLE fn;
    /**
     * Handed to the callback and the hooks; owned by the timer from a successful start on. Default: the target's
     * context, if any.
     */
    void *WTM_NULLABLE context;
    /** Called once with `context` (always the options' own) after everything else. Default: none. */
    wtm_release_fn WTM_NULLABLE release;
    /** Called once when the timer has ended, with the reason, before `release`. Default: none. */
    wtm_ended_fn WTM_NULLABLE ended;
    /** What the timer serves and ends with. Not together with `weak`. Default: nothing. */
    wtm_target target;
    /**
     * The caller's own weak references, copied; `context` is one of them then. Not together with `target`. Default:
     * none.
     */
    const wtm_weak_ops *WTM_NULLABLE weak;
    /** Where callbacks run. Default: the scheduler's default, which by default is inline. */
    wtm_executor executor;
    /** A #wtm_clock. Default: monotonic. */
    uint32_t clock;
    /** A #wtm_missed_policy. Default: coalesce. */
    uint32_t missed;
    /**
     * ns from now to the first tick. Default: 0, which is "at once" for a one-shot and "after one interval" for a
     * repeating timer.
     */
    uint64_t delay_ns;
    /**
     * With #WTM_TIMER_ABSOLUTE: when the first tick is due, in ns on the timer's clock. One in the past is taken as
     * it is.
     */
    uint64_t deadline_ns;
    /** ns from tick to tick. Default: 0, a one-shot. */
    uint64_t interval_ns;
    /**
     * Ticks in `rate_hz_denominator` seconds, in place of an interval, exact for ever: 60000/1001, say. At most 1
     * GHz. Tick k is due at first + ceil((k - 1) * 10^9 * denominator / numerator) ns, where `first` is the start plus
     * one such period, also rounded up, unless a delay or deadline says otherwise. Default: 0, no rate.
     */
    uint32_t rate_hz_numerator;
    /** See `rate_hz_numerator`. Both or neither are zero. */
    uint32_t rate_hz_denominator;
    /**
     * A tick falls in [deadline, deadline + tolerance]. Of a repeating timer at most half the interval counts.
     * Default: 0, exact.
     */
    uint64_t tolerance_ns;
    /**
     * Ends the timer (COMPLETED) after so many callbacks; fired ones do not count, a coalesced one counts once.
     * Default: 0, no limit.
     */
    uint64_t tick_limit;
    /** Shown in logs, info and for_each: bytes, cut to 47 at a UTF-8 boundary; copied. Default: none. */
    const char *WTM_NULLABLE name;
} wtm_timer_options;

/**
 * What wtm_timer_get_info() and wtm_scheduler_for_each() tell about a timer. Initialise with #WTM_TIMER_INFO_INIT.
 */
typedef struct wtm_timer_info {
    /** The caller's sizeof(wtm_timer_info); never changed. */
    uint32_t size;
    /** A #wtm_timer_state. */
    uint32_t state;
    /** A #wtm_clock. */
    uint32_t clock;
    /** A #wtm_missed_policy. */
    uint32_t missed_policy;
    /**
     * The next deadline in ns on the timer's clock, as wtm_timer_get_next() gives it; #WTM_NEVER while paused or
     * idle.
     */
    uint64_t next_ns;
    /** ns from tick to tick, 0 for a one-shot; of a rate the interval that it amounts to, in whole ns. */
    uint64_t interval_ns;
    /** The tolerance that is in force, in ns, after the cap at half the interval. */
    uint64_t tolerance_ns;
    /** Callbacks so far, fired ones included. */
    uint64_t ticks;
    /** Ideal ticks that another stood for, be it one that ran or one that was dropped. */
    uint64_t missed;
    /** Ticks that an executor refused or dropped, each counted once whatever it stood for. */
    uint64_t dropped;
    /** The longest that a callback has come after the earliest ideal tick that it stood for, in ns. */
    uint64_t max_lateness_ns;
    /** The longest that a callback has run, in ns. */
    uint64_t max_callback_ns;
    /** The target that it is bound to, or zero. */
    wtm_target target;
    /** The name, ended by a zero; empty without one. */
    char name[48];
} wtm_timer_info;

/** @} */

/**
 * @addtogroup weaktimer_scheduler
 * @{
 */

/** How a scheduler is made. Initialise with #WTM_SCHEDULER_OPTIONS_INIT and set what differs. */
typedef struct wtm_scheduler_options {
    /** sizeof(wtm_scheduler_options). */
    uint32_t size;
    /** 0: there are none yet. */
    uint32_t flags;
    /** A #wtm_drive. Default: a thread. */
    uint32_t drive;
    /** The least #wtm_log_level that `log` is told. Default: debug, everything. */
    uint32_t log_level;
    /** Name of the scheduler and (its first 15 bytes) of its thread; copied. Default: "wtm-scheduler". */
    const char *WTM_NULLABLE name;
    /** How many timers may live at once; one more is #WTM_ERR_LIMIT. Default: 0, as many as memory holds. */
    uint64_t max_timers;
    /**
     * Where callbacks run that name no executor. Default: inline. When it has been shut down, timers are started all the
     * same; their ticks are refused, and count as dropped.
     */
    wtm_executor executor;
    /**
     * A callback that runs at least so long, in ns, is logged once at WARNING by its timer's name: while it still runs,
     * if the scheduler has a thread (a second one watches it then), else when it has returned. Needs `log`. Default:
     * 0, off.
     */
    uint64_t slow_callback_ns;
    /**
     * Stack of the thread, in bytes. Raised to the system's minimum; more than it gives is #WTM_ERR_SYSTEM.
     * Default: 0, the system's.
     */
    uint64_t thread_stack_bytes;
    /**
     * By how much the kernel may delay the thread's wake-ups, in ns. Default: 0, which stands for 1 ns, the least
     * (the system's own is 50,000).
     *
     * Where ticks are dense, the thread rests after eight or more for as long as its own work for them took (64 ns
     * each), so that the next come together: for 10 us at least, and at most for this slack or, by default, 50 us.
     * A slack of 1 so means the least delay, a larger one fewer wake-ups (of it, 1 ms is used).
     */
    uint64_t timer_slack_ns;
    /**
     * The thread sleeps to this long before a deadline, in ns, and spins the rest: precision for CPU time. Default:
     * 0, no spinning.
     */
    uint64_t spin_ns;
    /**
     * Called once on the scheduler's own thread before anything else: affinity, priority. Drive by thread alone.
     * Default: none.
     */
    void (*WTM_NULLABLE on_thread_start)(void *WTM_NULLABLE context);
    /**
     * Told when the wall clock was stepped: by how many ns, which is the change of wall minus boottime. Default:
     * none.
     */
    void (*WTM_NULLABLE on_clock_jump)(void *WTM_NULLABLE context, int64_t delta_ns);
    /**
     * The log sink: one message of plain text, good until it returns, without a newline. Never under a lock,
     * rate-limited. What the sink itself causes on the same thread is not logged. Default: none, and then logging
     * costs nothing.
     */
    void (*WTM_NULLABLE log)(void *WTM_NULLABLE context, wtm_log_level level, const char *WTM_NONNULL message);
    /** Handed to the three functions above and to `release`. */
    void *WTM_NULLABLE context;
    /** Called once with `context` at the very end of a shutdown. Default: none. */
    wtm_release_fn WTM_NULLABLE release;
} wtm_scheduler_options;

/**
 * What a scheduler has done since it was made. Initialise with #WTM_SCHEDULER_STATS_INIT.
 *
 * Counters saturate. In the histograms bucket i counts durations in [2^i, 2^(i+1)) ns; bucket 0 also 0, bucket 31
 * everything above.
 */
typedef struct wtm_scheduler_stats {
    /** The caller's sizeof(wtm_scheduler_stats); never changed. */
    uint32_t size;
    /** 0. */
    uint32_t reserved;
    /** Timers that live now. */
    uint64_t live;
    /** Timers ever started: always `live` plus the sum of `ended`. */
    uint64_t created;
    /** Callbacks, fired ones included. */
    uint64_t ticks;
    /** Ideal ticks that had no callback of their own. */
    uint64_t missed;
    /** Ticks that executors refused or dropped. */
    uint64_t dropped;
    /** Returns of the thread from its sleep; or calls of run_due or advance. */
    uint64_t wakeups;
    /** Timers that have ended, by #wtm_reason. */
    uint64_t ended[5];
    /** How late callbacks came, from the earliest ideal tick that each stands for; fired ones are left out. */
    uint64_t lateness_log2[32];
    /** How long callbacks ran. */
    uint64_t callback_log2[32];
    /** The worst of `lateness_log2`, exactly, in ns. */
    uint64_t max_lateness_ns;
    /** The worst of `callback_log2`, exactly, in ns. */
    uint64_t max_callback_ns;
} wtm_scheduler_stats;

/** @} */

/**
 * @addtogroup weaktimer_executor
 * @{
 */

/** An executor of the caller's own kind, for wtm_executor_create_custom(). Initialise with #WTM_EXECUTOR_OPS_INIT. */
typedef struct wtm_executor_ops {
    /** sizeof(wtm_executor_ops). */
    uint32_t size;
    /** Ignored. */
    uint32_t reserved;
    /**
     * Arranges for `run(work)` to be called once, on any thread, now or later; also from inside `submit`. Called on
     * the scheduler's thread (or in run_due or advance), without a lock. Returns false to refuse: that tick is
     * dropped, is counted as such, and the timer goes on. (If `run` has been called by then, the tick has run, whatever
     * is returned.)
     *
     * Nothing that is done wrong here can break the library: a `run` that comes late, after the timer or the
     * scheduler has gone, one that comes twice, or one with a number that was never given out does nothing. Work
     * that is lost leaves its timer #WTM_STATE_QUEUED until something ends it. Required.
     */
    bool (*WTM_NULLABLE submit)(void *WTM_NULLABLE context, void (*WTM_NONNULL run)(uint64_t work), uint64_t work);
} wtm_executor_ops;

/** @} */

/**
 * @addtogroup weaktimer_scheduler
 * @{
 */

/**
 * Visits a live timer for wtm_scheduler_for_each(). May call every function, also end timers or walk again.
 *
 * @param timer    the timer
 * @param info     its state at this moment, until the visitor returns
 * @param context  the caller's own
 * @return true to go on, false to stop the walk
 */
typedef bool (*wtm_visit_fn)(wtm_timer timer, const wtm_timer_info *WTM_NONNULL info, void *WTM_NULLABLE context);

/** @} */

/**
 * @defgroup weaktimer_library Library
 * @ingroup weaktimer
 * @brief Version, and statuses in words.
 * @{
 */

/**
 * The version of the library that is linked: major << 16 | minor << 8 | patch.
 *
 * @return the number; compare with the `WTM_VERSION_…` macros of the header
 * @note Threads: any. From a callback: allowed.
 */
uint32_t wtm_version_number(void);

/**
 * The version of the library that is linked, as text, such as "0.1.0".
 *
 * @return a string that lives as long as the process; never NULL
 * @note Threads: any. From a callback: allowed.
 */
const char *WTM_NONNULL wtm_version_string(void);

/**
 * The name of a status as C spells it: "WTM_ERR_GONE".
 *
 * @param status  any value
 * @return a string that lives as long as the process; a fixed one for unknown values; never NULL
 * @note Threads: any. From a callback: allowed.
 */
const char *WTM_NONNULL wtm_status_name(wtm_status status);

/**
 * A status in words, for people.
 *
 * @param status  any value
 * @return a string that lives as long as the process; a fixed one for unknown values; never NULL
 * @note Threads: any. From a callback: allowed.
 */
const char *WTM_NONNULL wtm_status_message(wtm_status status);

/** @} */

/**
 * @defgroup weaktimer_scheduler Schedulers
 * @ingroup weaktimer
 * @brief Where time passes: by a thread, in your event loop, or by hand.
 *
 * Functions of one drive answer #WTM_ERR_UNSUPPORTED on a scheduler of another. The zero handle stands for the
 * default scheduler in every function of this group; where that has to be made first and the system refuses, the
 * answer is #WTM_ERR_SYSTEM.
 * @{
 */

/**
 * The default scheduler: driven by a thread, made at its first use.
 *
 * The same as the zero handle, but as a handle of its own: after a shutdown it is stale, where the zero handle
 * makes a new one. While a shutdown of the default scheduler is under way, zero still stands for that one, and starting
 * answers #WTM_ERR_SHUT_DOWN.
 *
 * @return its handle; zero if the system refuses the thread (a later call tries again)
 * @note Threads: any. From a callback: allowed.
 */
wtm_scheduler wtm_scheduler_default(void);

/**
 * Makes a scheduler.
 *
 * @param options  copied; NULL for all defaults
 * @param out      receives the handle; zero on failure; not NULL
 * @retval #WTM_OK           made; its thread, if it has one, runs
 * @retval #WTM_ERR_INVALID  `out` is NULL; a bad size; an unknown flag, drive or log level
 * @retval #WTM_ERR_GONE     `options->executor` names none that lives
 * @retval #WTM_ERR_SHUT_DOWN `options->executor` is being shut down
 * @retval #WTM_ERR_LIMIT    2^20 schedulers are alive
 * @retval #WTM_ERR_SYSTEM   no thread, descriptor or memory, or a stack larger than the system gives
 * @remark Ownership: From #WTM_OK on the scheduler owns `options->context` and calls `options->release` once, at
 * the end of its shutdown; on failure nothing is taken. A scheduler lives until wtm_scheduler_shutdown().
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_scheduler_create(const wtm_scheduler_options *WTM_NULLABLE options, wtm_scheduler *WTM_NULLABLE out);

/**
 * Ends a scheduler: every timer (#WTM_REASON_SHUTDOWN), every hook, its thread; and waits until all that is done.
 *
 * While it is under way, starting answers #WTM_ERR_SHUT_DOWN; afterwards the handle is #WTM_ERR_GONE. Ticks that
 * are queued on executors are dropped, running ones waited for, and so are hooks that were asked to run on
 * executors (with a custom executor that sits on its work: until that is shut down). `options.release` of the
 * scheduler runs last.
 *
 * @param s           the scheduler; zero: the default one (none is made for this; the next use makes a new one)
 * @param timeout_ns  how long to wait, in ns of real time; 0 asks without waiting, #WTM_NEVER waits for ever
 * @retval #WTM_OK                  all has ended; also for zero where no default scheduler is
 * @retval #WTM_ERR_GONE            no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN       another call has begun it; this one has waited for its end
 * @retval #WTM_ERR_WOULD_DEADLOCK  called from one of its callbacks or hooks, its log sink, `on_thread_start`,
 *                                  `on_clock_jump`, `options.release` or an executor's `submit`, or the wait would
 *                                  close a circle; the shutdown goes on and completes after that has returned
 * @retval #WTM_ERR_TIMED_OUT       the time has passed; the shutdown goes on by itself
 * @note Threads: any. From a callback: of another scheduler: allowed, waits. Of its own: #WTM_ERR_WOULD_DEADLOCK,
 * and the scheduler ends.
 */
wtm_status wtm_scheduler_shutdown(wtm_scheduler s, uint64_t timeout_ns);

/**
 * What time it is for this scheduler's timers.
 *
 * @param s      the scheduler
 * @param clock  which clock
 * @return ns on that clock; under manual time the virtual time, which starts at 0 (wall: 1 January 1970); 0 for a
 * bad handle or an unknown clock
 * @note Threads: any. From a callback: allowed; under manual time it gives the moment of the tick.
 */
uint64_t wtm_scheduler_now(wtm_scheduler s, wtm_clock clock);

/**
 * A descriptor for the host's event loop: readable while something is due.
 *
 * It needs no reading. When it is readable, call wtm_scheduler_run_due(). A tick that is queued on an executor or
 * running does not keep it readable; nor does anything for as long as a thread is in wtm_scheduler_run_due(), since
 * another call would find nothing to do. When that returns, it speaks of what is left. For a timer that was invalidated
 * or moved to later it may become readable once, at its old time; wtm_scheduler_run_due() then finds nothing to do.
 *
 * @param s  a host-driven scheduler
 * @return the descriptor, or -1 if the handle is bad or the scheduler is driven otherwise
 * @remark Ownership: It belongs to the scheduler and is closed by its shutdown: take it out of the loop first.
 * @note Threads: any. From a callback: allowed.
 */
int wtm_scheduler_fd(wtm_scheduler s);

/**
 * How long a host may sleep: for loops that take a time-out in place of a descriptor.
 *
 * The answer is old as soon as another thread starts or moves a timer; only the descriptor notices that. The library
 * does not look for its next wake-up anew when a timer is invalidated or moved to later: until the next
 * wtm_scheduler_run_due(), or wake-up of its thread, the answer may be the moment that was right before, and one
 * wake-up finds nothing to do. Under manual time the answer is exact.
 *
 * @param s             the scheduler, of any drive
 * @param out_delay_ns  receives ns from now to the moment at which the library would wake; 0 if something is due;
 *                      #WTM_NEVER if nothing is armed; not NULL
 * @retval #WTM_OK             written
 * @retval #WTM_ERR_INVALID    `out_delay_ns` is NULL
 * @retval #WTM_ERR_GONE       no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN  it is being shut down
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_scheduler_next_delay(wtm_scheduler s, uint64_t *WTM_NULLABLE out_delay_ns);

/**
 * Runs what is due, on this thread. What falls due meanwhile waits for the next call, so that a host is never held
 * for ever.
 *
 * @param s          a host-driven scheduler
 * @param max_ticks  run at most so many; 0 for no limit
 * @param out_ran    receives how many ticks were run or handed to executors; may be NULL
 * @retval #WTM_OK                  done; also, with 0, while another thread is in it
 * @retval #WTM_ERR_GONE            no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN       it is being shut down, or was meanwhile; `out_ran` is 0 then, whatever has run
 * @retval #WTM_ERR_UNSUPPORTED     it is driven otherwise
 * @retval #WTM_ERR_WOULD_DEADLOCK  called from a callback, hook or `submit` of the same scheduler (#WTM_ERR_SHUT_DOWN once it
 *                                  is going down)
 * @note Threads: any; callbacks run inline on the thread that calls. From a callback: of the same scheduler:
 * #WTM_ERR_WOULD_DEADLOCK. Of another: allowed.
 */
wtm_status wtm_scheduler_run_due(wtm_scheduler s, uint32_t max_ticks, uint32_t *WTM_NULLABLE out_ran);

/**
 * Lets virtual time pass, and runs every callback that falls due: in order, each at its own virtual moment, to
 * completion, on this thread. It neither sleeps nor yields. Timers that are started or moved by callbacks take part
 * in the same advance.
 *
 * Ticks for pools and serial queues are handed over at their virtual time and waited for before time moves on;
 * those for custom executors are handed over and not waited for. Time stops at #WTM_NEVER - 1.
 *
 * @param s        a manual scheduler
 * @param by_ns    how far, in ns; 0 runs what is due now
 * @param out_ran  receives how many ticks were run or handed over; 0 on failure; may be NULL
 * @retval #WTM_OK                  time has passed
 * @retval #WTM_ERR_GONE            no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN       it was shut down before or meanwhile
 * @retval #WTM_ERR_UNSUPPORTED     it is driven otherwise
 * @retval #WTM_ERR_WOULD_DEADLOCK  called from a callback, hook, `on_clock_jump` or `submit` of the same scheduler
 *                                  (#WTM_ERR_SHUT_DOWN once it is going down), or it would wait in a circle
 * @note Threads: any; two at once take turns. From a callback: of the same scheduler: #WTM_ERR_WOULD_DEADLOCK. Of
 * another: allowed.
 */
wtm_status wtm_scheduler_advance(wtm_scheduler s, uint64_t by_ns, uint64_t *WTM_NULLABLE out_ran);

/**
 * Sets a manual scheduler's wall clock, as an administrator sets the calendar. Runs no callbacks, but
 * `on_clock_jump` is told before it returns. Timers on the other clocks notice nothing.
 *
 * @param s        a manual scheduler
 * @param unix_ns  ns since 1 January 1970 UTC
 * @retval #WTM_OK               set
 * @retval #WTM_ERR_GONE         no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN    it is being shut down
 * @retval #WTM_ERR_UNSUPPORTED  it is driven otherwise
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_scheduler_set_wall(wtm_scheduler s, uint64_t unix_ns);

/**
 * Counters and histograms since the scheduler was made.
 *
 * @param s    the scheduler
 * @param out  receives them; its `size` must be set; not NULL
 * @retval #WTM_OK             written
 * @retval #WTM_ERR_INVALID    `out` is NULL or its size is bad
 * @retval #WTM_ERR_GONE       no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN  it is being shut down
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_scheduler_get_stats(wtm_scheduler s, wtm_scheduler_stats *WTM_NULLABLE out);

/**
 * Visits the live timers in order of their creation. No lock is held meanwhile: timers that end before their turn
 * are left out, timers that are started during the walk are not visited.
 *
 * @param s        the scheduler
 * @param visit    called for each; may call everything, also this; not NULL
 * @param context  handed to `visit`
 * @retval #WTM_OK             all were visited, or `visit` stopped the walk
 * @retval #WTM_ERR_INVALID    `visit` is NULL
 * @retval #WTM_ERR_GONE       no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN  it is being shut down
 * @retval #WTM_ERR_SYSTEM     no memory for the list
 * @note Threads: any; `visit` is called on the thread that calls. From a callback: allowed.
 */
wtm_status wtm_scheduler_for_each(wtm_scheduler s, wtm_visit_fn WTM_NULLABLE visit, void *WTM_NULLABLE context);

/** @} */

/**
 * @defgroup weaktimer_target Targets
 * @ingroup weaktimer
 * @brief The weak thing: a counted lifetime round a pointer of yours.
 *
 * A target belongs to no scheduler: timers of several may be bound to one.
 * @{
 */

/**
 * Makes a target with one strong reference, the caller's.
 *
 * @param context  your object; handed to callbacks and to `release`; may be NULL
 * @param release  frees the object: called once, after the last reference has gone and after all callbacks, `ended`
 *                 and `release` hooks of the timers that are bound to it have returned; may be NULL
 * @param out      receives the handle; zero on failure; not NULL
 * @retval #WTM_OK           made
 * @retval #WTM_ERR_INVALID  `out` is NULL
 * @retval #WTM_ERR_LIMIT    2^28 targets are alive
 * @retval #WTM_ERR_SYSTEM   no memory
 * @remark Ownership: From #WTM_OK on the target owns `context`; on failure nothing is taken and `release` does not
 * run.
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_target_create(void *WTM_NULLABLE context, wtm_release_fn WTM_NULLABLE release,
                             wtm_target *WTM_NULLABLE out);

/**
 * One more strong reference, by somebody who holds one.
 *
 * @param t  the target
 * @retval #WTM_OK         counted: to be given back by wtm_target_release()
 * @retval #WTM_ERR_GONE   no such target, or it has died
 * @retval #WTM_ERR_LIMIT  2^32 - 1 references are out
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_target_retain(wtm_target t);

/**
 * Gives a strong reference back. With the last one the target is dead: **all timers bound to it have ended when
 * this returns**, with their hooks run, but for a timer whose callback is running on another thread (or is the
 * caller).
 *
 * The target's own hook runs on this thread before this returns if no callback is running; else on the thread of
 * the last callback, right after it has returned. Never waits.
 *
 * @param t  the target
 * @retval #WTM_OK        given back
 * @retval #WTM_ERR_GONE  no such target, or it has died (closed by somebody, say): the reference was stale
 * @note Threads: any. From a callback: allowed, also of its own timers: the hook runs after that callback.
 */
wtm_status wtm_target_release(wtm_target t);

/**
 * From weak to strong: a reference if the target lives.
 *
 * @param t            the target
 * @param out_context  receives the target's context; NULL on failure; not NULL itself
 * @retval #WTM_OK           a strong reference, to be given back by wtm_target_release()
 * @retval #WTM_ERR_INVALID  `out_context` is NULL
 * @retval #WTM_ERR_GONE     no such target, or it has died, also while a callback still borrows it
 * @retval #WTM_ERR_LIMIT    2^32 - 1 references are out
 * @remark Ownership: The context is good until the reference is given back or somebody closes the target: see
 * wtm_target_close().
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_target_try_retain(wtm_target t, void *WTM_NULLABLE *WTM_NULLABLE out_context);

/**
 * Whether a strong reference is out. By the time that you look, it may be false: to use the target,
 * wtm_target_try_retain() it.
 *
 * @param t  the target
 * @return false from the moment at which the last reference went, also while a callback still borrows the target
 * @note Threads: any. From a callback: allowed.
 */
bool wtm_target_is_alive(wtm_target t);

/**
 * Ends all timers that are bound to the target now (#WTM_REASON_INVALIDATED). The target lives on and may have new
 * ones. Never waits.
 *
 * @param t  the target
 * @retval #WTM_OK        ended; callbacks that were running may still be
 * @retval #WTM_ERR_GONE  no such target, or it has died
 * @note Threads: any. From a callback: allowed, also of one of those timers.
 */
wtm_status wtm_target_invalidate_timers(wtm_target t);

/**
 * Ends a target now, whatever its count, and waits: on #WTM_OK its timers have ended, nothing of them is running,
 * and its hook has returned.
 *
 * References that others hold become stale. They may be looking at the object at this moment, so use this where the
 * program's own order says that nobody is, and wtm_target_release() elsewhere.
 *
 * @param t           the target
 * @param timeout_ns  how long to wait, in ns of real time; 0 asks without waiting, #WTM_NEVER waits for ever
 * @retval #WTM_OK                  dead, and all done
 * @retval #WTM_ERR_GONE            no such target, or it had died before; if its hook was still running, it has
 *                                  returned by now
 * @retval #WTM_ERR_WOULD_DEADLOCK  called from one of its own callbacks or from its hook, or the wait would close a
 *                                  circle; it is dead, and the hook runs after that callback
 * @retval #WTM_ERR_TIMED_OUT       the time has passed; it is dead, and the hook runs when the callbacks are done
 * @note Threads: any. From a callback: of its own timers: #WTM_ERR_WOULD_DEADLOCK, and the target dies. Of others:
 * allowed, waits.
 */
wtm_status wtm_target_close(wtm_target t, uint64_t timeout_ns);

/** @} */

/**
 * @defgroup weaktimer_timer Timers
 * @ingroup weaktimer
 * @brief Callbacks with a schedule: starting, stopping, moving, looking.
 * @{
 */

/**
 * Starts a timer with everything that #wtm_timer_options can say.
 *
 * `*out` is written before the timer can tick.
 *
 * @param s        where; zero for the default scheduler
 * @param options  copied; not NULL, since `fn` is required
 * @param out      receives the handle; zero on failure; NULL to fire and forget
 * @retval #WTM_OK               started: `release` will run once. If it raced with its target's death or a
 *                               shutdown, it ends like any other
 * @retval #WTM_ERR_INVALID      `options` or `fn` is NULL; a bad size; unknown flags, clock or policy; a rate with
 *                               exactly one zero field, above 1 GHz, or together with an interval; IMMEDIATE with
 *                               ABSOLUTE or with a delay; CONCURRENT without a pool; `target` with `weak`; weak
 *                               operations that lack a function; INLINE with an executor
 * @retval #WTM_ERR_GONE         no such scheduler or executor; a target handle of another kind, or never given out
 * @retval #WTM_ERR_TARGET_GONE  the target has died
 * @retval #WTM_ERR_SHUT_DOWN    the scheduler or the executor is being shut down
 * @retval #WTM_ERR_LIMIT        the scheduler's `max_timers` are alive, or 2^28 timers in this process
 * @retval #WTM_ERR_SYSTEM       no memory, or the default scheduler's thread was refused
 * @remark Ownership: See Ownership above: on #WTM_OK the context is the timer's, on failure nothing is taken.
 * @note Threads: any. From a callback: allowed. What is due at once comes after the callbacks that are due already.
 */
wtm_status wtm_timer_start(wtm_scheduler s, const wtm_timer_options *WTM_NULLABLE options, wtm_timer *WTM_NULLABLE out);

/**
 * Once, `delay_ns` from now. The short form of wtm_timer_start().
 *
 * @param s         where; zero for the default scheduler
 * @param delay_ns  ns from now; 0 is as soon as possible, #WTM_NEVER is not before it is moved
 * @param fn        the callback; not NULL
 * @param context   handed to `fn` and `release`
 * @param release   called once with `context` at the end; may be NULL
 * @param out       receives the handle; zero on failure; NULL to fire and forget
 * @retval #WTM_OK             started
 * @retval #WTM_ERR_INVALID    `fn` is NULL
 * @retval #WTM_ERR_GONE       no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN  the scheduler is being shut down
 * @retval #WTM_ERR_LIMIT      the scheduler's `max_timers` are alive, or 2^28 timers in this process
 * @retval #WTM_ERR_SYSTEM     no memory, or the default scheduler's thread was refused
 * @remark Ownership: As wtm_timer_start().
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_after(wtm_scheduler s, uint64_t delay_ns, wtm_tick_fn WTM_NULLABLE fn, void *WTM_NULLABLE context,
                           wtm_release_fn WTM_NULLABLE release, wtm_timer *WTM_NULLABLE out);

/**
 * Again and again, every `interval_ns`, first one interval from now. The short form of wtm_timer_start().
 *
 * @param s            where; zero for the default scheduler
 * @param interval_ns  ns from tick to tick; not 0
 * @param fn           the callback; not NULL
 * @param context      handed to `fn` and `release`
 * @param release      called once with `context` at the end; may be NULL
 * @param out          receives the handle; zero on failure; NULL to fire and forget
 * @retval #WTM_OK             started
 * @retval #WTM_ERR_INVALID    `fn` is NULL, or `interval_ns` is 0
 * @retval #WTM_ERR_GONE       no such scheduler
 * @retval #WTM_ERR_SHUT_DOWN  the scheduler is being shut down
 * @retval #WTM_ERR_LIMIT      the scheduler's `max_timers` are alive, or 2^28 timers in this process
 * @retval #WTM_ERR_SYSTEM     no memory, or the default scheduler's thread was refused
 * @remark Ownership: As wtm_timer_start().
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_every(wtm_scheduler s, uint64_t interval_ns, wtm_tick_fn WTM_NULLABLE fn,
                           void *WTM_NULLABLE context, wtm_release_fn WTM_NULLABLE release,
                           wtm_timer *WTM_NULLABLE out);

/**
 * Once, `delay_ns` from now, for a target: the callback gets the target's context, and does not come if the target
 * dies before.
 *
 * @param s         where; zero for the default scheduler
 * @param delay_ns  ns from now
 * @param fn        the callback; not NULL
 * @param t         the target; not retained
 * @param out       receives the handle; zero on failure; NULL to leave the end to the target
 * @retval #WTM_OK               started
 * @retval #WTM_ERR_INVALID      `fn` is NULL
 * @retval #WTM_ERR_GONE         no such scheduler; a target handle that is zero, of another kind, or was never
 *                               given out
 * @retval #WTM_ERR_TARGET_GONE  the target has died
 * @retval #WTM_ERR_SHUT_DOWN    the scheduler is being shut down
 * @retval #WTM_ERR_LIMIT        the scheduler's `max_timers` are alive, or 2^28 timers in this process
 * @retval #WTM_ERR_SYSTEM       no memory, or the default scheduler's thread was refused
 * @remark Ownership: Nothing is taken: the context is the target's.
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_after_target(wtm_scheduler s, uint64_t delay_ns, wtm_tick_fn WTM_NULLABLE fn, wtm_target t,
                                  wtm_timer *WTM_NULLABLE out);

/**
 * Every `interval_ns`, for a target: until the target dies, without anybody stopping anything.
 *
 * @param s            where; zero for the default scheduler
 * @param interval_ns  ns from tick to tick; not 0
 * @param fn           the callback; not NULL
 * @param t            the target; not retained
 * @param out          receives the handle; zero on failure; NULL to leave the end to the target
 * @retval #WTM_OK               started
 * @retval #WTM_ERR_INVALID      `fn` is NULL, or `interval_ns` is 0
 * @retval #WTM_ERR_GONE         no such scheduler; a target handle that is zero, of another kind, or was never
 *                               given out
 * @retval #WTM_ERR_TARGET_GONE  the target has died
 * @retval #WTM_ERR_SHUT_DOWN    the scheduler is being shut down
 * @retval #WTM_ERR_LIMIT        the scheduler's `max_timers` are alive, or 2^28 timers in this process
 * @retval #WTM_ERR_SYSTEM       no memory, or the default scheduler's thread was refused
 * @remark Ownership: Nothing is taken: the context is the target's.
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_every_target(wtm_scheduler s, uint64_t interval_ns, wtm_tick_fn WTM_NULLABLE fn, wtm_target t,
                                  wtm_timer *WTM_NULLABLE out);

/**
 * Ends a timer, and never waits. **When it has returned, no callback of the timer starts any more**, not even one
 * that was due already.
 *
 * Of any number of calls, from any threads, exactly one gets a success. The end is final: nothing revives the
 * timer.
 *
 * @param t  the timer
 * @retval #WTM_OK        ended, and nothing is running: the hooks have run, on this thread (but for
 *                        #WTM_TIMER_RELEASE_ON_EXECUTOR)
 * @retval #WTM_RUNNING   ended, and a last callback is running, perhaps the caller itself: the hooks run right
 *                        after it, where it runs
 * @retval #WTM_ERR_GONE  it had ended before, or never was
 * @remark Ownership: The context is free when `release` has run; after #WTM_OK that is now.
 * @note Threads: any, with any lock held that `ended` and `release` do not take. From a callback: allowed. From the
 * timer's own: #WTM_RUNNING; the callback runs to its end and is the last.
 */
wtm_status wtm_timer_invalidate(wtm_timer t);

/**
 * Ends a timer and waits for its callback and hooks: on #WTM_OK and #WTM_ERR_GONE nothing of the timer is running,
 * and what it uses may be freed.
 *
 * This holds also if somebody else ended the timer before. Not a cancellation point.
 *
 * @param t           the timer
 * @param timeout_ns  how long to wait, in ns of real time; 0 asks without waiting, #WTM_NEVER waits for ever
 * @retval #WTM_OK                  ended by this call, and all is done
 * @retval #WTM_ERR_GONE            it had ended before, or never was; all is done
 * @retval #WTM_ERR_WOULD_DEADLOCK  called from the timer's own callback or hooks, or the wait would close a circle;
 *                                  the timer has ended
 * @retval #WTM_ERR_TIMED_OUT       the callback runs longer than that; the timer has ended, but what it uses may
 *                                  not be freed
 * @remark Ownership: After #WTM_OK or #WTM_ERR_GONE the context is the caller's again if there is no `release`.
 * @note Threads: any. Do not hold a lock that the callback needs: that wait cannot be seen. From a callback: of
 * another timer: allowed, waits. Of its own: #WTM_ERR_WOULD_DEADLOCK at once, and the timer has ended.
 */
wtm_status wtm_timer_invalidate_and_wait(wtm_timer t, uint64_t timeout_ns);

/**
 * Whether a timer has not ended.
 *
 * @param t  the timer
 * @return true from its start to its end, also during its last callback, while paused and while idle
 * @note Threads: any. By the time that you look, it may have ended. From a callback: allowed.
 */
bool wtm_timer_is_valid(wtm_timer t);

/**
 * Delivers one extra tick (#WTM_TICK_FIRED) as soon as possible, through the timer's executor and never inside this
 * call. The schedule stays as it is.
 *
 * A one-shot is completed by it, unless it is kept. A paused timer delivers it and stays paused; an idle one stays
 * idle. While a callback runs it comes after that; each call delivers its own. Ticks still pending when the timer
 * ends are discarded. Under manual time the next wtm_scheduler_advance(), also by 0, delivers it.
 *
 * @param t  the timer
 * @retval #WTM_OK        it will come, unless the timer ends before
 * @retval #WTM_ERR_GONE  the timer has ended, or never was
 * @note Threads: any. From a callback: allowed; from its own, the tick comes after it, if that was not the last: a
 * one-shot that is neither kept nor moved ends with its callback, and the tick with it.
 */
wtm_status wtm_timer_fire(wtm_timer t);

/**
 * Lays the next tick `delay_ns` from now, and the grid from there: the way to push a time-out back. Cheap when the
 * deadline moves later.
 *
 * When it has returned, a tick that was due or queued for the old deadline does not start any more. Ordinals go on.
 *
 * @param t         the timer
 * @param delay_ns  ns from now; on a paused timer, from its resume; #WTM_NEVER is not before it is moved again
 * @retval #WTM_OK         moved; an idle timer is armed again
 * @retval #WTM_ERR_GONE   the timer has ended, or never was
 * @retval #WTM_ERR_LIMIT  its last callback is running: the tick limit is reached, which is final
 * @note Threads: any. From a callback: allowed. From a one-shot's own it arms the timer again, which otherwise ends
 * when the callback returns.
 */
wtm_status wtm_timer_reschedule(wtm_timer t, uint64_t delay_ns);

/**
 * Lays the next tick at a point of the timer's own clock, and the grid from there.
 *
 * As wtm_timer_reschedule(), but for the absolute time, which needs no reading of a clock. One in the past is taken
 * as it is: the ideal ticks since then are due, and the missed policy decides. It stays absolute on a paused timer.
 *
 * @param t            the timer
 * @param deadline_ns  ns on the timer's clock; #WTM_NEVER is not before it is moved again
 * @retval #WTM_OK         moved
 * @retval #WTM_ERR_GONE   the timer has ended, or never was
 * @retval #WTM_ERR_LIMIT  its last callback is running: the tick limit is reached, which is final
 * @note Threads: any. From a callback: allowed, as wtm_timer_reschedule().
 */
wtm_status wtm_timer_set_next(wtm_timer t, uint64_t deadline_ns);

/**
 * When the next tick is due.
 *
 * @param t                the timer
 * @param out_deadline_ns  receives ns on the timer's clock: while its callback runs, of the tick after this one;
 *                         while a tick is queued, of that; #WTM_NEVER while paused or idle, or if there is none; 0
 *                         on failure; not NULL
 * @retval #WTM_OK           written
 * @retval #WTM_ERR_INVALID  `out_deadline_ns` is NULL
 * @retval #WTM_ERR_GONE     the timer has ended, or never was
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_get_next(wtm_timer t, uint64_t *WTM_NULLABLE out_deadline_ns);

/**
 * Changes interval and tolerance. The next deadline stays where it is, and the grid is laid from there; nothing due
 * or queued is taken back.
 *
 * @param t             the timer
 * @param interval_ns   ns from tick to tick; 0 makes the next tick the last (a one-shot that was started with
 *                      #WTM_TIMER_KEEP, and made to repeat, is IDLE after it); given to a one-shot it makes it repeat
 *                      (from its own callback: one interval after the tick that runs). Turns a rate off
 * @param tolerance_ns  ns; of a repeating timer at most half the interval counts. The window begins at the deadline that
 *                      wtm_timer_get_next() tells
 * @retval #WTM_OK          changed; without effect in the last callback of a timer whose tick limit is reached
 * @retval #WTM_ERR_GONE    the timer has ended, or never was
 * @retval #WTM_ERR_SYSTEM  no memory for a one-shot that is made to repeat, or for a tolerance that is neither below 2^31
 *                          ns nor of whole milliseconds; nothing has changed
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_set_interval(wtm_timer t, uint64_t interval_ns, uint64_t tolerance_ns);

/**
 * Changes the interval alone. As wtm_timer_set_interval() with the tolerance that the timer has, in one step.
 *
 * @param t            the timer
 * @param interval_ns  as there; a tolerance beyond half of it is cut to that, and a longer interval does not restore it
 * @retval #WTM_OK          changed; without effect in the last callback of a timer whose tick limit is reached
 * @retval #WTM_ERR_GONE    the timer has ended, or never was
 * @retval #WTM_ERR_SYSTEM  no memory for a one-shot that is made to repeat; nothing has changed
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_set_interval_only(wtm_timer t, uint64_t interval_ns);

/**
 * Changes the tolerance alone. Deadline, grid, interval and rate stay as they are; nothing due or queued is taken back.
 *
 * @param t             the timer
 * @param tolerance_ns  ns; of a repeating timer at most half the interval counts. The window begins at the deadline that
 *                      wtm_timer_get_next() tells
 * @retval #WTM_OK          changed
 * @retval #WTM_ERR_GONE    the timer has ended, or never was
 * @retval #WTM_ERR_SYSTEM  no memory for a one-shot's tolerance that is neither below 2^31 ns nor of whole milliseconds;
 *                          nothing has changed
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_set_tolerance(wtm_timer t, uint64_t tolerance_ns);

/**
 * Holds a timer: no scheduled callback starts until wtm_timer_resume(). The time that remains is kept (0 if it was
 * due). Fired ticks still come.
 *
 * When it has returned, a tick that was due or queued does not start any more. Pausing twice is pausing once.
 *
 * @param t  the timer
 * @retval #WTM_OK        paused, or was so already
 * @retval #WTM_ERR_GONE  the timer has ended, or never was
 * @note Threads: any. From a callback: allowed; from its own, the callback runs to its end, and a one-shot ends with it,
 * paused or not, unless it was rescheduled.
 */
wtm_status wtm_timer_pause(wtm_timer t);

/**
 * Lets a paused timer go on with the time that remained, and lays the grid from there; starts one that was created
 * with #WTM_TIMER_PAUSED.
 *
 * @param t  the timer
 * @retval #WTM_OK        goes on, or was not paused
 * @retval #WTM_ERR_GONE  the timer has ended, or never was
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_resume(wtm_timer t);

/**
 * All that is known about a timer.
 *
 * @param t    the timer
 * @param out  receives it; its `size` must be set; zero after `size` on failure; not NULL
 * @retval #WTM_OK           written
 * @retval #WTM_ERR_INVALID  `out` is NULL or its size is bad
 * @retval #WTM_ERR_GONE     the timer has ended, or never was
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_timer_get_info(wtm_timer t, wtm_timer_info *WTM_NULLABLE out);

/** @} */

/**
 * @defgroup weaktimer_executor Executors
 * @ingroup weaktimer
 * @brief Where callbacks run.
 *
 * Without one, callbacks run inline: on the scheduler's thread, or inside run_due or advance.
 * @{
 */

/**
 * Makes a pool of threads.
 *
 * @param threads  how many, at most 1,024; 0 for one per core
 * @param name     of the threads, cut to 15 bytes; copied; NULL for "wtm-pool"
 * @param out      receives the handle; zero on failure; not NULL
 * @retval #WTM_OK           made
 * @retval #WTM_ERR_INVALID  `out` is NULL
 * @retval #WTM_ERR_LIMIT    more than 1,024 threads, or 2^20 executors are alive
 * @retval #WTM_ERR_SYSTEM   no thread or memory; none of the threads is left
 * @remark Ownership: A pool lives until wtm_executor_shutdown().
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_executor_create_pool(uint32_t threads, const char *WTM_NULLABLE name, wtm_executor *WTM_NULLABLE out);

/**
 * Makes a serial queue over a pool: one tick at a time, in order, on any of the pool's threads. Timers that share
 * it never overlap.
 *
 * @param pool  a pool
 * @param out   receives the handle; zero on failure; not NULL
 * @retval #WTM_OK             made
 * @retval #WTM_ERR_INVALID    `out` is NULL, or `pool` is an executor of another kind
 * @retval #WTM_ERR_GONE       no such executor
 * @retval #WTM_ERR_SHUT_DOWN  the pool is being shut down
 * @retval #WTM_ERR_LIMIT      2^20 executors are alive
 * @retval #WTM_ERR_SYSTEM     no memory
 * @remark Ownership: A queue lives until wtm_executor_shutdown(). When its pool is down, it refuses.
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_executor_create_serial(wtm_executor pool, wtm_executor *WTM_NULLABLE out);

/**
 * Makes an executor of a function of yours: a dispatch queue, a thread pool, a GUI's main loop.
 *
 * @param ops      copied; not NULL, and `submit` is required
 * @param context  handed to `submit` and `release`
 * @param release  called once with `context` after a shutdown, when the last `submit` and the last `run` have
 *                 returned; may be NULL
 * @param out      receives the handle; zero on failure; not NULL
 * @retval #WTM_OK           made
 * @retval #WTM_ERR_INVALID  `ops`, `ops->submit` or `out` is NULL, or a bad size
 * @retval #WTM_ERR_LIMIT    2^20 executors are alive
 * @retval #WTM_ERR_SYSTEM   no memory
 * @remark Ownership: From #WTM_OK on the executor owns `context`; on failure nothing is taken.
 * @note Threads: any. From a callback: allowed.
 */
wtm_status wtm_executor_create_custom(const wtm_executor_ops *WTM_NULLABLE ops, void *WTM_NULLABLE context,
                                      wtm_release_fn WTM_NULLABLE release, wtm_executor *WTM_NULLABLE out);

/**
 * Tells which timer's tick a custom executor was given, so that it can keep the work of one timer back without that of
 * others. Never waits.
 *
 * @param work  the number that `submit` was given
 * @return the timer; zero once the tick has begun, was taken back or dropped, for a release hook, and for any other number
 * @note Threads: any, inside `submit` as well. From a callback: allowed.
 */
wtm_timer wtm_executor_work_timer(uint64_t work);

/**
 * Ends an executor: refuses new ticks, drops queued ones, and waits for running ones and for the end
 * of a pool's threads.
 *
 * Its timers live on: their ticks are refused and counted as dropped, so that one-shots complete. Hooks that are
 * still queued run on the calling thread.
 *
 * @param e           the executor
 * @param timeout_ns  how long to wait, in ns of real time; 0 asks without waiting, #WTM_NEVER waits for ever
 * @retval #WTM_OK                  down; nothing runs on it
 * @retval #WTM_ERR_GONE            no such executor, or it is down
 * @retval #WTM_ERR_SHUT_DOWN       another call has begun it; this one has waited for its end
 * @retval #WTM_ERR_WOULD_DEADLOCK  called from a tick or hook that runs on it, from its own `submit` or `release`, or the
 *                                  wait would close a circle; the shutdown completes after that
 * @retval #WTM_ERR_TIMED_OUT       the time has passed; the shutdown goes on by itself
 * @note Threads: any. From a callback: on itself: #WTM_ERR_WOULD_DEADLOCK, and it goes down. On another: allowed,
 * waits.
 */
wtm_status wtm_executor_shutdown(wtm_executor e, uint64_t timeout_ns);

/** @} */

/**
 * @addtogroup weaktimer
 * @{
 */

/** A #wtm_timer_options with its size set and all else at its default. */
#define WTM_TIMER_OPTIONS_INIT \
    { sizeof(wtm_timer_options), 0, NULL, NULL, NULL, NULL, { 0 }, NULL, { 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL }
/** A #wtm_scheduler_options with its size set and all else at its default. */
#define WTM_SCHEDULER_OPTIONS_INIT \
    { sizeof(wtm_scheduler_options), 0, 0, 0, NULL, 0, { 0 }, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL }
/** A #wtm_executor_ops with its size set and nothing else. */
#define WTM_EXECUTOR_OPS_INIT { sizeof(wtm_executor_ops), 0, NULL }
/** A #wtm_weak_ops with its size set and nothing else. */
#define WTM_WEAK_OPS_INIT { sizeof(wtm_weak_ops), 0, NULL, NULL }
/** A #wtm_timer_info that is ready to be written to. */
#define WTM_TIMER_INFO_INIT { sizeof(wtm_timer_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 } }
/** A #wtm_scheduler_stats that is ready to be written to. */
#define WTM_SCHEDULER_STATS_INIT { sizeof(wtm_scheduler_stats), 0, 0, 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, 0, 0 }

/** @} */

#ifdef __cplusplus
}
#endif

#endif
