/* Which timer a piece of work is for: as long as it is queued, and no longer.
 * covers: stop.sticky life.unlocked */
#include "exec_hand.h"
#include "time_record.h"

static wtm_timer asked;
static bool ask_in_submit(void *context, void (*run)(uint64_t work), uint64_t work) {
    asked = wtm_executor_work_timer(work);
    return hand_submit(context, run, work);
}

static wtm_executor asking(hand *h) {
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    wtm_executor e = { 0 };
    memset(h, 0, sizeof *h);
    ops.submit = ask_in_submit;
    CHECK_OK(wtm_executor_create_custom(&ops, h, NULL, &e));
    return e;
}

static uint64_t running_work;
static void ask_inside(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)timer;
    (void)tick;
    (void)tag;
    CHECK_U64(wtm_executor_work_timer(running_work).id, 0); /* it has begun */
}

TEST(work_names_its_timer_while_it_is_queued) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = asking(&h);
    wtm_timer one = START(s, .interval_ns = 100, .executor = e);
    th_advance(s, 100);
    CHECK_U64(asked.id, one.id);
    running_work = h.work[0];
    CHECK_U64(wtm_executor_work_timer(running_work).id, one.id);
    rec.during = ask_inside;
    hand_run_one(&h);
    CHECK_U64(rec.count, 1);
    CHECK_U64(wtm_executor_work_timer(running_work).id, 0);
    th_advance(s, 100);
    CHECK_U64(wtm_executor_work_timer(running_work).id, 0); /* an older tick's number, of the same timer */
    CHECK_U64(wtm_executor_work_timer(h.work[1]).id, one.id);
    CHECK_OK(wtm_timer_pause(one)); /* takes it back */
    CHECK_U64(wtm_executor_work_timer(h.work[1]).id, 0);
    CHECK_OK(wtm_timer_fire(one));
    th_advance(s, 0);
    CHECK_U64(wtm_executor_work_timer(h.work[2]).id, one.id);
    CHECK_OK(wtm_timer_invalidate(one));
    CHECK_U64(wtm_executor_work_timer(h.work[2]).id, 0);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}

TEST(hooks_and_other_numbers_name_none) {
    hand h;
    wtm_scheduler s = manual_scheduler();
    wtm_executor e = asking(&h);
    wtm_timer one = START(s, .delay_ns = 100, .executor = e, .flags = WTM_TIMER_RELEASE_ON_EXECUTOR);
    CHECK_OK(wtm_timer_invalidate(one));
    CHECK_EQ(hand_waiting(&h), 1);
    CHECK_U64(asked.id, 0);
    CHECK_U64(wtm_executor_work_timer(h.work[0]).id, 0);
    hand_run_all(&h);
    for (uint64_t bit = 0; bit < 64; bit++) {
        CHECK_U64(wtm_executor_work_timer(h.work[0] ^ UINT64_C(1) << bit).id, 0);
        CHECK_U64(wtm_executor_work_timer(UINT64_C(1) << bit).id, 0);
    }
    CHECK_U64(wtm_executor_work_timer(0).id, 0);
    CHECK_U64(wtm_executor_work_timer(UINT64_MAX).id, 0);
    th_shutdown(s);
    CHECK_OK(wtm_executor_shutdown(e, TH_LIMIT));
}
