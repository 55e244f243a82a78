/* Field reports that no other file has: timers made on short-lived threads, listings by name, replacing, waits that a name
 * explains, and the ordinary ways in which people tear things down.
 * covers: life.release.once stop.wait life.eager
 * field report: 10, 12, 13, 30, 37, 42, 43, 53, 75 */
#include "harness.h"

static wtm_scheduler s;
static th_probe probe;

static void *start_and_leave(void *argument) {
    wtm_timer_options options = th_options(&probe);
    options.delay_ns = TH_MS;
    CHECK_OK(wtm_timer_start(s, &options, argument));
    return NULL;
}

/* 42: a timer made on any thread fires; no run loop is needed, and the thread may be gone. */
TEST(a_timer_made_on_a_thread_that_has_ended_fires) {
    s = th_real();
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    th_join(th_thread(start_and_leave, &t));
    th_probe_wait_released(&probe, 1);
    CHECK_STR(probe.order, "tTer");
    th_shutdown(s);
}

/* 43, 53, 75: any thread may stop it, knowing nothing but the handle. */
static void *stop_it(void *argument) {
    CHECK_OK(wtm_timer_invalidate(*(wtm_timer *)argument));
    return NULL;
}
TEST(a_timer_is_stopped_from_another_thread_than_it_was_made_on) {
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer t = { 0 };
    th_join(th_thread(start_and_leave, &t));
    pthread_t stopper = th_thread(stop_it, &t);
    th_join(stopper);
    CHECK_STR(probe.order, "er");
    CHECK(pthread_equal(probe.release_thread, stopper));
    CHECK_U64(th_advance(s, TH_SEC), 0);
    th_shutdown(s);
}

/* 12, 13: start, stop, start, stop, free in quick order, each context freed in its own hook. */
static void use(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    ++*(unsigned *)context;
}
TEST(start_stop_start_stop_free_in_quick_order) {
    s = th_real();
    for (int i = 0; i < 5000; i++) {
        wtm_timer first = { 0 }, second = { 0 };
        unsigned *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
        CHECK(a != NULL && b != NULL);
        CHECK_OK(wtm_timer_every(s, 1, use, a, free, &first));
        CHECK(wtm_timer_invalidate(first) >= 0); /* freed in the hook, whenever that is */
        CHECK_OK(wtm_timer_every(s, 1, use, b, NULL, &second));
        CHECK_OK(wtm_timer_invalidate_and_wait(second, WTM_NEVER));
        free(b); /* freed by hand once the wait has returned */
    }
    th_shutdown(s);
}

/* 30: what a callback captured is freed as soon as that callback has returned, when it stops its own timer. */
static void stop_self(th_probe *p) {
    CHECK_STATUS(wtm_timer_invalidate(p->timer), WTM_RUNNING);
    CHECK_EQ(p->released, 0);
}
TEST(a_context_is_freed_within_one_callback_of_its_end) {
    s = th_manual();
    th_probe_init(&probe);
    probe.on_tick = stop_self;
    wtm_timer_options options = th_options(&probe);
    options.interval_ns = 1;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_U64(th_advance(s, 1), 1);
    CHECK_EQ(probe.released, 1);
    th_shutdown(s);
}

/* 37: live timers are listed by name, so that an orphan which goes on firing shows. */
typedef struct listing {
    unsigned named, all;
    uint64_t last;
} listing;
static bool list(wtm_timer timer, const wtm_timer_info *info, void *context) {
    listing *l = context;
    CHECK(wtm_timer_is_valid(timer));
    CHECK_EQ(info->size, sizeof *info);
    l->named += strcmp(info->name, "poll") == 0;
    l->all++;
    return true;
}
TEST(duplicates_show_in_a_listing_by_name) {
    s = th_manual();
    th_probe_init(&probe);
    wtm_timer held = { 0 };
    wtm_timer_options options = th_options(&probe);
    options.interval_ns = 5;
    options.name = "poll";
    CHECK_OK(wtm_timer_start(s, &options, &held));
    CHECK_OK(wtm_timer_start(s, &options, &held)); /* the first is orphaned */
    CHECK_OK(wtm_timer_after(s, 5, th_tick, &probe, NULL, NULL));
    listing l = { 0 };
    CHECK_OK(wtm_scheduler_for_each(s, list, &l));
    CHECK_EQ(l.named, 2);
    CHECK_EQ(l.all, 3);
    CHECK_OK(wtm_timer_invalidate(held));
    memset(&l, 0, sizeof l);
    CHECK_OK(wtm_scheduler_for_each(s, list, &l));
    CHECK_EQ(l.named, 1);
    th_shutdown(s);
}

/* 10: targets are torn down by one thread while the scheduler's is delivering to them. */
typedef struct connection {
    wtm_target target;
    unsigned alive;
} connection;
static void touch(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    connection *c = context;
    CHECK(tick->target == c);
    CHECK_EQ(c->alive, 1);
}
static void close_connection(void *context) {
    connection *c = context;
    c->alive = 0;
    free(c);
}
TEST(a_storm_of_teardowns) {
    s = th_real();
    for (int i = 0; i < 3000; i++) {
        connection *c = malloc(sizeof *c);
        CHECK(c != NULL);
        c->alive = 1;
        wtm_target target = { 0 };
        CHECK_OK(wtm_target_create(c, close_connection, &target));
        c->target = target;
        for (int k = 0; k < 4; k++) CHECK_OK(wtm_timer_every_target(s, 1 + (uint64_t)k, touch, target, NULL));
        if (i % 2) CHECK_OK(wtm_target_release(target));
        else CHECK_OK(wtm_target_close(target, WTM_NEVER));
    }
    CHECK_OK(wtm_scheduler_shutdown(s, WTM_NEVER));
}
