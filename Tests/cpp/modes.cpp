// A unit with exceptions and one without in one program: each does as it was compiled, whichever the linker sees first.
// CMakeLists.txt builds two programs of this, which differ in that order.
#include "modes.hpp"
#include "check.hpp"

#include <exception>
#include <limits>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;

TEST(the_other_unit_has_the_same_types) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    CHECK(ticks_without_exceptions(s, [&] { ticks++; }) == 3 && ticks == 3);
    CHECK(&category_without_exceptions() == &wtm::category());
}

TEST(what_fails_here_throws) {
    constexpr seconds nan(std::numeric_limits<double>::quiet_NaN());
    wtm::scheduler_options orphan;
    orphan.executor = wtm_executor{ UINT64_MAX };
    wtm::scheduler threaded;
    auto gone = wtm::scheduler::manual();
    gone.shutdown();
    CHECK_THROWS(WTM_ERR_UNSUPPORTED, uses::advance(threaded));
    CHECK_THROWS(WTM_ERR_UNSUPPORTED, uses::run_due(threaded));
    CHECK_THROWS(WTM_ERR_GONE, uses::next_delay(gone));
    CHECK_THROWS(WTM_ERR_GONE, uses::stats(gone));
    CHECK_THROWS(WTM_ERR_LIMIT, uses::pool(100000));
    CHECK_THROWS(WTM_ERR_GONE, uses::serial(wtm::executor()));
    CHECK_THROWS(WTM_ERR_GONE, uses::scheduler(orphan));
    CHECK_THROWS(WTM_ERR_GONE, uses::manual(orphan));
    CHECK_THROWS(WTM_ERR_GONE, uses::host(orphan));
    CHECK_THROWS(WTM_ERR_INVALID, uses::target(nullptr));
    CHECK_THROWS(WTM_ERR_LIMIT, uses::or_throw(WTM_ERR_LIMIT));
    CHECK_THROWS(WTM_ERR_INVALID, uses::span(nan));
    CHECK_THROWS(WTM_ERR_INVALID, uses::period(nan));
    CHECK_THROWS(WTM_ERR_INVALID, uses::moment(nan));
    CHECK_THROWS(WTM_ERR_GONE, uses::after(gone, 1ms, [] {}));
    CHECK_THROWS(WTM_ERR_INVALID, uses::every(gone, 0s, [] {}));
    CHECK_THROWS(WTM_ERR_INVALID, uses::at(gone, nullptr));
}

// The callable that must not be left by an exception is called by a function of the same type in both units.
TEST(a_callable_of_this_unit_must_not_throw) {
    std::fflush(nullptr);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        std::set_terminate([] { _exit(42); });
        auto s = wtm::scheduler::manual();
        const auto t = uses::after(s, 1ms, [] { throw std::runtime_error("callable"); });
        try {
            uses::advance(s);
        } catch (...) { _exit(1); }
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 42);
}
