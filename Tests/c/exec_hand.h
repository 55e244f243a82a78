/* A custom executor worked by hand: submit keeps the work, the test runs it when it likes. */
#ifndef EXEC_HAND_H
#define EXEC_HAND_H

#include "harness.h"

enum { HAND_MAX = 256 };

typedef struct hand {
    void (*run)(uint64_t work);
    uint64_t work[HAND_MAX];
    unsigned submitted, taken; /* work[taken .. submitted) is still to be run */
    unsigned refused;
    bool refuse;
    unsigned released;
} hand;

static inline bool hand_submit(void *context, void (*run)(uint64_t work), uint64_t work) {
    hand *h = context;
    if (h->refuse) {
        h->refused++;
        return false;
    }
    h->run = run;
    CHECK(h->submitted < HAND_MAX);
    h->work[h->submitted++] = work;
    return true;
}

static inline void hand_released(void *context) { ((hand *)context)->released++; }

static inline wtm_executor hand_executor(hand *h) {
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    wtm_executor e = { 0 };
    memset(h, 0, sizeof *h);
    ops.submit = hand_submit;
    CHECK_OK(wtm_executor_create_custom(&ops, h, hand_released, &e));
    CHECK(e.id != 0);
    return e;
}

static inline unsigned hand_waiting(const hand *h) { return h->submitted - h->taken; }

/* Runs the oldest work that waits. */
static inline void hand_run_one(hand *h) {
    CHECK(hand_waiting(h) > 0);
    h->run(h->work[h->taken++]);
}

static inline void hand_run_all(hand *h) {
    while (hand_waiting(h) > 0) hand_run_one(h);
}

#endif
