// The owners under attack from several threads: whatever they do, no callable runs after its owner's reset, and everything is freed.
/* covers: stop.none-after stop.wait stop.nonblocking life.release.once life.unlocked */
/* field report: 5, 10, 13, 43, 46, 51 */
#include "check.hpp"

#include <array>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace {

constexpr int thread_count = 4;

// Runs `body(number)` on so many threads at once and waits for them.
template <class Body>
void together(int count, Body body) {
    std::vector<std::thread> threads;
    std::atomic<int> waiting{ count };
    for (int i = 0; i < count; i++) {
        threads.emplace_back([&, i] {
            waiting--;
            while (waiting > 0) std::this_thread::yield();
            body(i);
        });
    }
    for (std::thread &t : threads) t.join();
}

// Something that a callable uses and that must not be there any more when it is used too late.
struct victim {
    std::string text = std::string(64, 'v');
    std::atomic<int> ticks{ 0 };
    check::counted kept{};

    void use() {
        ticks++;
        CHECK(text.size() == 64 && text[0] == 'v' && text[63] == 'v');
    }
};

} // namespace

// The owner destroys what the callable uses as soon as its timer is reset.
TEST(what_a_callable_uses_may_go_after_the_reset) {
    wtm::scheduler s;
    together(thread_count, [&](int) {
        for (int round = 0; round < 300; round++) {
            auto v = std::make_unique<victim>();
            wtm::timer t = wtm::every(s, 1us, [raw = v.get()] { raw->use(); });
            if (round % 3 == 0) {
                while (v->ticks == 0) std::this_thread::yield();
            }
            t.reset();
            v.reset();
        }
    });
    CHECK(check::counted::live() == 0 && s.stats().live == 0);
}

// The callable resets its timer at the moment at which the owner does.
TEST(inside_and_outside_at_once) {
    wtm::scheduler s;
    for (int round = 0; round < 1000; round++) {
        auto v = std::make_unique<victim>();
        auto t = std::make_unique<wtm::timer>();
        *t = wtm::every(s, 1us, [raw = v.get(), &timer = *t] {
            raw->use();
            timer.reset();
            raw->use();
        });
        if (round % 2 == 0) {
            while (v->ticks == 0) std::this_thread::yield();
        }
        t.reset();
        v.reset();
        CHECK(check::counted::live() == 0);
    }
}

// One timer, all calls, from everywhere; the resets among them end it once.
TEST(every_call_on_one_timer_from_everywhere) {
    wtm::scheduler s;
    for (int round = 0; round < 50; round++) {
        std::atomic<int> ended{ 0 };
        std::atomic<int> successes{ 0 };
        wtm::options o;
        o.ended = [&](wtm_reason) { ended++; };
        wtm::timer t = wtm::every(s, 10us, [kept = check::counted()] {}, o);
        together(thread_count, [&](int number) {
            for (int i = 0; i < 50; i++) {
                static_cast<void>(t.pause());
                static_cast<void>(t.reschedule(1us));
                static_cast<void>(t.fire());
                static_cast<void>(t.resume());
                static_cast<void>(t.set_interval(2us));
                static_cast<void>(t.next());
                wtm_timer_info info{};
                const wtm::result known = t.info(info);
                CHECK(known ? info.interval_ns != 0 : known == WTM_ERR_GONE && info.interval_ns == 0);
            }
            if (number % 2 == 0) successes += static_cast<bool>(t.invalidate());
            t.reset();
            CHECK(!t.valid() && check::counted::live() == 0);
        });
        CHECK(ended == 1 && successes <= 1);
    }
}

// Timers change hands while they tick.
TEST(owners_passed_between_threads) {
    wtm::scheduler s;
    std::array<std::mutex, 8> locks;
    std::array<wtm::timer, 8> places;
    std::atomic<int> ticks{ 0 };
    together(thread_count, [&](int number) {
        std::minstd_rand random(static_cast<unsigned>(number) + 1);
        wtm::timer hand;
        for (int i = 0; i < 2000; i++) {
            const std::size_t place = random() % places.size();
            if (random() % 4 == 0) hand = wtm::every(s, 5us, [&, kept = check::counted()] { ticks++; });
            if (random() % 16 == 0) hand.reset();
            const std::lock_guard<std::mutex> guard(locks[place]);
            swap(hand, places[place]);
        }
    });
    for (wtm::timer &t : places) t.reset();
    CHECK(check::counted::live() == 0 && s.stats().live == 0);
}

// Starts race with the shutdown: each either took its callable or threw.
TEST(starts_against_the_shutdown) {
    for (int round = 0; round < 50; round++) {
        wtm::scheduler s;
        std::atomic<int> refused{ 0 };
        std::atomic<bool> down{ false };
        together(thread_count, [&](int number) {
            if (number == 0) {
                static_cast<void>(s.shutdown());
                down = true;
                return;
            }
            std::array<wtm::timer, 16> timers;
            for (std::size_t i = 0;; i++) {
                const bool was_down = down;
                try {
                    timers[i % timers.size()] = wtm::every(s, 1us, [kept = check::counted()] {});
                    CHECK(!was_down);
                } catch (const wtm::error &e) {
                    CHECK(e.status() == WTM_ERR_SHUT_DOWN || e.status() == WTM_ERR_GONE);
                    refused++;
                    break;
                }
            }
        });
        CHECK(check::counted::live() == 0);
        CHECK(refused == thread_count - 1);
    }
}

// The last reference goes on one thread while others start, tick, fire and end.
TEST(objects_that_die_under_their_timers) {
    auto pool = wtm::executor::pool(2);
    wtm::scheduler s;
    for (int round = 0; round < 100; round++) {
        auto v = std::make_shared<victim>();
        const std::weak_ptr<victim> weak = v;
        wtm::options o;
        if (round % 3 != 0) o.executor = pool;
        o.concurrent = round % 3 == 2;
        together(thread_count, [&](int number) {
            if (number == 0) {
                while (v->ticks < 3) std::this_thread::yield();
                v.reset();
                return;
            }
            std::vector<wtm::timer> timers;
            for (int i = 0; i < 20; i++) {
                timers.push_back(wtm::every(s, 5us, weak, [](victim &object) { object.use(); }, o));
                static_cast<void>(timers.back().fire());
            }
            while (!weak.expired()) std::this_thread::yield();
        });
        CHECK(check::counted::live() == 0);
    }
}

// Targets close while their timers tick on a pool, from the outside and from within.
TEST(targets_closed_while_they_tick) {
    auto pool = wtm::executor::pool(2);
    wtm::scheduler s;
    together(thread_count, [&](int number) {
        wtm::options o;
        if (number % 2 == 0) o.executor = pool;
        for (int round = 0; round < 200; round++) {
            auto t = std::make_unique<wtm::target<victim>>();
            const wtm_target handle = t->handle();
            std::atomic<int> ticks{ 0 };
            std::vector<wtm::timer> timers;
            const auto attack = [&, round, handle](victim &object) {
                object.use();
                if (++ticks == 5 && round % 2 == 0) static_cast<void>(wtm_target_close(handle, 0));
                object.use();
            };
            try {
                for (int i = 0; i < 4; i++) timers.push_back(wtm::every(s, 2us, *t, attack, o));
            } catch (const wtm::error &e) { CHECK(e.status() == WTM_ERR_TARGET_GONE && ticks >= 5); }
            while (ticks < 5) std::this_thread::yield();
            t.reset();
            for (const wtm::timer &timer : timers) CHECK(!timer.valid());
        }
    });
    CHECK(check::counted::live() == 0);
}

// A ring of timers of which each destroys the next from its callable, on two schedulers and a pool.
TEST(rings_of_destruction) {
    auto pool = wtm::executor::pool(2);
    std::array<wtm::scheduler, 2> schedulers;
    for (int round = 0; round < 100; round++) {
        constexpr std::size_t size = 6;
        std::array<wtm::timer, size> ring;
        check::gate filled;
        std::atomic<std::size_t> ran{ 0 };
        for (std::size_t i = 0; i < size; i++) {
            wtm::options o;
            if (i % 3 == 2) o.executor = pool;
            ring[i] = wtm::after(
                schedulers[i % 2], 0ns,
                [&, i, kept = check::counted()] {
                    filled.pass();
                    ran++;
                    ring[(i + 1) % size].reset();
                },
                o);
        }
        filled.open();
        for (wtm::timer &t : ring) t.reset();
        CHECK(check::counted::live() == 0);
    }
}
