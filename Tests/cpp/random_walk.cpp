// Random sequences of everything that owners can do, from outside and from inside callables, against what must be true after each
// step. One thread, manual time: each seed is the same walk every time.
/* covers: life.release.once life.release.last life.eager stop.none-after stop.self */
#include "check.hpp"

#include <array>
#include <memory>
#include <random>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct object {
    check::counted kept{};
};

// What is known about one timer from the outside of it.
struct record {
    bool running = false;
    bool stopped = false; // reset by its owner: must not start any more
    bool freed = false;   // its callable is gone
    int ended = 0;
};

// What a callable holds: says when it goes.
struct token {
    explicit token(std::shared_ptr<record> r) : what(std::move(r)) {}
    token(token &&) noexcept = default;
    ~token() {
        if (!what) return;
        CHECK(!what->freed && !what->running && what->ended == 1);
        what->freed = true;
    }
    std::shared_ptr<record> what;
};

class walk {
public:
    explicit walk(unsigned seed) : random_(seed) {}

    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            act();
            if (below(3) == 0) scheduler_.advance(1us * below(20));
            for (const place &p : places_) CHECK(!p.what || !p.timer.valid() || !p.what->freed);
        }
        for (place &p : places_) stop(p);
        ticks_ = scheduler_.stats().ticks;
        scheduler_ = wtm::scheduler::manual();
        for (const auto &r : records_) CHECK(r->freed && r->ended == 1);
    }

    std::uint64_t ticks() const { return ticks_; }

private:
    struct place {
        wtm::timer timer;
        std::shared_ptr<record> what;
    };

    unsigned below(unsigned limit) { return static_cast<unsigned>(random_()) % limit; }

    template <class T, std::size_t N>
    T &one_of(std::array<T, N> &all) {
        return all[below(static_cast<unsigned>(N))];
    }

    // Anything an owner can do. Callables come here as well, so it may happen inside any number of them.
    void act() {
        place &p = one_of(places_);
        switch (below(16)) {
        case 0:
        case 1:
        case 2: start(p); break;
        case 3: stop(p); break;
        case 4: static_cast<void>(p.timer.reschedule(1us * below(30))); break;
        case 5: static_cast<void>(p.timer.pause()); break;
        case 6: static_cast<void>(p.timer.resume()); break;
        case 7: static_cast<void>(p.timer.fire()); break;
        case 8: static_cast<void>(p.timer.set_interval(1us * below(10))); break;
        case 9: {
            place &other = one_of(places_);
            swap(p.timer, other.timer);
            std::swap(p.what, other.what);
            break;
        }
        case 10:
            if (p.timer.invalidate()) p.what->stopped = true;
            break;
        case 11:
            p.timer.release();
            p.what.reset();
            break;
        case 12: one_of(targets_) = wtm::target<object>(); break;
        case 13: static_cast<void>(one_of(targets_).expire()); break;
        case 14: one_of(objects_) = std::make_shared<object>(); break;
        default: one_of(objects_).reset(); break;
        }
    }

    void stop(place &p) {
        // What runs at this moment goes when it returns, all else at once.
        const std::shared_ptr<record> what = p.what;
        p.timer.reset();
        if (what) {
            what->stopped = true;
            CHECK(what->running || what->freed);
        }
    }

    // Starts by `begin`, bound to a target, to a weak pointer or to nothing.
    template <class Body, class Begin>
    wtm::timer bound(Body &&body, const wtm::options &o, Begin begin) {
        switch (below(3)) {
        case 0: return begin(std::forward<Body>(body), o);
        case 1: return begin(std::weak_ptr<object>(one_of(objects_)), std::forward<Body>(body), o);
        default: {
            wtm::target<object> &t = one_of(targets_);
            if (!t) t = wtm::target<object>();
            return begin(t, std::forward<Body>(body), o);
        }
        }
    }

    void start(place &p) {
        auto what = std::make_shared<record>();
        records_.push_back(what);
        wtm::options o;
        o.ended = [raw = what.get()](wtm_reason) { raw->ended++; };
        o.limit = below(4) == 0 ? 1 + below(3) : 0;
        o.paused = below(8) == 0;
        o.keep = below(4) == 0;
        o.tolerance = 1us * below(3);
        auto body = [this, raw = what.get(), held = token(what)](auto &&...) {
            CHECK(!raw->running && !raw->stopped && !raw->freed && raw->ended == 0);
            raw->running = true;
            if (below(2) == 0) act();
            raw->running = false;
        };
        wtm::timer made =
            below(2) == 0 ? bound(std::move(body), o,
                                  [this](auto &&...rest) {
                                      return wtm::every(scheduler_, 1us * (1 + below(10)), std::forward<decltype(rest)>(rest)...);
                                  })
                          : bound(std::move(body), o, [this](auto &&...rest) {
                                return wtm::after(scheduler_, 1us * below(30), std::forward<decltype(rest)>(rest)...);
                            });
        stop(p);
        p.timer = std::move(made);
        p.what = std::move(what);
    }

    std::uint64_t ticks_ = 0;
    std::minstd_rand random_;
    std::vector<std::shared_ptr<record>> records_;
    std::array<wtm::target<object>, 3> targets_;
    std::array<std::shared_ptr<object>, 3> objects_;
    std::array<place, 6> places_;
    wtm::scheduler scheduler_ = wtm::scheduler::manual();
};

} // namespace

TEST(a_thousand_walks) {
    std::uint64_t ticks = 0;
    for (unsigned seed = 1; seed <= 1000; seed++) {
        std::printf("\rseed %u", seed);
        {
            walk w(seed);
            w.run(200);
            ticks += w.ticks();
        }
        CHECK(check::counted::live() == 0);
    }
    std::printf("\n");
    CHECK(ticks > 100000);
}
