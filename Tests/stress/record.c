/* The records of timers and targets, their callbacks and hooks, and the checks of each promise. */
#include "stress.h"

enum { alive_record = 0x5ec0d1, alive_host = 0x40571, dead = 0xdead };

_Atomic(uint64_t) started, released_all, ended_all, ticked, targets_made, targets_hooked, records_live, operations, told_deadlock;

static void on_target_hook(void *context) {
    host *h = context;
    REQUIRE_VALUE(h->magic == alive_host, h->magic);
    REQUIRE(atomic_fetch_add(&h->hooks, 1) == 0);
    atomic_fetch_add(&targets_hooked, 1);
    host_drop(h);
}

host *host_create(void) {
    host *h = calloc(1, sizeof *h);
    REQUIRE(h != NULL);
    h->magic = alive_host;
    atomic_init(&h->references, 2);
    wtm_status status = wtm_target_create(h, on_target_hook, &h->target);
    REQUIRE_VALUE(status == WTM_OK, status);
    atomic_fetch_add(&targets_made, 1);
    return h;
}

void host_drop(host *h) {
    if (h == NULL) return;
    int before = atomic_fetch_sub(&h->references, 1);
    REQUIRE_VALUE(before > 0, before);
    if (before > 1) return;
    h->magic = dead;
    free(h);
}

record *record_create(host *h) {
    record *r = calloc(1, sizeof *r);
    REQUIRE(r != NULL);
    r->magic = alive_record;
    atomic_init(&r->references, 2);
    atomic_init(&r->most_begun, UINT32_MAX);
    r->host = h;
    if (h != NULL) atomic_fetch_add(&h->references, 1);
    atomic_fetch_add(&records_live, 1);
    return r;
}

void record_drop(record *r) {
    if (r == NULL) return;
    int before = atomic_fetch_sub(&r->references, 1);
    REQUIRE_VALUE(before > 0, before);
    if (before > 1) return;
    r->magic = dead;
    host_drop(r->host);
    atomic_fetch_sub(&records_live, 1);
    free(r);
}

void on_tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    record *r = context;
    REQUIRE_VALUE(r->magic == alive_record, r->magic);
    /* First of all: may this callback begin? */
    REQUIRE(!atomic_load(&r->no_more));
    unsigned begun = atomic_fetch_add(&r->begun, 1) + 1;
    REQUIRE_VALUE(begun <= atomic_load(&r->most_begun), begun);
    int inside = atomic_fetch_add(&r->running, 1);
    if (r->serial) {
        REQUIRE_VALUE(inside == 0, inside);
        r->plain++;
    }
    REQUIRE(atomic_load(&r->released) == 0);
    REQUIRE(atomic_load(&r->ended) == 0);
    if (r->host != NULL) {
        REQUIRE(tick->target == r->host);
        REQUIRE(atomic_load(&r->host->hooks) == 0);
        REQUIRE(!atomic_load(&r->host->close_returned));
    }
    atomic_fetch_add(&ticked, 1);

    switch (random_below(40)) {
    case 0: {
        wtm_status status = wtm_timer_invalidate(timer);
        REQUIRE_VALUE(status == WTM_RUNNING || status == WTM_ERR_GONE, status);
        break;
    }
    case 1: {
        wtm_status status = wtm_timer_invalidate_and_wait(timer, WTM_NEVER);
        REQUIRE_VALUE(status == WTM_ERR_WOULD_DEADLOCK, status);
        break;
    }
    case 2:
    case 3: {
        wtm_status status = wtm_timer_reschedule(timer, random_below(2000000));
        REQUIRE_VALUE(status == WTM_OK || status == WTM_ERR_GONE || status == WTM_ERR_LIMIT, status);
        break;
    }
    case 4:
    case 5:
    case 6: operate(true); break;
    case 7:
        for (volatile unsigned spin = 0; spin < 20000; spin++) continue;
        break;
    default: break;
    }
    if (r->host != NULL) REQUIRE(atomic_load(&r->host->hooks) == 0); /* borrowed until this returns */
    atomic_fetch_sub(&r->running, 1);
}

void on_ended(wtm_timer timer, wtm_reason reason, void *context) {
    record *r = context;
    REQUIRE_VALUE(r->magic == alive_record, r->magic);
    REQUIRE_VALUE(reason >= WTM_REASON_COMPLETED && reason <= WTM_REASON_SHUTDOWN, reason);
    REQUIRE(!wtm_timer_is_valid(timer));
    REQUIRE(atomic_load(&r->running) == 0);
    REQUIRE(atomic_load(&r->released) == 0);
    REQUIRE(atomic_fetch_add(&r->ended, 1) == 0);
    r->plain++;
    atomic_fetch_add(&ended_all, 1);
    if (random_below(50) == 0) operate(true);
}

void on_release(void *context) {
    record *r = context;
    REQUIRE_VALUE(r->magic == alive_record, r->magic);
    REQUIRE(atomic_load(&r->running) == 0);
    REQUIRE(atomic_load(&r->ended) == r->is_told);
    if (!r->is_told) atomic_fetch_add(&ended_all, 1);
    if (r->host != NULL) REQUIRE(atomic_load(&r->host->hooks) == 0); /* the target's hook comes after */
    if (random_below(50) == 0) operate(true);
    r->plain++;
    REQUIRE(atomic_fetch_add(&r->released, 1) == 0);
    atomic_fetch_add(&released_all, 1);
    record_drop(r);
}

void check_invalidate(record *r, wtm_status status) {
    if (status == WTM_OK) {
        if (!r->on_executor) REQUIRE(atomic_load(&r->released) == 1);
        REQUIRE(atomic_load(&r->running) == 0);
        atomic_store(&r->no_more, true);
    } else if (status == WTM_RUNNING) {
        /* The one in progress may not have come to its first line yet. */
        atomic_store(&r->most_begun, atomic_load(&r->begun) + (r->serial ? 1 : 4));
    } else {
        REQUIRE_VALUE(status == WTM_ERR_GONE, status);
    }
}

void check_wait(record *r, wtm_status status, bool from_callback) {
    if (status == WTM_ERR_WOULD_DEADLOCK) {
        REQUIRE(from_callback); /* a plain thread is waited for by nobody */
        atomic_fetch_add(&told_deadlock, 1);
        return;
    }
    if (status == WTM_ERR_TIMED_OUT) return;
    REQUIRE_VALUE(status == WTM_OK || status == WTM_ERR_GONE, status);
    atomic_store(&r->no_more, true);
    REQUIRE(atomic_load(&r->running) == 0);
    REQUIRE(atomic_load(&r->released) == 1);
    if (r->serial) REQUIRE(r->plain >= (r->is_told ? 2u : 1u)); /* a plain read: nothing touches the context any more */
}
