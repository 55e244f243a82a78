/* Operations from a seed, and their printed form. */
#include <inttypes.h>
#include <stdio.h>

#include "model.h"

uint64_t random_next(random_source *r) { /* splitmix64 */
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t random_below(random_source *r, uint64_t n) { return n == 0 ? 0 : random_next(r) % n; }

/* Times are multiples of the episode's unit, which lets deadlines collide, or near them. */
static uint64_t a_time(random_source *r, uint64_t unit, uint64_t most) {
    uint64_t t = unit * random_below(r, most);
    switch (random_below(r, 8)) {
    case 0: return 0;
    case 1: return t + random_below(r, unit);
    case 2: return unit;
    default: return t;
    }
}

static void fill_start(random_source *r, op *o, uint64_t unit, bool tolerant) {
    static const uint32_t clocks[] = { 0, 0, 0, 1, 2 };
    o->clock = clocks[random_below(r, 5)];
    o->missed = (uint32_t)random_below(r, 3);
    o->target = random_below(r, 3) ? -1 : (int)random_below(r, TARGETS);
    o->hand = random_below(r, 5) == 0;
    o->weak = o->target < 0 && random_below(r, 6) == 0;
    o->script = random_below(r, 2) ? random_next(r) | 1 : 0;
    o->limit = random_below(r, 4) ? 0 : 1 + random_below(r, 6);
    if (random_below(r, 2)) o->interval = unit * (1 + random_below(r, 40)) + (random_below(r, 4) ? 0 : random_below(r, unit));
    else if (random_below(r, 5) == 0) {
        uint64_t period = unit * (1 + random_below(r, 40));
        o->denominator = 1 + (uint32_t)random_below(r, 1001);
        uint64_t numerator = (uint64_t)o->denominator * 1000000000u / period;
        o->numerator = numerator == 0 ? 1 : (uint32_t)(numerator > UINT32_MAX ? UINT32_MAX : numerator);
        if (o->missed == WTM_MISSED_DELAY) o->missed = WTM_MISSED_BURST;
    }
    bool repeating = o->interval != 0 || o->numerator != 0;
    if (random_below(r, 6) == 0) o->flags |= WTM_TIMER_PAUSED;
    if (random_below(r, 4) == 0) o->flags |= WTM_TIMER_KEEP;
    switch (random_below(r, 4)) {
    case 0:
        o->flags |= WTM_TIMER_ABSOLUTE;
        o->offset = (int64_t)a_time(r, unit, 60);
        if (random_below(r, 3)) o->offset = -(int64_t)a_time(r, unit, repeating ? 60 : 200);
        break;
    case 1:
        if (repeating) {
            o->flags |= WTM_TIMER_IMMEDIATE;
            break;
        } /* fall through */
    default: o->time = random_below(r, 50) ? a_time(r, unit, 60) : WTM_NEVER - random_below(r, 3);
    }
    if (tolerant && random_below(r, 2)) o->tolerance = a_time(r, unit, 30);
}

static op one(random_source *r, op_kind kind, uint64_t unit, bool tolerant) {
    op o = { .kind = kind, .slot = (unsigned)random_below(r, SLOTS), .target = -1 };
    switch (kind) {
    case OP_START: fill_start(r, &o, unit, tolerant); break;
    case OP_RESCHEDULE: o.time = random_below(r, 60) ? a_time(r, unit, 60) : WTM_NEVER - random_below(r, 3); break;
    case OP_SET_NEXT:
        o.offset = (int64_t)a_time(r, unit, 60);
        if (random_below(r, 3) == 0) o.offset = -(int64_t)a_time(r, unit, 25);
        break;
    case OP_SET_INTERVAL:
        if (random_below(r, 4)) o.interval = unit * (1 + random_below(r, 40));
        if (tolerant && random_below(r, 2)) o.tolerance = a_time(r, unit, 30);
        break;
    case OP_RELEASE_TARGET: o.slot %= TARGETS; break;
    case OP_RUN_WORK: o.work = (unsigned)random_below(r, WORKS); break;
    case OP_ADVANCE: o.time = random_below(r, 20) ? a_time(r, unit, 12) : a_time(r, unit, 400); break;
    case OP_SET_WALL:
        o.offset = (int64_t)a_time(r, unit, 40);
        if (random_below(r, 2)) o.offset = -o.offset;
        break;
    default: break;
    }
    return o;
}

static op_kind pick(random_source *r, bool in_callback) {
    static const uint8_t weight[OP_KINDS] = { 20, 6, 8, 8, 12, 6, 6, 6, 1, 2, 8, 10, 26, 3 };
    uint64_t total = 0;
    int kinds = in_callback ? OP_ADVANCE : OP_KINDS;
    for (int i = 0; i < kinds; i++) total += weight[i];
    uint64_t n = random_below(r, total);
    for (int i = 0; i < kinds; i++) {
        if (n < weight[i]) return (op_kind)i;
        n -= weight[i];
    }
    return OP_CHECK;
}

void generate(uint64_t seed, op *ops, size_t count, uint64_t *unit, bool *tolerant) {
    static const uint64_t units[] = { 1, 7, 1000, 4096, 1000000, 999983, UINT64_C(1000000000), UINT64_C(10000000000000) };
    random_source r = { seed };
    *unit = units[random_below(&r, sizeof units / sizeof *units)];
    *tolerant = random_below(&r, 3) == 0;
    for (size_t i = 0; i < count; i++) ops[i] = one(&r, pick(&r, false), *unit, *tolerant);
}

op scripted(uint64_t script, uint64_t turn, uint64_t unit, bool tolerant) {
    random_source r = { script ^ turn * UINT64_C(0xd1342543de82ef95) };
    bool nothing = script == 0 || random_below(&r, 2);
    op o = one(&r, nothing ? OP_CHECK : pick(&r, true), unit, tolerant);
    if (o.kind != OP_START && o.kind != OP_RELEASE_TARGET && o.kind != OP_RUN_WORK && random_below(&r, 2))
        o.slot = SLOTS; /* itself */
    return o;
}

void print_op(const char *where, const op *o) {
    static const char *const names[] = { "start", "invalidate",     "pause", "resume",   "reschedule", "set_next", "set_interval",
                                         "fire",  "release_target", "kill",  "run_work", "check",      "advance",  "set_wall" };
    printf("  %s%s", where, names[o->kind]);
    if (o->kind != OP_ADVANCE && o->kind != OP_SET_WALL) printf(" slot %u", o->slot);
    if (o->time) printf(" time %" PRIu64, o->time);
    if (o->offset) printf(" now%+" PRId64, o->offset);
    if (o->interval) printf(" interval %" PRIu64, o->interval);
    if (o->numerator) printf(" rate %" PRIu32 "/%" PRIu32, o->numerator, o->denominator);
    if (o->tolerance) printf(" tolerance %" PRIu64, o->tolerance);
    if (o->limit) printf(" limit %" PRIu64, o->limit);
    if (o->flags & WTM_TIMER_ABSOLUTE) printf(" ABSOLUTE");
    if (o->flags & WTM_TIMER_PAUSED) printf(" PAUSED");
    if (o->flags & WTM_TIMER_KEEP) printf(" KEEP");
    if (o->flags & WTM_TIMER_IMMEDIATE) printf(" IMMEDIATE");
    if (o->kind == OP_START) printf(" clock %" PRIu32 " missed %" PRIu32, o->clock, o->missed);
    if (o->target >= 0) printf(" target %d", o->target);
    if (o->hand) printf(" custom executor");
    if (o->weak) printf(" weak");
    if (o->work) printf(" work %u", o->work);
    if (o->script) printf(" script %" PRIu64, o->script);
    printf("\n");
}
