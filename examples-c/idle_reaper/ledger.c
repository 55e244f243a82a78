/* Keeping and checking the account. */
#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const cause_names[CAUSES] = { "none", "peer", "idle", "lifetime", "admin", "shutdown" };

bool ledger_open(struct ledger *ledger, size_t capacity) {
    ledger->entries = calloc(capacity, sizeof *ledger->entries);
    ledger->capacity = capacity;
    return ledger->entries != NULL;
}

void ledger_close(struct ledger *ledger) {
    free(ledger->entries);
    ledger->entries = NULL;
}

struct entry *ledger_add(struct ledger *ledger) {
    size_t made = atomic_load(&ledger->made);
    if (made == ledger->capacity) return NULL;
    struct entry *entry = &ledger->entries[made];
    entry->ledger = ledger;
    for (int kind = 0; kind < TIMER_KINDS; kind++) {
        entry->timers[kind].entry = entry;
        entry->timers[kind].kind = (enum timer_kind)kind;
    }
    atomic_store(&ledger->made, made + 1);
    return entry;
}

void ledger_print(struct ledger *ledger, double seconds, uint64_t timers_live, uint64_t ticks) {
    size_t made = atomic_load(&ledger->made), destroyed = atomic_load(&ledger->destroyed);
    printf("%5.1f s  open %5zu  made %5zu ", seconds, made - (destroyed < made ? destroyed : made), made);
    for (int cause = CAUSE_PEER; cause < CAUSES; cause++) {
        printf(" %s %zu", cause_names[cause], atomic_load(&ledger->by_cause[cause]));
    }
    printf("  timers %llu  ticks %llu\n", (unsigned long long)timers_live, (unsigned long long)ticks);
    fflush(stdout);
}

static size_t wrong;

static void expect(bool holds, const char *what, size_t got, size_t wanted) {
    printf("  %-44s %8zu  %s\n", what, got, holds ? "ok" : "WRONG");
    if (holds) return;
    wrong++;
    fprintf(stderr, "idle_reaper: wrong balance: %s: %zu, expected %zu\n", what, got, wanted);
}

static void expect_equal(const char *what, size_t got, size_t wanted) { expect(got == wanted, what, got, wanted); }

bool ledger_balance(struct ledger *ledger, size_t connections_by_client, uint64_t timers_live) {
    size_t made = atomic_load(&ledger->made);
    size_t causes = 0, without_cause = 0, targets_not_once = 0, timers_started = 0, hooks = 0, hooks_not_once = 0;
    for (size_t i = 0; i < made; i++) {
        struct entry *entry = &ledger->entries[i];
        if (atomic_load(&entry->cause) == CAUSE_NONE) without_cause++;
        if (atomic_load(&entry->destroyed) != 1) targets_not_once++;
        for (int kind = 0; kind < TIMER_KINDS; kind++) {
            int ran = atomic_load(&entry->timers[kind].hooks);
            timers_started += entry->timers[kind].started;
            hooks += (size_t)ran;
            if (ran != (entry->timers[kind].started ? 1 : 0)) hooks_not_once++;
        }
    }

    printf("Balance\n");
    expect_equal("connections made", made, connections_by_client);
    for (int cause = CAUSE_PEER; cause < CAUSES; cause++) {
        size_t count = atomic_load(&ledger->by_cause[cause]);
        causes += count;
        char line[64];
        snprintf(line, sizeof line, "  ended by %s", cause_names[cause]);
        /* The load is made so that each of the four ways to die is met; the server's own end finds nobody. */
        expect(cause == CAUSE_SHUTDOWN ? count == 0 : count > 0, line, count, cause != CAUSE_SHUTDOWN);
    }
    expect_equal("sum of the causes", causes, made);
    expect_equal("connections without a cause", without_cause, 0);
    expect_equal("timers started (three a connection)", timers_started, 3 * made);
    expect_equal("timers live", (size_t)timers_live, 0);
    expect_equal("timer hooks run", hooks, timers_started);
    expect_equal("timers whose hook did not run exactly once", hooks_not_once, 0);
    expect_equal("targets whose hook did not run exactly once", targets_not_once, 0);
    expect_equal("callbacks after death", atomic_load(&ledger->callbacks_after_death), 0);
    printf("  idle deadlines pushed back %zu, keep-alives sent %zu, stale events refused %zu\n",
           atomic_load(&ledger->idle_pushed_back), atomic_load(&ledger->keep_alives), atomic_load(&ledger->stale_events));
    return wrong == 0;
}
