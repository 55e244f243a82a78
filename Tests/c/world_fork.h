/* What the tests of forks inside callbacks share. */
#ifndef TESTS_C_WORLD_FORK_H
#define TESTS_C_WORLD_FORK_H

#include "harness.h"

static wtm_scheduler s;
static wtm_timer t, bystander;
static th_probe probe, other;
static pid_t child;

static void start_all(void) {
    th_probe_init(&probe);
    th_probe_init(&other);
    wtm_timer_options options = th_options(&other);
    options.delay_ns = TH_HOUR;
    CHECK_OK(wtm_timer_start(s, &options, &bystander));
}

static void check_gone_in_child(void) {
    CHECK(!wtm_timer_is_valid(t));
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_reschedule(t, 1), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_invalidate(bystander), WTM_ERR_GONE);
    CHECK_STATUS(wtm_timer_after(s, 1, th_tick, &probe, th_release, NULL), WTM_ERR_GONE);
    CHECK_STR(other.order, "");
}

static void check_fresh(void) {
    th_probe own;
    th_probe_init(&own);
    wtm_scheduler fresh = th_real();
    CHECK_OK(wtm_timer_after(fresh, TH_MS, th_tick, &own, th_release, NULL));
    th_probe_wait_released(&own, 1);
    th_shutdown(fresh);
}

static void fork_here(th_probe *p) {
    (void)p;
    fflush(NULL);
    child = fork();
    CHECK_SYS(child);
    if (child == 0) {
        alarm(120);
        check_gone_in_child();
        check_fresh(); /* the library works from here as well */
    }
}

#endif
