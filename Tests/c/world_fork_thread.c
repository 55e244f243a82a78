/* A fork on the scheduler's own thread: when the callback returns in the child, that thread, its only one, is done.
 * covers: world.fork
 * field report: 77 */
#include "world_fork.h"

/* The parent's main thread waits on this, not on the probe, whose lock it could then hold at the moment of the fork. */
static th_counter parent_released;
static void count_in_parent(th_probe *p) {
    (void)p;
    th_counter_add(&parent_released, 1);
}

/* The child's only thread is the scheduler's: when its callback returns, the thread is done, and with it the child. */
TEST(the_callback_returns_in_the_child_of_a_threads_callback) {
    s = th_real();
    start_all();
    th_counter_init(&parent_released);
    probe.on_tick = fork_here;
    probe.on_release = count_in_parent;
    wtm_timer_options options = th_options(&probe);
    CHECK_OK(wtm_timer_start(s, &options, &t));
    th_counter_wait(&parent_released, 1);
    CHECK_EQ(th_wait_child(child), 0);
    th_shutdown(s);
    CHECK_STR(probe.order, "tTer");
}
