/* Private shims: what Swift cannot see of the system. Static inline functions, so no C file is needed.
 *
 * Conventions: times are nanoseconds; a function that can fail gives a negative errno or -1; nothing here keeps state.
 */
#ifndef WEAKTIMER_PLATFORM_H
#define WEAKTIMER_PLATFORM_H

/* Not when Swift reads this: its own module of libc was made without, and the two would disagree on some types. */
#if !defined(_GNU_SOURCE) && !defined(__swift__)
#define _GNU_SOURCE 1
#endif
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#ifndef __USE_GNU
extern int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
#endif

#ifndef TFD_TIMER_CANCEL_ON_SET
#define TFD_TIMER_CANCEL_ON_SET 2
#endif

#define WTMP_INLINE static inline __attribute__((always_inline, unused))
#define WTMP_SLOW static __attribute__((noinline, unused))

/* ---- time ---- */

WTMP_INLINE struct timespec wtmp_timespec(uint64_t ns) {
    struct timespec t;
    uint64_t seconds = ns / 1000000000u;
    t.tv_sec = (time_t)(seconds > 0x7fffffffffffull ? 0x7fffffffffffull : seconds);
    t.tv_nsec = (long)(ns % 1000000000u);
    return t;
}

/* Reads a POSIX clock. A wall clock before 1970 reads as 0. */
WTMP_INLINE uint64_t wtmp_clock_ns(int clock) {
    struct timespec t;
    clock_gettime((clockid_t)clock, &t);
    if (clock == CLOCK_REALTIME && t.tv_sec < 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The processor's counter; 0 where none is known. Whether it runs at one rate, whatever the processor does, tells wtmp_counter_is_steady.
 * Not ordered with what is before and after it. */
WTMP_INLINE uint64_t wtmp_counter(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t count;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    return count;
#else
    return 0;
#endif
}

WTMP_SLOW bool wtmp_counter_is_steady(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8); /* the invariant time-stamp counter */
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

WTMP_INLINE uint64_t wtmp_clock_resolution_ns(int clock) {
    struct timespec t;
    if (clock_getres((clockid_t)clock, &t) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

WTMP_INLINE void wtmp_cpu_relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

WTMP_INLINE void wtmp_prefetch(const void *_Nullable p) { __builtin_prefetch(p, 1, 3); }

/* ---- futex ---- */

/* Sleeps while *word == expected, until the monotonic instant (UINT64_MAX: for ever).
 * 0: woken or the value differed; ETIMEDOUT; EINTR. */
WTMP_SLOW int wtmp_futex_wait(uint32_t *_Nonnull word, uint32_t expected, uint64_t until_ns) {
    struct timespec t, *limit = NULL;
    if (until_ns != UINT64_MAX) {
        t = wtmp_timespec(until_ns);
        limit = &t;
    }
    long r = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, expected, limit, NULL, FUTEX_BITSET_MATCH_ANY);
    if (r == 0) return 0;
    return errno == EAGAIN ? 0 : errno;
}

WTMP_SLOW void wtmp_futex_wake(uint32_t *_Nonnull word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL, NULL, 0);
}

/* Keeps the compiler from moving memory accesses across it. */
WTMP_INLINE void wtmp_compiler_barrier(void) { __asm__ volatile("" ::: "memory"); }

/* A process has to say once that it will ask for barriers. As long as it has one thread this takes a microsecond, and later some
 * milliseconds, so that it is left to the first who needs one. */
WTMP_SLOW bool wtmp_process_barrier_register(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
WTMP_SLOW void wtmp_process_barrier_prepare(void) {
    if (__libc_single_threaded) wtmp_process_barrier_register();
}

/* A full barrier in every running thread of the process, from outside. False where the kernel has none, or does not allow it. */
WTMP_SLOW bool wtmp_process_barrier(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return true;
    return errno == EPERM && wtmp_process_barrier_register() &&
           syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

/* ---- memory ---- */

/* Where the leak sanitizer is in the program it is told of the library's memory, which it would not search of itself: a context
 * that a live timer holds is then no leak. Elsewhere the symbol is null. */
extern void __lsan_register_root_region(const void *_Nonnull p, size_t bytes) __attribute__((weak));

/* Zeroed pages straight from the kernel, never given back; NULL when it refuses. Those that will all be used soon are asked for at once,
 * which costs a third of a fault for each. */
WTMP_SLOW void *_Nullable wtmp_map(size_t bytes, bool at_once) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at_once ? MAP_POPULATE : 0);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (__lsan_register_root_region) __lsan_register_root_region(p, bytes);
    return p;
}

/* ---- descriptors ---- */

WTMP_SLOW int wtmp_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

WTMP_SLOW void wtmp_eventfd_signal(int fd) {
    uint64_t one = 1;
    ssize_t r;
    do { r = syscall(SYS_write, fd, &one, sizeof one); } while (r < 0 && errno == EINTR);
}

WTMP_SLOW int wtmp_timerfd(int clock) { return timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK); }

/* Arms an absolute timerfd; UINT64_MAX disarms it (or, for a wall clock, leaves it waiting for a step only). */
WTMP_SLOW int wtmp_timerfd_arm(int fd, uint64_t deadline_ns, bool cancel_on_set) {
    struct itimerspec spec;
    int flags = TFD_TIMER_ABSTIME | (cancel_on_set ? TFD_TIMER_CANCEL_ON_SET : 0);
    memset(&spec, 0, sizeof spec);
    if (deadline_ns != UINT64_MAX || cancel_on_set) {
        /* The kernel's own end of time is 2^63 ns. */
        uint64_t capped = deadline_ns > 0x7fffffff00000000ull ? 0x7fffffff00000000ull : deadline_ns;
        spec.it_value = wtmp_timespec(capped == 0 ? 1 : capped);
    }
    return timerfd_settime(fd, flags, &spec, NULL) == 0 ? 0 : -errno;
}

/* Empties a readable descriptor. ECANCELED tells that the calendar was stepped. */
WTMP_SLOW int wtmp_drain(int fd) {
    uint64_t value;
    return syscall(SYS_read, fd, &value, sizeof value) < 0 ? errno : 0;
}

WTMP_SLOW int wtmp_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

WTMP_SLOW int wtmp_epoll_add(int epoll, int fd) {
    struct epoll_event e;
    memset(&e, 0, sizeof e);
    e.events = EPOLLIN;
    e.data.fd = fd;
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) == 0 ? 0 : -errno;
}

/* Sleeps on up to three descriptors (a negative one is left out) for delay_ns (UINT64_MAX: for ever). */
WTMP_SLOW int wtmp_poll3(int a, int b, int c, uint64_t delay_ns) {
    struct pollfd fds[3] = { { a, POLLIN, 0 }, { b, POLLIN, 0 }, { c, POLLIN, 0 } };
    struct timespec t, *limit = NULL;
    if (delay_ns != UINT64_MAX) {
        t = wtmp_timespec(delay_ns);
        limit = &t;
    }
    return ppoll(fds, 3, limit, NULL);
}

/* The raw calls above and here are no cancellation points, as the wrappers of libc would be. */
WTMP_SLOW void wtmp_close(int fd) { syscall(SYS_close, fd); }

/* ---- threads ---- */

typedef void *_Nullable (*wtmp_thread_fn)(void *_Nullable);

WTMP_SLOW size_t wtmp_stack_minimum(void) {
    long least = sysconf(_SC_THREAD_STACK_MIN);
    return least > 16384 ? (size_t)least : 16384u;
}

/* Starts a thread that blocks every signal but the six that a fault must still deliver.
 * stack 0 is the system's default. 0 or an errno. */
WTMP_SLOW int wtmp_thread_start(pthread_t *_Nonnull out, wtmp_thread_fn _Nonnull fn, void *_Nullable argument, size_t stack) {
    pthread_attr_t attributes;
    sigset_t blocked, before;
    int r = pthread_attr_init(&attributes);
    if (r != 0) return r;
    if (stack != 0) {
        size_t page = 4096, least = wtmp_stack_minimum() + 49152;
        if (stack < least) stack = least;
        if (stack > SIZE_MAX / 2) {
            pthread_attr_destroy(&attributes);
            return ENOMEM;
        }
        stack = (stack + page - 1) / page * page;
        r = pthread_attr_setstacksize(&attributes, stack);
    }
    if (r == 0) {
        sigfillset(&blocked);
        sigdelset(&blocked, SIGSEGV);
        sigdelset(&blocked, SIGBUS);
        sigdelset(&blocked, SIGFPE);
        sigdelset(&blocked, SIGILL);
        sigdelset(&blocked, SIGTRAP);
        sigdelset(&blocked, SIGSYS);
        pthread_sigmask(SIG_SETMASK, &blocked, &before);
        r = pthread_create(out, &attributes, fn, argument);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return r;
}

WTMP_SLOW void wtmp_thread_join(pthread_t thread) { pthread_join(thread, NULL); }
WTMP_SLOW pthread_t wtmp_thread_self(void) { return pthread_self(); }
WTMP_SLOW void wtmp_thread_detach(pthread_t thread) { pthread_detach(thread); }
WTMP_SLOW void wtmp_thread_name(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
WTMP_SLOW void wtmp_thread_slack(uint64_t ns) { prctl(PR_SET_TIMERSLACK, (unsigned long)ns, 0, 0, 0); }

/* Cancellation is put off while the library waits, so that no wait is a cancellation point. */
WTMP_SLOW int wtmp_cancel_off(void) {
    int before = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}
WTMP_SLOW void wtmp_cancel_restore(int before) {
    int ignored;
    pthread_setcancelstate(before, &ignored);
}

WTMP_SLOW uint32_t wtmp_cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1u : (uint32_t)n;
}

typedef void (*wtmp_key_fn)(void *_Nullable);
typedef void (*wtmp_void_fn)(void);

WTMP_SLOW int wtmp_key_create(uint32_t *_Nonnull out, wtmp_key_fn _Nonnull destroy) {
    pthread_key_t key;
    int r = pthread_key_create(&key, destroy);
    if (r == 0) *out = (uint32_t)key;
    return r;
}
WTMP_INLINE void *_Nullable wtmp_key_get(uint32_t key) { return pthread_getspecific((pthread_key_t)key); }
WTMP_INLINE int wtmp_key_set(uint32_t key, void *_Nullable value) { return pthread_setspecific((pthread_key_t)key, value); }

WTMP_SLOW int wtmp_atfork(wtmp_void_fn _Nonnull prepare, wtmp_void_fn _Nonnull parent, wtmp_void_fn _Nonnull child) {
    return pthread_atfork(prepare, parent, child);
}

#endif
