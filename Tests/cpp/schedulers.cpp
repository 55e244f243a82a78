// wtm::scheduler: manual, host-driven and with its own thread; its hooks; the default one.
/* covers: time.manual stop.shutdown */
/* field report: 86, 89, 91, 92 */
#include "check.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>

using namespace std::chrono_literals;

namespace {

bool readable(const wtm::scheduler &s, int milliseconds) {
    pollfd descriptor{ s.fd(), POLLIN, 0 };
    return poll(&descriptor, 1, milliseconds) == 1;
}

} // namespace

TEST(manual_time_stands_still) {
    auto s = wtm::scheduler::manual();
    CHECK(s.now() == 0ns && s.now(wtm::clock::boottime) == 0ns && s.now(wtm::clock::wall) == 0ns && s.fd() == -1);
    CHECK(s.next_delay() == std::chrono::nanoseconds::max());
    std::vector<std::chrono::nanoseconds> at;
    const auto here = std::this_thread::get_id();
    auto t = wtm::every(s, 1ms, [&](const wtm::tick &now) {
        CHECK(std::this_thread::get_id() == here && s.now() == now.now());
        at.push_back(s.now());
    });
    CHECK(s.next_delay() == 1ms);
    CHECK(s.advance(2500us) == 2);
    CHECK(s.now() == 2500us && at == std::vector<std::chrono::nanoseconds>({ 1ms, 2ms }));
    CHECK(s.advance(-1h) == 0 && s.now() == 2500us);
    CHECK(s.advance(std::chrono::duration<double>(0.0005)) == 1 && s.now() == 3ms);
}

TEST(advance_from_a_callable_is_refused) {
    auto s = wtm::scheduler::manual();
    bool refused = false;
    auto t = wtm::after(s, 1ms, [&] {
        try {
            s.advance(1ms);
        } catch (const wtm::error &e) { refused = e.status() == WTM_ERR_WOULD_DEADLOCK; }
    });
    s.advance(1ms);
    CHECK(refused);
}

TEST(the_wall_clock_can_be_set) {
    wtm::scheduler_options o;
    std::vector<std::chrono::nanoseconds> jumps;
    o.on_clock_jump = [&](std::chrono::nanoseconds by) { jumps.push_back(by); };
    auto s = wtm::scheduler::manual(o);
    int ticks = 0;
    auto t = wtm::at(s, std::chrono::system_clock::time_point(24h), [&] { ticks++; });
    CHECK(s.set_wall(23h) == WTM_OK && s.set_wall(22h) == WTM_OK);
    CHECK(jumps == std::vector<std::chrono::nanoseconds>({ 23h, -1h }));
    CHECK(s.now(wtm::clock::wall) == 22h && s.now() == 0ns);
    s.advance(2h - 1ns);
    CHECK(ticks == 0);
    s.advance(1ns);
    CHECK(ticks == 1);
}

TEST(a_host_drives_it) {
    auto s = wtm::scheduler::host();
    CHECK(s.fd() >= 0 && s.next_delay() == std::chrono::nanoseconds::max() && !readable(s, 0));
    CHECK(s.run_due() == 0);
    int ticks = 0;
    const auto here = std::this_thread::get_id();
    const auto count = [&] {
        CHECK(std::this_thread::get_id() == here);
        ticks++;
    };
    auto a = wtm::after(s, 1ms, count);
    auto b = wtm::after(s, 1ms, count);
    auto later = wtm::after(s, 1h, count);
    CHECK(s.next_delay() <= 1ms);
    while (ticks < 2) {
        CHECK(readable(s, 120000));
        CHECK(s.run_due(1) <= 1);
    }
    CHECK(later.valid() && !readable(s, 0));
}

TEST(a_thread_of_its_own_runs_them) {
    wtm::scheduler_options o;
    o.name = "own thread";
    std::atomic<bool> started{ false };
    o.on_thread_start = [&] { started = true; };
    wtm::scheduler s(o);
    check::gate ticked;
    std::thread::id where;
    const auto before = s.now();
    auto t = wtm::after(s, 1ms, [&](const wtm::tick &now) {
        where = std::this_thread::get_id();
        CHECK(started && now.now() >= before + 1ms && now.now() >= now.scheduled());
        ticked.open();
    });
    ticked.pass();
    t.reset();
    CHECK(where != std::this_thread::get_id());
}

TEST(shutting_down_ends_everything) {
    wtm::scheduler s;
    std::vector<wtm::timer> timers;
    for (int i = 0; i < 100; i++) timers.push_back(wtm::every(s, 1h, [kept = check::counted()] {}));
    CHECK(check::counted::live() == 100 && s.stats().live == 100);
    CHECK(s.shutdown() == WTM_OK);
    CHECK(check::counted::live() == 0);
    for (const wtm::timer &t : timers) CHECK(!t);
    CHECK(s.shutdown() == WTM_ERR_GONE);
}

TEST(its_hooks_go_with_it) {
    wtm::scheduler_options o;
    o.log = [kept = check::counted()](wtm_log_level, const char *) {};
    {
        auto s = wtm::scheduler::manual(o);
        CHECK(check::counted::live() == 2);
    }
    CHECK(check::counted::live() == 1);
}

TEST(the_log_names_what_died) {
    wtm::scheduler_options o;
    std::string text;
    o.log_level = WTM_LOG_INFO;
    o.log = [&](wtm_log_level level, const char *message) {
        if (level == WTM_LOG_INFO) text += message;
    };
    auto s = wtm::scheduler::manual(o);
    wtm::options named;
    named.name = "orphan";
    {
        wtm::target<int> t(1);
        wtm::every(s, 1ms, t, [](int &) {}, named).release();
    }
    CHECK(text.find("orphan") != std::string::npos);
}

TEST(timers_are_listed_in_order) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    std::vector<wtm::timer> timers;
    for (const char *name : { "a", "b", "c" }) {
        o.name = name;
        timers.push_back(wtm::every(s, 1ms, [] {}, o));
    }
    std::string all;
    CHECK(s.for_each([&](wtm_timer, const wtm_timer_info &info) { all += info.name; }));
    CHECK(all == "abc");
    all.clear();
    CHECK(s.for_each([&](wtm_timer t, const wtm_timer_info &info) {
        all += info.name;
        return t.id != timers[1].handle().id;
    }));
    CHECK(all == "ab");
}

TEST(statistics_balance) {
    auto s = wtm::scheduler::manual();
    auto a = wtm::every(s, 1ms, [] {});
    auto b = wtm::after(s, 1ms, [] {});
    s.advance(3ms);
    const wtm_scheduler_stats stats = s.stats();
    CHECK(stats.created == 2 && stats.live == 1 && stats.ticks == 4 && stats.ended[WTM_REASON_COMPLETED] == 1);
}

TEST(a_released_scheduler_goes_on) {
    auto s = wtm::scheduler::manual();
    auto t = wtm::every(s, 1ms, [] {});
    const wtm_scheduler handle = s.release();
    CHECK(s.shutdown() == WTM_ERR_GONE && t.valid());
    wtm::scheduler again(handle);
    CHECK(again.advance(1ms) == 1);
}

TEST(timers_may_outlive_their_scheduler) {
    auto s = std::make_unique<wtm::scheduler>(wtm::scheduler::manual());
    auto t = wtm::every(*s, 1ms, [kept = check::counted()] {});
    s.reset();
    CHECK(!t && check::counted::live() == 0 && t.reschedule(1ms) == WTM_ERR_GONE);
}
