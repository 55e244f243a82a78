// Compiled, not run: options by name, from C++20 on, without a warning for those that are left out.
#include <weaktimer.hpp>

#if __cplusplus >= 202002L
using namespace std::chrono_literals;

wtm::timer heartbeat(wtm::scheduler &s);
wtm::scheduler quiet();

wtm::timer heartbeat(wtm::scheduler &s) {
    return wtm::every(s, 1s, [] {}, { .tolerance = 50ms, .missed = wtm::missed::burst, .limit = 3, .name = "heartbeat" });
}

wtm::scheduler quiet() { return wtm::scheduler::manual({ .name = "quiet", .max_timers = 10 }); }
#endif
