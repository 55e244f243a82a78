// Everything that can be called, and what becomes of it.
/* covers: life.release.once life.release.last life.free */
/* field report: 33, 36, 41 */
#include "check.hpp"

#include <functional>
#include <memory>
#include <string>

using namespace std::chrono_literals;

namespace {

int function_ticks = 0;
void function() { function_ticks++; }
void function_of_tick(const wtm::tick &now) { function_ticks += static_cast<int>(now.ordinal()); }
int function_with_a_result() { return ++function_ticks; }

struct both {
    int *plain;
    int *with_tick;
    void operator()() const { ++*plain; }
    void operator()(const wtm::tick &) const { ++*with_tick; }
};

} // namespace

TEST(functions_and_their_pointers) {
    auto s = wtm::scheduler::manual();
    auto a = wtm::every(s, 1ms, function);
    auto b = wtm::every(s, 1ms, &function);
    auto c = wtm::every(s, 1ms, function_of_tick);
    auto d = wtm::every(s, 1ms, function_with_a_result);
    s.advance(1ms);
    CHECK(function_ticks == 4);
}

TEST(function_objects) {
    auto s = wtm::scheduler::manual();
    int n = 0;
    std::function<void()> plain = [&] { n += 1; };
    const std::function<void(const wtm::tick &)> with_tick = [&](const wtm::tick &) { n += 10; };
    auto a = wtm::every(s, 1ms, plain);
    auto b = wtm::every(s, 1ms, with_tick);
    auto c = wtm::every(s, 1ms, std::ref(plain));
    auto d = wtm::every(s, 1ms, std::bind([](int &count) { count += 100; }, std::ref(n)));
    plain = nullptr;
    plain = [&] { n += 1000; };
    s.advance(1ms);
    CHECK(n == 1111);
}

TEST(what_takes_a_tick_gets_it) {
    auto s = wtm::scheduler::manual();
    int plain = 0;
    int with_tick = 0;
    auto a = wtm::every(s, 1ms, both{ &plain, &with_tick });
    auto b = wtm::every(s, 1ms, [&](auto &&...arguments) { plain += static_cast<int>(sizeof...(arguments)) * 10; });
    s.advance(1ms);
    CHECK(with_tick == 1 && plain == 10);
}

TEST(move_only_and_mutable_callables) {
    auto s = wtm::scheduler::manual();
    int seen = 0;
    auto a = wtm::every(s, 1ms, [n = std::make_unique<int>(0), &seen]() mutable { seen = ++*n; });
    wtm::target<std::string> text(std::string("x"));
    auto b =
        wtm::every(s, 1ms, text, [n = std::make_unique<int>(5)](std::string &t) { t.append(static_cast<std::size_t>(*n), 'y'); });
    auto shared = std::make_shared<int>(0);
    auto c = wtm::every(s, 1ms, std::weak_ptr<int>(shared), [n = std::make_unique<int>(2)](int &sum) { sum += *n; });
    s.advance(3ms);
    CHECK(seen == 3 && text->size() == 16 && *shared == 6);
}

TEST(an_lvalue_is_copied) {
    auto s = wtm::scheduler::manual();
    int seen = 0;
    const auto callable = [&seen, kept = check::counted()] { seen++; };
    auto t = wtm::every(s, 1ms, callable);
    CHECK(check::counted::live() == 2);
    t.reset();
    CHECK(check::counted::live() == 1);
}

// However a timer ends, what its callable holds goes then, once.
TEST(what_a_callable_holds_goes_with_the_timer) {
    auto s = wtm::scheduler::manual();
    const auto start = [&s](const wtm::options &o = {}) { return wtm::every(s, 1ms, [kept = check::counted()] {}, o); };
    wtm::timer t = start();
    CHECK(check::counted::live() == 1);
    CHECK(t.invalidate() == WTM_OK && check::counted::live() == 0);

    wtm::options once;
    once.limit = 1;
    t = start(once);
    s.advance(1ms);
    CHECK(!t && check::counted::live() == 0);

    t = wtm::after(s, 1ms, [kept = check::counted()] {});
    CHECK(t.fire());
    s.advance(0ns);
    CHECK(!t && check::counted::live() == 0);

    t = start();
    CHECK(t.set_interval(0ns) == WTM_OK);
    s.advance(1ms);
    CHECK(!t && check::counted::live() == 0);

    t = start();
    CHECK(s.shutdown() == WTM_OK);
    CHECK(!t && check::counted::live() == 0);
}

TEST(the_end_is_told_before_the_callable_goes) {
    auto s = wtm::scheduler::manual();
    int told = 0;
    wtm::options o;
    o.ended = [&](wtm_reason why) {
        CHECK(why == WTM_REASON_INVALIDATED && check::counted::live() == 1);
        told++;
    };
    auto t = wtm::every(s, 1ms, [kept = check::counted()] {}, o);
    t.reset();
    CHECK(told == 1 && check::counted::live() == 0);
}

TEST(every_call_is_allowed_in_a_callable) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    wtm::timer nested;
    auto t = wtm::every(s, 1ms, [&](const wtm::tick &now) {
        nested = wtm::after(s, 0ns, [&] { ticks++; });
        CHECK(s.stats().live == 2 && s.now() == now.now() && s.next_delay() == 0ns);
        int listed = 0;
        CHECK(s.for_each([&](wtm_timer, const wtm_timer_info &) { listed++; }));
        CHECK(listed == 2);
    });
    s.advance(3ms);
    CHECK(ticks == 3);
}

// A million starts and ends leave nothing behind.
TEST(memory_goes_at_the_end) {
    auto s = wtm::scheduler::manual();
    for (int i = 0; i < 1000000; i++) {
        auto t = wtm::after(s, 1h, [kept = check::counted(), i] { static_cast<void>(i); });
    }
    CHECK(check::counted::live() == 0 && s.stats().live == 0);
}
