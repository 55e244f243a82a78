// Every order of arguments in which a timer can be started, with every shape of callable.
/* covers: time.manual */
#include "check.hpp"

#include <memory>

using namespace std::chrono_literals;

namespace {

struct model {
    int ticks = 0;
    std::uint64_t last = 0;

    void refresh() { ticks++; }
    void refresh_at(const wtm::tick &now) {
        ticks++;
        last = now.ordinal();
    }
};

constexpr auto on_model = [](model &m) { m.refresh(); };
constexpr auto on_model_and_tick = [](model &m, const wtm::tick &now) { m.refresh_at(now); };

} // namespace

TEST(after_takes_every_order_on_a_scheduler) {
    auto s = wtm::scheduler::manual();
    auto shared = std::make_shared<model>();
    const std::weak_ptr<model> weak = shared;
    wtm::target<model> owned;
    int plain = 0;
    const wtm::options none;
    const auto on_tick = [&plain](const wtm::tick &now) { plain += static_cast<int>(now.ordinal()); };

    auto a = wtm::after(s, 1ms, [&] { plain++; });
    auto b = wtm::after(s, 1ms, on_tick);
    auto c = wtm::after(s, 1ms, on_tick, none);
    auto d = wtm::after(s, 1ms, weak, on_model);
    auto e = wtm::after(s, 1ms, weak, on_model_and_tick);
    auto f = wtm::after(s, 1ms, std::weak_ptr<model>(shared), on_model, none);
    auto g = wtm::after(s, 1ms, owned, on_model);
    auto h = wtm::after(s, 1ms, owned, on_model_and_tick);
    auto i = wtm::after(s, 1ms, owned, &model::refresh, none);

    CHECK(s.advance(1ms) == 9);
    CHECK(plain == 3);
    CHECK(shared->ticks == 3 && shared->last == 1);
    CHECK(owned->ticks == 3 && owned->last == 1);
    CHECK(!a && !b && !c && !d && !e && !f && !g && !h && !i);
}

TEST(every_takes_every_order_on_a_scheduler) {
    auto s = wtm::scheduler::manual();
    auto shared = std::make_shared<model>();
    const std::weak_ptr<model> weak = shared;
    wtm::target<model> owned;
    int plain = 0;
    const wtm::options none;

    auto a = wtm::every(s, 1ms, [&] { plain++; });
    auto b = wtm::every(s, 1ms, [&](const wtm::tick &) { plain++; });
    auto c = wtm::every(s, 1ms, [&](wtm::tick) { plain++; }, none);
    auto d = wtm::every(s, 1ms, weak, &model::refresh);
    auto e = wtm::every(s, 1ms, weak, &model::refresh_at);
    auto f = wtm::every(s, 1ms, weak, [](auto &m) { m.refresh(); }, none);
    auto g = wtm::every(s, 1ms, owned, on_model);
    auto h = wtm::every(s, 1ms, owned, on_model_and_tick);
    auto i = wtm::every(s, 1ms, owned, on_model, none);

    CHECK(s.advance(10ms) == 90);
    CHECK(plain == 30);
    CHECK(shared->ticks == 30 && shared->last == 10);
    CHECK(owned->ticks == 30 && owned->last == 10);
    CHECK(a && b && c && d && e && f && g && h && i);
}

TEST(at_takes_every_order_on_a_scheduler) {
    auto s = wtm::scheduler::manual();
    auto shared = std::make_shared<model>();
    const std::weak_ptr<model> weak = shared;
    wtm::target<model> owned;
    int plain = 0;
    const std::chrono::steady_clock::time_point steady(5ms);
    const std::chrono::system_clock::time_point date(5ms);
    const wtm::moment boot(wtm::clock::boottime, 5ms);

    auto a = wtm::at(s, steady, [&](const wtm::tick &now) { plain += now.clock() == wtm::clock::monotonic; });
    auto b = wtm::at(s, date, [&](const wtm::tick &now) { plain += now.clock() == wtm::clock::wall; });
    auto c = wtm::at(s, boot, [&](const wtm::tick &now) { plain += now.clock() == wtm::clock::boottime; }, wtm::options{});
    auto d = wtm::at(s, date, weak, on_model);
    auto e = wtm::at(s, steady, owned, on_model);

    CHECK(s.advance(4ms) == 0);
    CHECK(s.advance(1ms) == 5);
    CHECK(plain == 3 && shared->ticks == 1 && owned->ticks == 1);
}

TEST(what_is_before_the_zero_of_a_clock_has_passed) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    auto t = wtm::at(s, std::chrono::system_clock::time_point(-24h), [&] { ticks++; });
    CHECK(s.advance(0ns) == 1);
    CHECK(ticks == 1);
}

// Without a scheduler the default one of the process runs them, in real time.
TEST(every_order_works_without_a_scheduler) {
    auto shared = std::make_shared<model>();
    wtm::target<model> owned;
    std::mutex lock;
    std::condition_variable changed;
    int left = 9;
    const auto one = [&] {
        const std::lock_guard<std::mutex> guard(lock);
        left--;
        changed.notify_all();
    };
    const auto one_of = [&](model &) { one(); };
    const auto soon = [] { return std::chrono::steady_clock::now() + 1ms; };

    auto a = wtm::after(1ms, one);
    auto b = wtm::after(1ms, std::weak_ptr<model>(shared), one_of);
    auto c = wtm::after(1ms, owned, one_of);
    auto d = wtm::every(1ms, one, wtm::options{ {}, wtm::clock::monotonic, wtm::missed::coalesce, 1 });
    auto e = wtm::every(1ms, std::weak_ptr<model>(shared), one_of,
                        wtm::options{ {}, wtm::clock::monotonic, wtm::missed::coalesce, 1 });
    auto f = wtm::every(1ms, owned, one_of, wtm::options{ {}, wtm::clock::monotonic, wtm::missed::coalesce, 1 });
    auto g = wtm::at(soon(), one);
    auto h = wtm::at(soon(), std::weak_ptr<model>(shared), one_of);
    auto i = wtm::at(soon(), owned, one_of);

    std::unique_lock<std::mutex> guard(lock);
    CHECK(changed.wait_for(guard, 120s, [&] { return left == 0; }));
}

TEST(a_rate_keeps_its_fraction) {
    auto s = wtm::scheduler::manual();
    std::chrono::nanoseconds last{};
    auto t = wtm::every(s, wtm::rate{ 60000, 1001 }, [&](const wtm::tick &now) { last = now.scheduled(); });
    // 60,000 ticks take exactly 1,001 seconds, and the first comes one interval after the start.
    CHECK(s.advance(1001s + 1us) == 60000);
    CHECK(last > 1000s && last <= 1001s + 1us);
}
