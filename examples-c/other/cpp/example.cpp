// A model that a timer refreshes without keeping it alive; checks itself, and prints what it saw.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <weaktimer.hpp>

using namespace std::chrono_literals;

namespace {

struct model : std::enable_shared_from_this<model> {
    int refreshed = 0;

    void refresh(const wtm::tick &now) {
        refreshed++;
        const auto at = std::chrono::duration_cast<std::chrono::milliseconds>(now.now()).count();
        std::printf("tick %d at %d ms\n", static_cast<int>(now.ordinal()), static_cast<int>(at));
    }
};

void require(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "example: not so: %s\n", what);
    std::exit(1);
}

} // namespace

int main() {
    auto scheduler = wtm::scheduler::manual();
    auto subject = std::make_shared<model>();
    auto closure = std::make_shared<int>(0); // stands for whatever a callable holds
    std::weak_ptr<int> held = closure;

    wtm_reason reason = WTM_REASON_NONE;
    wtm::options options;
    options.ended = [&reason, closure = std::move(closure)](wtm_reason why) { reason = why; };
    wtm::timer timer = wtm::every(scheduler, 10ms, subject->weak_from_this(), &model::refresh, options);
    options.ended = nullptr;
    require(scheduler.advance(35ms) == 3, "three ticks in 35 milliseconds");
    require(subject->refreshed == 3 && timer, "the model was refreshed three times");

    subject.reset();
    std::puts("the model is gone");
    require(scheduler.advance(10ms) == 0 && !timer, "the timer ended with its object");
    std::printf("the timer has ended: %s\n", reason == WTM_REASON_TARGET_GONE ? "WTM_REASON_TARGET_GONE" : "otherwise");
    require(held.expired(), "nothing is held for it any more");
    std::puts("its closure has been freed");

    try {
        timer = wtm::every(scheduler, 0ms, [] {});
        require(false, "an interval of zero is refused");
    } catch (const wtm::error &e) { std::printf("an interval of zero is refused: %s\n", wtm_status_name(e.status())); }

    // The default scheduler, in real time, on a thread of its own. A callable may be move-only.
    std::promise<void> promise;
    std::future<void> passed = promise.get_future();
    const wtm::timer once = wtm::after(1ms, [promise = std::move(promise)]() mutable { promise.set_value(); });
    require(passed.wait_for(60s) == std::future_status::ready, "the one-shot ticks");
    std::puts("a real millisecond has passed");
    return 0;
}
