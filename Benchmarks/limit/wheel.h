/* The wheel of the limit L: intrusive doubly linked nodes of 48 bytes, 64 slots a level, an occupancy word a level. */
#ifndef LIMIT_WHEEL_H
#define LIMIT_WHEEL_H

#include "limit.h"

#include <pthread.h>
#include <stdlib.h>

enum { BITS = 6, SLOTS = 64, LEVELS = 11, CHUNK_NODES = 1024, SCAN_MOST = 32 };
#define NEVER UINT64_MAX

typedef struct ring {
    struct ring *next, *previous;
} ring;

struct limit_node {
    ring ring; /* first, so that a ring is its node */
    uint64_t deadline_ns;
    limit_fn fn;
    void *context;
    uint64_t interval_ns : 48, slot : 16;
};
_Static_assert(sizeof(limit_node) == 48, "the size that the memory figure counts");

struct limit {
    pthread_mutex_t lock;
    uint64_t tick;     /* all before it has been served */
    uint64_t armed_ns; /* when the thread will wake; 0 while it is awake */
    unsigned shift;
    int epoll, event;
    ring *pool;
    uint64_t occupied[LEVELS];
    ring slots[LEVELS][SLOTS];
    ring due;
};

static inline void ring_append(ring *head, ring *added) {
    ring *last = head->previous;
    added->next = head;
    added->previous = last;
    last->next = added;
    head->previous = added;
}

static inline void unlink_node(limit *w, limit_node *node) {
    ring *next = node->ring.next, *previous = node->ring.previous;
    previous->next = next;
    next->previous = previous;
    if (next == previous && node->slot < LEVELS * SLOTS) w->occupied[node->slot / SLOTS] &= ~(1ull << (node->slot % SLOTS));
}

/* Rounded up: a slot is served when its last nanosecond has passed, so no tick is early. */
static inline void file(limit *w, limit_node *node) {
    uint64_t tick = ((node->deadline_ns - 1) >> w->shift) + 1;
    if (tick < w->tick) tick = w->tick;
    uint64_t difference = tick ^ w->tick;
    unsigned level = difference ? (63u - (unsigned)__builtin_clzll(difference)) / BITS : 0;
    unsigned slot = (tick >> (level * BITS)) % SLOTS;
    node->slot = level * SLOTS + slot;
    w->occupied[level] |= 1ull << slot;
    ring_append(&w->slots[level][slot], &node->ring);
}

static inline limit_node *take_node(limit *w) {
    if (!w->pool) {
        limit_node *chunk = malloc(CHUNK_NODES * sizeof *chunk);
        if (!chunk) abort();
        for (int i = CHUNK_NODES - 1; i >= 0; i--) {
            chunk[i].ring.next = w->pool;
            w->pool = &chunk[i].ring;
        }
    }
    limit_node *node = (limit_node *)w->pool;
    w->pool = node->ring.next;
    return node;
}

static inline void give_node(limit *w, limit_node *node) {
    node->ring.next = w->pool;
    w->pool = &node->ring;
}

/* The first occupied slot at or after the current tick; the level, or -1. */
static inline int first_slot(const limit *w, unsigned *out_slot) {
    for (int level = 0; level < LEVELS; level++) {
        unsigned digit = (w->tick >> (level * BITS)) % SLOTS;
        uint64_t ahead = w->occupied[level] & (~0ull << digit);
        if (ahead) {
            *out_slot = (unsigned)__builtin_ctzll(ahead);
            return level;
        }
    }
    return -1;
}

static inline uint64_t slot_begin(const limit *w, int level, unsigned slot) {
    unsigned above = (unsigned)(level + 1) * BITS;
    uint64_t high = above >= 64 ? 0 : w->tick >> above << above;
    return high | (uint64_t)slot << (level * BITS);
}

/* Moves everything that is due at `now` to the due list; cascades on the way. */
static inline void collect(limit *w, uint64_t now) {
    uint64_t limit_tick = now >> w->shift;
    unsigned slot;
    for (int level; (level = first_slot(w, &slot)) >= 0;) {
        uint64_t begin = slot_begin(w, level, slot);
        if (begin > limit_tick) break;
        if (begin > w->tick) w->tick = begin;
        ring *head = &w->slots[level][slot], *first = head->next;
        w->occupied[level] &= ~(1ull << slot);
        if (level == 0) {
            for (ring *each = first; each != head; each = each->next) ((limit_node *)each)->slot = LEVELS * SLOTS;
            head->previous->next = &w->due;
            first->previous = w->due.previous;
            w->due.previous->next = first;
            w->due.previous = head->previous;
            head->next = head->previous = head;
        } else {
            head->next = head->previous = head;
            while (first != head) {
                limit_node *node = (limit_node *)first;
                first = first->next;
                file(w, node);
            }
        }
    }
    if (w->tick < limit_tick) w->tick = limit_tick;
}

/* The exact first tick of a short slot; the beginning of a long one, to cascade it then. */
static inline uint64_t next_wake(const limit *w) {
    unsigned slot;
    int level = first_slot(w, &slot);
    if (level < 0) return NEVER;
    if (level == 0) return slot_begin(w, 0, slot) << w->shift;
    const ring *head = &w->slots[level][slot];
    uint64_t earliest = NEVER;
    int seen = 0;
    for (const ring *each = head->next; each != head; each = each->next, seen++) {
        if (seen == SCAN_MOST) return slot_begin(w, level, slot) << w->shift;
        uint64_t deadline = ((const limit_node *)each)->deadline_ns;
        earliest = deadline < earliest ? deadline : earliest;
    }
    return (((earliest - 1) >> w->shift) + 1) << w->shift;
}

#endif
