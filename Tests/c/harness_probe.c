/* Probes (recording contexts) and checked scheduler helpers. */
#include "harness.h"

void th_probe_init(th_probe *probe) {
    memset(probe, 0, sizeof *probe);
    pthread_mutex_init(&probe->lock, NULL);
    pthread_cond_init(&probe->changed, NULL);
}

static void note_locked(th_probe *probe, char letter) {
    size_t length = strlen(probe->order);
    if (length + 1 < sizeof probe->order) probe->order[length] = letter;
}

void th_probe_note(th_probe *probe, char letter) {
    pthread_mutex_lock(&probe->lock);
    note_locked(probe, letter);
    pthread_cond_broadcast(&probe->changed);
    pthread_mutex_unlock(&probe->lock);
}

static void wait_locked(th_probe *probe) {
    uint64_t until = th_now() + TH_LIMIT;
    struct timespec limit = { (time_t)(until / TH_SEC), (long)(until % TH_SEC) };
    CHECK_EQ(pthread_cond_clockwait(&probe->changed, &probe->lock, CLOCK_MONOTONIC, &limit), 0);
}

void th_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    th_probe *probe = context;
    pthread_mutex_lock(&probe->lock);
    note_locked(probe, 't');
    probe->timer = timer;
    probe->tick = *tick;
    probe->tick_thread = pthread_self();
    if (++probe->inside > probe->most_inside) probe->most_inside = probe->inside;
    if (probe->hold) {
        probe->holding = true;
        pthread_cond_broadcast(&probe->changed);
        while (probe->hold) wait_locked(probe);
        probe->holding = false;
    }
    void (*action)(th_probe *) = probe->on_tick;
    pthread_mutex_unlock(&probe->lock);
    if (action != NULL) action(probe);
    pthread_mutex_lock(&probe->lock);
    note_locked(probe, 'T');
    probe->inside--;
    probe->ticks++;
    pthread_cond_broadcast(&probe->changed);
    pthread_mutex_unlock(&probe->lock);
}

/* A hook acts first and is counted then, so that who waits for the count finds the action done. */
static void record_hook(th_probe *probe, char letter, unsigned *count, pthread_t *thread, void (*action)(th_probe *)) {
    pthread_mutex_lock(&probe->lock);
    note_locked(probe, letter);
    *thread = pthread_self();
    pthread_mutex_unlock(&probe->lock);
    if (action != NULL) action(probe);
    pthread_mutex_lock(&probe->lock);
    ++*count;
    pthread_cond_broadcast(&probe->changed);
    pthread_mutex_unlock(&probe->lock);
}

void th_ended(wtm_timer timer, wtm_reason reason, void *context) {
    th_probe *probe = context;
    pthread_mutex_lock(&probe->lock);
    probe->timer = timer;
    probe->reason = reason;
    pthread_mutex_unlock(&probe->lock);
    record_hook(probe, 'e', &probe->ended, &probe->ended_thread, probe->on_ended);
}

void th_release(void *context) {
    th_probe *probe = context;
    record_hook(probe, 'r', &probe->released, &probe->release_thread, probe->on_release);
}

void th_target_hook(void *context) {
    th_probe *probe = context;
    record_hook(probe, 'h', &probe->hooks, &probe->hook_thread, probe->on_hook);
}

void th_probe_hold(th_probe *probe) {
    pthread_mutex_lock(&probe->lock);
    probe->hold = true;
    pthread_mutex_unlock(&probe->lock);
}

void th_probe_let_go(th_probe *probe) {
    pthread_mutex_lock(&probe->lock);
    probe->hold = false;
    pthread_cond_broadcast(&probe->changed);
    pthread_mutex_unlock(&probe->lock);
}

void th_probe_wait_holding(th_probe *probe) {
    pthread_mutex_lock(&probe->lock);
    while (!probe->holding) wait_locked(probe);
    pthread_mutex_unlock(&probe->lock);
}

static void wait_count(th_probe *probe, const unsigned *count, unsigned at_least) {
    pthread_mutex_lock(&probe->lock);
    while (*count < at_least) wait_locked(probe);
    pthread_mutex_unlock(&probe->lock);
}

static unsigned read_count(th_probe *probe, const unsigned *count) {
    pthread_mutex_lock(&probe->lock);
    unsigned value = *count;
    pthread_mutex_unlock(&probe->lock);
    return value;
}

void th_probe_wait_ticks(th_probe *probe, unsigned at_least) { wait_count(probe, &probe->ticks, at_least); }
void th_probe_wait_released(th_probe *probe, unsigned at_least) { wait_count(probe, &probe->released, at_least); }
void th_probe_wait_hooks(th_probe *probe, unsigned at_least) { wait_count(probe, &probe->hooks, at_least); }
unsigned th_probe_ticks(th_probe *probe) { return read_count(probe, &probe->ticks); }
unsigned th_probe_released(th_probe *probe) { return read_count(probe, &probe->released); }
unsigned th_probe_hooks(th_probe *probe) { return read_count(probe, &probe->hooks); }

wtm_timer_options th_options(th_probe *probe) {
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = th_tick;
    options.context = probe;
    options.release = th_release;
    options.ended = th_ended;
    return options;
}

wtm_scheduler th_scheduler(wtm_drive drive) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.drive = (uint32_t)drive;
    wtm_scheduler s = { 0 };
    CHECK_OK(wtm_scheduler_create(&options, &s));
    CHECK(s.id != 0);
    return s;
}

wtm_scheduler th_manual(void) { return th_scheduler(WTM_DRIVE_MANUAL); }
wtm_scheduler th_host(void) { return th_scheduler(WTM_DRIVE_HOST); }
wtm_scheduler th_real(void) { return th_scheduler(WTM_DRIVE_THREAD); }

uint64_t th_advance(wtm_scheduler s, uint64_t by_ns) {
    uint64_t ran = 0;
    CHECK_OK(wtm_scheduler_advance(s, by_ns, &ran));
    return ran;
}

uint32_t th_run_due(wtm_scheduler s) {
    uint32_t ran = 0;
    CHECK_OK(wtm_scheduler_run_due(s, 0, &ran));
    return ran;
}

wtm_scheduler_stats th_stats(wtm_scheduler s) {
    wtm_scheduler_stats stats = WTM_SCHEDULER_STATS_INIT;
    CHECK_OK(wtm_scheduler_get_stats(s, &stats));
    return stats;
}

wtm_timer_info th_info(wtm_timer t) {
    wtm_timer_info info = WTM_TIMER_INFO_INIT;
    CHECK_OK(wtm_timer_get_info(t, &info));
    return info;
}

void th_shutdown(wtm_scheduler s) {
    CHECK_OK(wtm_scheduler_shutdown(s, TH_LIMIT));
    CHECK_STATUS(wtm_scheduler_shutdown(s, TH_LIMIT), WTM_ERR_GONE);
}
