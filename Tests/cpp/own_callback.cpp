// Ending a timer, its target or its scheduler from inside the callable, and from elsewhere while the callable runs.
/* covers: stop.self stop.sticky stop.wait life.release.when life.release.last */
/* field report: 7, 19, 20, 21, 23, 25, 50 */
#include "check.hpp"

#include <memory>
#include <optional>
#include <string>
#include <thread>

using namespace std::chrono_literals;

// The captured string is read after the timer ended itself: freed too early, the address sanitizer sees it.
TEST(destruction_inside_the_callable) {
    auto s = wtm::scheduler::manual();
    std::optional<wtm::timer> t;
    int ticks = 0;
    t = wtm::every(s, 1ms, [&, text = std::string(100, 'x'), kept = check::counted()] {
        ticks++;
        t.reset();
        CHECK(text == std::string(100, 'x'));
        CHECK(check::counted::live() == 1);
    });
    s.advance(1s);
    CHECK(ticks == 1 && !t && check::counted::live() == 0);
}

TEST(reset_inside_the_callable) {
    auto s = wtm::scheduler::manual();
    wtm::timer t;
    int ticks = 0;
    t = wtm::every(s, 1ms, [&, kept = check::counted()](const wtm::tick &now) {
        ticks++;
        t.reset();
        CHECK(!t && !t.valid());
        CHECK(t.reschedule(1ms) == WTM_ERR_GONE && t.resume() == WTM_ERR_GONE && t.fire() == WTM_ERR_GONE);
        CHECK(now.reschedule(1ms) == WTM_ERR_GONE && now.invalidate() == WTM_ERR_GONE);
        t.reset();
        CHECK(check::counted::live() == 1);
    });
    s.advance(1s);
    CHECK(ticks == 1 && check::counted::live() == 0);
    t.reset();
    CHECK(t.handle().id == 0);
}

TEST(a_wait_inside_the_callable_answers) {
    auto s = wtm::scheduler::manual();
    wtm::timer t;
    int answered = 0;
    t = wtm::every(s, 1ms, [&] {
        answered += t.invalidate_and_wait() == WTM_ERR_WOULD_DEADLOCK;
        answered += t.invalidate_and_wait(0ns) == WTM_ERR_WOULD_DEADLOCK;
        answered += t.invalidate() == WTM_ERR_GONE;
    });
    s.advance(1ms);
    CHECK(answered == 3 && !t.valid());
}

TEST(another_timer_in_the_same_place) {
    auto s = wtm::scheduler::manual();
    wtm::timer t;
    std::string order;
    t = wtm::every(s, 1ms, [&, kept = check::counted()] {
        order += 'a';
        t = wtm::every(s, 1ms, [&] { order += 'b'; });
        order += 'c';
    });
    s.advance(3ms);
    CHECK(order == "acbb" && t.valid() && check::counted::live() == 0);
}

TEST(moving_out_inside_the_callable) {
    auto s = wtm::scheduler::manual();
    wtm::timer t;
    wtm::timer elsewhere;
    int ticks = 0;
    t = wtm::every(s, 1ms, [&] {
        ticks++;
        if (ticks == 1) elsewhere = std::move(t);
        if (ticks == 3) wtm::timer(std::move(elsewhere)).reset();
    });
    s.advance(1s);
    CHECK(ticks == 3 && !t && !elsewhere);
}

// The last reference to the owner goes inside the callable, and the owner's destructor destroys the timer.
TEST(the_callable_destroys_its_owner) {
    struct owner {
        explicit owner(int &ended) : gone(ended) {}
        ~owner() { gone++; }
        int &gone;
        check::counted kept{};
        wtm::timer heartbeat{};
    };
    auto s = wtm::scheduler::manual();
    int gone = 0;
    auto o = std::make_unique<owner>(gone);
    o->heartbeat = wtm::every(s, 1ms, [&] { o.reset(); });
    s.advance(1s);
    CHECK(gone == 1 && check::counted::live() == 0 && s.stats().live == 0);
}

// The callable owns the owner: both go when the timer ends, from the release hook.
TEST(the_callable_keeps_its_owner_and_timer) {
    struct owner {
        check::counted kept{};
        wtm::timer heartbeat{};
    };
    auto s = wtm::scheduler::manual();
    auto o = std::make_shared<owner>();
    owner *const raw = o.get();
    raw->heartbeat = wtm::every(s, 1ms, [o = std::move(o)](const wtm::tick &now) {
        if (now.ordinal() == 2) now.invalidate();
    });
    s.advance(1ms);
    CHECK(check::counted::live() == 1);
    s.advance(1s);
    CHECK(check::counted::live() == 0);
}

TEST(neighbours_due_at_the_same_time_do_not_start) {
    auto s = wtm::scheduler::manual();
    std::vector<wtm::timer> all;
    int ticks = 0;
    for (int i = 0; i < 10; i++) {
        all.push_back(wtm::after(s, 1ms, [&] {
            ticks++;
            all.clear();
        }));
    }
    s.advance(1ms);
    CHECK(ticks == 1 && all.empty());
}

TEST(a_scheduler_is_shut_down_from_its_callable) {
    auto s = wtm::scheduler::manual();
    int ticks = 0;
    wtm::result inside = WTM_OK;
    auto t = wtm::every(s, 1ms, [&, kept = check::counted()] {
        ticks++;
        inside = s.shutdown();
    });
    auto other = wtm::every(s, 1ms, [&] { ticks++; });
    CHECK_THROWS(WTM_ERR_SHUT_DOWN, s.advance(1s));
    CHECK(inside == WTM_ERR_WOULD_DEADLOCK && ticks == 1 && !t && !other && check::counted::live() == 0);
}

TEST(a_scheduler_is_destroyed_in_its_callable) {
    auto s = std::make_unique<wtm::scheduler>();
    check::gate ended;
    struct opener {
        check::gate *gate;
        opener(check::gate *g) : gate(g) {}
        opener(opener &&other) noexcept : gate(std::exchange(other.gate, nullptr)) {}
        ~opener() {
            if (gate != nullptr) gate->open();
        }
    };
    check::gate ready;
    auto t = wtm::after(*s, 0ns, [&, last = opener(&ended)] {
        ready.pass();
        s.reset();
    });
    const wtm_timer handle = t.release();
    ready.open();
    ended.pass();
    CHECK(!wtm_timer_is_valid(handle) && s == nullptr);
}

// The callable goes on until it sees that it has been ended: whoever ended it must be waiting for it then.
TEST(reset_waits_for_a_running_callable) {
    wtm::scheduler s;
    for (int round = 0; round < 20; round++) {
        check::gate entered;
        std::atomic<bool> finished{ false };
        auto t = wtm::every(s, 1ms, [&, kept = check::counted()](const wtm::tick &now) {
            entered.open();
            while (wtm_timer_is_valid(now.handle())) std::this_thread::yield();
            for (int i = 0; i < 1000; i++) std::this_thread::yield();
            finished = true;
        });
        entered.pass();
        switch (round % 3) {
        case 0: t.reset(); break;
        case 1: t = wtm::timer(); break;
        case 2: {
            const wtm::timer last(std::move(t));
        } break;
        }
        CHECK(finished && check::counted::live() == 0);
    }
}

// The callable resets its timer and goes on; the owner's reset must still find it.
TEST(reset_from_outside_waits_after_a_reset_from_inside) {
    wtm::scheduler s;
    for (int round = 0; round < 20; round++) {
        check::gate stopped;
        std::atomic<bool> finished{ false };
        wtm::timer t;
        check::gate assigned;
        t = wtm::every(s, 1ms, [&, kept = check::counted()] {
            assigned.pass();
            t.reset();
            stopped.open();
            for (int i = 0; i < 1000; i++) std::this_thread::yield();
            finished = true;
        });
        assigned.open();
        stopped.pass();
        t.reset();
        CHECK(finished && check::counted::live() == 0);
    }
}

TEST(invalidate_does_not_wait) {
    wtm::scheduler s;
    check::gate entered;
    check::gate leave;
    auto t = wtm::every(s, 1ms, [&] {
        entered.open();
        leave.pass();
    });
    entered.pass();
    CHECK(t.invalidate() == WTM_RUNNING);
    CHECK(t.invalidate() == WTM_ERR_GONE);
    CHECK(t.invalidate_and_wait(1ms) == WTM_ERR_TIMED_OUT);
    CHECK(!t.valid());
    leave.open();
    t.reset();
}

// Two callables on two schedulers that each destroy the other's timer: one gets an answer instead of a circle.
TEST(two_callables_that_end_each_other) {
    wtm::scheduler left;
    wtm::scheduler right;
    for (int round = 0; round < 50; round++) {
        check::gate assigned;
        std::atomic<int> inside{ 0 };
        std::atomic<int> ended{ 0 };
        wtm::timer a;
        wtm::timer b;
        const auto meet = [&](wtm::timer &other) {
            assigned.pass();
            inside++;
            while (inside < 2) std::this_thread::yield();
            other.reset();
            ended++;
        };
        a = wtm::after(left, 0ns, [&] { meet(b); });
        b = wtm::after(right, 0ns, [&] { meet(a); });
        assigned.open();
        while (ended < 2) std::this_thread::yield();
        a.reset();
        b.reset();
        CHECK(!a && !b);
    }
}
