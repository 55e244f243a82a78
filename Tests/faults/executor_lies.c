/* Executors that do not keep their word: work that is dropped, run twice, run although refused, run inside submit, run late.
 * covers: life.release.once stop.none-after time.serial stop.wait
 * field report: 8, 10, 14 */
#include "harness.h"

enum lie { DROPS, RUNS_TWICE, REFUSES_AND_RUNS, RUNS_INSIDE, RUNS_LATE, FORGES, LIES };

typedef struct liar {
    enum lie lie;
    void (*run)(uint64_t);
    uint64_t works[4096];
    unsigned submitted, released;
} liar;

static bool submit(void *context, void (*run)(uint64_t), uint64_t work) {
    liar *l = context;
    CHECK(l->released == 0);
    l->run = run;
    CHECK(l->submitted < sizeof l->works / sizeof l->works[0]);
    l->works[l->submitted++] = work;
    switch (l->lie) {
    case RUNS_TWICE:
        run(work);
        run(work);
        return true;
    case REFUSES_AND_RUNS: run(work); return false;
    case RUNS_INSIDE: run(work); return true;
    case FORGES:
        run(0);
        run(~work);
        run(UINT64_MAX);
        run(work ^ (UINT64_C(1) << 63));
        return true;
    default: return true;
    }
}

static void released(void *context) { ((liar *)context)->released++; }

TEST(whatever_submit_does_each_timer_ticks_once_and_releases_once) {
    for (int lie = 0; lie < LIES; lie++) {
        static liar l;
        memset(&l, 0, sizeof l);
        l.lie = (enum lie)lie;
        wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
        wtm_executor executor;
        ops.submit = submit;
        CHECK_OK(wtm_executor_create_custom(&ops, &l, released, &executor));
        wtm_scheduler s = th_manual();
        th_probe once[16], repeating;
        wtm_timer timers[16], every;
        for (int i = 0; i < 16; i++) {
            th_probe_init(&once[i]);
            wtm_timer_options o = th_options(&once[i]);
            o.executor = executor;
            o.delay_ns = TH_MS;
            if (i % 2) o.flags = WTM_TIMER_RELEASE_ON_EXECUTOR;
            CHECK_OK(wtm_timer_start(s, &o, &timers[i]));
        }
        th_probe_init(&repeating);
        wtm_timer_options o = th_options(&repeating);
        o.executor = executor;
        o.interval_ns = TH_MS;
        CHECK_OK(wtm_timer_start(s, &o, &every));
        for (int ms = 0; ms < 10; ms++) th_advance(s, TH_MS);
        bool runs = lie == RUNS_TWICE || lie == REFUSES_AND_RUNS || lie == RUNS_INSIDE;
        for (int i = 0; i < 16; i++) {
            CHECK_EQ(once[i].ticks, runs ? 1 : 0);
            CHECK_EQ(wtm_timer_is_valid(timers[i]), !runs);
        }
        CHECK_EQ(repeating.ticks, runs ? 10 : 0);
        CHECK_EQ(repeating.most_inside, runs ? 1 : 0);
        /* Stop some while their work is still out: that work must do nothing any more. */
        if (!runs) {
            for (int i = 0; i < 8; i++) CHECK_OK(wtm_timer_invalidate(timers[i]));
            CHECK_OK(wtm_timer_invalidate(every));
        }
        unsigned out = l.submitted;
        if (lie == RUNS_LATE) {
            for (unsigned i = 0; i < out; i++) l.run(l.works[i]);
            for (int i = 0; i < 16; i++) CHECK_EQ(once[i].ticks, i < 8 ? 0 : 1);
            CHECK_EQ(repeating.ticks, 0);
        }
        CHECK_OK(wtm_executor_shutdown(executor, WTM_NEVER));
        CHECK_EQ(l.released, 1);
        th_shutdown(s);
        for (int i = 0; i < 16; i++) {
            CHECK_EQ(once[i].ended, 1);
            CHECK_EQ(once[i].released, 1);
        }
        CHECK_EQ(repeating.released, 1);
        /* Work that comes after everything is gone. */
        for (unsigned i = 0; i < l.submitted; i++) l.run(l.works[i]);
        for (int i = 0; i < 16; i++) CHECK(once[i].ticks <= 1 && once[i].released == 1);
    }
}

/* The scheduler may go first; its executor then holds work for what is no more. */
TEST(a_scheduler_that_goes_before_its_work_has_run) {
    static liar l;
    memset(&l, 0, sizeof l);
    l.lie = RUNS_LATE;
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    wtm_executor executor;
    ops.submit = submit;
    CHECK_OK(wtm_executor_create_custom(&ops, &l, released, &executor));
    th_probe probes[8];
    wtm_scheduler s = th_manual();
    for (int i = 0; i < 8; i++) {
        th_probe_init(&probes[i]);
        wtm_timer_options o = th_options(&probes[i]);
        o.executor = executor;
        CHECK_OK(wtm_timer_start(s, &o, NULL));
    }
    th_advance(s, 0);
    CHECK_EQ(l.submitted, 8);
    th_shutdown(s);
    for (int i = 0; i < 8; i++) CHECK_EQ(probes[i].released, 1);
    for (int i = 0; i < 8; i++) l.run(l.works[i]);
    for (int i = 0; i < 8; i++) CHECK(probes[i].ticks == 0 && probes[i].released == 1);
    CHECK_OK(wtm_executor_shutdown(executor, WTM_NEVER));
    CHECK_EQ(l.released, 1);
}
