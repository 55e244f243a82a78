/* One virtual year: a thousand repeating timers under manual time, advanced by random steps. Every tick comes once, in order, at
 * its place on the grid, and the memory does not grow.
 *
 *     year [days] [seed]
 *
 * covers: time.no-drift time.order time.manual time.range life.free */
#include "stress.h"

#include <string.h>
#include <time.h>

enum { timer_count = 1000 };
static const uint64_t second = UINT64_C(1000000000), day = UINT64_C(86400) * UINT64_C(1000000000);

uint64_t run_seed;
static uint64_t state;

void fail(const char *file, int line, const char *what, long long value) {
    fprintf(stderr, "%s:%d: false: %s (%lld), seed %llu\n", file, line, what, value, (unsigned long long)run_seed);
    _exit(1);
}

uint64_t random_number(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state >> 8;
}

typedef struct clockwork {
    uint64_t interval, numerator, denominator, ticks;
    wtm_timer timer;
} clockwork;
static clockwork works[timer_count];
static uint64_t last_deadline, all_ticks, released;

__extension__ typedef unsigned __int128 wide;
/* Tick k of a rate is due ceil((k-1) * 10^9 * d / n) after the first, and the first one such interval after the start. */
static uint64_t rate_offset(const clockwork *w, uint64_t k) {
    wide product = (wide)k * second * w->denominator;
    return (uint64_t)((product + w->numerator - 1) / w->numerator);
}

static void on_work(wtm_timer timer, const wtm_tick *tick, void *context) {
    clockwork *w = context;
    REQUIRE(timer.id == w->timer.id);
    uint64_t k = ++w->ticks;
    uint64_t first = w->interval != 0 ? w->interval : rate_offset(w, 1);
    uint64_t due = w->interval != 0 ? k * w->interval : first + rate_offset(w, k - 1);
    REQUIRE_VALUE(tick->scheduled_ns == due, (long long)(tick->scheduled_ns - due));
    REQUIRE_VALUE(tick->now_ns == due, (long long)(tick->now_ns - due));
    REQUIRE_VALUE(tick->ordinal == k, tick->ordinal);
    REQUIRE_VALUE(tick->missed == 0, tick->missed);
    REQUIRE(due >= last_deadline);
    last_deadline = due;
    all_ticks++;
}
static void on_work_released(void *context) {
    (void)context;
    released++;
}

static uint64_t resident_pages(void) {
    unsigned long long total, resident;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL && fscanf(file, "%llu %llu", &total, &resident) == 2);
    fclose(file);
    return resident;
}

int main(int count, char **arguments) {
    uint64_t days = count > 1 ? strtoull(arguments[1], NULL, 10) : 365;
    run_seed = count > 2 ? strtoull(arguments[2], NULL, 10) : (uint64_t)time(NULL);
    state = run_seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    printf("year: %llu days, seed %llu\n", (unsigned long long)days, (unsigned long long)run_seed);
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = WTM_DRIVE_MANUAL;
    wtm_scheduler s = { 0 };
    REQUIRE(wtm_scheduler_create(&options, &s) == WTM_OK);
    for (int i = 0; i < timer_count; i++) {
        clockwork *w = &works[i];
        wtm_timer_options timer = WTM_TIMER_OPTIONS_INIT;
        timer.fn = on_work;
        timer.context = w;
        timer.release = on_work_released;
        if (i % 10 == 0) { /* from once in a second to once in some hours */
            w->numerator = 1 + random_below(1001);
            w->denominator = 1000 + random_below(1000000);
            if (w->numerator > w->denominator) w->numerator = w->denominator;
            timer.rate_hz_numerator = (uint32_t)w->numerator;
            timer.rate_hz_denominator = (uint32_t)w->denominator;
        } else {
            w->interval = timer.interval_ns = second + random_below(i % 2 ? 3600 * second : 30 * day);
        }
        REQUIRE(wtm_timer_start(s, &timer, &w->timer) == WTM_OK);
    }
    uint64_t before = 0, now = 0, end = days * day;
    while (now < end) {
        uint64_t step = random_below(4) ? random_below(3600 * second) : random_below(3 * day);
        if (step > end - now) step = end - now;
        uint64_t ran = 0, had = all_ticks;
        REQUIRE(wtm_scheduler_advance(s, step, &ran) == WTM_OK);
        REQUIRE_VALUE(ran == all_ticks - had, (long long)ran);
        now += step;
        REQUIRE(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC) == now);
        if (before == 0 && now > end / 10) before = resident_pages();
    }
    uint64_t after = resident_pages();
    for (int i = 0; i < timer_count; i++) {
        const clockwork *w = &works[i];
        if (w->interval != 0) REQUIRE_VALUE(w->ticks == end / w->interval, i);
        REQUIRE(wtm_timer_is_valid(w->timer));
    }
    REQUIRE(wtm_scheduler_shutdown(s, WTM_NEVER) == WTM_OK);
    REQUIRE_VALUE(released == timer_count, released);
    REQUIRE_VALUE(after <= before + 256, (long long)(after - before));
    printf("%llu ticks in %llu days\n", (unsigned long long)all_ticks, (unsigned long long)days);
    return 0;
}
