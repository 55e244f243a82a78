/// @file weaktimer.hpp
/// @brief The C++ face of WeakTimer: C++17 and later, gcc and clang, header-only over the functions of weaktimer.h.
///
///     wtm::timer heartbeat = wtm::every(1s, [&] { send_ping(); });
///     wtm::timer deadline  = wtm::after(30s, weak_from_this(), [](connection &c) { c.close(); });
///
/// @par Owners
/// wtm::timer, wtm::scheduler, wtm::executor and wtm::target<T> own what they stand for, can be moved and not copied,
/// and end it in their destructors. A destructor returns when nothing of its thing runs any more, so whatever a
/// callable refers to may be destroyed right afterwards. The one exception is a destructor that runs inside a
/// callback of that very thing (or that would close a circle of callbacks that wait for each other): it ends the
/// thing, does not wait, and the rest is tidied up when that callback has returned. Do not destroy an owner while you
/// hold a lock that a running callback wants: like any join, that never ends.
///
/// @par Callables
/// A callable is anything that std::invoke takes: `void()` or `void(const wtm::tick &)`, with the object first when
/// the timer is bound to one: `void(T &)` or `void(T &, const wtm::tick &)`. Results are ignored. It is moved into
/// one allocation together with all that the timer needs, so it may be move-only, and it is destroyed at the moment
/// the timer ends: on the thread that ends it or, when it is running, right after it returns. An exception that
/// leaves a callable, or its destructor, terminates the program.
///
/// Two habits: bind a timer to a `std::weak_ptr` or a wtm::target rather than let its callable hold a `shared_ptr` to
/// the object that owns the timer, since that is the old cycle again; and where the callable uses members of the
/// object that has the timer as a member, declare the timer last, since members are destroyed in reverse order.
///
/// @par Errors
/// Whatever makes something throws wtm::error when it cannot: the constructors, the factories, wtm::after, wtm::every
/// and wtm::at. A start that throws has taken nothing: the callable is destroyed before the exception arrives, and
/// never runs. The few functions that return a value which could not say otherwise that there is none throw as well:
/// scheduler::advance, run_due, next_delay and stats. Memory that runs out is std::bad_alloc, and what copying or
/// moving the callable throws goes through. Everything that acts on a thing that may have ended meanwhile is noexcept
/// and answers a wtm::result. With -fno-exceptions the program aborts where it would have thrown; a program may have
/// units with exceptions and units without, and each behaves as it was compiled.
///
/// @par Durations
/// Any std::chrono::duration goes, see wtm::time_span for how it becomes nanoseconds.
///
/// @par Threads
/// All functions of a wtm::timer other than its destructor, moves and release() may be called from several threads at
/// once, and timers may be started on one scheduler or target by several threads at once (wtm::after, wtm::every,
/// wtm::at). For the rest the other owners follow the rule of the standard library: const functions at once, others
/// one at a time.

#ifndef WEAKTIMER_HPP
#define WEAKTIMER_HPP

#include "weaktimer.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <new>
#include <ratio>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

// What throws in one unit and aborts in another must not have one name, or the linker takes one of them for both. All
// that can throw, and all that an exception must not leave, is therefore named after the mode: in detail by an inline
// namespace, elsewhere by a tag in the symbol. The types stay the same in both modes, so that units may pass them to
// one another, forward declarations hold, and there is one error category; a namespace round everything would end that.
#if defined(__cpp_exceptions)
#define WTM_MODE throwing
#define WTM_MODE_TAG
#else
#define WTM_MODE aborting
#define WTM_MODE_TAG [[gnu::abi_tag("aborting")]]
#endif

/// Everything of the C++ face.
namespace wtm {

// ------------------------------------------------------------------------------------------------------------------
// Errors
// ------------------------------------------------------------------------------------------------------------------

namespace detail {

// The one object of its type in the process, whatever visibility its users ask for. Never destroyed: callbacks may
// still look at it while the program exits.
template <class T>
[[gnu::visibility("default")]] const T &immortal() noexcept {
    static_assert(std::is_nothrow_default_constructible_v<T>, "an immortal object cannot fail to be made");
    alignas(T) static unsigned char storage[sizeof(T)];
    static const T &object = *::new (static_cast<void *>(storage)) T;
    return object;
}

class [[gnu::visibility("default")]] category_type final : public std::error_category {
public:
    const char *name() const noexcept override { return "weaktimer"; }

    std::string message(int status) const override { return wtm_status_message(static_cast<wtm_status>(status)); }

    std::error_condition default_error_condition(int status) const noexcept override {
        switch (status) {
        case WTM_ERR_INVALID: return std::errc::invalid_argument;
        case WTM_ERR_WOULD_DEADLOCK: return std::errc::resource_deadlock_would_occur;
        case WTM_ERR_TIMED_OUT: return std::errc::timed_out;
        case WTM_ERR_LIMIT: return std::errc::resource_unavailable_try_again;
        case WTM_ERR_UNSUPPORTED: return std::errc::operation_not_supported;
        default: return std::error_condition(status, *this);
        }
    }
};

} // namespace detail

/// The category of this library's error codes: its values are those of ::wtm_status. Where the standard has a word
/// for a status, comparing works: `code == std::errc::timed_out`.
inline const std::error_category &category() noexcept { return detail::immortal<detail::category_type>(); }

} // namespace wtm

namespace std {
/// A status is an error code by itself: `code == WTM_ERR_GONE`, `std::error_code code = WTM_ERR_LIMIT`.
template <>
struct is_error_code_enum<wtm_status> : true_type {};
} // namespace std

/// The error code of a status. It is true for failures alone: all success, WTM_RUNNING too, is the code 0.
/// Here and not in wtm, since this is where the standard looks for it; `wtm::make_error_code` is the same function.
inline std::error_code make_error_code(wtm_status status) noexcept {
    return std::error_code(status < 0 ? static_cast<int>(status) : static_cast<int>(WTM_OK), wtm::category());
}

namespace wtm {

using ::make_error_code;

/// What is thrown: `code().value()` is the ::wtm_status, `what()` says which call failed and why.
class [[gnu::visibility("default")]] error : public std::system_error {
public:
    error(wtm_status status, const char *what) : std::system_error(make_error_code(status), what) {}

    /// The status, as `code().value()` has it.
    wtm_status status() const noexcept { return static_cast<wtm_status>(code().value()); }
};

namespace detail {
inline namespace WTM_MODE {

[[noreturn]] inline void raise(wtm_status status, const char *what) {
#if defined(__cpp_exceptions)
    throw error(status, what);
#else
    static_cast<void>(status);
    static_cast<void>(what);
    std::abort();
#endif
}

inline void require(wtm_status status, const char *what) {
    if (status < 0) raise(status, what);
}

} // namespace WTM_MODE
} // namespace detail

/// How a call on something that may have ended meanwhile went. True means success; compares with ::wtm_status and
/// converts to it. It is no number, since WTM_OK is 0; a switch, which would have to choose between truth and status, is
/// refused: say which, by `status()`.
///
///     if (!t.reschedule(5s)) start_again();
///     if (t.invalidate() == WTM_RUNNING) ...
///     switch (t.resume().status()) { case WTM_OK: ... case WTM_ERR_GONE: ... default: ... }
///     t.pause().or_throw();
class result {
public:
    constexpr result(wtm_status status) noexcept : status_(status) {}

    /// Whether the call succeeded: WTM_OK or WTM_RUNNING.
    constexpr operator bool() const noexcept { return status_ >= 0; }

    /// The status itself.
    constexpr wtm_status status() const noexcept { return status_; }

    /// The status, for functions of the C header. As plain as the conversion to bool, so that whatever would take either
    /// for a number, a switch among them, finds two and is refused. (Of a plain one and a template clang took the plain
    /// one, and WTM_OK went to the case of WTM_RUNNING.)
    constexpr operator wtm_status() const noexcept { return status_; }

    /// Turns a failure into an exception.
    /// @throws wtm::error if the call failed.
    WTM_MODE_TAG result or_throw(const char *what = "weaktimer") const {
        detail::require(status_, what);
        return *this;
    }

    /// Writes the name of the status.
    template <class Char, class Traits>
    friend std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &out, result r) {
        return out << wtm_status_name(r.status_);
    }

    friend constexpr bool operator==(result a, wtm_status b) noexcept { return a.status_ == b; }
    friend constexpr bool operator==(wtm_status a, result b) noexcept { return a == b.status_; }
    friend constexpr bool operator==(result a, result b) noexcept { return a.status_ == b.status_; }
    friend constexpr bool operator!=(result a, wtm_status b) noexcept { return a.status_ != b; }
    friend constexpr bool operator!=(wtm_status a, result b) noexcept { return a != b.status_; }
    friend constexpr bool operator!=(result a, result b) noexcept { return a.status_ != b.status_; }
    friend constexpr bool operator<(result a, int b) noexcept { return a.status_ < b; }
    friend constexpr bool operator>=(result a, int b) noexcept { return a.status_ >= b; }

private:
    wtm_status status_;
};

// ------------------------------------------------------------------------------------------------------------------
// Time
// ------------------------------------------------------------------------------------------------------------------

namespace detail {

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

template <class Rep>
inline constexpr bool is_integer =
    std::is_integral_v<Rep> || std::is_same_v<Rep, wide> || std::is_same_v<Rep, signed_wide>;

// A class is taken for a number with a fraction if it converts to a floating-point type. It may convert to one alone.
template <class Rep>
inline constexpr bool has_fraction = std::is_constructible_v<long double, Rep> ||
                                     std::is_constructible_v<double, Rep> || std::is_constructible_v<float, Rep>;

// What may have a fraction: all floating-point types, also those of which the standard library knows nothing, and
// such classes, unless std::numeric_limits says that they are integers.
template <class Rep>
inline constexpr bool is_real =
    std::chrono::treat_as_floating_point_v<Rep> ||
    (!is_integer<Rep> && !std::numeric_limits<Rep>::is_integer && (!std::is_class_v<Rep> || has_fraction<Rep>));

// The type that a count is scaled in: its own if that is float or double, else the widest that it converts to.
template <class Rep>
using real_of = std::conditional_t<
    std::is_same_v<Rep, float> || std::is_same_v<Rep, double>, Rep,
    std::conditional_t<!std::is_class_v<Rep> || std::is_constructible_v<long double, Rep>, long double,
                       std::conditional_t<std::is_constructible_v<double, Rep>, double, float>>>;

// A unit of the period is `multiplier / divisor` nanoseconds, in lowest terms but for common factors of std::ratio's
// own. The multiplier stays below 2^93.
template <class Period>
struct unit {
    static constexpr std::uint64_t gcd(std::uint64_t a, std::uint64_t b) { return b == 0 ? a : gcd(b, a % b); }

    static constexpr std::uint64_t billion = 1000000000;
    static constexpr std::uint64_t common = gcd(billion, static_cast<std::uint64_t>(Period::den));
    static constexpr wide multiplier = static_cast<wide>(Period::num) * (billion / common);
    static constexpr wide divisor = static_cast<std::uint64_t>(Period::den) / common;
};

// Exact for every count and period. With count = q * divisor + r and multiplier = w * divisor + v, the value is
//     q * multiplier + r * w + r * v / divisor
// of which no term overflows once the first two are known to fit.
template <class Period>
constexpr std::uint64_t scale_integer(wide count) noexcept {
    constexpr wide limit = UINT64_MAX;
    constexpr wide multiplier = unit<Period>::multiplier;
    constexpr wide divisor = unit<Period>::divisor;
    constexpr wide whole = multiplier / divisor;
    constexpr wide part = multiplier % divisor;

    const wide quotient = count / divisor;
    const wide remainder = count % divisor;
    if (quotient > limit / multiplier) return WTM_NEVER;
    wide sum = quotient * multiplier;
    if constexpr (whole != 0) {
        if (remainder > limit / whole) return WTM_NEVER;
        sum += remainder * whole;
    }
    if constexpr (part != 0) sum += (remainder * part + (divisor - 1)) / divisor;
    return sum > limit ? WTM_NEVER : static_cast<std::uint64_t>(sum);
}

inline namespace WTM_MODE {

template <class Period, class Real>
constexpr std::uint64_t scale_real(Real value) {
    if (value <= 0) return 0;
    if (!(value > 0)) raise(WTM_ERR_INVALID, "weaktimer: a duration that is not a number");
    constexpr Real multiplier = static_cast<Real>(unit<Period>::multiplier);
    if (multiplier > 1 && value > std::numeric_limits<Real>::max() / multiplier) return WTM_NEVER;
    value *= multiplier;
    if constexpr (unit<Period>::divisor != 1) value /= static_cast<Real>(unit<Period>::divisor);
    if (!(value < static_cast<Real>(18446744073709551616.0L))) return WTM_NEVER;
    const std::uint64_t whole = static_cast<std::uint64_t>(value);
    // What the scaling made too small for its type is still more than nothing.
    if (static_cast<Real>(whole) < value || whole == 0) return whole + 1;
    return whole;
}

template <class Rep, class Period>
constexpr std::uint64_t to_nanoseconds(const std::chrono::duration<Rep, Period> &duration) noexcept(!is_real<Rep>) {
    if constexpr (is_real<Rep>) {
        return scale_real<Period>(static_cast<real_of<Rep>>(duration.count()));
    } else if constexpr (is_integer<Rep>) {
        if (duration.count() <= 0) return 0;
        return scale_integer<Period>(static_cast<wide>(duration.count()));
    } else {
        const auto count = static_cast<std::intmax_t>(duration.count());
        return count <= 0 ? 0 : scale_integer<Period>(static_cast<wide>(count));
    }
}

} // namespace WTM_MODE

constexpr std::chrono::nanoseconds to_chrono(std::uint64_t nanoseconds) noexcept {
    constexpr std::uint64_t most = INT64_MAX;
    return std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds < most ? nanoseconds : most));
}

} // namespace detail

/// A length of time as the library takes it: 64 bits of nanoseconds, made from any std::chrono::duration.
///
/// | duration | becomes |
/// | --- | --- |
/// | whole nanoseconds | itself |
/// | a fraction of a nanosecond more | the next whole one: nothing fires early |
/// | a floating-point count | scaled in its own type, as std::chrono::ceil does, so that 0.1 s is 100 ms; other types than float and double, as `long double`; classes that convert to one of the three, as that |
/// | a count of another class | converted to `std::intmax_t`, as is one whose `std::numeric_limits` says that it is an integer |
/// | 2^64 - 1 ns and more, infinity | never |
/// | negative, minus infinity | 0 |
/// | not a number | wtm::error with WTM_ERR_INVALID |
class time_span {
public:
    /// No time at all.
    constexpr time_span() noexcept = default;

    /// From any duration, implicitly.
    /// @throws wtm::error if a floating-point duration is not a number.
    template <class Rep, class Period>
    WTM_MODE_TAG constexpr time_span(const std::chrono::duration<Rep, Period> &duration) noexcept(!detail::is_real<Rep>)
        : nanoseconds_(detail::to_nanoseconds(duration)) {}

    /// The time that does not come: a timer that waits for it never ticks, a wait with it has no limit.
    static constexpr time_span never() noexcept {
        time_span span;
        span.nanoseconds_ = WTM_NEVER;
        return span;
    }

    /// The nanoseconds, for functions of the C header.
    constexpr std::uint64_t nanoseconds() const noexcept { return nanoseconds_; }

private:
    std::uint64_t nanoseconds_ = 0;
};

/// A rate of `numerator / denominator` ticks a second, kept exactly however long it runs:
/// `wtm::every(wtm::rate{60'000, 1'001}, f)`.
struct rate {
    std::uint32_t numerator = 0;   ///< Ticks ...
    std::uint32_t denominator = 1; ///< ... in so many seconds; at most 10^9 ticks a second.
};

/// How often a repeating timer ticks: an interval (any duration) or a wtm::rate. An interval of 0 or less, and a rate
/// with a zero in it, are errors when the timer starts.
class period {
public:
    template <class Rep, class Period>
    WTM_MODE_TAG constexpr period(const std::chrono::duration<Rep, Period> &interval) noexcept(!detail::is_real<Rep>)
        : interval_(interval) {}

    constexpr period(time_span interval) noexcept : interval_(interval) {}
    constexpr period(rate ticks) noexcept : rate_(ticks) {}

    /// The interval; 0 if this is a rate or an error.
    constexpr time_span interval() const noexcept { return interval_; }

    /// The rate; 0 if this is an interval.
    constexpr rate ticks() const noexcept { return rate_; }

private:
    time_span interval_;
    rate rate_{ 0, 0 };
};

/// The clocks, as values for options::clock and scheduler::now.
struct clock {
    static constexpr wtm_clock monotonic = WTM_CLOCK_MONOTONIC; ///< Stops while the machine is suspended.
    static constexpr wtm_clock boottime = WTM_CLOCK_BOOTTIME;   ///< Counts suspension too.
    static constexpr wtm_clock wall = WTM_CLOCK_WALL;           ///< Follows the calendar and its steps.
};

/// What becomes of ticks that could not be delivered in time, as values for options::missed.
struct missed {
    static constexpr wtm_missed_policy coalesce = WTM_MISSED_COALESCE; ///< One tick for all, which says so.
    static constexpr wtm_missed_policy burst = WTM_MISSED_BURST;       ///< Each of them, one after the other.
    static constexpr wtm_missed_policy delay = WTM_MISSED_DELAY;       ///< The grid moves.
};

/// A point in time for wtm::at: a system_clock time is a date on the wall clock, which follows its steps; a
/// steady_clock time is one on the monotonic clock. Fractions of nanoseconds are rounded up, what was before the
/// clock's zero becomes 0.
class moment {
public:
    template <class Duration>
    WTM_MODE_TAG constexpr moment(const std::chrono::time_point<std::chrono::system_clock, Duration> &date)
        : span_(date.time_since_epoch()), clock_(WTM_CLOCK_WALL) {}

    template <class Duration>
    WTM_MODE_TAG constexpr moment(const std::chrono::time_point<std::chrono::steady_clock, Duration> &time)
        : span_(time.time_since_epoch()), clock_(WTM_CLOCK_MONOTONIC) {}

    /// `since_zero` after the zero of `which`, as scheduler::now counts: for manual time and for the boottime clock.
    constexpr moment(wtm_clock which, time_span since_zero) noexcept : span_(since_zero), clock_(which) {}

    constexpr time_span since_zero() const noexcept { return span_; }
    constexpr wtm_clock which() const noexcept { return clock_; }

private:
    time_span span_;
    wtm_clock clock_;
};

// ------------------------------------------------------------------------------------------------------------------
// Ticks
// ------------------------------------------------------------------------------------------------------------------

/// One tick, as a callable sees it. A value: it may be copied and kept. Times count from the zero of the timer's
/// clock, and what does not fit into std::chrono::nanoseconds (292 years) is its max().
class tick {
public:
    /// No tick yet.
    tick() noexcept = default;

    /// A tick of the C header.
    tick(wtm_timer timer, const wtm_tick &raw) noexcept : timer_(timer), raw_(raw) {}

    /// The ideal deadline.
    std::chrono::nanoseconds scheduled() const noexcept { return detail::to_chrono(raw_.scheduled_ns); }

    /// The time at which the callback started.
    std::chrono::nanoseconds now() const noexcept { return detail::to_chrono(raw_.now_ns); }

    /// The next ideal deadline; nanoseconds::max() if there is none.
    std::chrono::nanoseconds next() const noexcept { return detail::to_chrono(raw_.next_ns); }

    /// Which ideal tick this is, from 1 on; missed ones count.
    std::uint64_t ordinal() const noexcept { return raw_.ordinal; }

    /// How many ideal ticks it stands for beyond itself.
    std::uint64_t missed() const noexcept { return raw_.missed; }

    /// Whether timer::fire asked for it.
    bool fired() const noexcept { return (raw_.flags & WTM_TICK_FIRED) != 0; }

    /// The clock of the timer.
    wtm_clock clock() const noexcept { return static_cast<wtm_clock>(raw_.clock); }

    /// The timer that ticks.
    wtm_timer handle() const noexcept { return timer_; }

    /// Ends the timer, from within its callable: this was its last tick.
    result invalidate() const noexcept { return wtm_timer_invalidate(timer_); }

    /// Lays the next tick `delay` from now, from within the callable; a one-shot is thereby armed again.
    result reschedule(time_span delay) const noexcept { return wtm_timer_reschedule(timer_, delay.nanoseconds()); }

    /// The struct of the C header; its `target` is of no use here.
    const wtm_tick &raw() const noexcept { return raw_; }

private:
    wtm_timer timer_{};
    wtm_tick raw_{};
};

// ------------------------------------------------------------------------------------------------------------------
// Executors
// ------------------------------------------------------------------------------------------------------------------

/// A piece of work that a custom executor has to run: call it once, on any thread. Called late or again it does
/// nothing.
class work {
public:
    work(void (*run)(std::uint64_t), std::uint64_t number) noexcept : run_(run), number_(number) {}

    void operator()() const noexcept { run_(number_); }

private:
    void (*run_)(std::uint64_t);
    std::uint64_t number_;
};

/// Where callables run. Owns the executor: the destructor shuts it down, drops what is queued and waits for what is
/// running. Goes into options::executor and scheduler_options::executor, which do not keep it: let it live longer
/// than the timers.
class executor {
public:
    /// No executor.
    executor() noexcept = default;

    /// Takes over an executor of the C header.
    explicit executor(wtm_executor adopted) noexcept : handle_(adopted) {}

    executor(executor &&other) noexcept : handle_(other.release()) {}

    executor &operator=(executor &&other) noexcept {
        if (this != &other) {
            shutdown();
            handle_ = other.release();
        }
        return *this;
    }

    ~executor() { shutdown(); }

    /// A pool of threads; 0 means one a core.
    /// @throws wtm::error WTM_ERR_LIMIT for more than 1,024 threads, WTM_ERR_SYSTEM when there are no more to be had.
    WTM_MODE_TAG static executor pool(std::uint32_t threads = 0, const std::string &name = std::string()) {
        executor made;
        detail::require(wtm_executor_create_pool(threads, name.empty() ? nullptr : name.c_str(), &made.handle_),
                        "wtm::executor::pool");
        return made;
    }

    /// A queue over a pool, which runs one thing at a time, in order. The pool must live longer.
    /// @throws wtm::error WTM_ERR_INVALID for what is not a pool, WTM_ERR_GONE or WTM_ERR_SHUT_DOWN for one that is down or
    /// going down, WTM_ERR_LIMIT or WTM_ERR_SYSTEM when there are no more to be had.
    WTM_MODE_TAG static executor serial(const executor &pool) {
        executor made;
        detail::require(wtm_executor_create_serial(pool.handle_, &made.handle_), "wtm::executor::serial");
        return made;
    }

    /// The caller's own: `submit` is `bool(wtm::work)` or `void(wtm::work)`, arranges for the work to be called, and
    /// answers false to refuse it. It may be called from several threads at once, and must not throw. It is destroyed
    /// when the executor has been shut down and its last call has returned.
    /// @throws wtm::error when the library gets no more threads, descriptors or memory.
    template <class Submit>
    WTM_MODE_TAG static executor custom(Submit &&submit) {
        using holder = std::decay_t<Submit>;
        static_assert(std::is_invocable_v<holder &, work>, "submit must be bool(wtm::work) or void(wtm::work)");
        auto box = std::make_unique<holder>(std::forward<Submit>(submit));
        wtm_executor_ops ops{};
        ops.size = static_cast<std::uint32_t>(sizeof ops);
        ops.submit = submit_to<holder>;
        executor made;
        detail::require(wtm_executor_create_custom(&ops, box.get(), destroy<holder>, &made.handle_),
                        "wtm::executor::custom");
        static_cast<void>(box.release());
        return made;
    }

    /// Refuses ticks from now on, drops the queued ones and waits for the running ones.
    result shutdown(time_span limit = time_span::never()) noexcept {
        if (handle_.id == 0) return WTM_ERR_GONE;
        return wtm_executor_shutdown(handle_, limit.nanoseconds());
    }

    /// The handle, for functions of the C header.
    wtm_executor handle() const noexcept { return handle_; }

    /// Gives the executor up: it goes on, and nobody owns it.
    wtm_executor release() noexcept { return std::exchange(handle_, wtm_executor{}); }

    /// For options::executor.
    operator wtm_executor() const & noexcept { return handle_; }
    operator wtm_executor() const && = delete;

private:
    template <class Submit>
    WTM_MODE_TAG static bool submit_to(void *context, void (*run)(std::uint64_t), std::uint64_t number) noexcept {
        Submit &submit = *static_cast<Submit *>(context);
        if constexpr (std::is_void_v<std::invoke_result_t<Submit &, work>>) {
            std::invoke(submit, work(run, number));
            return true;
        } else {
            return static_cast<bool>(std::invoke(submit, work(run, number)));
        }
    }

    template <class Submit>
    WTM_MODE_TAG static void destroy(void *context) noexcept {
        delete static_cast<Submit *>(context);
    }

    wtm_executor handle_{};
};

// ------------------------------------------------------------------------------------------------------------------
// Schedulers
// ------------------------------------------------------------------------------------------------------------------

namespace detail {
struct access;
} // namespace detail

/// What a scheduler can be told when it is made. Everything has a default.
struct scheduler_options {
    /// The name of the scheduler and of its thread.
    std::string name{};
    /// So many live timers at most; 0 is no limit.
    std::uint64_t max_timers = 0;
    /// Where callables run; a wtm::executor converts to it. The scheduler's thread by default.
    wtm_executor executor{};
    /// Callables that take longer are logged; 0 is off.
    time_span slow_callback{};
    /// The stack of the thread; 0 is the system's default.
    std::uint64_t thread_stack_bytes = 0;
    /// The timer slack of the thread; 0 is the library's default.
    time_span timer_slack{};
    /// The thread sleeps to this long before a deadline and spins the rest.
    time_span spin{};
    /// The least level that goes to `log`.
    wtm_log_level log_level = WTM_LOG_DEBUG;
    /// Called once on the scheduler's own thread, before anything else.
    std::function<void()> on_thread_start{};
    /// Called with the step when the wall clock was set.
    std::function<void(std::chrono::nanoseconds)> on_clock_jump{};
    /// Called with what there is to log.
    std::function<void(wtm_log_level, const char *)> log{};
};

/// Owns time: keeps timers, sleeps until the next is due and delivers ticks. The destructor shuts it down: all timers
/// end, all callables are destroyed, its thread is joined. Timers may outlive it; they are then no longer valid. The
/// functions that take no scheduler use the default one of the process, which this class does not own.
class scheduler {
public:
    /// With a thread of its own.
    /// @throws wtm::error when the library gets no more threads, descriptors or memory.
    WTM_MODE_TAG scheduler() : scheduler(scheduler_options{}) {}

    /// With a thread of its own.
    /// @throws wtm::error when the library gets no more threads, descriptors or memory; WTM_ERR_INVALID for an unknown log
    /// level, WTM_ERR_GONE or WTM_ERR_SHUT_DOWN for an executor that is down or going down.
    WTM_MODE_TAG explicit scheduler(const scheduler_options &options) : scheduler(options, WTM_DRIVE_THREAD) {}

    /// Takes over a scheduler of the C header.
    explicit scheduler(wtm_scheduler adopted) noexcept : handle_(adopted) {}

    scheduler(scheduler &&other) noexcept : handle_(other.release()) {}

    scheduler &operator=(scheduler &&other) noexcept {
        if (this != &other) {
            shutdown();
            handle_ = other.release();
        }
        return *this;
    }

    ~scheduler() { shutdown(); }

    /// Under manual time: clocks stand still but for advance() and set_wall(). Monotonic and boottime start at 0,
    /// wall at 1 January 1970.
    /// @throws wtm::error as the constructor.
    WTM_MODE_TAG static scheduler manual(const scheduler_options &options = scheduler_options{}) {
        return scheduler(options, WTM_DRIVE_MANUAL);
    }

    /// Driven by the caller's own loop: wait until fd() is readable or next_delay() is over, then run_due(). No
    /// thread.
    /// @throws wtm::error as the constructor.
    WTM_MODE_TAG static scheduler host(const scheduler_options &options = scheduler_options{}) {
        return scheduler(options, WTM_DRIVE_HOST);
    }

    /// Moves manual time on and runs everything that falls due on the way, each at its own virtual time, before it
    /// returns. A callable must not call it for its own scheduler.
    /// @return how many ticks ran.
    /// @throws wtm::error WTM_ERR_UNSUPPORTED on a scheduler of another drive, WTM_ERR_WOULD_DEADLOCK from one of its
    /// callables, WTM_ERR_GONE after its end, WTM_ERR_SHUT_DOWN when it is shut down meanwhile.
    WTM_MODE_TAG std::uint64_t advance(time_span by) {
        std::uint64_t ran = 0;
        detail::require(wtm_scheduler_advance(own(), by.nanoseconds(), &ran), "wtm::scheduler::advance");
        return ran;
    }

    /// Sets the wall clock of manual time.
    result set_wall(time_span since_1970) noexcept { return wtm_scheduler_set_wall(own(), since_1970.nanoseconds()); }

    /// The time on a clock, from the clock's zero; 0 after the scheduler's end.
    std::chrono::nanoseconds now(wtm_clock which = WTM_CLOCK_MONOTONIC) const noexcept {
        return detail::to_chrono(wtm_scheduler_now(own(), which));
    }

    /// Host-driven: works off what is due, at most `max_ticks` ticks of it (0 is no limit).
    /// @return how many ticks ran or were handed to an executor.
    /// @throws wtm::error as advance().
    WTM_MODE_TAG std::uint32_t run_due(std::uint32_t max_ticks = 0) {
        std::uint32_t ran = 0;
        detail::require(wtm_scheduler_run_due(own(), max_ticks, &ran), "wtm::scheduler::run_due");
        return ran;
    }

    /// How long the library itself would sleep now; nanoseconds::max() if nothing is waiting.
    /// @throws wtm::error after the scheduler's end.
    WTM_MODE_TAG std::chrono::nanoseconds next_delay() const {
        std::uint64_t delay = 0;
        detail::require(wtm_scheduler_next_delay(own(), &delay), "wtm::scheduler::next_delay");
        return detail::to_chrono(delay);
    }

    /// Host-driven: a descriptor that is readable while something is due, and need not be read; else -1.
    int fd() const noexcept { return wtm_scheduler_fd(own()); }

    /// Ends all timers, destroys all callables and joins the thread. From one of its own callables it answers
    /// WTM_ERR_WOULD_DEADLOCK and is completed after that; past its limit WTM_ERR_TIMED_OUT, and goes on by itself.
    result shutdown(time_span limit = time_span::never()) noexcept {
        return wtm_scheduler_shutdown(own(), limit.nanoseconds());
    }

    /// Counters and histograms.
    /// @throws wtm::error after the scheduler's end.
    WTM_MODE_TAG wtm_scheduler_stats stats() const {
        wtm_scheduler_stats stats{};
        stats.size = static_cast<std::uint32_t>(sizeof stats);
        detail::require(wtm_scheduler_get_stats(own(), &stats), "wtm::scheduler::stats");
        return stats;
    }

    /// Shows all timers in order of creation to `visit`, which is `void(wtm_timer, const wtm_timer_info &)`, or the
    /// same with a bool, of which false stops. It may call anything, and must not throw.
    template <class Visit>
    WTM_MODE_TAG result for_each(Visit &&visit) const {
        using visitor = std::remove_reference_t<Visit>;
        static_assert(std::is_invocable_v<visitor &, wtm_timer, const wtm_timer_info &>,
                      "visit must be void or bool (wtm_timer, const wtm_timer_info &)");
        visitor *pointer = std::addressof(visit);
        return wtm_scheduler_for_each(own(), show_to<visitor>, &pointer);
    }

    /// The handle, for functions of the C header; zero once moved from.
    wtm_scheduler handle() const noexcept { return handle_; }

    /// Gives the scheduler up: it goes on, and nobody owns it.
    wtm_scheduler release() noexcept { return std::exchange(handle_, wtm_scheduler{}); }

private:
    struct WTM_MODE_TAG hooks {
        std::function<void()> on_thread_start;
        std::function<void(std::chrono::nanoseconds)> on_clock_jump;
        std::function<void(wtm_log_level, const char *)> log;

        static hooks &of(void *context) noexcept { return *static_cast<hooks *>(context); }
        static void start(void *context) noexcept { of(context).on_thread_start(); }
        static void jump(void *context, std::int64_t by) noexcept {
            of(context).on_clock_jump(std::chrono::nanoseconds(by));
        }
        static void say(void *context, wtm_log_level level, const char *message) noexcept {
            of(context).log(level, message);
        }
        static void destroy(void *context) noexcept { delete static_cast<hooks *>(context); }
    };

    WTM_MODE_TAG scheduler(const scheduler_options &options, wtm_drive drive) {
        wtm_scheduler_options raw{};
        raw.size = static_cast<std::uint32_t>(sizeof raw);
        raw.drive = static_cast<std::uint32_t>(drive);
        raw.log_level = static_cast<std::uint32_t>(options.log_level);
        raw.name = options.name.empty() ? nullptr : options.name.c_str();
        raw.max_timers = options.max_timers;
        raw.executor = options.executor;
        raw.slow_callback_ns = options.slow_callback.nanoseconds();
        raw.thread_stack_bytes = options.thread_stack_bytes;
        raw.timer_slack_ns = options.timer_slack.nanoseconds();
        raw.spin_ns = options.spin.nanoseconds();
        std::unique_ptr<hooks> box;
        if (options.on_thread_start || options.on_clock_jump || options.log) {
            box.reset(new hooks{ options.on_thread_start, options.on_clock_jump, options.log });
            if (box->on_thread_start) raw.on_thread_start = hooks::start;
            if (box->on_clock_jump) raw.on_clock_jump = hooks::jump;
            if (box->log) raw.log = hooks::say;
            raw.context = box.get();
            raw.release = hooks::destroy;
        }
        detail::require(wtm_scheduler_create(&raw, &handle_), "wtm::scheduler");
        static_cast<void>(box.release());
    }

    template <class Visitor>
    WTM_MODE_TAG static bool show_to(wtm_timer timer, const wtm_timer_info *info, void *context) noexcept {
        Visitor &visit = **static_cast<Visitor **>(context);
        if constexpr (std::is_void_v<std::invoke_result_t<Visitor &, wtm_timer, const wtm_timer_info &>>) {
            std::invoke(visit, timer, *info);
            return true;
        } else {
            return static_cast<bool>(std::invoke(visit, timer, *info));
        }
    }

    // A zero handle means the default scheduler to the C functions. One that was moved from must not turn into that:
    // this number was never given out, so that every call answers WTM_ERR_GONE.
    wtm_scheduler own() const noexcept { return handle_.id != 0 ? handle_ : wtm_scheduler{ UINT64_MAX }; }

    friend struct detail::access;

    wtm_scheduler handle_{};
};

namespace detail {

struct access {
    static wtm_scheduler to(const scheduler &s) noexcept { return s.own(); }
};

} // namespace detail

// ------------------------------------------------------------------------------------------------------------------
// Targets
// ------------------------------------------------------------------------------------------------------------------

namespace detail {

template <class T, class Pointer>
inline constexpr bool is_owner_of = false;
template <class T, class U>
inline constexpr bool is_owner_of<T, std::unique_ptr<U>> =
    std::is_convertible_v<std::unique_ptr<U>, std::unique_ptr<T>>;

} // namespace detail

/// Owns a T that timers are bound to. When it goes, all of its timers have ended, at once and not at their next tick.
///
/// Callables get the T on the scheduler's thread (or the executor's): what both sides touch, T must guard. The
/// destructor is close(): T is destroyed when it returns, except inside a callable of T's own, after which it is.
template <class T>
class target {
public:
    static_assert(std::is_object_v<T> && !std::is_const_v<T> && !std::is_array_v<T>, "a target owns an object");

    /// Makes a T without arguments.
    /// @throws wtm::error, and what T's constructor throws.
    template <class U = T, std::enable_if_t<std::is_default_constructible_v<U>, int> = 0>
    WTM_MODE_TAG target() : target(std::make_unique<T>()) {}

    /// Makes a T of these arguments.
    /// @throws wtm::error, and what T's constructor throws.
    template <
        class First, class... Rest,
        std::enable_if_t<
            !std::is_same_v<std::decay_t<First>, target> && !std::is_same_v<std::decay_t<First>, std::in_place_t> &&
                !detail::is_owner_of<T, std::decay_t<First>> && !std::is_same_v<std::decay_t<First>, wtm_target>,
            int> = 0>
    WTM_MODE_TAG explicit target(First &&first, Rest &&...rest)
        : target(std::in_place, std::forward<First>(first), std::forward<Rest>(rest)...) {}

    /// Makes a T of these arguments, whatever they are.
    /// @throws wtm::error, and what T's constructor throws.
    template <class... Arguments>
    WTM_MODE_TAG explicit target(std::in_place_t, Arguments &&...arguments)
        : target(make(std::forward<Arguments>(arguments)...)) {}

    /// Takes over a T, or an object of a class derived from T, whose destructor is then virtual.
    /// @throws wtm::error WTM_ERR_INVALID for no object.
    WTM_MODE_TAG explicit target(std::unique_ptr<T> object) {
        if (!object) detail::raise(WTM_ERR_INVALID, "wtm::target: no object");
        detail::require(wtm_target_create(object.get(), destroy, &handle_), "wtm::target");
        object_ = object.release();
    }

    target(target &&other) noexcept
        : object_(std::exchange(other.object_, nullptr)), handle_(std::exchange(other.handle_, wtm_target{})) {}

    target &operator=(target &&other) noexcept {
        if (this != &other) {
            close();
            object_ = std::exchange(other.object_, nullptr);
            handle_ = std::exchange(other.handle_, wtm_target{});
        }
        return *this;
    }

    ~target() { close(); }

    /// Ends all timers of the object, waits for those callables of it that still run, and destroys it, in that order.
    /// From one of these callables it answers WTM_ERR_WOULD_DEADLOCK, and T is destroyed after that. A limit passed,
    /// it answers WTM_ERR_TIMED_OUT; the timers have ended, and T is destroyed by the last callable. The second time:
    /// WTM_ERR_GONE.
    result close(time_span limit = time_span::never()) noexcept {
        if (handle_.id == 0) return WTM_ERR_GONE;
        const wtm_status status = wtm_target_close(handle_, limit.nanoseconds());
        object_ = nullptr;
        // Otherwise the object may still be there, and the destructor must find it.
        if (status == WTM_OK) handle_ = wtm_target{};
        return status;
    }

    /// Ends all timers of the object and does not wait: T is destroyed now or, if callables of it still run, by the
    /// last.
    result expire() noexcept {
        if (object_ == nullptr) return WTM_ERR_GONE;
        object_ = nullptr;
        return wtm_target_release(handle_);
    }

    /// Ends the timers that are bound to the object now; the object lives on.
    result invalidate_timers() noexcept {
        if (object_ == nullptr) return WTM_ERR_GONE;
        return wtm_target_invalidate_timers(handle_);
    }

    /// The object; null after its end.
    T *get() const noexcept { return object_; }
    T &operator*() const noexcept { return *object_; }
    T *operator->() const noexcept { return object_; }

    /// Whether there is an object.
    explicit operator bool() const noexcept { return object_ != nullptr; }

    /// The handle, for functions of the C header.
    wtm_target handle() const noexcept { return handle_; }

private:
    template <class... Arguments>
    WTM_MODE_TAG static std::unique_ptr<T> make(Arguments &&...arguments) {
        if constexpr (std::is_constructible_v<T, Arguments...>) {
            return std::unique_ptr<T>(new T(std::forward<Arguments>(arguments)...));
        } else {
            return std::unique_ptr<T>(new T{ std::forward<Arguments>(arguments)... });
        }
    }

    WTM_MODE_TAG static void destroy(void *object) noexcept { delete static_cast<T *>(object); }

    T *object_ = nullptr;
    wtm_target handle_{};
};

template <class T>
target(T) -> target<T>;
template <class T>
target(std::unique_ptr<T>) -> target<T>;

// ------------------------------------------------------------------------------------------------------------------
// Timers
// ------------------------------------------------------------------------------------------------------------------

/// What a timer can be told when it starts. Everything has a default; the last argument of wtm::after, wtm::every and
/// wtm::at.
struct options {
    /// A tick may come so much later, so that timers share wake-ups.
    time_span tolerance{};
    /// Which clock: a constant of the C header or of wtm::clock.
    wtm_clock clock = WTM_CLOCK_MONOTONIC;
    /// What becomes of late ticks: of the C header or of wtm::missed.
    wtm_missed_policy missed = WTM_MISSED_COALESCE;
    /// The timer ends after so many ticks; 0 is no limit.
    std::uint64_t limit = 0;
    /// The timer's name in logs and lists; 47 bytes of it are kept.
    std::string name{};
    /// Where the callable runs; a wtm::executor converts to it.
    wtm_executor executor{};
    /// The first tick of a repeating timer comes at once.
    bool immediate = false;
    /// The first tick of a repeating timer after this; 0 is one interval.
    time_span first{};
    /// Created, not started: timer::resume starts it.
    bool paused = false;
    /// A one-shot stays valid after its tick, to be rescheduled.
    bool keep = false;
    /// Ticks of this timer may overlap; needs a pool.
    bool concurrent = false;
    /// The callable runs on the scheduler's thread, whatever executor the scheduler has.
    bool run_inline = false;
    /// Told once why the timer ended, after its last tick. Costs an allocation.
    std::function<void(wtm_reason)> ended{};
};

namespace detail {

// The options of who gives none. One object for all, so that starting need neither make it nor read it.
inline const options &no_options() noexcept { return immortal<options>(); }

} // namespace detail

/// Owns a timer: when this goes, the timer has ended and its callable does not run any more.
///
/// The destructor, reset() and assignment invalidate the timer and wait for a callable that is running, except from
/// within that callable itself, where they invalidate, and it is destroyed after it returns. To arm a timer anew from
/// its own callable, use reschedule(), which keeps this object as it is; to put another timer into this object there
/// is a race with whoever destroys it.
class timer {
public:
    /// No timer.
    timer() noexcept = default;

    /// Takes over a timer of the C header.
    explicit timer(wtm_timer adopted) noexcept : id_(adopted.id) {}

    timer(timer &&other) noexcept : id_(other.release().id) {}

    timer &operator=(timer &&other) noexcept {
        if (this != &other) {
            reset();
            const wtm_timer taken = other.release();
            if (taken.id != 0) id_.store(taken.id, std::memory_order_relaxed);
        }
        return *this;
    }

    ~timer() { reset(); }

    /// Ends the timer and waits until its callable neither runs nor exists. From within the callable it does not
    /// wait, and a later reset(), or the destructor, from elsewhere still does.
    void reset() noexcept {
        std::uint64_t id = id_.load(std::memory_order_relaxed);
        if (id == 0) return;
        const wtm_status status = wtm_timer_invalidate_and_wait(wtm_timer{ id }, WTM_NEVER);
        // The handle is kept where nothing was waited for: whoever destroys this object meanwhile must find it.
        if (status != WTM_ERR_WOULD_DEADLOCK) id_.compare_exchange_strong(id, 0, std::memory_order_relaxed);
    }

    /// Ends the timer and does not wait: WTM_OK, WTM_RUNNING if a last callback is running, WTM_ERR_GONE if it had
    /// ended.
    result invalidate() noexcept { return wtm_timer_invalidate(handle()); }

    /// Ends the timer and waits up to `limit`: WTM_ERR_TIMED_OUT after that, WTM_ERR_WOULD_DEADLOCK from within the
    /// callable.
    result invalidate_and_wait(time_span limit = time_span::never()) noexcept {
        return wtm_timer_invalidate_and_wait(handle(), limit.nanoseconds());
    }

    /// The next tick comes `delay` from now.
    result reschedule(time_span delay) noexcept { return wtm_timer_reschedule(handle(), delay.nanoseconds()); }

    /// The next tick comes `since_zero` after the zero of the timer's clock.
    result set_next(time_span since_zero) noexcept { return wtm_timer_set_next(handle(), since_zero.nanoseconds()); }

    /// Another interval, from the next tick on; the next tick itself stays. 0 makes it the last.
    result set_interval(time_span interval, time_span tolerance = time_span()) noexcept {
        return wtm_timer_set_interval(handle(), interval.nanoseconds(), tolerance.nanoseconds());
    }

    /// Another interval with the tolerance that the timer has.
    result set_interval_only(time_span interval) noexcept {
        return wtm_timer_set_interval_only(handle(), interval.nanoseconds());
    }

    /// Another tolerance; neither the next tick nor the grid moves.
    result set_tolerance(time_span tolerance) noexcept {
        return wtm_timer_set_tolerance(handle(), tolerance.nanoseconds());
    }

    /// No scheduled tick until resume(); the remaining time is kept.
    result pause() noexcept { return wtm_timer_pause(handle()); }

    /// Goes on after pause(), or starts what was created paused.
    result resume() noexcept { return wtm_timer_resume(handle()); }

    /// One extra tick as soon as possible, never inside this call; the schedule stays, and a one-shot is thereby
    /// completed.
    result fire() noexcept { return wtm_timer_fire(handle()); }

    /// The next deadline; nanoseconds::max() while there is none, because it is paused, never comes, or the timer has
    /// ended.
    std::chrono::nanoseconds next() const noexcept {
        std::uint64_t deadline = 0;
        if (wtm_timer_get_next(handle(), &deadline) < 0) deadline = WTM_NEVER;
        return detail::to_chrono(deadline);
    }

    /// What is known about the timer. If this is not true, `out` is all zero but for its size.
    result info(wtm_timer_info &out) const noexcept {
        out.size = static_cast<std::uint32_t>(sizeof out);
        return wtm_timer_get_info(handle(), &out);
    }

    /// Whether the timer has not ended.
    bool valid() const noexcept { return wtm_timer_is_valid(handle()); }

    /// The same.
    explicit operator bool() const noexcept { return valid(); }

    /// The handle, for functions of the C header; zero if there is no timer.
    wtm_timer handle() const noexcept { return wtm_timer{ id_.load(std::memory_order_relaxed) }; }

    /// Gives the timer up: it goes on, and nothing here ends it any more.
    wtm_timer release() noexcept { return wtm_timer{ id_.exchange(0, std::memory_order_relaxed) }; }

    friend void swap(timer &a, timer &b) noexcept {
        if (&a == &b) return;
        const std::uint64_t id = b.release().id;
        b.id_.store(a.id_.exchange(id, std::memory_order_relaxed), std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> id_{ 0 };
};

namespace detail {
inline namespace WTM_MODE {

// Calls fn with the subject and the tick, or with the subject alone, whichever it takes.
template <class Fn, class... Subject>
void call(Fn &fn, wtm_timer timer, const wtm_tick &raw, Subject &...subject) {
    if constexpr (std::is_invocable_v<Fn &, Subject &..., const tick &>) {
        const tick now(timer, raw);
        std::invoke(fn, subject..., now);
    } else {
        std::invoke(fn, subject...);
    }
}

template <class Fn, class... Subject>
inline constexpr bool callable_with =
    std::is_invocable_v<Fn &, Subject &..., const tick &> || std::is_invocable_v<Fn &, Subject &...>;

// A wrapper that may hold no function, of whatever library: std::function, std::move_only_function.
template <class Fn, class = void>
struct may_be_empty : std::false_type {};
template <class Fn>
struct may_be_empty<Fn, std::enable_if_t<std::is_class_v<Fn> && std::is_constructible_v<Fn, std::nullptr_t> &&
                                         std::is_convertible_v<decltype(std::declval<const Fn &>() == nullptr), bool>>>
    : std::true_type {};

template <class Fn>
bool is_null(const Fn &fn) noexcept {
    if constexpr (std::is_pointer_v<Fn> || std::is_member_pointer_v<Fn> || may_be_empty<Fn>::value) {
        return fn == nullptr;
    } else {
        return false;
    }
}

// The boxes: each holds a callable and what it is bound to, is the context of its timer, and says what the timer is
// to do with it.

template <class Fn>
struct plain_box {
    static_assert(callable_with<Fn>, "the callable must be void() or void(const wtm::tick &)");

    template <class F>
    explicit plain_box(F &&f) : fn(std::forward<F>(f)) {}

    void bind(wtm_timer_options &raw) noexcept { raw.fn = on_tick; }

    static void on_tick(wtm_timer timer, const wtm_tick *now, void *context) noexcept {
        call(static_cast<plain_box *>(context)->fn, timer, *now);
    }

    Fn fn;
};

template <class Fn, class T>
struct target_box {
    static_assert(callable_with<Fn, T>, "the callable must be void(T &) or void(T &, const wtm::tick &)");

    template <class F>
    target_box(F &&f, wtm_target target) : fn(std::forward<F>(f)), bound(target) {}

    void bind(wtm_timer_options &raw) noexcept {
        raw.fn = on_tick;
        raw.target = bound;
    }

    static void on_tick(wtm_timer timer, const wtm_tick *now, void *context) noexcept {
        call(static_cast<target_box *>(context)->fn, timer, *now, *static_cast<T *>(now->target));
    }

    Fn fn;
    wtm_target bound;
};

// Ticks of a timer follow one another, so one place for the strong pointer of the tick that runs is enough, and none
// is allocated. Where ticks may overlap, each keeps its strong pointer on its own stack, and locking only asks
// whether there is an object.
template <class Fn, class T>
struct weak_box {
    static_assert(callable_with<Fn, T>, "the callable must be void(T &) or void(T &, const wtm::tick &)");

    template <class F>
    weak_box(F &&f, std::weak_ptr<T> &&object) : fn(std::forward<F>(f)), weak(std::move(object)) {}

    void bind(wtm_timer_options &raw) noexcept {
        static constexpr wtm_weak_ops one_by_one{ static_cast<std::uint32_t>(sizeof(wtm_weak_ops)), 0, lock, unlock };
        static constexpr wtm_weak_ops at_once{ static_cast<std::uint32_t>(sizeof(wtm_weak_ops)), 0, probe, ignore };
        const bool concurrent = (raw.flags & WTM_TIMER_CONCURRENT) != 0;
        raw.weak = concurrent ? &at_once : &one_by_one;
        raw.fn = concurrent ? on_concurrent_tick : on_tick;
    }

    static void *lock(void *context) noexcept {
        weak_box &box = *static_cast<weak_box *>(context);
        std::shared_ptr<T> locked = box.weak.lock();
        if (!locked) return nullptr;
        box.strong = std::move(locked);
        return &box;
    }

    static void unlock(void *context) noexcept {
        // Out of the box before the object can be destroyed here: its destructor may do anything.
        const std::shared_ptr<T> last = std::move(static_cast<weak_box *>(context)->strong);
    }

    static void *probe(void *context) noexcept {
        return static_cast<weak_box *>(context)->weak.expired() ? nullptr : context;
    }

    static void ignore(void *) noexcept {}

    static void on_tick(wtm_timer timer, const wtm_tick *now, void *context) noexcept {
        weak_box &box = *static_cast<weak_box *>(context);
        call(box.fn, timer, *now, *box.strong);
    }

    static void on_concurrent_tick(wtm_timer timer, const wtm_tick *now, void *context) noexcept {
        weak_box &box = *static_cast<weak_box *>(context);
        if (const std::shared_ptr<T> strong = box.weak.lock()) call(box.fn, timer, *now, *strong);
    }

    Fn fn;
    std::weak_ptr<T> weak;
    std::shared_ptr<T> strong;
};

// A box on the heap, which the release hook of its timer frees.
template <class Box>
struct held final : Box {
    template <class... Arguments>
    explicit held(const options &, Arguments &&...arguments) : Box(std::forward<Arguments>(arguments)...) {}

    void *context() noexcept { return static_cast<Box *>(this); }

    void bind(wtm_timer_options &raw) noexcept {
        Box::bind(raw);
        raw.context = context();
        raw.release = destroy;
    }

    static void destroy(void *context) noexcept { delete static_cast<held *>(static_cast<Box *>(context)); }
};

// The same, with somebody to tell about the end.
template <class Box>
struct held_and_told final : Box {
    template <class... Arguments>
    explicit held_and_told(const options &o, Arguments &&...arguments)
        : Box(std::forward<Arguments>(arguments)...), ended(o.ended) {}

    void bind(wtm_timer_options &raw) noexcept {
        Box::bind(raw);
        raw.context = static_cast<Box *>(this);
        raw.release = destroy;
        raw.ended = tell;
    }

    static held_and_told *from(void *context) noexcept {
        return static_cast<held_and_told *>(static_cast<Box *>(context));
    }
    static void tell(wtm_timer, wtm_reason reason, void *context) noexcept { from(context)->ended(reason); }
    static void destroy(void *context) noexcept { delete from(context); }

    std::function<void(wtm_reason)> ended;
};

inline std::uint32_t flag(bool on, int bit) noexcept { return on ? static_cast<std::uint32_t>(bit) : 0U; }

inline wtm_timer_options to_raw(const options &o) noexcept {
    wtm_timer_options raw{};
    raw.size = static_cast<std::uint32_t>(sizeof raw);
    raw.flags = flag(o.immediate, WTM_TIMER_IMMEDIATE) | flag(o.paused, WTM_TIMER_PAUSED) |
                flag(o.keep, WTM_TIMER_KEEP) | flag(o.concurrent, WTM_TIMER_CONCURRENT) |
                flag(o.run_inline, WTM_TIMER_INLINE);
    raw.executor = o.executor;
    raw.clock = static_cast<std::uint32_t>(o.clock);
    raw.missed = static_cast<std::uint32_t>(o.missed);
    raw.tolerance_ns = o.tolerance.nanoseconds();
    raw.tick_limit = o.limit;
    raw.name = o.name.empty() ? nullptr : o.name.c_str();
    return raw;
}

// When a timer ticks: one of these three fills in the times.

inline void schedule(wtm_timer_options &raw, const options &, time_span delay) noexcept {
    raw.delay_ns = delay.nanoseconds();
}

inline void schedule(wtm_timer_options &raw, const options &o, const period &every) {
    raw.delay_ns = o.first.nanoseconds();
    raw.interval_ns = every.interval().nanoseconds();
    raw.rate_hz_numerator = every.ticks().numerator;
    raw.rate_hz_denominator = every.ticks().denominator;
    // To the C function no interval at all means a one-shot.
    if (raw.interval_ns == 0 && (raw.rate_hz_numerator == 0 || raw.rate_hz_denominator == 0))
        raise(WTM_ERR_INVALID, "wtm::every: the interval must be more than 0");
}

inline void schedule(wtm_timer_options &raw, const options &, const moment &when) noexcept {
    raw.flags |= WTM_TIMER_ABSOLUTE;
    raw.clock = static_cast<std::uint32_t>(when.which());
    raw.deadline_ns = when.since_zero().nanoseconds();
}

inline constexpr const char *cannot_start = "wtm: cannot start the timer";

template <class Held, class When, class... Arguments>
timer launch_as(wtm_scheduler s, const When &when, const options &o, Arguments &&...arguments) {
    wtm_timer_options raw = to_raw(o);
    schedule(raw, o, when);
    auto box = std::make_unique<Held>(o, std::forward<Arguments>(arguments)...);
    box->bind(raw);
    wtm_timer started{};
    require(wtm_timer_start(s, &raw, &started), cannot_start);
    // The timer owns the box now, and may have freed it already.
    static_cast<void>(box.release());
    return timer(started);
}

template <class Box, class When, class F, class... Bound>
timer launch(wtm_scheduler s, const When &when, const options &o, F &&f, Bound &&...bound) {
    if (is_null(f)) raise(WTM_ERR_INVALID, "wtm: there is nothing to call");
    if (o.ended) return launch_as<held_and_told<Box>>(s, when, o, std::forward<F>(f), std::forward<Bound>(bound)...);
    return launch_as<held<Box>>(s, when, o, std::forward<F>(f), std::forward<Bound>(bound)...);
}

// The common cases have functions of their own in C, which have less to look at.
inline wtm_status start_plain(wtm_scheduler s, time_span delay, wtm_tick_fn fn, void *box, wtm_release_fn release,
                              wtm_timer *out) noexcept {
    return wtm_timer_after(s, delay.nanoseconds(), fn, box, release, out);
}

inline wtm_status start_plain(wtm_scheduler s, const period &every, wtm_tick_fn fn, void *box, wtm_release_fn release,
                              wtm_timer *out) noexcept {
    return wtm_timer_every(s, every.interval().nanoseconds(), fn, box, release, out);
}

inline bool is_plain(time_span) noexcept { return true; }
inline bool is_plain(const period &every) noexcept { return every.interval().nanoseconds() != 0; }

template <class When, class F>
timer launch_plain(wtm_scheduler s, const When &when, F &&f, const options &o) {
    if constexpr (!std::is_same_v<When, moment>) {
        if (&o == &no_options() && is_plain(when) && !is_null(f)) {
            using box_type = held<plain_box<std::decay_t<F>>>;
            auto box = std::make_unique<box_type>(o, std::forward<F>(f));
            wtm_timer started{};
            require(start_plain(s, when, box_type::on_tick, box->context(), box_type::destroy, &started), cannot_start);
            static_cast<void>(box.release());
            return timer(started);
        }
    }
    return launch<plain_box<std::decay_t<F>>>(s, when, o, std::forward<F>(f));
}

template <class When, class T, class F>
timer launch_weak(wtm_scheduler s, const When &when, std::weak_ptr<T> &&object, F &&f, const options &o) {
    return launch<weak_box<std::decay_t<F>, T>>(s, when, o, std::forward<F>(f), std::move(object));
}

template <class When, class T, class F>
timer launch_bound(wtm_scheduler s, const When &when, const target<T> &object, F &&f, const options &o) {
    // A zero handle means no target to the C function, and the callable would be called without its object.
    if (!object) raise(WTM_ERR_TARGET_GONE, "wtm: the target has ended");
    return launch<target_box<std::decay_t<F>, T>>(s, when, o, std::forward<F>(f), object.handle());
}

template <class F>
using unless_options = std::enable_if_t<!std::is_same_v<std::decay_t<F>, options>>;

} // namespace WTM_MODE
} // namespace detail

/// @name One tick after a delay
/// Calls `f` once, `delay` from now. The timer that is returned owns the tick: dropping it cancels. Keep it, or let
/// the timer go on by itself with `wtm::after(...).release()`.
///
/// Arguments, in this order: optionally a scheduler (else the default one); the delay; optionally what the callable
/// is bound to, which it gets as its first argument; the callable; optionally the options.
/// - With a `std::weak_ptr` the timer locks it for each tick. The pointer does not keep the object alive between
///   ticks, and when the object is found gone the timer ends (WTM_REASON_TARGET_GONE), at the latest when it would
///   have ticked. A pointer that is dead already is no error. From a `std::shared_ptr` make a weak one.
/// - With a wtm::target the timer ends at the moment the target does. A target that has ended is WTM_ERR_TARGET_GONE.
///
/// @throws wtm::error WTM_ERR_INVALID for a delay that is not a number, a null function or options that contradict
/// one another; WTM_ERR_TARGET_GONE; WTM_ERR_SHUT_DOWN or WTM_ERR_GONE for a scheduler or executor that has ended; WTM_ERR_LIMIT
/// or WTM_ERR_SYSTEM when the library gets no more; std::bad_alloc.
/// @{
template <class F>
WTM_MODE_TAG [[nodiscard]] timer after(time_span delay, F &&f, const options &o = detail::no_options()) {
    return detail::launch_plain(wtm_scheduler{}, delay, std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer after(time_span delay, std::weak_ptr<T> object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_weak(wtm_scheduler{}, delay, std::move(object), std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer after(time_span delay, target<T> &object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_bound(wtm_scheduler{}, delay, object, std::forward<F>(f), o);
}
template <class F>
WTM_MODE_TAG [[nodiscard]] timer after(scheduler &s, time_span delay, F &&f, const options &o = detail::no_options()) {
    return detail::launch_plain(detail::access::to(s), delay, std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer after(scheduler &s, time_span delay, std::weak_ptr<T> object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_weak(detail::access::to(s), delay, std::move(object), std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer after(scheduler &s, time_span delay, target<T> &object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_bound(detail::access::to(s), delay, object, std::forward<F>(f), o);
}
template <class T, class F, class = detail::unless_options<F>>
timer after(time_span, const std::shared_ptr<T> &pass_a_weak_ptr_instead, F &&,
            const options & = detail::no_options()) = delete;
template <class T, class F, class = detail::unless_options<F>>
timer after(scheduler &, time_span, const std::shared_ptr<T> &pass_a_weak_ptr_instead, F &&,
            const options & = detail::no_options()) = delete;
/// @}

/// @name Repeated ticks
/// Calls `f` at every multiple of the interval from now on, or at a wtm::rate, until the timer that is returned goes.
/// Ticks lie on their grid however long callables take: they do not drift. Arguments and exceptions are those of
/// wtm::after; an interval that is 0, negative or not a number is WTM_ERR_INVALID, as is a rate with a zero in it or
/// above 10^9 a second.
/// @{
template <class F>
WTM_MODE_TAG [[nodiscard]] timer every(period interval, F &&f, const options &o = detail::no_options()) {
    return detail::launch_plain(wtm_scheduler{}, interval, std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer every(period interval, std::weak_ptr<T> object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_weak(wtm_scheduler{}, interval, std::move(object), std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer every(period interval, target<T> &object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_bound(wtm_scheduler{}, interval, object, std::forward<F>(f), o);
}
template <class F>
WTM_MODE_TAG [[nodiscard]] timer every(scheduler &s, period interval, F &&f, const options &o = detail::no_options()) {
    return detail::launch_plain(detail::access::to(s), interval, std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer every(scheduler &s, period interval, std::weak_ptr<T> object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_weak(detail::access::to(s), interval, std::move(object), std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer every(scheduler &s, period interval, target<T> &object, F &&f,
                                       const options &o = detail::no_options()) {
    return detail::launch_bound(detail::access::to(s), interval, object, std::forward<F>(f), o);
}
template <class T, class F, class = detail::unless_options<F>>
timer every(period, const std::shared_ptr<T> &pass_a_weak_ptr_instead, F &&,
            const options & = detail::no_options()) = delete;
template <class T, class F, class = detail::unless_options<F>>
timer every(scheduler &, period, const std::shared_ptr<T> &pass_a_weak_ptr_instead, F &&,
            const options & = detail::no_options()) = delete;
/// @}

/// @name One tick at a date
/// Calls `f` once, at a time of the system_clock (the tick follows the wall clock's steps), of the steady_clock, or
/// at a wtm::moment of any clock; options::clock is not looked at. What has passed comes at once. Arguments and
/// exceptions are those of wtm::after.
/// @{
template <class F>
WTM_MODE_TAG [[nodiscard]] timer at(moment when, F &&f, const options &o = detail::no_options()) {
    return detail::launch_plain(wtm_scheduler{}, when, std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer at(moment when, std::weak_ptr<T> object, F &&f,
                                    const options &o = detail::no_options()) {
    return detail::launch_weak(wtm_scheduler{}, when, std::move(object), std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer at(moment when, target<T> &object, F &&f, const options &o = detail::no_options()) {
    return detail::launch_bound(wtm_scheduler{}, when, object, std::forward<F>(f), o);
}
template <class F>
WTM_MODE_TAG [[nodiscard]] timer at(scheduler &s, moment when, F &&f, const options &o = detail::no_options()) {
    return detail::launch_plain(detail::access::to(s), when, std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer at(scheduler &s, moment when, std::weak_ptr<T> object, F &&f,
                                    const options &o = detail::no_options()) {
    return detail::launch_weak(detail::access::to(s), when, std::move(object), std::forward<F>(f), o);
}
template <class T, class F>
WTM_MODE_TAG [[nodiscard]] timer at(scheduler &s, moment when, target<T> &object, F &&f,
                                    const options &o = detail::no_options()) {
    return detail::launch_bound(detail::access::to(s), when, object, std::forward<F>(f), o);
}
template <class T, class F, class = detail::unless_options<F>>
timer at(moment, const std::shared_ptr<T> &pass_a_weak_ptr_instead, F &&,
         const options & = detail::no_options()) = delete;
template <class T, class F, class = detail::unless_options<F>>
timer at(scheduler &, moment, const std::shared_ptr<T> &pass_a_weak_ptr_instead, F &&,
         const options & = detail::no_options()) = delete;
/// @}

} // namespace wtm

#undef WTM_MODE
#undef WTM_MODE_TAG

#endif // WEAKTIMER_HPP
