// wtm::executor: pools, serial queues and the caller's own.
/* covers: time.serial */
#include "check.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

wtm::options on(const wtm::executor &e) {
    wtm::options o;
    o.executor = e;
    return o;
}

} // namespace

TEST(a_pool_runs_on_its_threads) {
    auto s = wtm::scheduler::manual();
    auto pool = wtm::executor::pool(2, "worker");
    std::atomic<int> elsewhere{ 0 };
    std::vector<wtm::timer> timers;
    for (int i = 0; i < 20; i++) {
        timers.push_back(wtm::every(
            s, 1ms, [&, here = std::this_thread::get_id()] { elsewhere += std::this_thread::get_id() != here; }, on(pool)));
    }
    s.advance(5ms);
    CHECK(elsewhere == 100);
    CHECK(pool.shutdown() == WTM_OK);
    s.advance(5ms);
    CHECK(elsewhere == 100 && check::info_of(timers[0]).dropped == 5);
}

// One timer's ticks never overlap on a pool, two timers' on a serial queue neither.
TEST(serial_queues_keep_order) {
    auto s = wtm::scheduler::manual();
    auto pool = wtm::executor::pool(4);
    auto queue = wtm::executor::serial(pool);
    int inside = 0;
    std::string order;
    const auto step = [&](char c) {
        CHECK(++inside == 1);
        order += c;
        CHECK(--inside == 0);
    };
    auto a = wtm::every(s, 2ms, [&] { step('a'); }, on(queue));
    auto b = wtm::every(s, 3ms, [&] { step('b'); }, on(queue));
    s.advance(6ms);
    CHECK(order == "ababa");
}

TEST(only_a_pool_carries_a_serial_queue) {
    const wtm::executor none;
    CHECK_THROWS(WTM_ERR_GONE, wtm::executor::serial(none));
    auto pool = wtm::executor::pool(1);
    auto queue = wtm::executor::serial(pool);
    CHECK_THROWS(WTM_ERR_INVALID, wtm::executor::serial(queue));
    CHECK_THROWS(WTM_ERR_LIMIT, wtm::executor::pool(100000));
}

TEST(the_callers_own_runs_at_once) {
    auto s = wtm::scheduler::manual();
    int submitted = 0;
    auto mine = wtm::executor::custom([&](wtm::work w) {
        submitted++;
        w();
        w();
    });
    int ticks = 0;
    auto t = wtm::every(s, 1ms, [&] { ticks++; }, on(mine));
    s.advance(3ms);
    CHECK(submitted == 3 && ticks == 3);
}

TEST(the_callers_own_runs_late) {
    auto s = wtm::scheduler::manual();
    std::vector<wtm::work> queue;
    auto mine = wtm::executor::custom([&](wtm::work w) {
        queue.push_back(w);
        return true;
    });
    int ticks = 0;
    auto kept = wtm::after(s, 1ms, [&] { ticks++; }, on(mine));
    auto dropped = wtm::after(s, 1ms, [&] { ticks++; }, on(mine));
    s.advance(1ms);
    CHECK(queue.size() == 2 && ticks == 0);
    dropped.reset();
    for (const wtm::work &w : queue) w();
    for (const wtm::work &w : queue) w();
    CHECK(ticks == 1);
    CHECK(mine.shutdown() == WTM_OK);
}

TEST(the_callers_own_refuses) {
    auto s = wtm::scheduler::manual();
    auto mine = wtm::executor::custom([](wtm::work) { return false; });
    auto t = wtm::every(s, 1ms, [] { CHECK(false); }, on(mine));
    auto once = wtm::after(s, 1ms, [] { CHECK(false); }, on(mine));
    s.advance(3ms);
    CHECK(check::info_of(t).dropped == 3 && t.valid() && !once.valid());
}

TEST(the_callers_own_may_hold_what_only_moves) {
    auto s = wtm::scheduler::manual();
    {
        auto mine = wtm::executor::custom([count = std::make_unique<int>(0), kept = check::counted()](wtm::work w) mutable {
            ++*count;
            w();
        });
        auto t = wtm::after(s, 1ms, [] {}, on(mine));
        s.advance(1ms);
        CHECK(check::counted::live() == 1);
    }
    CHECK(check::counted::live() == 0);
}

TEST(shutting_down_waits_for_what_runs) {
    wtm::scheduler s;
    check::gate entered;
    std::atomic<bool> finished{ false };
    auto pool = std::make_unique<wtm::executor>(wtm::executor::pool(1));
    std::atomic<bool> stopping{ false };
    auto t = wtm::after(
        s, 0ns,
        [&] {
            entered.open();
            while (!stopping) std::this_thread::yield();
            for (int i = 0; i < 1000; i++) std::this_thread::yield();
            finished = true;
        },
        on(*pool));
    entered.pass();
    stopping = true;
    pool.reset();
    CHECK(finished);
}
