// What a C++ program does first: a timer bound to a std::weak_ptr. Linked in each way in which the library can be linked.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <weaktimer.hpp>

namespace {

struct Model {
    int refreshed = 0;
};

void expect(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "consumer: not so: %s\n", what);
        std::exit(1);
    }
}

} // namespace

int main() {
    using namespace std::chrono_literals;
    wtm::scheduler scheduler = wtm::scheduler::manual();
    auto model = std::make_shared<Model>();
    wtm::timer timer = wtm::every(scheduler, 10ms, std::weak_ptr<Model>(model), [](Model &m) { m.refreshed++; });
    scheduler.advance(50ms);
    expect(model->refreshed == 5, "five ticks in fifty milliseconds");
    std::weak_ptr<Model> watch = model;
    model.reset();
    expect(watch.expired(), "the timer does not keep its object alive");
    scheduler.advance(10ms);
    expect(!timer.valid(), "the timer ended with its object");
    std::printf("C++ consumer of WeakTimer %s\n", wtm_version_string());
    return 0;
}
