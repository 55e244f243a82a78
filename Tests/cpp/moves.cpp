// Owners move, and what was moved from is empty and harmless.
/* covers: stop.none-after life.release.once */
/* field report: 37 */
#include "check.hpp"

#include <type_traits>
#include <vector>

using namespace std::chrono_literals;

template <class T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
                            !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(moves_only<wtm::timer> && moves_only<wtm::scheduler> && moves_only<wtm::executor> && moves_only<wtm::target<int>>);
static_assert(std::is_nothrow_default_constructible_v<wtm::timer> && std::is_nothrow_swappable_v<wtm::timer>);
static_assert(sizeof(wtm::timer) == 8);

TEST(an_empty_timer_answers_gone) {
    wtm::timer t;
    CHECK(!t && !t.valid() && t.handle().id == 0);
    CHECK(t.invalidate() == WTM_ERR_GONE && t.invalidate_and_wait() == WTM_ERR_GONE);
    CHECK(t.reschedule(1ms) == WTM_ERR_GONE && t.set_next(1ms) == WTM_ERR_GONE && t.set_interval(1ms) == WTM_ERR_GONE);
    CHECK(t.set_interval_only(1ms) == WTM_ERR_GONE && t.set_tolerance(1ms) == WTM_ERR_GONE);
    CHECK(t.pause() == WTM_ERR_GONE && t.resume() == WTM_ERR_GONE && t.fire() == WTM_ERR_GONE);
    CHECK(t.next() == std::chrono::nanoseconds::max());
    wtm_timer_info info{};
    CHECK(t.info(info) == WTM_ERR_GONE && info.size == sizeof info);
    CHECK(t.release().id == 0);
    t.reset();
    t = wtm::timer();
}

TEST(a_timer_goes_with_its_owner) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    wtm_timer handle{};
    {
        auto t = wtm::every(s, 1ms, [&, kept = check::counted()] { ticks++; });
        handle = t.handle();
        s.advance(2ms);
        CHECK(ticks == 2 && wtm_timer_is_valid(handle));
    }
    CHECK(!wtm_timer_is_valid(handle) && check::counted::live() == 0);
    s.advance(1s);
    CHECK(ticks == 2);
}

TEST(a_move_hands_the_timer_over) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    auto first = wtm::every(s, 1ms, [&] { ticks++; });
    const std::uint64_t id = first.handle().id;
    wtm::timer second(std::move(first));
    CHECK(first.handle().id == 0 && !first && second.handle().id == id && second.valid());
    wtm::timer third;
    third = std::move(second);
    CHECK(!second && third.handle().id == id);
    std::vector<wtm::timer> many;
    many.push_back(std::move(third));
    for (int i = 0; i < 100; i++) many.push_back(wtm::every(s, 1ms, [&] { ticks++; }));
    s.advance(1ms);
    CHECK(ticks == 101);
    many.clear();
    s.advance(1ms);
    CHECK(ticks == 101);
}

TEST(assignment_ends_what_was_there) {
    auto s = wtm::scheduler::manual();
    int old_ticks = 0;
    int new_ticks = 0;
    auto t = wtm::every(s, 1ms, [&, kept = check::counted()] { old_ticks++; });
    t = wtm::every(s, 1ms, [&] { new_ticks++; });
    CHECK(check::counted::live() == 0);
    s.advance(5ms);
    CHECK(old_ticks == 0 && new_ticks == 5);
    wtm::timer &same = t;
    t = std::move(same);
    CHECK(t.valid());
    t = {};
    CHECK(!t && s.stats().live == 0);
}

TEST(reset_is_idempotent) {
    auto s = wtm::scheduler::manual();
    auto t = wtm::every(s, 1ms, [] {});
    t.reset();
    t.reset();
    CHECK(t.handle().id == 0 && s.stats().ended[WTM_REASON_INVALIDATED] == 1);
}

TEST(a_released_timer_goes_on) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    wtm_timer handle{};
    {
        auto t = wtm::every(s, 1ms, [&] { ticks++; });
        handle = t.release();
        CHECK(!t);
    }
    s.advance(2ms);
    CHECK(ticks == 2 && wtm_timer_is_valid(handle));
    const wtm::timer again(handle);
    CHECK(again.valid());
}

TEST(swap_exchanges) {
    auto s = wtm::scheduler::manual();
    auto a = wtm::every(s, 1ms, [] {});
    wtm::timer b;
    const std::uint64_t id = a.handle().id;
    swap(a, b);
    CHECK(!a && b.handle().id == id && b.valid());
    std::swap(a, b);
    CHECK(a.handle().id == id && a.valid() && !b);
    swap(a, a);
    CHECK(a.handle().id == id && a.valid());
}

TEST(a_scheduler_moves_with_its_timers) {
    auto first = wtm::scheduler::manual();
    int ticks = 0;
    auto t = wtm::every(first, 1ms, [&] { ticks++; });
    wtm::scheduler second(std::move(first));
    CHECK(second.advance(1ms) == 1);
    // What was moved from is no scheduler, and above all not the default one.
    CHECK(first.handle().id == 0 && first.now() == 0ns && first.fd() == -1);
    CHECK_THROWS(WTM_ERR_GONE, wtm::every(first, 1ms, [] {}));
    CHECK_THROWS(WTM_ERR_GONE, first.advance(1ms));
    CHECK(first.shutdown() == WTM_ERR_GONE);
    second = wtm::scheduler::manual();
    CHECK(!t.valid());
    second.advance(1ms);
    CHECK(ticks == 1);
}

TEST(targets_and_executors_move) {
    auto s = wtm::scheduler::manual();
    wtm::target<int> a(1);
    int *const object = a.get();
    auto t = wtm::every(s, 1ms, a, [](int &n) { n++; });
    wtm::target<int> b(std::move(a));
    CHECK(!a && a.get() == nullptr && a.handle().id == 0 && b.get() == object);
    CHECK(a.close() == WTM_ERR_GONE && a.expire() == WTM_ERR_GONE && a.invalidate_timers() == WTM_ERR_GONE);
    CHECK_THROWS(WTM_ERR_TARGET_GONE, wtm::every(s, 1ms, a, [](int &) {}));
    s.advance(1ms);
    CHECK(*b == 2);
    b = wtm::target<int>(7);
    CHECK(*b == 7 && !t.valid());

    auto pool = wtm::executor::pool(1);
    const std::uint64_t id = pool.handle().id;
    wtm::executor other(std::move(pool));
    CHECK(pool.handle().id == 0 && other.handle().id == id && pool.shutdown() == WTM_ERR_GONE);
    other = wtm::executor::pool(1);
    CHECK(other.handle().id != id);
}
