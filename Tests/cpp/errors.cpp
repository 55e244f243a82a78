// Errors: what throws, what does not, with which code, and that a start that throws has taken nothing.
/* covers: life.failed */
/* field report: 39, 72, 73 */
#include "check.hpp"

#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

using namespace std::chrono_literals;

static_assert(std::is_base_of_v<std::system_error, wtm::error>);

// Only what makes something may throw.
template <class T>
T &some() noexcept;
constexpr std::chrono::milliseconds moment{ 1 };
static_assert(noexcept(some<wtm::timer>().reset()) && noexcept(some<wtm::timer>().invalidate()));
static_assert(noexcept(some<wtm::timer>().invalidate_and_wait(moment)) && noexcept(some<wtm::timer>().reschedule(moment)));
static_assert(noexcept(some<wtm::timer>().pause()) && noexcept(some<wtm::timer>().resume()));
static_assert(noexcept(some<wtm::timer>().fire()) && noexcept(some<wtm::timer>().valid()));
static_assert(noexcept(some<wtm::timer>().set_next(moment)) && noexcept(some<wtm::timer>().set_interval(moment)));
static_assert(noexcept(some<wtm::timer>().set_interval_only(moment)) && noexcept(some<wtm::timer>().set_tolerance(moment)));
static_assert(noexcept(some<wtm::scheduler>().shutdown()) && noexcept(some<wtm::scheduler>().now()));
static_assert(noexcept(some<wtm::target<int>>().close()) && noexcept(some<wtm::target<int>>().expire()));
static_assert(noexcept(some<wtm::executor>().shutdown()));
static_assert(std::is_nothrow_destructible_v<wtm::timer> && std::is_nothrow_destructible_v<wtm::scheduler>);
static_assert(std::is_nothrow_destructible_v<wtm::target<int>> && std::is_nothrow_destructible_v<wtm::executor>);

TEST(an_error_carries_its_status) {
    try {
        static_cast<void>(wtm::every(0s, [] {}));
        CHECK(false);
    } catch (const std::system_error &e) {
        CHECK(e.code().value() == WTM_ERR_INVALID);
        CHECK(e.code().category() == wtm::category());
        CHECK(std::string(e.code().category().name()) == "weaktimer");
        CHECK(e.code().message() == wtm_status_message(WTM_ERR_INVALID));
        CHECK(e.code() == std::errc::invalid_argument);
        CHECK(std::string(e.what()).find("wtm::every") != std::string::npos);
    }
    const wtm::error made(WTM_ERR_LIMIT, "why");
    CHECK(made.status() == WTM_ERR_LIMIT && made.code() == wtm::make_error_code(WTM_ERR_LIMIT));
}

TEST(codes_compare_with_the_words_of_the_standard) {
    CHECK(wtm::make_error_code(WTM_ERR_WOULD_DEADLOCK) == std::errc::resource_deadlock_would_occur);
    CHECK(wtm::make_error_code(WTM_ERR_TIMED_OUT) == std::errc::timed_out);
    CHECK(wtm::make_error_code(WTM_ERR_LIMIT) == std::errc::resource_unavailable_try_again);
    CHECK(wtm::make_error_code(WTM_ERR_UNSUPPORTED) == std::errc::operation_not_supported);
    CHECK(wtm::make_error_code(WTM_ERR_GONE) != std::errc::timed_out);
    CHECK(!wtm::make_error_code(WTM_OK) && wtm::make_error_code(WTM_ERR_GONE));
}

// Success is no error: code that asks only whether there is one must not take WTM_RUNNING for a failure.
TEST(a_status_is_an_error_code_by_itself) {
    std::error_code code = WTM_ERR_GONE;
    CHECK(code && code == WTM_ERR_GONE && WTM_ERR_GONE == code && code != WTM_ERR_LIMIT && code != WTM_OK);
    CHECK(code.value() == WTM_ERR_GONE && code.category() == wtm::category() && code == make_error_code(WTM_ERR_GONE));
    CHECK(code != std::error_code(static_cast<int>(WTM_ERR_GONE), std::generic_category()));
    code = WTM_ERR_TIMED_OUT;
    CHECK(code == std::errc::timed_out && code.message() == wtm_status_message(WTM_ERR_TIMED_OUT));
    code = WTM_OK;
    CHECK(!code && code == WTM_OK && code.message() == wtm_status_message(WTM_OK));
    code = WTM_RUNNING;
    CHECK(!code && code.value() == 0 && code.category() == wtm::category());
    auto s = wtm::scheduler::manual();
    s.shutdown();
    code = s.shutdown().status();
    CHECK(code == WTM_ERR_GONE);
}

TEST(a_result_is_a_truth_and_a_status) {
    const wtm::result good = WTM_OK;
    const wtm::result running = WTM_RUNNING;
    const wtm::result bad = WTM_ERR_GONE;
    CHECK(good && running && !bad);
    CHECK(good == WTM_OK && WTM_ERR_GONE == bad && good != WTM_RUNNING && WTM_OK != bad && good != running && bad == bad);
    const bool truth = running;
    const wtm_status status = bad;
    CHECK(truth && status == WTM_ERR_GONE && bad.status() == status);
    CHECK(std::string(wtm_status_name(bad)) == "WTM_ERR_GONE");
    CHECK(good >= 0 && running >= 0 && bad < 0);
    CHECK(good.or_throw() == WTM_OK);
    CHECK_THROWS(WTM_ERR_GONE, bad.or_throw());
}

TEST(a_switch_says_what_it_is_over) {
    auto s = wtm::scheduler::manual();
    auto t = wtm::after(s, 1ms, [] {});
    switch (t.invalidate().status()) {
    case WTM_OK: break;
    default: CHECK(false);
    }
    switch (t.invalidate().status()) {
    case WTM_ERR_GONE: break;
    default: CHECK(false);
    }
}

template <class T, class = void>
constexpr bool adds = false;
template <class T>
constexpr bool adds<T, std::void_t<decltype(std::declval<T>() + 1)>> = true;

TEST(a_result_is_no_number) {
    using wtm::result;
    static_assert(std::is_convertible_v<result, wtm_status> && std::is_constructible_v<bool, result>);
    static_assert(std::is_convertible_v<result, bool> && !std::is_convertible_v<result, int>);
    static_assert(!std::is_convertible_v<result, char> && !std::is_convertible_v<result, unsigned>);
    static_assert(!std::is_convertible_v<result, long> && !std::is_convertible_v<result, double>);
    static_assert(!adds<result> && adds<int>);
}

TEST(a_result_is_written_by_its_name) {
    std::ostringstream out;
    std::wostringstream wide;
    out << wtm::result(WTM_RUNNING) << ' ' << wtm::result(WTM_ERR_GONE);
    wide << wtm::result(WTM_ERR_GONE);
    CHECK(out.str() == "WTM_RUNNING WTM_ERR_GONE" && wide.str() == L"WTM_ERR_GONE");
}

TEST(intervals_that_are_none_are_refused) {
    auto s = wtm::scheduler::manual();
    const auto nothing = [kept = check::counted()] {};
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, 0s, nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, -1ns, nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, std::chrono::hours::min(), nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, std::chrono::duration<double>(nan), nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::after(s, std::chrono::duration<double>(nan), nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, std::chrono::duration<double>(-0.0), nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, wtm::rate{ 0, 1 }, nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, wtm::rate{ 1, 0 }, nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, wtm::rate{ 0, 0 }, nothing));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, wtm::rate{ 2000000000, 1 }, nothing));
    CHECK(check::counted::live() == 1 && s.stats().created == 0);
}

namespace {

// A wrapper of another library, or of a later standard: std::move_only_function is one.
struct wrapper {
    wrapper(std::nullptr_t) {}
    explicit wrapper(void (*function)()) : call(function) {}
    void operator()() const { call(); }
    friend bool operator==(const wrapper &w, std::nullptr_t) { return w.call == nullptr; }
    void (*call)() = nullptr;
};
int calls = 0;

} // namespace

TEST(null_functions_are_refused) {
    auto s = wtm::scheduler::manual();
    struct model {
        void refresh() {}
    };
    void (*const function)() = nullptr;
    void (model::*const method)() = nullptr;
    wtm::target<model> m;
    CHECK_THROWS(WTM_ERR_INVALID, wtm::after(s, 1ms, function));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::after(s, 1ms, std::function<void()>()));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::after(s, 1ms, m, method));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::after(s, 1ms, wrapper(nullptr)));
    auto full = wtm::after(s, 1ms, wrapper([] { calls++; }));
    s.advance(1ms);
    CHECK(calls == 1);
#ifdef __cpp_lib_move_only_function
    CHECK_THROWS(WTM_ERR_INVALID, wtm::after(s, 1ms, std::move_only_function<void()>()));
#endif
    CHECK_THROWS(WTM_ERR_INVALID, wtm::target<model>(std::unique_ptr<model>()));
}

TEST(a_failed_start_destroys_the_callable_and_keeps_nothing) {
    wtm::scheduler_options one;
    one.max_timers = 1;
    auto s = wtm::scheduler::manual(one);
    auto first = wtm::every(s, 1ms, [] {});
    check::counted kept;
    CHECK_THROWS(WTM_ERR_LIMIT, wtm::every(s, 1ms, [kept = std::move(kept)] {}));
    CHECK(check::counted::live() == 1);
}

TEST(a_scheduler_that_has_ended_is_an_error) {
    auto s = wtm::scheduler::manual();
    CHECK(s.shutdown() == WTM_OK);
    CHECK_THROWS(WTM_ERR_GONE, wtm::after(s, 1ms, [] {}));
    CHECK_THROWS(WTM_ERR_GONE, s.advance(1ms));
    CHECK_THROWS(WTM_ERR_GONE, s.stats());
    CHECK_THROWS(WTM_ERR_GONE, s.next_delay());
    CHECK(s.shutdown() == WTM_ERR_GONE && s.now() == 0ns && s.for_each([](wtm_timer, const wtm_timer_info &) {}) == WTM_ERR_GONE);
}

TEST(the_wrong_drive_is_an_error) {
    wtm::scheduler threaded;
    CHECK_THROWS(WTM_ERR_UNSUPPORTED, threaded.advance(1ms));
    CHECK_THROWS(WTM_ERR_UNSUPPORTED, threaded.run_due());
    CHECK(threaded.set_wall(1ms) == WTM_ERR_UNSUPPORTED && threaded.fd() == -1);
}

// What the callable's own constructor throws arrives, and nothing has started.
TEST(a_callable_that_cannot_be_copied_throws_its_own) {
    struct picky {
        picky() = default;
        picky(const picky &) { throw std::runtime_error("picky"); }
        void operator()() const {}
        check::counted kept{};
    };
    auto s = wtm::scheduler::manual();
    const picky p;
    bool thrown = false;
    try {
        static_cast<void>(wtm::after(s, 1ms, p));
    } catch (const std::runtime_error &e) { thrown = std::string(e.what()) == "picky"; }
    CHECK(thrown && check::counted::live() == 1 && s.stats().created == 0);
}

TEST(a_target_whose_constructor_throws_is_none) {
    struct picky {
        explicit picky(int) { throw std::runtime_error("picky"); }
        check::counted kept{};
    };
    bool thrown = false;
    try {
        const wtm::target<picky> t(1);
    } catch (const std::runtime_error &) { thrown = true; }
    CHECK(thrown && check::counted::live() == 0);
}
