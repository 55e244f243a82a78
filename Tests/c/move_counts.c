/* A plain one-shot that its own callback makes into something else goes on counting: what it is told, and what the info says, is the same
 * as for one that had a name, and so a record, from the beginning. */
#include "time_record.h"

/* covers: time.order */
static const uint64_t ODD = UINT64_C(3000000001); /* a tolerance that needs a record */
typedef void (*change_fn)(wtm_timer);

static void odd_tolerance(wtm_timer t) { CHECK_OK(wtm_timer_set_tolerance(t, ODD)); }
static void odd_tolerance_without_interval(wtm_timer t) { CHECK_OK(wtm_timer_set_interval(t, 0, ODD)); }
static void one_fire(wtm_timer t) { CHECK_OK(wtm_timer_fire(t)); }
static void two_fires(wtm_timer t) {
    CHECK_OK(wtm_timer_fire(t));
    CHECK_OK(wtm_timer_fire(t));
}
static void repeat(wtm_timer t) { CHECK_OK(wtm_timer_set_interval(t, 100, 0)); }
static void repeat_only(wtm_timer t) { CHECK_OK(wtm_timer_set_interval_only(t, 100)); }
static void pause_it(wtm_timer t) {
    CHECK_OK(wtm_timer_pause(t));
    CHECK_OK(wtm_timer_reschedule(t, 50));
    CHECK_OK(wtm_timer_resume(t));
}
static void nothing(wtm_timer t) { (void)t; }

static change_fn change;
static wtm_timer_info inside;
static void change_the_first(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    if (rec.count != 1) return;
    change(timer);
    inside = th_info(timer);
    CHECK_OK(wtm_timer_reschedule(timer, 100));
}

typedef struct outcome {
    wtm_timer_info inside, last;
    wtm_status status; /* a fire of its own completes it */
    size_t count;
    struct {
        uint32_t flags;
        uint64_t ordinal, scheduled;
    } ticks[4];
} outcome;

static outcome outcome_of(const char *name, bool is_fired) {
    wtm_scheduler s = manual_scheduler();
    outcome o = { 0 };
    rec.during = change_the_first;
    /* Fifty late, by a deadline in the past. */
    th_advance(s, 50);
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    wtm_timer t;
    options.fn = record;
    options.name = name;
    options.flags = WTM_TIMER_ABSOLUTE;
    options.deadline_ns = is_fired ? TH_HOUR : 0;
    CHECK_OK(wtm_timer_start(s, &options, &t));
    if (is_fired) CHECK_OK(wtm_timer_fire(t));
    th_advance(s, 0);
    CHECK_EQ(rec.count > 0, 1);
    th_advance(s, 99);
    o.last.size = sizeof o.last;
    o.status = wtm_timer_get_info(t, &o.last);
    th_advance(s, 1);
    o.inside = inside;
    o.count = rec.count;
    for (size_t i = 0; i < rec.count && i < 4; i++) {
        o.ticks[i].flags = rec.at[i].tick.flags;
        o.ticks[i].ordinal = rec.at[i].tick.ordinal;
        o.ticks[i].scheduled = rec.at[i].tick.scheduled_ns;
    }
    th_shutdown(s);
    return o;
}

static void check_same(const wtm_timer_info *a, const wtm_timer_info *b) {
    CHECK_U64(a->ticks, b->ticks);
    CHECK_U64(a->missed, b->missed);
    CHECK_U64(a->max_lateness_ns, b->max_lateness_ns);
    CHECK_U64(a->interval_ns, b->interval_ns);
    CHECK_U64(a->tolerance_ns, b->tolerance_ns);
    CHECK_EQ(a->state, b->state);
}

TEST(counts_do_not_depend_on_whether_a_timer_had_a_record_before) {
    static const change_fn changes[] = { nothing,     odd_tolerance, odd_tolerance_without_interval, one_fire, two_fires, repeat,
                                         repeat_only, pause_it };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        /* A timer whose only tick was fired ends with it, unless it is moved: the same holds there. */
        for (unsigned is_fired = 0; is_fired < 2; is_fired++) {
            change = changes[i];
            outcome named = outcome_of("named", is_fired), plain = outcome_of(NULL, is_fired);
            check_same(&plain.inside, &named.inside);
            CHECK_EQ(plain.status, named.status);
            check_same(&plain.last, &named.last);
            CHECK_U64(plain.inside.ticks, 1);
            CHECK_U64(plain.inside.max_lateness_ns, is_fired ? 0 : 50);
            CHECK_EQ(plain.count, named.count);
            for (size_t k = 0; k < 4; k++) {
                CHECK_EQ(plain.ticks[k].flags, named.ticks[k].flags);
                CHECK_U64(plain.ticks[k].ordinal, named.ticks[k].ordinal);
                CHECK_U64(plain.ticks[k].scheduled, named.ticks[k].scheduled);
            }
        }
    }
}
