// What both units of the program modes do, the one with exceptions and the one without: the same functions for the same
// types, so that the linker has the choice wherever both modes have one name.
#ifndef WEAKTIMER_TESTS_MODES_HPP
#define WEAKTIMER_TESTS_MODES_HPP

#include <weaktimer.hpp>

#include <chrono>
#include <functional>
#include <memory>

using hook = std::function<void()>;
using seconds = std::chrono::duration<double>;

// The types are the same in both modes.
int ticks_without_exceptions(wtm::scheduler &s, hook fn);
const std::error_category &category_without_exceptions();

namespace {

struct uses {
    static void advance(wtm::scheduler &s) { s.advance(std::chrono::milliseconds(1)); }
    static void run_due(wtm::scheduler &s) { s.run_due(); }
    static void next_delay(wtm::scheduler &s) { static_cast<void>(s.next_delay()); }
    static void stats(wtm::scheduler &s) { static_cast<void>(s.stats()); }
    static void pool(std::uint32_t threads) { wtm::executor::pool(threads); }
    static void serial(const wtm::executor &pool) { wtm::executor::serial(pool); }
    static void scheduler(const wtm::scheduler_options &o) { wtm::scheduler made(o); }
    static void manual(const wtm::scheduler_options &o) { wtm::scheduler::manual(o); }
    static void host(const wtm::scheduler_options &o) { wtm::scheduler::host(o); }
    static void target(std::unique_ptr<int> object) { const wtm::target<int> made(std::move(object)); }
    static void or_throw(wtm::result r) { r.or_throw(); }
    static void span(seconds length) { static_cast<void>(wtm::time_span(length)); }
    static void period(seconds length) { static_cast<void>(wtm::period(length)); }
    static void moment(seconds since) {
        static_cast<void>(wtm::moment(std::chrono::time_point<std::chrono::system_clock, seconds>(since)));
    }
    static wtm::timer after(wtm::scheduler &s, seconds delay, hook fn) { return wtm::after(s, delay, std::move(fn)); }
    static wtm::timer every(wtm::scheduler &s, std::chrono::seconds interval, hook fn) {
        return wtm::every(s, interval, std::move(fn));
    }
    static wtm::timer at(wtm::scheduler &s, hook fn) {
        return wtm::at(s, wtm::moment(WTM_CLOCK_MONOTONIC, wtm::time_span()), std::move(fn));
    }
};

} // namespace

#endif
