/* Fuzzer: bytes become sequences of calls, judged by the reference model.
 *
 * One input drives up to four schedulers (manual and host-driven), eight targets and 96 timers; callbacks and hooks read
 * on in the same input and make calls of their own. */
#include "fuzz.h"

void fz_call(void) {
    uint8_t which = fz_u8();
    switch (which % 8) {
    case 0:
    case 1: fz_call_start(which / 8); return;
    case 2:
    case 3:
    case 4: fz_call_timer(which / 8); return;
    case 5: fz_call_target(which / 8); return;
    case 6: fz_call_scheduler(which / 8); return;
    default:
        if (which & 8) fz_call_executor(which / 16);
        else fz_call_scheduler(8);
        return;
    }
}

static void begin(const uint8_t *data, size_t size) {
    static bool asked;
    if (!asked) {
        asked = true;
        fz_tracing = getenv("FUZZ_TRACE") != NULL;
    }
    fz_in = (fz_input){ data, data + size };
    memset(fz_schedulers, 0, sizeof fz_schedulers);
    memset(fz_targets, 0, sizeof fz_targets);
    memset(fz_timers, 0, sizeof fz_timers);
    fz_timer_count = fz_depth = fz_total_ticks = 0;
    fz_sequence = 0;
    fz_executors_begin();
    fz_call_scheduler(0);
}

/* Everything is shut down, and every hook must have run exactly once. The input is used up, so hooks do nothing more. */
static void end(void) {
    fz_in.at = fz_in.end;
    fz_executors_end();
    for (int i = 0; i < FZ_SCHEDULERS; i++) {
        fz_scheduler *s = &fz_schedulers[i];
        if (!s->used) continue;
        fz_check_books(s);
        for (unsigned n = 0; n < fz_timer_count; n++) {
            if (fz_timers[n].used && fz_timers[n].scheduler == i && fz_timers[n].live) fz_died(&fz_timers[n]);
        }
        wtm_status got = wtm_scheduler_shutdown(s->handle, WTM_NEVER);
        FZ_CHECK(s->down ? got == WTM_ERR_GONE || got == WTM_ERR_SHUT_DOWN : got == WTM_OK, "the last shutdown answers %s",
                 wtm_status_name(got));
        FZ_CHECK(wtm_scheduler_shutdown(s->handle, 0) == WTM_ERR_GONE, "a scheduler after its end");
    }
    for (int i = 0; i < FZ_TARGETS; i++) {
        fz_target *target = &fz_targets[i];
        if (!target->used) continue;
        bool dead = target->dead;
        target->dead = true;
        wtm_status got = wtm_target_close(target->handle, WTM_NEVER);
        FZ_CHECK(got == (dead ? WTM_ERR_GONE : WTM_OK), "the last close answers %s", wtm_status_name(got));
        FZ_CHECK(target->hooks == 1, "target %d: %u hooks", i, target->hooks);
    }
    for (unsigned n = 0; n < fz_timer_count; n++) {
        fz_timer *t = &fz_timers[n];
        if (!t->used) continue;
        FZ_CHECK(t->frames == 0 && t->locks == t->unlocks, "timer %u is unbalanced", n);
        FZ_CHECK(t->ended == (t->hooked ? 1u : 0u), "timer %u ended %u times", n, t->ended);
        if (t->hooked || t->target < 0) FZ_CHECK(t->released == 1, "timer %u was released %u times", n, t->released);
        if (t->known) FZ_CHECK(!wtm_timer_is_valid(t->handle), "timer %u lives on", n);
    }
    fz_executors_check();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096) return 0;
    begin(data, size);
    while (fz_more()) {
        fz_call();
        if (fz_u8() % 16 == 0) {
            for (int i = 0; i < FZ_SCHEDULERS; i++) {
                if (fz_schedulers[i].used) fz_check_books(&fz_schedulers[i]);
            }
        }
    }
    end();
    return 0;
}
