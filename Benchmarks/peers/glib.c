/* GLib: a timeout source on a main context. */
#include "bench.h"

#include <glib.h>

const char *const peer_name = "glib";
const unsigned peer_features = PEER_MOVES | PEER_THREAD_SAFE | PEER_KEEPS_FIRED;
const size_t peer_largest_n = 1000000;

static GMainContext *context;
static GSource **sources;

void peer_open(size_t capacity, bool threaded) {
    (void)threaded;
    context = g_main_context_new();
    sources = bench_allocate(capacity * sizeof *sources);
    for (size_t i = 0; i < capacity; i++) sources[i] = NULL;
}

void peer_close(void) { g_main_context_unref(context); }

static gboolean once(gpointer index) {
    bench_tick((size_t)index);
    return G_SOURCE_REMOVE;
}

static gboolean again(gpointer index) {
    bench_tick((size_t)index);
    return G_SOURCE_CONTINUE;
}

static void start(size_t i, uint64_t delay_ns, GSourceFunc fn) {
    sources[i] = g_timeout_source_new((guint)((delay_ns + NS_PER_MS - 1) / NS_PER_MS));
    g_source_set_callback(sources[i], fn, (gpointer)i, NULL);
    g_source_attach(sources[i], context);
}

void peer_start(size_t i, uint64_t delay_ns) { start(i, delay_ns, once); }
void peer_start_every(size_t i, uint64_t interval_ns) { start(i, interval_ns, again); }

void peer_cancel(size_t i) {
    if (!sources[i]) return;
    g_source_destroy(sources[i]);
    g_source_unref(sources[i]);
    sources[i] = NULL;
}

void peer_move(size_t i, uint64_t delay_ns) {
    g_source_set_ready_time(sources[i], g_get_monotonic_time() + (gint64)(delay_ns / 1000));
}

void peer_run_once(bool wait) { g_main_context_iteration(context, wait); }
