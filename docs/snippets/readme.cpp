// The README's C++.
#include <cstdio>
#include <cstdlib>
#include <future>

static std::promise<void> ticked_often;

/* region: cpp */
#include <weaktimer.hpp>

using namespace std::chrono_literals;

struct model : std::enable_shared_from_this<model> {
    int refreshed = 0;
    void start() {
        // Holds the model weakly, ends with it, and gets a reference that is good for the length of the call.
        timer = wtm::every(1ms, weak_from_this(), [](model &m) { m.refresh(); });
    }
    void refresh() {
        refreshed++;
        /* region-cut */
        if (refreshed == 3) ticked_often.set_value();
        /* end region-cut */
    }
    wtm::timer timer; // its destructor ends the timer and waits, except in its own callback
};
/* end region */

int main() {
    auto ticked = ticked_often.get_future();
    auto m = std::make_shared<model>();
    std::weak_ptr<model> weak = m;
    m->start();
    ticked.wait();
    // The last reference may be the one that a running callback holds: the model is destroyed there then.
    const wtm_timer handle = m->timer.handle();
    m.reset();
    wtm_timer_invalidate_and_wait(handle, WTM_NEVER);
    if (!weak.expired() || wtm_timer_is_valid(handle)) {
        std::fprintf(stderr, "the model outlived its owner\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
