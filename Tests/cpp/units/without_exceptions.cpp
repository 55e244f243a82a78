// The unit of the program modes that is compiled with -fno-exceptions. It calls all that can fail, and nothing fails.
#include "../modes.hpp"

#if defined(__cpp_exceptions)
#error "this unit is to be compiled without exceptions"
#endif

using namespace std::chrono_literals;

const std::error_category &category_without_exceptions() { return wtm::category(); }

int ticks_without_exceptions(wtm::scheduler &s, hook fn) {
    const wtm::scheduler_options none;
    auto host = wtm::scheduler::host();
    uses::run_due(host);
    uses::next_delay(host);
    uses::stats(host);
    uses::pool(1);
    uses::serial(wtm::executor::pool(1));
    uses::scheduler(none);
    uses::manual(none);
    uses::host(none);
    uses::target(std::make_unique<int>(1));
    uses::or_throw(WTM_OK);
    uses::span(1s);
    uses::period(1s);
    uses::moment(1s);
    int ticks = 0;
    const hook counting = [&] {
        fn();
        ticks++;
    };
    const wtm::timer a = uses::after(s, 1ms, counting);
    const wtm::timer b = uses::every(s, 1s, counting);
    const wtm::timer c = uses::at(s, counting);
    uses::advance(s);
    s.advance(1s - 1ms);
    return ticks;
}
