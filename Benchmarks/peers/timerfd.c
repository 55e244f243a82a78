/* One timerfd a timer, all in one epoll. */
#include "bench.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

const char *const peer_name = "timerfd";
const unsigned peer_features = PEER_MOVES | PEER_THREAD_SAFE | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 11000;

static int epoll;
static int *descriptors;

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    struct rlimit files = { capacity + 100, capacity + 100 }, now;
    getrlimit(RLIMIT_NOFILE, &now);
    if (now.rlim_cur < files.rlim_cur && setrlimit(RLIMIT_NOFILE, &files) != 0) bench_fail("not enough descriptors");
    epoll = epoll_create1(EPOLL_CLOEXEC);
    descriptors = bench_allocate(capacity * sizeof *descriptors);
    for (size_t i = 0; i < capacity; i++) descriptors[i] = -1;
}

static void arm(int fd, uint64_t delay_ns, uint64_t interval_ns) {
    delay_ns = delay_ns ? delay_ns : 1; /* zero disarms */
    struct itimerspec when = { .it_value = { (time_t)(delay_ns / NS_PER_S), (long)(delay_ns % NS_PER_S) },
                               .it_interval = { (time_t)(interval_ns / NS_PER_S), (long)(interval_ns % NS_PER_S) } };
    timerfd_settime(fd, 0, &when, NULL);
}

static void start(size_t i, uint64_t delay_ns, uint64_t interval_ns) {
    struct epoll_event event = { .events = EPOLLIN, .data.u64 = i };
    descriptors[i] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptors[i], &event);
    arm(descriptors[i], delay_ns, interval_ns);
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, 0); }
void peer_start_every(size_t i, uint64_t interval_ns) { start(i, interval_ns, interval_ns); }

void peer_cancel(size_t i) {
    if (descriptors[i] >= 0) close(descriptors[i]);
    descriptors[i] = -1;
}

void peer_move(size_t i, uint64_t delay_ns) { arm(descriptors[i], delay_ns, 0); }

void peer_run_once(bool wait) {
    struct epoll_event events[256];
    int count = epoll_wait(epoll, events, 256, wait ? -1 : 0);
    for (int k = 0; k < count; k++) {
        size_t i = events[k].data.u64;
        uint64_t expirations = 0;
        if (read(descriptors[i], &expirations, sizeof expirations) != sizeof expirations) continue;
        if (expirations > 1) bench_skipped(i, expirations - 1);
        bench_tick(i);
    }
}
