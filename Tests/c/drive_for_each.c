/* for_each: order of creation, endings and starts during the walk, nesting, stopping early. */
#include "time_record.h"

static struct {
    wtm_scheduler scheduler;
    wtm_timer timers[64];
    uint64_t visited[256];
    unsigned count, stop_after, depth;
} walk;

static bool note(wtm_timer timer, const wtm_timer_info *info, void *context) {
    CHECK(context == &walk);
    CHECK_EQ(info->size, sizeof *info);
    walk.visited[walk.count++] = timer.id;
    return walk.count != walk.stop_after;
}

static wtm_scheduler filled(int n) {
    wtm_scheduler s = manual_scheduler();
    memset(&walk, 0, sizeof walk);
    walk.scheduler = s;
    for (int i = 0; i < n; i++) walk.timers[i] = START(s, TAG(i), .delay_ns = 1000 - (uint64_t)i, .name = "n");
    return s;
}

/* field report: 37 */
TEST(it_goes_in_order_of_creation) {
    wtm_scheduler s = filled(20);
    CHECK_OK(wtm_timer_invalidate(walk.timers[3]));
    CHECK_OK(wtm_timer_reschedule(walk.timers[0], 5000)); /* moving is not creating */
    wtm_timer late = START(s, .delay_ns = 1);             /* may take the slot that was freed */
    CHECK_OK(wtm_scheduler_for_each(s, note, &walk));
    CHECK_EQ(walk.count, 20);
    for (unsigned i = 0, v = 0; i < 20; i++) {
        if (i != 3) CHECK_U64(walk.visited[v++], walk.timers[i].id);
    }
    CHECK_U64(walk.visited[19], late.id);
    th_shutdown(s);
}

TEST(false_stops_it) {
    wtm_scheduler s = filled(10);
    walk.stop_after = 4;
    CHECK_OK(wtm_scheduler_for_each(s, note, &walk));
    CHECK_EQ(walk.count, 4);
    th_shutdown(s);
}

static bool end_the_next_and_start_one(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)info;
    (void)context;
    unsigned i = walk.count * 2;
    CHECK_U64(timer.id, walk.timers[i].id);
    CHECK_OK(wtm_timer_invalidate(walk.timers[i + 1])); /* ends before its turn: left out */
    if (i > 0) CHECK_OK(wtm_timer_invalidate(timer));   /* and the one that is being visited may end too */
    START(walk.scheduler, .delay_ns = 1);               /* started during the walk: not visited */
    walk.count++;
    return true;
}

TEST(timers_ended_before_their_turn_and_timers_started_meanwhile_are_left_out) {
    wtm_scheduler s = filled(20);
    CHECK_OK(wtm_scheduler_for_each(s, end_the_next_and_start_one, &walk));
    CHECK_EQ(walk.count, 10);
    CHECK_U64(th_stats(s).live, 11);
    th_shutdown(s);
}

static bool nest(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer;
    (void)info;
    if (walk.depth < 2) {
        walk.depth++;
        CHECK_OK(wtm_scheduler_for_each(walk.scheduler, nest, context));
        walk.depth--;
    }
    walk.count++;
    return true;
}

TEST(calls_nest) {
    wtm_scheduler s = filled(5);
    CHECK_OK(wtm_scheduler_for_each(s, nest, NULL));
    CHECK_EQ(walk.count, 5 + 25 + 125);
    th_shutdown(s);
}

static bool call_everything(wtm_timer timer, const wtm_timer_info *info, void *context) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    wtm_timer_info again = WTM_TIMER_INFO_INIT;
    (void)context;
    CHECK_OK(wtm_timer_get_info(timer, &again));
    CHECK_EQ(memcmp(&again, info, sizeof again), 0);
    CHECK_OK(wtm_scheduler_get_stats(walk.scheduler, &stats));
    CHECK_OK(wtm_timer_reschedule(timer, 77));
    CHECK_OK(wtm_timer_pause(timer));
    CHECK_OK(wtm_timer_resume(timer));
    CHECK_OK(wtm_timer_fire(timer));
    CHECK_OK(wtm_scheduler_advance(walk.scheduler, 1, NULL)); /* runs the fire, which completes the one-shot */
    CHECK(!wtm_timer_is_valid(timer));
    walk.count++;
    return true;
}

/* covers: life.unlocked */
TEST(the_visitor_may_call_everything) {
    wtm_scheduler s = filled(10);
    CHECK_OK(wtm_scheduler_for_each(s, call_everything, NULL));
    CHECK_EQ(walk.count, 10);
    CHECK_EQ(rec.count, 10);
    th_shutdown(s);
}

static void walk_in_callback(wtm_timer timer, const wtm_tick *tick, uint64_t tag) {
    (void)tick;
    (void)tag;
    walk.count = 0;
    CHECK_OK(wtm_scheduler_for_each(walk.scheduler, note, &walk));
    bool found = false;
    for (unsigned i = 0; i < walk.count; i++) found |= walk.visited[i] == timer.id;
    CHECK(found);
    CHECK_EQ(th_info(timer).state, WTM_STATE_RUNNING);
}

TEST(a_callback_sees_itself) {
    wtm_scheduler s = filled(3);
    rec.during = walk_in_callback;
    CHECK_U64(th_advance(s, 1000), 3);
    th_shutdown(s);
}

static th_counter churned;

static void *churn(void *argument) {
    (void)argument;
    for (int i = 0; i < 20000; i++) {
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_after(walk.scheduler, 1000, record, NULL, NULL, &t));
        CHECK_OK(wtm_timer_invalidate(t));
    }
    th_counter_add(&churned, 1);
    return NULL;
}

static bool count_named(wtm_timer timer, const wtm_timer_info *info, void *context) {
    (void)timer;
    *(unsigned *)context += info->name[0] == 'n';
    return true;
}

TEST(it_sees_each_steady_timer_once_while_others_come_and_go) {
    wtm_scheduler s = filled(50);
    th_counter_init(&churned);
    pthread_t a = th_thread(churn, NULL), b = th_thread(churn, NULL);
    do {
        unsigned named = 0;
        CHECK_OK(wtm_scheduler_for_each(s, count_named, &named));
        CHECK_EQ(named, 50);
    } while (th_counter_get(&churned) < 2);
    th_join(a);
    th_join(b);
    th_shutdown(s);
}
