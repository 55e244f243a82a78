/* The model test: random operations under manual time, each done to the library and to a plain reference of it, and every tick,
 * status and value compared.
 *
 * The reference (reference.c) keeps timers in an array and looks at all of them each time: slow, and simple enough to be read
 * against the contract. It follows the library where the contract leaves a choice (a tolerant tick's moment, the place of a
 * fire), checks that the choice was allowed, and is exact in everything else. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weaktimer.h>

enum { SLOTS = 24, TARGETS = 3, OPS = 1500, INSTANCES = 6000, WORKS = 4 };

typedef enum op_kind {
    OP_START,
    OP_INVALIDATE,
    OP_PAUSE,
    OP_RESUME,
    OP_RESCHEDULE,
    OP_SET_NEXT,
    OP_SET_INTERVAL,
    OP_FIRE,
    OP_RELEASE_TARGET,
    OP_KILL, /* what a timer with weak ops refers to */
    OP_RUN_WORK,
    OP_CHECK,
    OP_ADVANCE, /* from here on not in callbacks */
    OP_SET_WALL,
    OP_KINDS
} op_kind;

typedef struct op {
    op_kind kind;
    unsigned slot;  /* a timer's slot, or a target's */
    uint64_t time;  /* delay, or how far to advance */
    int64_t offset; /* of an absolute time from now */
    uint64_t interval, tolerance, limit;
    uint32_t numerator, denominator, flags, clock, missed;
    int target;      /* -1: none */
    bool hand, weak; /* on the slot's custom executor; with weak ops */
    uint64_t script; /* what the timer's callbacks do; 0: nothing */
    unsigned work;   /* which of the slot's last works */
} op;

typedef struct timer {
    wtm_timer handle;
    unsigned slot;
    bool valid, keep, hand, weak, dead, armed, paused, paused_absolute, idle, queued, queue_fired, queue_unknown;
    bool running, returned, fired, single, last, rearmed, vague; /* single: the tick that runs is a one-shot's */
    bool waiting, had_fire, hook_due;                            /* had_fire: a fired tick came at this instant */
    uint64_t since, last_since, stamps[2], turns;                /* at this instant, see passes.c */
    uint32_t clock, missed, numerator, denominator;
    int target;
    uint64_t interval, tolerance, limit, script;
    uint64_t first, before, k; /* the next ideal deadline: first + offset of k periods - before */
    uint64_t remaining;
    uint64_t ordinal, counted, ticks, missed_total, fires, arming, callbacks;
    uint64_t scheduled, now; /* of the tick that runs */
    wtm_reason reason;
    unsigned ended, released, locked; /* locked: and not unlocked yet */
} timer;

typedef struct world {
    wtm_scheduler scheduler;
    timer timers[INSTANCES];
    size_t timer_count;
    timer *slots[SLOTS];
    wtm_target targets[TARGETS];
    uint64_t unit, now, wall_offset; /* wall = now + wall_offset, modulo 2^64 */
    bool tolerant;
    uint64_t arming, stamp;
    bool advancing, nested_run;
    uint64_t advance_end, turns;
    unsigned depth; /* of callbacks */
    unsigned runs;  /* of works, one inside the other */
    timer *expected_run;
    uint64_t hooks_due, hooks_seen, releases_seen;
    uint64_t callbacks;
    bool failed, trace; /* trace: print each operation and tick, for a shrunk list */
    char message[400];
} world;

extern world w;

/* Random numbers, all from the seed. */
typedef struct random_source {
    uint64_t state;
} random_source;
uint64_t random_next(random_source *r);
uint64_t random_below(random_source *r, uint64_t n);

/* generate.c */
void generate(uint64_t seed, op *ops, size_t count, uint64_t *unit, bool *tolerant);
op scripted(uint64_t script, uint64_t turn, uint64_t unit, bool tolerant); /* what a callback does */
void print_op(const char *where, const op *o);

/* reference.c */
uint64_t sat_add(uint64_t a, uint64_t b);
uint64_t clock_at(uint32_t clock, uint64_t moment);
uint64_t period_offset(const timer *t, uint64_t k);
uint64_t deadline_of(const timer *t);
bool repeats(const timer *t);
uint64_t effective_tolerance(const timer *t);
void lay(timer *t, uint64_t deadline);
void rejoin(timer *t, uint64_t now);
void withdraw(timer *t);
void end_timer(timer *t, wtm_reason reason);
void settle(void);
void begin_scheduled(timer *t, wtm_tick *expected);
void begin_fired(timer *t, wtm_tick *expected);

/* passes.c */
void move_to(uint64_t moment, bool at_end);
void note_due(void);
void note_due_afresh(void);
void take_turn(timer *t);
void take_fire(timer *t);

/* apply.c: does one operation to both */
void apply(const op *o);

/* engine.c: callbacks of the library, and the executors */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void engine_init(void);
wtm_executor engine_executor(unsigned slot);
void engine_run_work(unsigned slot, unsigned which);
void engine_forget_work(timer *t);
void engine_forget_all(void);
void on_tick(wtm_timer handle, const wtm_tick *tick, void *context);
void on_ended(wtm_timer handle, wtm_reason reason, void *context);
void on_release(void *context);
extern const wtm_weak_ops weak_ops;

/* episode.c: for_each against the reference */
void compare_walk(void);
/* Runs a list of operations from an empty scheduler to its shutdown; false when something differed */
bool run_episode(const op *ops, size_t count, uint64_t unit, bool tolerant, uint64_t age);

#endif
