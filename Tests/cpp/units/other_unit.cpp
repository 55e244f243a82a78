// The second translation unit of the program two_units.
#include <weaktimer.hpp>

const std::error_category &category_of_the_other_unit();
int ticks_of_the_other_unit(wtm::scheduler &s);

const std::error_category &category_of_the_other_unit() { return wtm::category(); }

int ticks_of_the_other_unit(wtm::scheduler &s) {
    using namespace std::chrono_literals;
    int ticks = 0;
    const wtm::timer t = wtm::every(s, 1ms, [&] { ticks++; });
    s.advance(3ms);
    return ticks;
}
