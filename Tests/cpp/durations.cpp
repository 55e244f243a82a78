// How durations of every kind become nanoseconds.
/* covers: time.range time.never-early */
/* field report: 64, 68, 69, 70 */
#include "check.hpp"

#include <limits>
#include <ratio>

using namespace std::chrono_literals;

namespace {

template <class Rep, class Period = std::ratio<1>>
using duration = std::chrono::duration<Rep, Period>;

constexpr std::uint64_t never = WTM_NEVER;
constexpr std::int64_t int_max = INT64_MAX;
constexpr std::uint64_t uint_max = UINT64_MAX;

template <class D>
constexpr std::uint64_t ns(const D &d) {
    return wtm::time_span(d).nanoseconds();
}

// Whole numbers, every unit.
static_assert(ns(0s) == 0 && ns(1ns) == 1 && ns(1us) == 1000 && ns(1ms) == 1000000 && ns(1s) == 1000000000);
static_assert(ns(1min) == 60000000000 && ns(1h) == 3600000000000 && ns(duration<int, std::ratio<86400>>(1)) == 86400000000000);
static_assert(ns(duration<signed char>(127)) == 127000000000 && ns(duration<unsigned short, std::milli>(65535)) == 65535000000);

// Negative ones.
static_assert(ns(-1ns) == 0 && ns(std::chrono::hours::min()) == 0 && ns(std::chrono::nanoseconds::min()) == 0);
static_assert(ns(duration<signed char, std::atto>(-1)) == 0);

// The edges of 64 bits.
static_assert(ns(std::chrono::nanoseconds::max()) == static_cast<std::uint64_t>(int_max));
static_assert(ns(duration<std::uint64_t, std::nano>(uint_max - 1)) == uint_max - 1);
static_assert(ns(duration<std::uint64_t, std::nano>(uint_max)) == never);
static_assert(ns(duration<std::uint64_t, std::micro>(18446744073709551)) == 18446744073709551000U);
static_assert(ns(duration<std::uint64_t, std::micro>(18446744073709552)) == never);
static_assert(ns(std::chrono::seconds(18446744073)) == 18446744073000000000U && ns(std::chrono::seconds(18446744074)) == never);
static_assert(ns(std::chrono::hours(5124095)) == 18446742000000000000U && ns(std::chrono::hours(5124096)) == never);
static_assert(ns(std::chrono::hours::max()) == never && ns(std::chrono::milliseconds::max()) == never);
static_assert(ns(duration<std::uint64_t, std::exa>(1)) == never && ns(duration<std::uint64_t, std::exa>(uint_max)) == never);
static_assert(ns(duration<std::uint64_t, std::ratio<INT64_MAX>>(1)) == never);

// Fractions of a nanosecond round up.
static_assert(ns(duration<int, std::pico>(1)) == 1 && ns(duration<int, std::pico>(1000)) == 1 &&
              ns(duration<int, std::pico>(1001)) == 2);
static_assert(ns(duration<std::uint64_t, std::atto>(1)) == 1 && ns(duration<std::uint64_t, std::atto>(1000000001)) == 2);
static_assert(ns(duration<std::uint64_t, std::atto>(uint_max)) == 18446744074);
static_assert(ns(duration<std::uint64_t, std::pico>(uint_max)) == 18446744073709552);

// Units that are no part and no multiple of a nanosecond.
using third = std::ratio<1, 3>;
using frame = std::ratio<1001, 60000>;
static_assert(ns(duration<int, third>(1)) == 333333334 && ns(duration<int, third>(3)) == 1000000000);
static_assert(ns(duration<std::uint64_t, third>(55340232221)) == 18446744073666666667U);
static_assert(ns(duration<std::uint64_t, third>(55340232222)) == never);
static_assert(ns(duration<int, frame>(1)) == 16683334 && ns(duration<int, frame>(60000)) == 1001000000000);
static_assert(ns(duration<std::uint64_t, std::ratio<1, INT64_MAX>>(1)) == 1);
static_assert(ns(duration<std::int64_t, std::ratio<1, INT64_MAX>>(int_max)) == 1000000000);
static_assert(ns(duration<std::uint64_t, std::ratio<INT64_MAX, INT64_MAX - 1>>(1)) == 1000000001);

// 128 bits.
static_assert(ns(duration<wtm::detail::wide, std::atto>(static_cast<wtm::detail::wide>(uint_max) * 1000000000)) == never);
static_assert(ns(duration<wtm::detail::wide, std::atto>(static_cast<wtm::detail::wide>(uint_max - 1) * 1000000000)) ==
              uint_max - 1);
static_assert(ns(duration<wtm::detail::wide>(~static_cast<wtm::detail::wide>(0))) == never);

// Floating point.
constexpr double infinity = std::numeric_limits<double>::infinity();
static_assert(ns(duration<double>(0.1)) == 100000000 && ns(duration<float>(0.1F)) == 100000000);
static_assert(ns(duration<double>(0.0)) == 0 && ns(duration<double>(-0.0)) == 0 && ns(duration<double>(-1.5)) == 0);
static_assert(ns(duration<double, std::nano>(0.25)) == 1 && ns(duration<double, std::nano>(1.0)) == 1 &&
              ns(duration<double, std::nano>(1.25)) == 2);
static_assert(ns(duration<double, std::milli>(1.5)) == 1500000 && ns(duration<long double>(2.5L)) == 2500000000);
static_assert(ns(duration<double, std::pico>(1500)) == 2 && ns(duration<double, third>(1.5)) == 500000000);
static_assert(ns(duration<double>(infinity)) == never && ns(duration<double>(-infinity)) == 0);
static_assert(ns(duration<double>(1e300)) == never && ns(duration<double>(-1e300)) == 0 && ns(duration<float>(3e38F)) == never);
static_assert(ns(duration<double, std::nano>(18446744073709551616.0)) == never);
static_assert(ns(duration<double, std::nano>(18446744073709549568.0)) == 18446744073709549568U);
static_assert(ns(duration<double, std::atto>(std::numeric_limits<double>::denorm_min())) == 1);
static_assert(ns(duration<double>(std::numeric_limits<double>::min())) == 1);

static_assert(wtm::time_span().nanoseconds() == 0 && wtm::time_span::never().nanoseconds() == never);
static_assert(noexcept(wtm::time_span(std::chrono::seconds())) && !noexcept(wtm::time_span(duration<double>())));

// Any class may count.
struct safe_int {
    std::intmax_t value = 0;
    explicit operator std::intmax_t() const { return value; }
};

// A class with a fraction: thousandths, which convert to whole numbers (towards 0) and to floating-point ones.
struct thousandths {
    std::int64_t value = 0;
    explicit operator double() const { return static_cast<double>(value) / 1000; }
    explicit operator long double() const { return static_cast<long double>(value) / 1000; }
    explicit operator std::intmax_t() const { return value / 1000; }
};

// The same with one floating-point type alone, and every integer.
struct halves {
    std::int64_t value = 0;
    explicit operator double() const { return static_cast<double>(value) / 2; }
    template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
    explicit operator T() const {
        return static_cast<T>(value / 2);
    }
};

// One that says that it is whole, although it converts to anything.
struct whole {
    std::int64_t value = 0;
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    explicit operator T() const {
        return static_cast<T>(value);
    }
};

} // namespace

template <>
struct std::numeric_limits<whole> : std::numeric_limits<std::int64_t> {};

TEST(a_count_with_a_fraction_of_any_type_is_not_cut) {
    CHECK(wtm::time_span(duration<thousandths>(thousandths{ 1500 })).nanoseconds() == 1500000000);
    CHECK(wtm::time_span(duration<thousandths, std::nano>(thousandths{ 1 })).nanoseconds() == 1);
    CHECK(wtm::time_span(duration<thousandths>(thousandths{ -1500 })).nanoseconds() == 0);
    CHECK(wtm::time_span(duration<halves>(halves{ 3 })).nanoseconds() == 1500000000);
    CHECK(wtm::time_span(duration<halves, std::nano>(halves{ 3 })).nanoseconds() == 2);
    CHECK(wtm::time_span(duration<whole>(whole{ 3 })).nanoseconds() == 3000000000);
    CHECK(wtm::time_span(duration<whole, std::nano>(whole{ int_max })).nanoseconds() == static_cast<std::uint64_t>(int_max));
    static_assert(noexcept(wtm::time_span(duration<whole>())) && !noexcept(wtm::time_span(duration<thousandths>())));
}

#ifdef __SIZEOF_FLOAT128__
TEST(a_type_that_the_standard_library_does_not_know) {
    __extension__ typedef __float128 quad;
    CHECK(wtm::time_span(duration<quad>(static_cast<quad>(0.5))).nanoseconds() == 500000000);
    CHECK(wtm::time_span(duration<quad>(static_cast<quad>(-0.5))).nanoseconds() == 0);
    CHECK(wtm::time_span(duration<quad>(static_cast<quad>(1e30))).nanoseconds() == never);
}
#endif

TEST(a_count_of_a_class_type) {
    CHECK(wtm::time_span(duration<safe_int, std::milli>(safe_int{ 5 })).nanoseconds() == 5000000);
    CHECK(wtm::time_span(duration<safe_int, std::milli>(safe_int{ -5 })).nanoseconds() == 0);
}

TEST(not_a_number_is_an_error) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS(WTM_ERR_INVALID, wtm::time_span(duration<double>(nan)));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::time_span(duration<float>(std::numeric_limits<float>::quiet_NaN())));
    CHECK_THROWS(WTM_ERR_INVALID, wtm::time_span(duration<long double>(static_cast<long double>(nan))));
}

TEST(floating_seconds_agree_with_chrono) {
    for (int i = 1; i < 20000; i++) {
        const duration<double> d(static_cast<double>(i) / 1000.0);
        CHECK(ns(d) == static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::nanoseconds>(d).count()));
    }
}

// What the numbers mean for a timer.
TEST(a_delay_is_never_shortened) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    const auto count = [&] { ticks++; };
    auto past = wtm::after(s, -1h, count);
    CHECK(s.advance(0ns) == 1 && ticks == 1 && !past);
    auto fraction = wtm::after(s, duration<int, std::pico>(1001), count);
    CHECK(s.advance(1ns) == 0 && s.advance(1ns) == 1);
    auto half = wtm::after(s, duration<double>(0.5), count);
    CHECK(s.advance(499999999ns) == 0 && s.advance(1ns) == 1);
    auto month = wtm::after(s, std::chrono::hours(24 * 28), count);
    auto century = wtm::after(s, std::chrono::hours(24 * 36525), count);
    CHECK(s.advance(std::chrono::hours(24 * 28) - 1ns) == 0 && s.advance(1ns) == 1);
    CHECK(s.advance(std::chrono::hours(24 * 36497) - 1ns) == 0 && s.advance(1ns) == 1);
    CHECK(!month && !century);
}

TEST(beyond_64_bits_means_never) {
    auto s = wtm::scheduler::manual();
    auto a = wtm::after(s, std::chrono::hours::max(), [] {});
    auto b = wtm::every(s, duration<double>(infinity), [] {});
    auto c = wtm::after(s, 1ms, [] {});
    CHECK(c.reschedule(std::chrono::hours::max()));
    CHECK(a.next() == std::chrono::nanoseconds::max() && s.next_delay() == std::chrono::nanoseconds::max());
    CHECK(s.advance(wtm::time_span::never()) == 0);
    CHECK(a && b && c);
}
