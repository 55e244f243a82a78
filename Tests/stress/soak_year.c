/* A virtual year with 100,000 timers of every kind, and a balance sheet: what was started, what ticked, what ended and why,
 * kept by the program and compared with the library's own books.
 *
 *     soak_year [days] [timers] [seed]
 *
 * covers: life.release.once life.eager time.manual time.no-drift time.missed time.tolerance time.pause time.fire life.free */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weaktimer.h>

#define SECOND UINT64_C(1000000000)
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
enum { TARGETS = 1000, KINDS = 10, WEAK_PHASES = 1000 };
/* A kind is a number: what it means is in start(). */
enum kind { ONE_SHOT, REPEATING, RATE, KEPT, LIMITED, BOUND, WEAK, TOLERANT, WALL, QUEUED };
static const char *const kind_names[KINDS] = { "one-shot", "repeating", "rate",     "kept", "limited",
                                               "bound",    "weak",      "tolerant", "wall", "queued" };

typedef struct item {
    wtm_timer timer;
    enum kind kind;
    bool live, weak_dead;
    int target;
    uint64_t ordinal, tolerance, interval, ticks, fires;
} item;
typedef struct life {
    wtm_target target;
    uint64_t hooks;
    unsigned bound;
} life;

static item *items;
static life lives[TARGETS];
static uint64_t seed, state;
static wtm_scheduler s;
static uint64_t started[KINDS], ticked[KINDS], ended[5], released, hooks_wanted, hooks_run, missed, refused, fired_asked,
    fired_seen;
static bool refuse;

#define REQUIRE(condition, value) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: false: %s (%llu), seed %llu\n", __FILE__, __LINE__, #condition, (unsigned long long)(value), \
                    (unsigned long long)seed); \
            exit(1); \
        } \
    } while (0)

static uint64_t below(uint64_t limit) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (state >> 8) % limit;
}

static item *item_of(wtm_timer timer, void *context) {
    if ((item *)context >= items) return context;
    (void)timer;
    return NULL;
}

static void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    item *i = item_of(timer, context);
    REQUIRE(i->live && i->timer.id == timer.id, i - items);
    REQUIRE(tick->now_ns >= tick->scheduled_ns, tick->scheduled_ns);
    i->ticks++;
    ticked[i->kind]++;
    if (tick->flags & WTM_TICK_FIRED) {
        REQUIRE(i->fires > 0, i - items);
        i->fires--;
        fired_seen++;
        return;
    }
    REQUIRE(i->kind == QUEUED || tick->ordinal == i->ordinal + tick->missed + 1, i - items);
    if (i->kind != WALL) REQUIRE(tick->now_ns - tick->scheduled_ns <= i->tolerance, tick->now_ns - tick->scheduled_ns);
    i->ordinal = tick->ordinal;
    missed += tick->missed;
    if (i->kind == KEPT) REQUIRE(wtm_timer_reschedule(timer, HOUR + below(5 * DAY)) == WTM_OK, i - items);
}
static void on_ended(wtm_timer timer, wtm_reason reason, void *context) {
    item *i = item_of(timer, context);
    REQUIRE(i->live, i - items);
    i->live = false;
    ended[reason]++;
    if (i->target >= 0) lives[i->target].bound--;
}
static void on_release(void *context) {
    (void)context;
    released++;
}
static void on_target(void *context) {
    life *l = context;
    REQUIRE(l->bound == 0 && l->hooks == 0, l - lives);
    l->hooks++;
    hooks_run++;
}
static void *lock(void *weak) { return ((item *)weak)->weak_dead ? NULL : weak; }
static void unlock(void *strong) { (void)strong; }
static bool submit(void *context, void (*run)(uint64_t), uint64_t work) {
    (void)context;
    if (refuse) {
        refused++;
        return false;
    }
    run(work);
    return true;
}
static wtm_executor executor;

static void start(item *i) {
    static const wtm_weak_ops weak = { sizeof weak, 0, lock, unlock };
    wtm_timer_options o = WTM_TIMER_OPTIONS_INIT;
    memset(i, 0, sizeof *i);
    i->kind = (enum kind)below(KINDS);
    i->target = -1;
    i->live = true;
    o.fn = on_tick;
    o.context = i;
    o.ended = on_ended;
    o.release = on_release;
    o.clock = (uint32_t)below(2);
    o.missed = (uint32_t)below(3);
    i->interval = o.interval_ns = HOUR + below(20 * DAY);
    switch (i->kind) {
    case ONE_SHOT:
        o.interval_ns = 0;
        o.delay_ns = below(60 * DAY);
        break;
    case RATE:
        o.interval_ns = 0;
        o.rate_hz_numerator = 1 + (uint32_t)below(7);
        o.rate_hz_denominator = 100000 + (uint32_t)below(1000000);
        break;
    case KEPT:
        o.interval_ns = 0;
        o.delay_ns = below(DAY);
        o.flags = WTM_TIMER_KEEP;
        break;
    case LIMITED: o.tick_limit = 1 + below(10); break;
    case BOUND:
        i->target = (int)below(TARGETS);
        o.target = lives[i->target].target;
        lives[i->target].bound++;
        break;
    case WEAK: o.weak = &weak; break;
    case TOLERANT:
        o.tolerance_ns = below(HOUR);
        i->tolerance = o.tolerance_ns < o.interval_ns / 2 ? o.tolerance_ns : o.interval_ns / 2;
        break;
    case WALL: o.clock = WTM_CLOCK_WALL; break;
    case QUEUED:
        o.executor = executor;
        o.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
        break;
    default: break;
    }
    if (below(4) == 0) o.name = "soak";
    REQUIRE(wtm_timer_start(s, &o, &i->timer) == WTM_OK, i - items);
    started[i->kind]++;
}

static void new_target(life *l) {
    memset(l, 0, sizeof *l);
    REQUIRE(wtm_target_create(l, on_target, &l->target) == WTM_OK, l - lives);
    hooks_wanted++;
}

/* A day's work: a hundredth of the timers is stopped, fired, paused and resumed, or moved; some targets and weak things die. */
static void meddle(uint64_t count) {
    for (uint64_t n = 0; n < count / 100; n++) {
        item *i = &items[below(count)];
        if (!i->live) {
            start(i);
            continue;
        }
        switch (below(6)) {
        case 0: REQUIRE(wtm_timer_invalidate(i->timer) == WTM_OK && !i->live, i - items); break;
        case 1:
            REQUIRE(wtm_timer_fire(i->timer) == WTM_OK, i - items);
            i->fires++;
            fired_asked++;
            break;
        case 2:
            REQUIRE(wtm_timer_pause(i->timer) == WTM_OK && wtm_timer_pause(i->timer) == WTM_OK, i - items);
            REQUIRE(wtm_timer_resume(i->timer) == WTM_OK, i - items);
            break;
        case 3: REQUIRE(wtm_timer_reschedule(i->timer, below(30 * DAY)) == WTM_OK, i - items); break;
        case 4:
            if (i->kind == WEAK) i->weak_dead = true;
            break;
        default: break;
        }
    }
    for (int n = 0; n < 3; n++) {
        life *l = &lives[below(TARGETS)];
        REQUIRE(wtm_target_release(l->target) == WTM_OK && l->hooks == 1 && l->bound == 0, l - lives);
        new_target(l);
    }
    refuse = below(10) == 0;
    if (below(7) == 0) {
        uint64_t wall = wtm_scheduler_now(s, WTM_CLOCK_WALL);
        REQUIRE(wtm_scheduler_set_wall(s, below(2) || wall < DAY ? wall + below(DAY) : wall - below(DAY)) == WTM_OK, wall);
    }
}

static uint64_t resident_kib(void) {
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL && fscanf(file, "%llu %llu", &total, &resident) == 2, 0);
    fclose(file);
    return resident * 4;
}

static void balance(void) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    uint64_t all = 0, ticks = 0, over = 0;
    REQUIRE(wtm_scheduler_get_stats(s, &stats) == WTM_OK, 0);
    for (int k = 0; k < KINDS; k++) all += started[k], ticks += ticked[k];
    for (int r = 0; r < 5; r++) {
        REQUIRE(stats.ended[r] == ended[r], r);
        over += ended[r];
    }
    REQUIRE(stats.created == all && stats.live == all - over, stats.live);
    REQUIRE(stats.ticks == ticks, stats.ticks - ticks);
    REQUIRE(stats.missed == missed, stats.missed - missed);
    REQUIRE(stats.dropped <= refused, stats.dropped); /* a refused hook is no dropped tick */
    REQUIRE(released == over && hooks_run == hooks_wanted - TARGETS, released);
}

int main(int count, char **arguments) {
    uint64_t days = count > 1 ? strtoull(arguments[1], NULL, 10) : 365;
    uint64_t timers = count > 2 ? strtoull(arguments[2], NULL, 10) : 100000;
    seed = count > 3 ? strtoull(arguments[3], NULL, 10) : (uint64_t)time(NULL);
    state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    printf("soak_year: %llu days, %llu timers, seed %llu\n", (unsigned long long)days, (unsigned long long)timers,
           (unsigned long long)seed);
    wtm_scheduler_options o = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    o.drive = WTM_DRIVE_MANUAL;
    ops.submit = submit;
    items = calloc(timers, sizeof *items);
    REQUIRE(items != NULL && timers >= 100, timers);
    REQUIRE(wtm_scheduler_create(&o, &s) == WTM_OK, 0);
    REQUIRE(wtm_executor_create_custom(&ops, NULL, NULL, &executor) == WTM_OK, 0);
    for (int n = 0; n < TARGETS; n++) new_target(&lives[n]);
    for (uint64_t n = 0; n < timers; n++) start(&items[n]);
    uint64_t early = 0;
    for (uint64_t day = 0; day < days; day++) {
        meddle(timers);
        for (uint64_t left = DAY; left > 0;) {
            uint64_t step = 1 + below(8 * HOUR);
            if (step > left) step = left;
            REQUIRE(wtm_scheduler_advance(s, step, NULL) == WTM_OK, day);
            left -= step;
        }
        balance();
        if (day == days / 4) early = resident_kib();
    }
    REQUIRE(wtm_scheduler_now(s, WTM_CLOCK_MONOTONIC) == days * DAY, 0);
    uint64_t late = resident_kib();
    REQUIRE(late <= early + early / 10 + 4096, late);
    REQUIRE(wtm_scheduler_shutdown(s, WTM_NEVER) == WTM_OK, 0);
    REQUIRE(wtm_executor_shutdown(executor, WTM_NEVER) == WTM_OK, 0);
    for (int n = 0; n < TARGETS; n++) REQUIRE(wtm_target_close(lives[n].target, WTM_NEVER) == WTM_OK, n);
    uint64_t all = 0, over = 0;
    for (int k = 0; k < KINDS; k++) {
        all += started[k];
        printf("  %-10s %10llu started %12llu ticks\n", kind_names[k], (unsigned long long)started[k],
               (unsigned long long)ticked[k]);
    }
    for (int r = 0; r < 5; r++) over += ended[r];
    printf("  ended: %llu completed, %llu invalidated, %llu with their targets, %llu at shutdown\n", (unsigned long long)ended[1],
           (unsigned long long)ended[2], (unsigned long long)ended[3], (unsigned long long)ended[4]);
    printf("  %llu missed, %llu refused, %llu of %llu fires seen, %llu KiB\n", (unsigned long long)missed,
           (unsigned long long)refused, (unsigned long long)fired_seen, (unsigned long long)fired_asked,
           (unsigned long long)late);
    REQUIRE(all == over && all == released && hooks_run == hooks_wanted, all - over);
    free(items);
    return 0;
}
