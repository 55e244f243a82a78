/* A trace of timers in the Chrome trace event format, to be looked at in Perfetto or chrome://tracing.
 *
 * Nothing special is needed: a wrapper round the timer's function writes one "complete" event for each callback
 * (with lateness and missed ticks), and one instant event when the timer ends. Wrap your own timers so.
 *
 * usage: trace [file]      (trace.json by default) */
#include <inttypes.h>
#include <string.h>
#include <weaktimer.h>

#include "common/example.h"

/* ---- the recorder ---- */

static FILE *trace_file;
static uint64_t trace_events;

static void trace_open(const char *path) {
    trace_file = fopen(path, "w");
    REQUIRE(trace_file != NULL);
    fprintf(trace_file, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                        "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"WeakTimer\"}}");
}

static void trace_close(void) {
    fprintf(trace_file, "\n]}\n");
    REQUIRE(fclose(trace_file) == 0);
}

static uint64_t now(void) { return wtm_scheduler_now(DEFAULT_SCHEDULER, WTM_CLOCK_MONOTONIC); }

/* ---- a timer that is recorded ---- */

typedef struct traced {
    const char *name;
    int row; /* each timer has a row of its own in the picture */
    wtm_tick_fn fn;
    void *context;
    latch *ended;
} traced;

static void traced_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    traced *t = context;
    uint64_t begin = now();
    t->fn(timer, tick, t->context);
    uint64_t end = now();
    fprintf(trace_file,
            ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,"
            "\"args\":{\"ordinal\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"late_us\":%.3f}}",
            t->row, t->name, (double)begin / 1e3, (double)(end - begin) / 1e3, tick->ordinal, tick->missed,
            (double)(tick->now_ns - tick->scheduled_ns) / 1e3);
    trace_events++;
}

static void traced_ended(wtm_timer timer, wtm_reason reason, void *context) {
    static const char *const reasons[] = { "none", "completed", "invalidated", "target gone", "shutdown" };
    traced *t = context;
    (void)timer;
    fprintf(trace_file, ",\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":%d,\"name\":\"%s: %s\",\"ts\":%.3f}", t->row, t->name,
            reasons[reason], (double)now() / 1e3);
    trace_events++;
}

static void traced_release(void *context) {
    traced *t = context;
    latch *ended = t->ended;
    free(t);
    latch_add(ended);
}

/* Starts what the options say, recorded. All callbacks are inline here, so that the file needs no lock. */
static void start_traced(wtm_timer_options options, latch *ended) {
    static int rows;
    traced *t = malloc(sizeof *t);
    REQUIRE(t != NULL);
    *t = (traced){ options.name, ++rows, options.fn, options.context, ended };
    fprintf(trace_file, ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%d,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}", t->row,
            t->name);
    options.fn = traced_tick;
    options.context = t;
    options.ended = traced_ended;
    options.release = traced_release;
    SUCCEED(wtm_timer_start(DEFAULT_SCHEDULER, &options, NULL));
}

/* ---- something to record ---- */

static int callbacks;

static void quick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    callbacks++;
}

/* Busy for as long as its context says: the neighbours come late, and the picture shows it. */
static void busy(wtm_timer timer, const wtm_tick *tick, void *context) {
    const uint64_t *duration = context;
    uint64_t until = now() + *duration;
    (void)timer, (void)tick;
    while (now() < until) continue;
    callbacks++;
}

/* Starts the three from a callback, so that the rows are written before anything else ticks. */
static void begin(wtm_timer timer, const wtm_tick *tick, void *context) {
    static const uint64_t three_ms = MILLISECONDS(3);
    latch *ended = context;
    (void)timer, (void)tick;
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = quick;
    options.interval_ns = MILLISECONDS(1);
    options.tick_limit = 30;
    options.name = "every 1 ms";
    start_traced(options, ended);
    options.interval_ns = MILLISECONDS(7);
    options.tolerance_ns = MILLISECONDS(2);
    options.tick_limit = 5;
    options.name = "every 7 ms, tolerant";
    start_traced(options, ended);
    options.fn = busy;
    options.context = (void *)(uintptr_t)&three_ms;
    options.interval_ns = MILLISECONDS(10);
    options.tolerance_ns = 0;
    options.tick_limit = 4;
    options.name = "busy for 3 ms";
    start_traced(options, ended);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "trace.json";
    latch ended = LATCH_INIT;
    trace_open(path);
    SUCCEED(wtm_timer_after(DEFAULT_SCHEDULER, 0, begin, &ended, NULL, NULL));
    latch_wait(&ended, 3);
    SUCCEED(wtm_scheduler_shutdown(DEFAULT_SCHEDULER, WTM_NEVER)); /* nothing writes any more */
    trace_close();

    REQUIRE(callbacks == 30 + 5 + 4);
    REQUIRE(trace_events == (uint64_t)callbacks + 3); /* each callback, and each end */
    printf("%" PRIu64 " events written to %s\n", trace_events, path);
    return EXIT_SUCCESS;
}
