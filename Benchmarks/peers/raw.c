/* Nothing but a sleep to the next grid point, with a timer slack of 1 ns: what the kernel itself makes of a 1 ms timer. */
#define _GNU_SOURCE
#include "bench.h"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

const unsigned peer_features = PEER_RAW;
const size_t peer_largest_n = 1;

#if defined(RAW_EPOLL_PWAIT2)
const char *const peer_name = "raw-epoll_pwait2";
#elif defined(RAW_NANOSLEEP)
const char *const peer_name = "raw-clock_nanosleep";
#else
const char *const peer_name = "raw-timerfd";
#endif

#if !defined(RAW_NANOSLEEP)
static int descriptor;
#endif
static uint64_t deadline, interval;

void peer_open(size_t capacity, bool threaded) {
    (void)capacity;
    (void)threaded;
    prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
#if defined(RAW_EPOLL_PWAIT2)
    descriptor = epoll_create1(EPOLL_CLOEXEC);
#elif !defined(RAW_NANOSLEEP)
    descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
#endif
}

void peer_start_every(size_t i, uint64_t interval_ns) {
    (void)i;
    interval = interval_ns;
    deadline = bench_now() + interval;
}

static void sleep_until(uint64_t when) {
#if defined(RAW_EPOLL_PWAIT2)
    struct epoll_event event;
    for (uint64_t now = bench_now(); now < when; now = bench_now()) {
        struct timespec wait = { (time_t)((when - now) / NS_PER_S), (long)((when - now) % NS_PER_S) };
        epoll_pwait2(descriptor, &event, 1, &wait, NULL);
    }
#elif defined(RAW_NANOSLEEP)
    struct timespec until = { (time_t)(when / NS_PER_S), (long)(when % NS_PER_S) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) continue;
#else
    struct itimerspec until = { .it_value = { (time_t)(when / NS_PER_S), (long)(when % NS_PER_S) } };
    uint64_t expirations;
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &until, NULL);
    (void)!read(descriptor, &expirations, sizeof expirations);
#endif
}

void peer_run_once(bool wait) {
    (void)wait;
    sleep_until(deadline);
    deadline += interval;
    bench_tick(0);
}
