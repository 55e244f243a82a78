// A start allocates once on the C++ side, and nothing else does.
#include "check.hpp"

#include <memory>

using namespace std::chrono_literals;

// Kept by units/counting_new.cpp, which replaces the program's operator new.
extern std::atomic<long> allocations;
extern std::atomic<long> blocks;

namespace {

struct model {
    int ticks = 0;
};

} // namespace

TEST(one_allocation_a_start_and_none_a_tick) {
    auto s = wtm::scheduler::manual();
    wtm::target<model> owned;
    auto shared = std::make_shared<model>();
    const std::weak_ptr<model> weak = shared;
    wtm::options o;
    o.name = "a name";
    const long before = blocks;

    const auto costs = [](auto start) {
        const long count = allocations;
        wtm::timer t = start();
        CHECK(allocations == count + 1);
        return t;
    };
    {
        auto a = costs([&] { return wtm::every(s, 1ms, [n = std::make_unique<int>] { static_cast<void>(n); }); });
        auto b = costs([&] { return wtm::every(s, 1ms, owned, [](model &m) { m.ticks++; }, o); });
        auto c = costs([&] { return wtm::every(s, 1ms, weak, [](model &m, const wtm::tick &) { m.ticks++; }, o); });
        const long count = allocations;
        CHECK(s.advance(1s) == 3000);
        CHECK(a.reschedule(1ms) && a.pause() && a.resume() && a.fire());
        s.advance(1ms);
        CHECK(a.invalidate() == WTM_OK);
        c.reset();
        CHECK(allocations == count);
    }
    CHECK(blocks == before && shared->ticks > 0 && owned->ticks > 0);
}

TEST(a_failed_start_gives_its_memory_back) {
    wtm::scheduler_options limit;
    limit.max_timers = 1;
    auto s = wtm::scheduler::manual(limit);
    auto t = wtm::every(s, 1ms, [] {});
    const long before = blocks;
    CHECK_THROWS(WTM_ERR_LIMIT, wtm::every(s, 1ms, [] {}));
    CHECK(blocks == before);
}
