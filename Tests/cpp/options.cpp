// What each field of wtm::options does to a timer.
/* covers: time.tolerance time.missed */
#include "check.hpp"

#include <string>
#include <thread>
#include <type_traits>

using namespace std::chrono_literals;

static_assert(std::is_aggregate_v<wtm::options> && std::is_aggregate_v<wtm::scheduler_options>);
static_assert(std::is_copy_constructible_v<wtm::options>);

TEST(without_options_everything_has_its_default) {
    auto s = wtm::scheduler::manual();
    auto t = wtm::every(s, 10ms, [] {});
    const wtm_timer_info info = check::info_of(t);
    CHECK(info.clock == WTM_CLOCK_MONOTONIC && info.missed_policy == WTM_MISSED_COALESCE);
    CHECK(info.interval_ns == 10000000 && info.tolerance_ns == 0 && info.next_ns == 10000000);
    CHECK(info.state == WTM_STATE_ARMED && std::string(info.name).empty());
}

TEST(tolerance_is_effective_up_to_half_the_interval) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.tolerance = 2ms;
    auto small = wtm::every(s, 10ms, [] {}, o);
    CHECK(check::info_of(small).tolerance_ns == 2000000);
    o.tolerance = 1h;
    auto large = wtm::every(s, 10ms, [] {}, o);
    CHECK(check::info_of(large).tolerance_ns == 5000000);
    CHECK(large.set_interval(20ms, 3ms));
    CHECK(check::info_of(large).tolerance_ns == 3000000);
}

TEST(the_clock_is_the_one_asked_for) {
    auto s = wtm::scheduler::manual();
    for (const wtm_clock which : { WTM_CLOCK_MONOTONIC, WTM_CLOCK_BOOTTIME, WTM_CLOCK_WALL }) {
        wtm::options o;
        o.clock = which;
        int right = 0;
        auto t = wtm::after(s, 1ms, [&](const wtm::tick &now) { right += now.clock() == which; }, o);
        s.advance(1ms);
        CHECK(right == 1);
    }
}

// Four intervals behind: one tick that says so, or each of them.
TEST(missed_ticks_follow_their_policy) {
    auto s = wtm::scheduler::manual();
    s.advance(100ms);
    std::uint64_t missed = 0;
    const auto count = [&](const wtm::tick &now) { missed += now.missed(); };

    wtm::options o;
    auto coalesced = wtm::every(s, 10ms, count, o);
    CHECK(coalesced.set_next(60ms));
    CHECK(s.advance(0ns) == 1 && missed == 4);
    coalesced.reset();

    missed = 0;
    o.missed = wtm::missed::burst;
    auto burst = wtm::every(s, 10ms, count, o);
    CHECK(burst.set_next(60ms));
    CHECK(s.advance(0ns) == 5 && missed == 0);
    burst.reset();

    o.missed = wtm::missed::delay;
    auto delayed = wtm::every(s, 10ms, count, o);
    CHECK(delayed.set_next(60ms));
    CHECK(s.advance(0ns) == 1 && missed == 0);
    CHECK(delayed.next() == 110ms);
}

TEST(the_limit_ends_the_timer) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.limit = 3;
    wtm_reason reason = WTM_REASON_NONE;
    o.ended = [&](wtm_reason why) { reason = why; };
    int ticks = 0;
    auto t = wtm::every(s, 1ms, [&] { ticks++; }, o);
    s.advance(10ms);
    CHECK(ticks == 3 && !t.valid() && reason == WTM_REASON_COMPLETED);
}

TEST(the_name_is_kept_up_to_47_bytes) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.name = "heartbeat";
    auto t = wtm::every(s, 1ms, [] {}, o);
    o.name = std::string(100, 'x');
    auto cut = wtm::every(s, 1ms, [] {}, o);
    o.name.clear();
    CHECK(std::string(check::info_of(t).name) == "heartbeat");
    CHECK(std::string(check::info_of(cut).name) == std::string(47, 'x'));
}

TEST(the_executor_runs_the_callable) {
    auto s = wtm::scheduler::manual();
    auto pool = wtm::executor::pool(1, "worker");
    wtm::options o;
    o.executor = pool;
    std::thread::id where;
    auto t = wtm::after(s, 1ms, [&] { where = std::this_thread::get_id(); }, o);
    s.advance(1ms);
    CHECK(where != std::thread::id() && where != std::this_thread::get_id());
}

TEST(inline_is_inline_whatever_the_scheduler_does_otherwise) {
    auto pool = wtm::executor::pool(1);
    wtm::scheduler_options so;
    so.executor = pool;
    auto s = wtm::scheduler::manual(so);
    std::thread::id usual;
    std::thread::id here;
    auto a = wtm::after(s, 1ms, [&] { usual = std::this_thread::get_id(); });
    wtm::options o;
    o.run_inline = true;
    auto b = wtm::after(s, 1ms, [&] { here = std::this_thread::get_id(); }, o);
    s.advance(1ms);
    CHECK(usual != std::this_thread::get_id() && here == std::this_thread::get_id());
}

TEST(immediate_and_first_move_the_first_tick) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.immediate = true;
    auto now = wtm::every(s, 10ms, [] {}, o);
    CHECK(s.advance(0ns) == 1);
    CHECK(now.next() == 10ms);
    now.reset();

    wtm::options later;
    later.first = 3ms;
    auto t = wtm::every(s, 10ms, [] {}, later);
    CHECK(t.next() == 3ms);
    CHECK(s.advance(13ms) == 2);
    CHECK(t.next() == 23ms);

    o.first = 1ms;
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, 10ms, [] {}, o));
}

TEST(paused_timers_wait_for_resume) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.paused = true;
    auto t = wtm::after(s, 10ms, [] {}, o);
    CHECK(s.advance(1h) == 0);
    CHECK(t.next() == std::chrono::nanoseconds::max());
    CHECK(t.resume());
    CHECK(s.advance(9ms) == 0 && s.advance(1ms) == 1);
}

TEST(kept_one_shots_can_be_armed_again) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.keep = true;
    int ticks = 0;
    auto t = wtm::after(s, 1ms, [&] { ticks++; }, o);
    s.advance(1ms);
    CHECK(ticks == 1 && t.valid() && check::info_of(t).state == WTM_STATE_IDLE);
    CHECK(t.reschedule(1ms));
    s.advance(1ms);
    CHECK(ticks == 2 && t.valid());
}

TEST(concurrent_needs_a_pool) {
    auto s = wtm::scheduler::manual();
    wtm::options o;
    o.concurrent = true;
    CHECK_THROWS(WTM_ERR_INVALID, wtm::every(s, 1ms, [] {}, o));
    auto pool = wtm::executor::pool(2);
    o.executor = pool;
    auto t = wtm::every(s, 1ms, [] {}, o);
    CHECK(s.advance(3ms) == 3);
}
