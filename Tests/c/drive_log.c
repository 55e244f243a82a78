/* The log: what is told, at which level, and that its sink may call the library. */
#include "exec_hand.h"
#include "time_record.h"

/* field report: 92 */
enum { LINES = 64 };
static struct {
    pthread_mutex_t lock;
    unsigned count, by_level[4];
    unsigned long suppressed;
    char text[LINES][256];
    wtm_log_level level[LINES];
    void *context;
    void (*during)(void);
    th_counter warned;
} sink = { .lock = PTHREAD_MUTEX_INITIALIZER, .warned = TH_COUNTER_INIT };

static void keep(void *context, wtm_log_level level, const char *message) {
    pthread_mutex_lock(&sink.lock);
    CHECK(level >= WTM_LOG_DEBUG && level <= WTM_LOG_ERROR);
    if (sink.count < LINES) {
        sink.level[sink.count] = level;
        snprintf(sink.text[sink.count], sizeof *sink.text, "%s", message);
    }
    sink.count++;
    sink.by_level[level]++;
    sink.context = context;
    if (strstr(message, " were suppressed)") != NULL) sink.suppressed += strtoul(strrchr(message, '(') + 1, NULL, 10);
    void (*during)(void) = sink.during;
    pthread_mutex_unlock(&sink.lock);
    if (level == WTM_LOG_WARNING) th_counter_add(&sink.warned, 1);
    if (during != NULL) during();
}

/* How many lines of this level hold the text. */
static unsigned lines(wtm_log_level level, const char *text) {
    unsigned n = 0;
    pthread_mutex_lock(&sink.lock);
    for (unsigned i = 0; i < sink.count && i < LINES; i++) n += sink.level[i] == level && strstr(sink.text[i], text) != NULL;
    pthread_mutex_unlock(&sink.lock);
    return n;
}

static wtm_scheduler logging(wtm_drive drive, wtm_log_level level, uint64_t slow_ns) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler s = { 0 };
    sink.count = 0;
    sink.suppressed = 0;
    sink.during = NULL;
    memset(sink.by_level, 0, sizeof sink.by_level);
    th_counter_init(&sink.warned);
    memset(&rec, 0, sizeof rec);
    options.drive = drive;
    options.log_level = level;
    options.log = keep;
    options.context = &sink;
    options.slow_callback_ns = slow_ns;
    CHECK_OK(wtm_scheduler_create(&options, &s));
    rec.scheduler = s;
    return s;
}

static wtm_target target(void) {
    wtm_target t = { 0 };
    CHECK_OK(wtm_target_create(NULL, NULL, &t));
    return t;
}

TEST(a_targets_death_that_ends_a_named_timer_is_told_at_info) {
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_INFO, 0);
    wtm_target t = target();
    START(s, .interval_ns = 100, .target = t, .name = "heartbeat");
    START(s, .interval_ns = 100, .target = t); /* without a name: nothing to tell */
    th_advance(s, 1000);
    CHECK_EQ(sink.count, 0);
    CHECK_OK(wtm_target_release(t));
    CHECK_EQ(lines(WTM_LOG_INFO, "heartbeat"), 1);
    CHECK_EQ(sink.by_level[WTM_LOG_INFO], 1);
    CHECK(sink.context == &sink);
    th_shutdown(s);
}

static void *no_longer(void *weak) {
    (void)weak;
    return NULL;
}
static void unlock_nothing(void *strong) { (void)strong; }

TEST(the_death_of_a_foreign_weak_target_is_told_too) {
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_INFO, 0);
    wtm_weak_ops ops = WTM_WEAK_OPS_INIT;
    ops.lock = no_longer;
    ops.unlock = unlock_nothing;
    START(s, .interval_ns = 100, .weak = &ops, .name = "foreign");
    th_advance(s, 100);
    CHECK_EQ(rec.reason, WTM_REASON_TARGET_GONE);
    CHECK_EQ(lines(WTM_LOG_INFO, "foreign"), 1);
    th_shutdown(s);
}

TEST(lower_levels_are_not_told) {
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_WARNING, 0);
    wtm_target t = target();
    START(s, .interval_ns = 100, .target = t, .name = "heartbeat");
    CHECK_OK(wtm_target_release(t));
    CHECK_EQ(sink.count, 0);
    th_shutdown(s);
}

static void burn(wtm_timer timer, const wtm_tick *tick, void *context) {
    uint64_t until = th_now() + (uint64_t)(uintptr_t)context;
    (void)timer;
    (void)tick;
    while (th_now() < until) continue;
}

TEST(a_slow_callback_is_told_at_warning_with_its_name) {
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_INFO, 5 * MS);
    START(s, .delay_ns = 10, .name = "sluggish", .fn = burn, .context = (void *)(uintptr_t)(15 * MS));
    START(s, .delay_ns = 20, .name = "brisk", .fn = burn, .context = (void *)(uintptr_t)1);
    th_advance(s, 10);
    CHECK_EQ(lines(WTM_LOG_WARNING, "sluggish"), 1);
    th_advance(s, 10);
    CHECK_EQ(sink.by_level[WTM_LOG_WARNING], 1);
    th_shutdown(s);
}

static void burn_in_the_sink(void) { burn((wtm_timer){ 0 }, NULL, (void *)(uintptr_t)(20 * MS)); }

TEST(the_time_of_the_sink_is_no_callbacks) {
    for (uint64_t interval = 0; interval <= TH_HOUR; interval += TH_HOUR) {
        wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_WARNING, 5 * MS);
        sink.during = burn_in_the_sink;
        START(s, .delay_ns = 10, .interval_ns = interval, .fn = burn, .context = (void *)(uintptr_t)(10 * MS));
        for (int i = 0; i < 3; i++)
            START(s, .delay_ns = 10, .interval_ns = interval, .fn = burn, .context = (void *)(uintptr_t)1);
        th_advance(s, 10);
        CHECK_EQ(sink.by_level[WTM_LOG_WARNING], 1);
        th_shutdown(s);
    }
}

TEST(without_a_limit_no_callback_is_slow) {
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_DEBUG, 0);
    START(s, .delay_ns = 10, .name = "sluggish", .fn = burn, .context = (void *)(uintptr_t)(20 * MS));
    th_advance(s, 10);
    CHECK_EQ(sink.by_level[WTM_LOG_WARNING], 0);
    th_shutdown(s);
}

static th_counter hook_over = TH_COUNTER_INIT;

static void burn_in_the_hook(void *context) {
    burn((wtm_timer){ 0 }, NULL, context);
    th_counter_add(&hook_over, 1);
}

static void do_nothing(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    (void)context;
}

/* Neither by the watchdog nor afterwards. */
TEST(a_slow_hook_is_no_slow_callback) {
    wtm_scheduler s = logging(WTM_DRIVE_THREAD, WTM_LOG_INFO, 150 * MS);
    void *time = (void *)(uintptr_t)(400 * MS);
    START(s, .delay_ns = 10, .name = "slow to go", .fn = do_nothing, .release = burn_in_the_hook, .context = time);
    th_counter_wait(&hook_over, 1);
    CHECK_OK(wtm_timer_after(s, 10, do_nothing, time, burn_in_the_hook, NULL));
    th_counter_wait(&hook_over, 2);
    th_shutdown(s);
    CHECK_EQ(sink.by_level[WTM_LOG_WARNING], 0);
}

static void hold_until_warned(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer;
    (void)tick;
    th_counter_wait(&sink.warned, 1);
    th_counter_add(context, 1);
}

TEST(a_slow_callback_is_told_while_it_still_runs_and_once) {
    wtm_executor pool = { 0 };
    CHECK_OK(wtm_executor_create_pool(1, NULL, &pool));
    for (int on_pool = 0; on_pool < 2; on_pool++) { /* inline, the scheduler's own thread is the one that is stuck */
        th_counter done = TH_COUNTER_INIT;
        wtm_scheduler s = logging(WTM_DRIVE_THREAD, WTM_LOG_INFO, 10 * MS);
        START(s, .delay_ns = 10, .name = "stuck", .fn = hold_until_warned, .context = &done,
              .executor = on_pool ? pool : (wtm_executor){ 0 });
        th_counter_wait(&done, 1);
        th_shutdown(s);
        CHECK_EQ(lines(WTM_LOG_WARNING, "stuck"), 1);
    }
    CHECK_OK(wtm_executor_shutdown(pool, TH_LIMIT));
}

TEST(refused_work_and_clock_jumps_are_told) {
    hand h;
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_DEBUG, 0);
    wtm_executor e = hand_executor(&h);
    h.refuse = true;
    START(s, .interval_ns = 100, .executor = e, .name = "unwanted");
    th_advance(s, 100);
    unsigned told = 0;
    for (int level = 0; level < 4; level++) told += lines((wtm_log_level)level, "unwanted");
    CHECK_GE(told, 1);
    unsigned before = sink.count;
    CHECK_OK(wtm_scheduler_set_wall(s, 1000 * SEC));
    CHECK_GE(sink.count, before + 1);
    th_shutdown(s);
}

/* A hundred lines a second; the first of the next second says how many were left out. */
TEST(of_too_many_lines_the_rest_is_counted) {
    hand h;
    wtm_scheduler s = logging(WTM_DRIVE_MANUAL, WTM_LOG_WARNING, 0);
    wtm_executor e = hand_executor(&h);
    h.refuse = true;
    START(s, .interval_ns = 1, .executor = e);
    th_advance(s, 1000);
    CHECK_U64(th_stats(s).dropped, 1000);
    CHECK(sink.count < 1000);
    uint64_t second_of_those = th_now() / SEC;
    while (th_now() / SEC == second_of_those) continue;
    th_advance(s, 1);
    CHECK_U64(sink.count + sink.suppressed, 1001);
    CHECK_EQ(lines(WTM_LOG_WARNING, "unnamed"), LINES);
    th_shutdown(s);
}

/* The sink calls the library, also such calls as would be logged themselves: those lines are dropped, not nested. */
static wtm_scheduler at;
static wtm_target second;
static wtm_timer by_sink;
static unsigned sink_calls;

static void call_back(void) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    if (sink_calls++ > 0) return;
    CHECK_OK(wtm_timer_after(at, 10, record, NULL, NULL, &by_sink));
    CHECK_OK(wtm_timer_reschedule(by_sink, 20));
    CHECK_OK(wtm_scheduler_get_stats(at, &stats));
    CHECK_OK(wtm_target_release(second));
    CHECK_OK(wtm_timer_invalidate(START(at, .interval_ns = 7)));
}

/* covers: life.unlocked */
/* field report: 28 */
TEST(the_sink_may_call_everything_and_its_own_lines_are_dropped) {
    wtm_target first = target();
    at = logging(WTM_DRIVE_MANUAL, WTM_LOG_DEBUG, 0);
    second = target();
    START(at, .interval_ns = 100, .target = first, .name = "first");
    START(at, .interval_ns = 100, .target = second, .name = "second");
    sink_calls = 0;
    sink.during = call_back;
    CHECK_OK(wtm_target_release(first));
    sink.during = NULL;
    CHECK_GE(sink_calls, 1);
    CHECK_EQ(lines(WTM_LOG_INFO, "first"), 1);
    CHECK_EQ(lines(WTM_LOG_INFO, "second"), 0);
    CHECK(!wtm_target_is_alive(second));
    CHECK_U64(th_advance(at, 20), 1);
    CHECK_EQ(rec.ended, 3);
    th_shutdown(at);
}

static wtm_status shutdown_answer;
static void shut_down(void) {
    if (sink_calls++ == 0) shutdown_answer = wtm_scheduler_shutdown(at, WTM_NEVER);
}

/* covers: stop.shutdown */
TEST(shutdown_from_the_sink_would_deadlock_and_completes_afterwards) {
    wtm_target t = target();
    at = logging(WTM_DRIVE_MANUAL, WTM_LOG_INFO, 0);
    START(at, .interval_ns = 100, .target = t, .name = "dying");
    START(at, .interval_ns = 100, .name = "other");
    sink_calls = 0;
    sink.during = shut_down;
    CHECK_OK(wtm_target_release(t));
    CHECK_EQ(shutdown_answer, WTM_ERR_WOULD_DEADLOCK);
    wtm_status status = wtm_scheduler_shutdown(at, TH_LIMIT);
    CHECK(status == WTM_ERR_GONE || status == WTM_ERR_SHUT_DOWN);
    CHECK_EQ(rec.ended, 2);
    CHECK_EQ(rec.released, 2);
}
