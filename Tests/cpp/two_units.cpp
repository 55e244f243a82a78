// The header in two translation units of one program: everything in it is inline, and both see the same error category.
#include "check.hpp"

const std::error_category &category_of_the_other_unit();
int ticks_of_the_other_unit(wtm::scheduler &s);

TEST(both_units_agree) {
    auto s = wtm::scheduler::manual();
    CHECK(&wtm::category() == &category_of_the_other_unit());
    CHECK(ticks_of_the_other_unit(s) == 3);
}
