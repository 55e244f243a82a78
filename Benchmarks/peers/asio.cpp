// Boost.Asio: an allocated steady_timer with an asynchronous wait. Cancelled waits complete in the loop, which peer_flush runs.
extern "C" {
#include "peer.h"
}

#include <boost/asio.hpp>
#include <chrono>
#include <vector>

extern "C" {
const char *const peer_name = "asio";
const unsigned peer_features = PEER_MOVES | PEER_THREAD_SAFE | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 1000000;
}

namespace {

boost::asio::io_context *context;
boost::asio::executor_work_guard<boost::asio::io_context::executor_type> *work;

struct timer {
    boost::asio::steady_timer steady{ *context };
    std::chrono::nanoseconds interval{ 0 };

    void wait(size_t i) {
        steady.async_wait([this, i](const boost::system::error_code &error) {
            if (error) return;
            if (interval.count() != 0) {
                steady.expires_at(steady.expiry() + interval);
                wait(i);
            }
            bench_tick(i);
        });
    }
};

std::vector<timer *> timers;

void start(size_t i, uint64_t delay_ns, uint64_t interval_ns) {
    auto *added = new timer;
    added->interval = std::chrono::nanoseconds(interval_ns);
    added->steady.expires_after(std::chrono::nanoseconds(delay_ns));
    timers[i] = added;
    added->wait(i);
}

} // namespace

extern "C" {

void peer_open(size_t capacity, bool threaded) {
    context = new boost::asio::io_context(threaded ? BOOST_ASIO_CONCURRENCY_HINT_SAFE : 1);
    work = new boost::asio::executor_work_guard<boost::asio::io_context::executor_type>(context->get_executor());
    timers.assign(capacity, nullptr);
}

void peer_close(void) {}
void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, 0); }
void peer_start_every(size_t i, uint64_t interval_ns) { start(i, interval_ns, interval_ns); }

void peer_cancel(size_t i) {
    delete timers[i];
    timers[i] = nullptr;
}

void peer_move(size_t i, uint64_t delay_ns) {
    timers[i]->steady.expires_after(std::chrono::nanoseconds(delay_ns));
    timers[i]->wait(i);
}

void peer_flush(void) { context->poll(); }

// One handler at most when it waited, so that timers that are always late cannot hold the caller.
void peer_run_once(bool wait) {
    if (wait) context->run_one();
    else context->poll();
}
}
