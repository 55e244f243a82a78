// Timers bound to a std::weak_ptr: the object's death in every position.
/* covers: life.weak life.borrow life.release.once */
/* field report: 8, 29, 30, 31 */
#include "check.hpp"

#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct model : std::enable_shared_from_this<model> {
    std::string text = std::string(100, 'x');
    int ticks = 0;
    check::counted kept{};
    wtm::timer heartbeat{};

    void refresh() {
        CHECK(text == std::string(100, 'x'));
        ticks++;
    }
};

wtm::options telling(wtm_reason &reason) {
    wtm::options o;
    o.ended = [&reason](wtm_reason why) {
        CHECK(reason == WTM_REASON_NONE);
        reason = why;
    };
    return o;
}

template <class P, class = void>
constexpr bool can_be_bound_to = false;
template <class P>
constexpr bool
    can_be_bound_to<P, std::void_t<decltype(wtm::after(1ms, std::declval<P>(), &model::refresh)),
                                   decltype(wtm::every(1ms, std::declval<P>(), &model::refresh)),
                                   decltype(wtm::at(std::declval<wtm::moment>(), std::declval<P>(), &model::refresh))>> = true;

} // namespace

// A shared_ptr would keep its object, so it is not taken for a weak_ptr.
static_assert(can_be_bound_to<std::weak_ptr<model>> && can_be_bound_to<wtm::target<model> &>);
static_assert(!can_be_bound_to<std::shared_ptr<model>> && !can_be_bound_to<const std::shared_ptr<model> &>);

TEST(a_timer_does_not_keep_its_object) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    auto t = wtm::every(s, 1ms, std::weak_ptr<model>(m), &model::refresh);
    CHECK(m.use_count() == 1);
    s.advance(3ms);
    CHECK(m->ticks == 3 && m.use_count() == 1);
    m.reset();
    CHECK(check::counted::live() == 0);
}

// The object that owns a repeating timer on itself: dropping the object is enough.
TEST(an_object_may_own_the_timer_that_serves_it) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    m->heartbeat = wtm::every(s, 1ms, m->weak_from_this(), &model::refresh);
    s.advance(2ms);
    CHECK(m->ticks == 2);
    m.reset();
    CHECK(check::counted::live() == 0 && s.stats().live == 0);
}

TEST(dead_before_the_start) {
    auto s = wtm::scheduler::manual();
    wtm_reason reason = WTM_REASON_NONE;
    int ticks = 0;
    auto t = wtm::every(s, 1ms, std::weak_ptr<model>(), [&](model &) { ticks++; }, telling(reason));
    s.advance(5ms);
    CHECK(ticks == 0 && !t && reason == WTM_REASON_TARGET_GONE && s.stats().ticks == 0);
}

TEST(dead_before_the_first_tick) {
    auto s = wtm::scheduler::manual();
    wtm_reason reason = WTM_REASON_NONE;
    auto m = std::make_shared<model>();
    int ticks = 0;
    auto t = wtm::after(s, 1ms, std::weak_ptr<model>(m), [&, kept = check::counted()](model &) { ticks++; }, telling(reason));
    m.reset();
    CHECK(check::counted::live() == 1);
    s.advance(5ms);
    CHECK(ticks == 0 && !t && reason == WTM_REASON_TARGET_GONE && check::counted::live() == 0);
}

TEST(dead_between_two_ticks) {
    auto s = wtm::scheduler::manual();
    wtm_reason reason = WTM_REASON_NONE;
    auto m = std::make_shared<model>();
    int ticks = 0;
    auto t = wtm::every(s, 1ms, std::weak_ptr<model>(m), [&](model &) { ticks++; }, telling(reason));
    s.advance(3ms);
    m.reset();
    s.advance(3ms);
    CHECK(ticks == 3 && !t && reason == WTM_REASON_TARGET_GONE && s.stats().ticks == 3);
}

// The callable drops the last reference: the object lives until the callable has returned.
TEST(dead_inside_the_callable) {
    auto s = wtm::scheduler::manual();
    wtm_reason reason = WTM_REASON_NONE;
    auto m = std::make_shared<model>();
    int ticks = 0;
    auto t = wtm::every(
        s, 1ms, std::weak_ptr<model>(m),
        [&](model &self) {
            m.reset();
            CHECK(check::counted::live() == 1);
            self.refresh();
            ticks = self.ticks;
        },
        telling(reason));
    s.advance(1ms);
    CHECK(ticks == 1 && check::counted::live() == 0);
    s.advance(1ms);
    CHECK(ticks == 1 && !t && reason == WTM_REASON_TARGET_GONE);
}

// The same, and the object owns the timer: its destructor runs after the callable, and resets a timer whose tick has not ended.
TEST(dead_inside_the_callable_with_its_timer) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    m->heartbeat = wtm::every(s, 1ms, m->weak_from_this(), [&m](model &self) {
        m.reset();
        self.refresh();
    });
    s.advance(5ms);
    CHECK(check::counted::live() == 0 && s.stats().live == 0 && s.stats().ticks == 1);
}

TEST(the_timer_ends_itself_and_its_object) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    m->heartbeat = wtm::every(s, 1ms, m->weak_from_this(), [&m](model &self) {
        self.heartbeat.reset();
        m.reset();
        self.refresh();
    });
    s.advance(5ms);
    CHECK(check::counted::live() == 0 && s.stats().ended[WTM_REASON_INVALIDATED] == 1);
}

TEST(dead_after_the_end) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    auto t = wtm::after(s, 1ms, std::weak_ptr<model>(m), &model::refresh);
    s.advance(1ms);
    CHECK(m->ticks == 1 && !t && m.use_count() == 1 && m->weak_from_this().use_count() == 1);
    m.reset();
    CHECK(check::counted::live() == 0);
}

// Another thread drops the last reference while ticks come.
TEST(dead_at_any_moment) {
    wtm::scheduler s;
    for (int round = 0; round < 200; round++) {
        auto m = std::make_shared<model>();
        check::gate ticked;
        auto t = wtm::every(s, 20us, std::weak_ptr<model>(m), [&](model &self) {
            self.refresh();
            ticked.open();
        });
        ticked.pass();
        std::thread([last = std::move(m)]() mutable { last.reset(); }).join();
        t.reset();
        CHECK(check::counted::live() == 0);
    }
}

// Ticks that overlap each hold the object for themselves.
TEST(dead_while_concurrent_ticks_run) {
    auto pool = wtm::executor::pool(2);
    wtm::scheduler s;
    wtm::options o;
    o.executor = pool;
    o.concurrent = true;
    auto m = std::make_shared<model>();
    check::gate together;
    check::gate dropped;
    std::atomic<int> inside{ 0 };
    auto t = wtm::every(
        s, 1ms, std::weak_ptr<model>(m),
        [&](model &self) {
            if (++inside == 2) together.open();
            dropped.pass();
            CHECK(self.text == std::string(100, 'x'));
        },
        o);
    together.pass();
    m.reset();
    CHECK(check::counted::live() == 1);
    dropped.open();
    t.reset();
    CHECK(check::counted::live() == 0);
}

TEST(concurrent_timers_end_with_their_object) {
    auto pool = wtm::executor::pool(2);
    auto s = wtm::scheduler::manual();
    wtm_reason reason = WTM_REASON_NONE;
    wtm::options o = telling(reason);
    o.executor = pool;
    o.concurrent = true;
    auto m = std::make_shared<model>();
    auto t = wtm::every(s, 1ms, std::weak_ptr<model>(m), [](model &) {}, o);
    CHECK(s.advance(5ms) == 5);
    m.reset();
    s.advance(1ms);
    CHECK(!t && reason == WTM_REASON_TARGET_GONE);
}

TEST(an_alias_of_nothing_is_no_object) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    const std::shared_ptr<int> nothing(m, nullptr);
    auto t = wtm::every(s, 1ms, std::weak_ptr<int>(nothing), [](int &) { CHECK(false); });
    s.advance(2ms);
    CHECK(!t && m.use_count() == 2);
}

TEST(const_objects_and_parts_of_objects_work) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_shared<model>();
    const std::shared_ptr<int> part(m, &m->ticks);
    int seen = 0;
    auto a = wtm::every(s, 1ms, std::weak_ptr<const model>(m), [&](auto &self) {
        static_assert(std::is_const_v<std::remove_reference_t<decltype(self)>>);
        seen++;
    });
    auto b = wtm::every(s, 1ms, std::weak_ptr<int>(part), [](int &n) { n += 10; });
    s.advance(1ms);
    CHECK(seen == 1 && m->ticks == 10);
}
