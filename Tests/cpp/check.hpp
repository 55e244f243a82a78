// What the C++ tests share: tests that register themselves, checks that always run, objects that are counted, and a gate between threads.
#ifndef WEAKTIMER_TESTS_CHECK_HPP
#define WEAKTIMER_TESTS_CHECK_HPP

#include <weaktimer.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace check {

using namespace std::chrono_literals;

[[noreturn]] inline void fail(const char *file, int line, const char *what) {
    std::fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
    std::fflush(nullptr);
    std::_Exit(1);
}

struct test {
    const char *name;
    void (*run)();
};

inline std::vector<test> &tests() {
    static std::vector<test> all;
    return all;
}

struct registrar {
    registrar(const char *name, void (*run)()) { tests().push_back({ name, run }); }
};

inline int run_all() {
    for (const test &t : tests()) {
        std::printf("%s\n", t.name);
        std::fflush(stdout);
        t.run();
    }
    std::printf("%zu tests passed\n", tests().size());
    return tests().empty() ? 1 : 0;
}

// Counts how many of it are alive, over copies and moves.
class counted {
public:
    counted() { live()++; }
    counted(const counted &) { live()++; }
    counted(counted &&) noexcept { live()++; }
    counted &operator=(const counted &) = default;
    counted &operator=(counted &&) noexcept = default;
    ~counted() { live()--; }

    static std::atomic<int> &live() {
        static std::atomic<int> count{ 0 };
        return count;
    }
};

// Opens once; whoever waits gets through then. A wait that lasts is a failed test.
class gate {
public:
    void open() {
        const std::lock_guard<std::mutex> guard(lock_);
        is_open_ = true;
        changed_.notify_all();
    }

    void pass() {
        std::unique_lock<std::mutex> guard(lock_);
        if (!changed_.wait_for(guard, 120s, [this] { return is_open_; })) fail(__FILE__, __LINE__, "the gate opens");
    }

    bool is_open() {
        const std::lock_guard<std::mutex> guard(lock_);
        return is_open_;
    }

private:
    std::mutex lock_;
    std::condition_variable changed_;
    bool is_open_ = false;
};

inline wtm_timer_info info_of(const wtm::timer &timer) {
    wtm_timer_info info{};
    if (!timer.info(info)) fail(__FILE__, __LINE__, "the timer has an info");
    return info;
}

} // namespace check

#define TEST(name) \
    static void name(); \
    static const check::registrar registered_##name(#name, name); \
    static void name()

#define CHECK(...) \
    do { \
        if (!(__VA_ARGS__)) check::fail(__FILE__, __LINE__, #__VA_ARGS__); \
    } while (false)

// The expression throws a wtm::error of that status.
#define CHECK_THROWS(expected, ...) \
    do { \
        bool thrown = false; \
        try { \
            static_cast<void>(__VA_ARGS__); \
        } catch (const wtm::error &caught) { \
            thrown = true; \
            if (caught.code().value() != (expected)) check::fail(__FILE__, __LINE__, caught.what()); \
        } \
        if (!thrown) check::fail(__FILE__, __LINE__, "throws: " #__VA_ARGS__); \
    } while (false)

int main() { return check::run_all(); }

#endif
