// Owners with static storage: timers are hot while the program ends, and are destroyed after main has returned.
/* covers: world.exit */
#include "check.hpp"

#include <memory>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

// Destroyed in reverse order: the timers first, then what they use.
struct model {
    std::string text = std::string(100, 'x');
    std::atomic<int> ticks{ 0 };

    void use() {
        CHECK(text == std::string(100, 'x'));
        ticks++;
    }
};

model plain;
wtm::scheduler scheduler;
wtm::executor pool = wtm::executor::pool(2);
wtm::target<model> owned;
std::shared_ptr<model> shared = std::make_shared<model>();
wtm::timer on_the_default;
wtm::timer on_a_scheduler;
wtm::timer on_a_pool;
wtm::timer for_a_target;
wtm::timer for_an_object;

} // namespace

TEST(everything_is_hot_when_main_returns) {
    wtm::options o;
    o.executor = pool;
    on_the_default = wtm::every(10us, [] { plain.use(); });
    on_a_scheduler = wtm::every(scheduler, 10us, [] { plain.use(); });
    on_a_pool = wtm::every(scheduler, 10us, [] { plain.use(); }, o);
    for_a_target = wtm::every(10us, owned, &model::use);
    for_an_object = wtm::every(10us, std::weak_ptr<model>(shared), &model::use, o);
    while (plain.ticks < 100 || owned->ticks < 100 || shared->ticks < 100) std::this_thread::yield();
}
