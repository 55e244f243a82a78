// What a callable learns from its tick, and what it can do with it.
/* covers: time.no-drift time.fire */
#include "check.hpp"

#include <vector>

using namespace std::chrono_literals;

TEST(a_tick_says_when_and_which) {
    auto s = wtm::scheduler::manual();
    std::vector<wtm::tick> seen;
    auto t = wtm::every(s, 10ms, [&](const wtm::tick &now) { seen.push_back(now); });
    s.advance(30ms);
    CHECK(seen.size() == 3);
    for (std::size_t i = 0; i < seen.size(); i++) {
        const auto at = 10ms * static_cast<int>(i + 1);
        CHECK(seen[i].scheduled() == at && seen[i].now() == at && seen[i].next() == at + 10ms);
        CHECK(seen[i].ordinal() == i + 1 && seen[i].missed() == 0 && !seen[i].fired());
        CHECK(seen[i].handle().id == t.handle().id && seen[i].clock() == wtm::clock::monotonic);
        CHECK(seen[i].raw().size == sizeof(wtm_tick));
    }
}

TEST(a_last_tick_has_no_next) {
    auto s = wtm::scheduler::manual();
    wtm::tick last;
    CHECK(last.ordinal() == 0 && last.handle().id == 0);
    auto t = wtm::after(s, 10ms, [&](const wtm::tick &now) { last = now; });
    s.advance(10ms);
    CHECK(last.ordinal() == 1 && last.next() == std::chrono::nanoseconds::max());
}

TEST(times_beyond_chrono_are_its_maximum) {
    auto s = wtm::scheduler::manual();
    wtm::tick last;
    const std::chrono::duration<std::uint64_t, std::nano> far(std::uint64_t{ 1 } << 63);
    auto t = wtm::after(s, far, [&](const wtm::tick &now) { last = now; });
    CHECK(s.advance(far) == 1);
    CHECK(last.scheduled() == std::chrono::nanoseconds::max());
    CHECK(last.raw().scheduled_ns == std::uint64_t{ 1 } << 63);
    CHECK(s.now() == std::chrono::nanoseconds::max());
}

TEST(a_fired_tick_says_so) {
    auto s = wtm::scheduler::manual();
    int scheduled = 0;
    int fired = 0;
    auto t = wtm::every(s, 10ms, [&](const wtm::tick &now) { (now.fired() ? fired : scheduled)++; });
    CHECK(t.fire());
    CHECK(fired == 0);
    s.advance(0ns);
    CHECK(fired == 1 && scheduled == 0);
    s.advance(10ms);
    CHECK(fired == 1 && scheduled == 1);
}

TEST(fire_completes_a_one_shot) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    auto t = wtm::after(s, 1h, [&] { ticks++; });
    CHECK(t.fire());
    s.advance(0ns);
    CHECK(ticks == 1 && !t);
    CHECK(t.fire() == WTM_ERR_GONE);
}

TEST(a_tick_can_end_its_timer) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    auto t = wtm::every(s, 1ms, [&](const wtm::tick &now) {
        if (++ticks == 3) CHECK(now.invalidate() == WTM_RUNNING);
    });
    s.advance(1s);
    CHECK(ticks == 3 && !t.valid());
}

// A retry with backoff: the same timer, armed anew each time.
TEST(a_tick_can_arm_a_one_shot_again) {
    auto s = wtm::scheduler::manual();
    std::vector<std::chrono::nanoseconds> at;
    auto t = wtm::after(s, 1ms, [&](const wtm::tick &now) {
        at.push_back(now.now());
        if (at.size() < 4) CHECK(now.reschedule(1ms * (1 << at.size())));
    });
    s.advance(1s);
    CHECK(at == std::vector<std::chrono::nanoseconds>({ 1ms, 3ms, 7ms, 15ms }));
    CHECK(!t.valid());
}
