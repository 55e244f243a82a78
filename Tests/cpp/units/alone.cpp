// Compiled, not run: the header needs nothing included before it.
#include <weaktimer.hpp>
