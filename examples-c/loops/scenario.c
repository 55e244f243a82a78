/* Ten beats, a visit from another thread, and a farewell that ends the loop. */
#include "scenario.h"

enum { BEATS = 10 };

static void on_loop_thread(scenario *s) { REQUIRE(pthread_equal(pthread_self(), s->loop_thread)); }

static void beat(wtm_timer timer, const wtm_tick *tick, void *context) {
    scenario *s = context;
    (void)timer;
    on_loop_thread(s);
    REQUIRE(tick->now_ns >= tick->scheduled_ns);
    s->beats++;
}

static void farewell(wtm_timer timer, const wtm_tick *tick, void *context) {
    scenario *s = context;
    (void)timer, (void)tick;
    on_loop_thread(s);
    s->farewells++;
    s->quit(s->loop);
}

static void visit(wtm_timer timer, const wtm_tick *tick, void *context) {
    scenario *s = context;
    (void)timer, (void)tick;
    on_loop_thread(s);
    s->visits++;
}

/* Beats have ended: say good-bye a little later. */
static void beats_ended(wtm_timer timer, wtm_reason reason, void *context) {
    scenario *s = context;
    (void)timer;
    REQUIRE(reason == WTM_REASON_COMPLETED);
    SUCCEED(wtm_timer_after(s->scheduler, MILLISECONDS(20), farewell, s, NULL, NULL));
}

/* Another thread needs no help of the loop to start a timer in it: the descriptor wakes the loop in time. */
static void *visitor_main(void *argument) {
    scenario *s = argument;
    SUCCEED(wtm_timer_after(s->scheduler, MILLISECONDS(1), visit, s, NULL, NULL));
    return NULL;
}

void scenario_start(scenario *s, void (*quit)(void *loop), void *loop) {
    *s = (scenario){ .quit = quit, .loop = loop, .loop_thread = pthread_self() };
    wtm_scheduler_options host = WTM_SCHEDULER_OPTIONS_INIT;
    host.drive = WTM_DRIVE_HOST;
    SUCCEED(wtm_scheduler_create(&host, &s->scheduler));
    s->fd = wtm_scheduler_fd(s->scheduler);
    REQUIRE(s->fd >= 0);

    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = beat;
    options.context = s;
    options.ended = beats_ended;
    options.interval_ns = MILLISECONDS(5);
    options.missed = WTM_MISSED_BURST; /* each beat counts, also if this loop is late */
    options.tick_limit = BEATS;
    options.name = "beat";
    SUCCEED(wtm_timer_start(s->scheduler, &options, NULL));
    REQUIRE(pthread_create(&s->visitor, NULL, visitor_main, s) == 0);
}

void scenario_readable(scenario *s) {
    uint32_t ran = 0;
    SUCCEED(wtm_scheduler_run_due(s->scheduler, 0, &ran)); /* 0: all that is due now */
}

void scenario_finish(scenario *s) {
    pthread_join(s->visitor, NULL);
    REQUIRE(s->beats == BEATS);
    REQUIRE(s->visits == 1);
    REQUIRE(s->farewells == 1);
    uint64_t delay = 0;
    SUCCEED(wtm_scheduler_next_delay(s->scheduler, &delay));
    REQUIRE(delay == WTM_NEVER); /* nothing is left to wait for */
    SUCCEED(wtm_scheduler_shutdown(s->scheduler, WTM_NEVER));
    printf("%d beats, %d visit, %d farewell, all on the loop's thread\n", s->beats, s->visits, s->farewells);
}
