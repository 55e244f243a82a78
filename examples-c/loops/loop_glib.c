/* A scheduler inside GLib's main loop: one source watches its descriptor. */
#include <glib-unix.h>
#include <glib.h>

#include "scenario.h"

static void quit(void *loop) { g_main_loop_quit(loop); }

static gboolean readable(gint fd, GIOCondition condition, gpointer data) {
    (void)fd, (void)condition;
    scenario_readable(data);
    return G_SOURCE_CONTINUE;
}

int main(void) {
    scenario s;
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    scenario_start(&s, quit, loop);
    guint source = g_unix_fd_add(s.fd, G_IO_IN, readable, &s);

    g_main_loop_run(loop);

    g_source_remove(source);
    g_main_loop_unref(loop);
    scenario_finish(&s);
    return EXIT_SUCCESS;
}
