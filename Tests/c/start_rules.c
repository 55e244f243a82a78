/* Starting: what the callback is given, names, the handle before the first tick, starts that race with an end.
 * covers: life.failed life.release.once
 * field report: 41, 44, 47, 48, 67, 92 */
#include "harness.h"

static wtm_timer stored;
static unsigned seen;
static int target_object, own_context;
static void *ended_context, *released_context;

static void check_stored(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)tick, (void)context;
    CHECK_U64(stored.id, timer.id); /* *out was written before */
    seen++;
}

TEST(the_handle_is_written_before_the_timer_can_tick) {
    wtm_scheduler s = th_real();
    seen = 0;
    for (int i = 0; i < 2000; i++) {
        stored.id = 0;
        CHECK_OK(wtm_timer_after(s, 0, check_stored, NULL, NULL, &stored));
        CHECK(stored.id != 0);
        wtm_status status = wtm_timer_invalidate_and_wait(stored, TH_LIMIT);
        CHECK(status == WTM_OK || status == WTM_ERR_GONE);
    }
    th_shutdown(s);
}

static void tick_of_target(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    CHECK(tick->target == &target_object);
    CHECK_EQ(tick->size, sizeof *tick);
    CHECK_EQ(tick->reserved, 0);
    CHECK(context == (stored.id == 1 ? (void *)&own_context : (void *)&target_object));
    seen++;
}
static void note_ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer, (void)reason;
    ended_context = context;
}
static void note_release(void *context) { released_context = context; }

TEST(contexts_of_callback_ended_and_release) {
    for (int own = 0; own < 2; own++) {
        wtm_scheduler m = th_manual();
        wtm_target target = { 0 };
        CHECK_OK(wtm_target_create(&target_object, NULL, &target));
        stored.id = (uint64_t)own; /* tells the callback what to expect */
        seen = 0;
        ended_context = released_context = &seen;
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = tick_of_target;
        options.ended = note_ended;
        options.release = note_release;
        options.target = target;
        if (own) options.context = &own_context;
        CHECK_OK(wtm_timer_start(m, &options, NULL));
        CHECK_U64(th_advance(m, 0), 1);
        CHECK_EQ(seen, 1);
        CHECK(ended_context == (own ? (void *)&own_context : (void *)&target_object)); /* what the callback got */
        CHECK(released_context == (own ? (void *)&own_context : NULL));                /* the options' own, always */
        CHECK_OK(wtm_timer_after_target(m, 1, tick_of_target, target, NULL));
        CHECK_OK(wtm_timer_every_target(m, 1, tick_of_target, target, NULL));
        stored.id = 0; /* the short forms hand out the target's context */
        CHECK_U64(th_advance(m, 1), 2);
        CHECK_OK(wtm_target_release(target));
        CHECK_U64(th_stats(m).live, 0);
        th_shutdown(m);
    }
}

static void tick_without_target(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)context;
    CHECK(tick->target == NULL);
}

TEST(without_a_target_the_tick_has_none_and_info_neither) {
    wtm_scheduler m = th_manual();
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_every(m, 5, tick_without_target, NULL, NULL, &t));
    CHECK_U64(th_info(t).target.id, 0);
    CHECK_U64(th_advance(m, 5), 1);
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(&target_object, NULL, &target));
    CHECK_OK(wtm_timer_every_target(m, 5, tick_of_target, target, &t));
    CHECK_U64(th_info(t).target.id, target.id);
    CHECK_OK(wtm_target_release(target));
    th_shutdown(m);
}

TEST(names_are_cut_to_47_bytes_at_a_utf8_boundary) {
    static const struct {
        const char *given, *kept;
    } rows[] = {
        { NULL, "" },
        { "", "" },
        { "reaper", "reaper" },
        { "12345678901234567890123456789012345678901234567", "12345678901234567890123456789012345678901234567" },
        { "123456789012345678901234567890123456789012345678", "12345678901234567890123456789012345678901234567" },
        /* 46 bytes, then a character of two, of three, of four bytes. */
        { "1234567890123456789012345678901234567890123456\xc3\xa9", "1234567890123456789012345678901234567890123456" },
        { "123456789012345678901234567890123456789012345\xe2\x82\xac", "123456789012345678901234567890123456789012345" },
        { "12345678901234567890123456789012345678901234\xf0\x9f\x95\x91x", "12345678901234567890123456789012345678901234" },
        /* A character that just fits stays. */
        { "123456789012345678901234567890123456789012345\xc3\xa9x", "123456789012345678901234567890123456789012345\xc3\xa9" },
        { "1234567890123456789012345678901234567890123\xf0\x9f\x95\x91x",
          "1234567890123456789012345678901234567890123\xf0\x9f\x95\x91" },
        /* What is no text at all is bytes. */
        { "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
          "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
          "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"
          "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80" },
    };
    wtm_scheduler m = th_manual();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char copy[64] = "";
        if (rows[i].given != NULL) strcpy(copy, rows[i].given);
        wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
        options.fn = tick_without_target;
        options.delay_ns = 5;
        options.name = rows[i].given != NULL ? copy : NULL;
        wtm_timer t = { 0 };
        CHECK_OK(wtm_timer_start(m, &options, &t));
        memset(copy, 'x', sizeof copy); /* the name is the library's own copy */
        CHECK_STR(th_info(t).name, rows[i].kept);
    }
    th_shutdown(m);
}

TEST(a_timer_created_paused_does_not_start_and_may_be_dropped) {
    wtm_scheduler m = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    options.flags = WTM_TIMER_PAUSED;
    options.delay_ns = 10;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(m, &options, &t));
    CHECK_EQ(th_info(t).state, WTM_STATE_PAUSED);
    CHECK_U64(th_advance(m, 100), 0);
    CHECK_OK(wtm_timer_resume(t));
    CHECK_U64(th_advance(m, 9), 0);
    CHECK_U64(th_advance(m, 1), 1);
    CHECK_STR(probe.order, "tTer");
    CHECK_OK(wtm_timer_start(m, &options, &t));
    CHECK_OK(wtm_timer_invalidate(t)); /* before it was ever started */
    CHECK_STR(probe.order, "tTerer");
    CHECK_EQ(probe.reason, WTM_REASON_INVALIDATED);
    CHECK_OK(wtm_timer_start(m, &options, NULL)); /* created and dropped */
    th_shutdown(m);
    CHECK_STR(probe.order, "tTererer");
}

TEST(the_first_tick_comes_after_the_delay_unless_immediate_is_asked) {
    wtm_scheduler m = th_manual();
    th_probe late, soon;
    th_probe_init(&late);
    th_probe_init(&soon);
    CHECK_OK(wtm_timer_every(m, 10, th_tick, &late, NULL, NULL));
    wtm_timer_options options = th_options(&soon);
    options.interval_ns = 10;
    options.flags = WTM_TIMER_IMMEDIATE;
    CHECK_OK(wtm_timer_start(m, &options, NULL));
    CHECK_EQ(soon.ticks, 0); /* never inside start */
    th_advance(m, 0);
    CHECK_EQ(late.ticks, 0);
    CHECK_EQ(soon.ticks, 1);
    th_advance(m, 10);
    CHECK_EQ(late.ticks, 1);
    CHECK_EQ(soon.ticks, 2);
    th_shutdown(m);
}

TEST(starting_on_a_dead_target_takes_nothing) {
    wtm_scheduler m = th_manual();
    th_probe probe;
    th_probe_init(&probe);
    wtm_target target = { 0 };
    CHECK_OK(wtm_target_create(&probe, NULL, &target));
    CHECK_OK(wtm_target_release(target));
    wtm_timer_options options = th_options(&probe);
    options.target = target;
    wtm_timer t = { 7 };
    CHECK_STATUS(wtm_timer_start(m, &options, &t), WTM_ERR_TARGET_GONE);
    CHECK_U64(t.id, 0);
    t.id = 7;
    CHECK_STATUS(wtm_timer_after_target(m, 1, th_tick, target, &t), WTM_ERR_TARGET_GONE);
    CHECK_U64(t.id, 0);
    CHECK_STATUS(wtm_timer_every_target(m, 1, th_tick, target, &t), WTM_ERR_TARGET_GONE);
    CHECK_U64(th_advance(m, 10), 0);
    th_shutdown(m);
    CHECK_STR(probe.order, "");
}
