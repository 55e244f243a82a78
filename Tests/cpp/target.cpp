// wtm::target: an object whose timers end when it does.
/* covers: life.eager life.borrow life.release.last */
#include "check.hpp"

#include <memory>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

struct model {
    model() = default;
    explicit model(int start) : ticks(start) {}
    model(int start, std::unique_ptr<int> more) : ticks(start + *more) {}
    int ticks = 0;
    std::string text = std::string(100, 'x');
    check::counted kept{};

    void refresh() {
        CHECK(text == std::string(100, 'x'));
        ticks++;
    }
};

struct pair {
    int first;
    int second;
};

} // namespace

TEST(a_target_is_made_as_its_object_is) {
    wtm::target<model> none;
    wtm::target<model> one(5);
    wtm::target<model> two(5, std::make_unique<int>(2));
    wtm::target<model> in_place(std::in_place, 6);
    wtm::target<model> taken(std::make_unique<model>(8));
    wtm::target<pair> braces(1, 2);
    wtm::target<int> number{ 3 };
    wtm::target deduced(std::string("text"));
    CHECK(none->ticks == 0 && one->ticks == 5 && (*two).ticks == 7 && in_place.get()->ticks == 6 && taken->ticks == 8);
    CHECK(braces->second == 2 && *number == 3 && *deduced == "text");
    CHECK(none && one && wtm_target_is_alive(one.handle()));
    CHECK(check::counted::live() == 5);
    CHECK(none.close() == WTM_OK && check::counted::live() == 4);
}

namespace {

struct shape {
    virtual ~shape() = default;
    virtual int corners() const = 0;
};
struct square final : shape {
    int corners() const override { return 4; }
    check::counted kept{};
};

} // namespace

TEST(a_target_may_own_an_object_of_a_derived_class) {
    auto s = wtm::scheduler::manual();
    int seen = 0;
    wtm::timer t;
    {
        wtm::target<shape> one(std::make_unique<square>());
        t = wtm::every(s, 1ms, one, [&](shape &it) { seen += it.corners(); });
        s.advance(2ms);
        CHECK(check::counted::live() == 1);
    }
    CHECK(seen == 8 && check::counted::live() == 0 && !t.valid());
}

TEST(its_timers_end_with_it_at_once) {
    auto s = wtm::scheduler::manual();
    wtm_reason reason = WTM_REASON_NONE;
    wtm::options o;
    o.ended = [&](wtm_reason why) { reason = why; };
    wtm::timer a;
    wtm::timer b;
    {
        wtm::target<model> m;
        a = wtm::every(s, 1ms, m, &model::refresh, o);
        b = wtm::after(s, 1h, m, [extra = check::counted()](model &) { static_cast<void>(extra); });
        s.advance(3ms);
        CHECK(m->ticks == 3 && check::counted::live() == 2);
        CHECK(check::info_of(a).target.id == m.handle().id);
    }
    CHECK(!a && !b && reason == WTM_REASON_TARGET_GONE && check::counted::live() == 0);
    CHECK(s.stats().live == 0 && s.advance(1h) == 0);
}

TEST(close_is_for_good) {
    auto s = wtm::scheduler::manual();
    wtm::target<model> m;
    auto t = wtm::every(s, 1ms, m, &model::refresh);
    CHECK(m.close() == WTM_OK);
    CHECK(!m && m.get() == nullptr && !t && check::counted::live() == 0);
    CHECK(m.close() == WTM_ERR_GONE && m.handle().id == 0);
    CHECK(m.expire() == WTM_ERR_GONE && m.invalidate_timers() == WTM_ERR_GONE);
    CHECK_THROWS(WTM_ERR_TARGET_GONE, wtm::every(s, 1ms, m, &model::refresh));
}

TEST(its_timers_can_end_without_it) {
    auto s = wtm::scheduler::manual();
    wtm::target<model> m;
    auto t = wtm::every(s, 1ms, m, &model::refresh);
    CHECK(m.invalidate_timers() == WTM_OK);
    CHECK(!t && m && check::counted::live() == 1);
    auto again = wtm::every(s, 1ms, m, &model::refresh);
    s.advance(1ms);
    CHECK(m->ticks == 1);
}

TEST(closed_inside_the_callable) {
    auto s = wtm::scheduler::manual();
    wtm::target<model> m;
    wtm::result inside = WTM_OK;
    int ticks = 0;
    auto t = wtm::every(s, 1ms, m, [&](model &self) {
        inside = m.close();
        CHECK(check::counted::live() == 1 && !m);
        self.refresh();
        ticks = self.ticks;
    });
    s.advance(1s);
    CHECK(inside == WTM_ERR_WOULD_DEADLOCK && ticks == 1 && !t && check::counted::live() == 0);
}

TEST(destroyed_inside_the_callable) {
    auto s = wtm::scheduler::manual();
    auto m = std::make_unique<wtm::target<model>>();
    int ticks = 0;
    auto t = wtm::every(s, 1ms, *m, [&](model &self) {
        m.reset();
        self.refresh();
        ticks++;
    });
    s.advance(1s);
    CHECK(ticks == 1 && !t && check::counted::live() == 0);
}

TEST(an_object_may_own_its_timers) {
    struct owner {
        check::counted kept{};
        wtm::timer heartbeat{};
    };
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    {
        wtm::target<owner> o;
        o->heartbeat = wtm::every(s, 1ms, o, [&](owner &) { ticks++; });
        s.advance(2ms);
    }
    CHECK(ticks == 2 && check::counted::live() == 0 && s.stats().live == 0);
}

TEST(expire_does_not_wait_and_close_does) {
    wtm::scheduler s;
    for (int round = 0; round < 20; round++) {
        wtm::target<model> m;
        check::gate entered;
        std::atomic<bool> finished{ false };
        auto t = wtm::every(s, 1ms, m, [&](model &self, const wtm::tick &now) {
            entered.open();
            while (wtm_timer_is_valid(now.handle())) std::this_thread::yield();
            for (int i = 0; i < 1000; i++) std::this_thread::yield();
            self.refresh();
            finished = true;
        });
        entered.pass();
        if (round % 2 == 0) CHECK(m.expire() == WTM_OK);
        CHECK(round % 2 == 1 || (!m && !t));
        static_cast<void>(m.close());
        CHECK(finished && check::counted::live() == 0);
    }
}

TEST(a_bounded_close_gives_up) {
    wtm::scheduler s;
    wtm::target<model> m;
    check::gate entered;
    check::gate leave;
    auto t = wtm::every(s, 1ms, m, [&](model &) {
        entered.open();
        leave.pass();
    });
    entered.pass();
    CHECK(m.close(1ms) == WTM_ERR_TIMED_OUT);
    CHECK(!m && !t && check::counted::live() == 1);
    leave.open();
    static_cast<void>(m.close());
    CHECK(check::counted::live() == 0);
}

// What a destructor does runs outside all locks, and may call everything.
TEST(a_destructor_may_use_timers) {
    struct last {
        wtm::scheduler &scheduler;
        int &after;
        ~last() {
            int *const counter = &after;
            wtm::after(scheduler, 1ms, [counter] { ++*counter; }).release();
        }
    };
    auto s = wtm::scheduler::manual();
    int after = 0;
    {
        wtm::target<last> t(s, after);
        auto tick = wtm::every(s, 1ms, t, [&](last &) { static_cast<void>(t.expire()); });
        s.advance(1ms);
    }
    s.advance(1ms);
    CHECK(after == 1);
}
