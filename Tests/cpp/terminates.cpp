// An exception that leaves a callable, or whatever else the library calls, terminates: it never unwinds through the library.
#include "check.hpp"

#include <exception>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace {

constexpr int terminated = 42;

// Whether `body` ends in std::terminate, tried in a child.
template <class Body>
bool terminates(Body body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        std::set_terminate([] { _exit(terminated); });
        body();
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == terminated;
}

struct throws_at_its_end {
    bool armed = true;
    throws_at_its_end() = default;
    throws_at_its_end(throws_at_its_end &&other) noexcept : armed(std::exchange(other.armed, false)) {}
    ~throws_at_its_end() noexcept(false) {
        if (armed) throw std::runtime_error("destructor");
    }
    void operator()() const {}
};

[[noreturn]] void throwing() { throw std::runtime_error("callable"); }

} // namespace

TEST(a_callable_must_not_throw) {
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        auto t = wtm::after(s, 1ms, throwing);
        try {
            s.advance(1ms);
        } catch (...) { _exit(1); }
    }));
    CHECK(!terminates([] {
        auto s = wtm::scheduler::manual();
        auto t = wtm::after(s, 1ms, throwing);
    }));
}

TEST(nor_a_bound_one) {
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        auto object = std::make_shared<int>(1);
        auto t = wtm::after(s, 1ms, std::weak_ptr<int>(object), [](int &) { throwing(); });
        s.advance(1ms);
    }));
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        wtm::target<int> object(1);
        auto t = wtm::after(s, 1ms, object, [](int &) { throwing(); });
        s.advance(1ms);
    }));
}

TEST(nor_its_destructor) {
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        auto t = wtm::after(s, 1ms, throws_at_its_end());
        try {
            t.reset();
        } catch (...) { _exit(1); }
    }));
}

TEST(nor_who_is_told_of_the_end) {
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        wtm::options o;
        o.ended = [](wtm_reason) { throwing(); };
        auto t = wtm::after(s, 1ms, [] {}, o);
        t.reset();
    }));
}

TEST(nor_a_visitor_or_a_submit) {
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        auto t = wtm::after(s, 1ms, [] {});
        try {
            s.for_each([](wtm_timer, const wtm_timer_info &) { throwing(); });
        } catch (...) { _exit(1); }
    }));
    CHECK(terminates([] {
        auto s = wtm::scheduler::manual();
        auto e = wtm::executor::custom([](wtm::work) { throwing(); });
        wtm::options o;
        o.executor = e;
        auto t = wtm::after(s, 1ms, [] {}, o);
        s.advance(1ms);
    }));
}
