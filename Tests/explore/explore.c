/* The explorer itself: one token, passed on at every point by a seeded generator. */
#include "explore.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SEATS = 16, NOBODY = -1, PATIENCE = 60 };

static atomic_bool on;
static atomic_int token, seats, arrived;
static atomic_uint progress;
static atomic_bool waiting[SEATS];
static _Atomic uint64_t generator;
static atomic_uint generation;
uint64_t explore_decisions, explore_stalls;

static _Thread_local int seat = NOBODY;
static _Thread_local unsigned seat_generation;
static _Thread_local bool left;

uint64_t explore_random(void) {
    uint64_t z = atomic_fetch_add(&generator, UINT64_C(0x9e3779b97f4a7c15)) + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Gives the token to one of those who wait; `me` may be among them. */
static int choose(void) {
    int candidates[SEATS], count = 0;
    for (int i = 0; i < SEATS; i++) {
        if (atomic_load(&waiting[i])) candidates[count++] = i;
    }
    return count == 0 ? NOBODY : candidates[explore_random() % (unsigned)count];
}

/* Threads of the library take a seat at their first point. */
static bool seated(void) {
    unsigned now = atomic_load(&generation);
    if (seat_generation != now) {
        seat_generation = now;
        left = false;
        seat = atomic_fetch_add(&seats, 1);
    }
    return !left && seat < SEATS;
}

void explore_point(void) {
    if (!atomic_load(&on) || !seated()) return;
    atomic_store(&waiting[seat], true);
    explore_decisions++;
    atomic_store(&token, choose());
    unsigned seen = atomic_load(&progress), turns = 0;
    while (atomic_load(&token) != seat && atomic_load(&on)) {
        sched_yield();
        if (atomic_load(&progress) != seen) {
            seen = atomic_load(&progress);
            turns = 0;
        } else if (++turns > PATIENCE) {
            /* Whoever has the token sleeps somewhere else. */
            int holder = atomic_load(&token);
            if (holder == NOBODY || !atomic_load(&waiting[holder])) {
                explore_stalls++;
                int next = choose();
                atomic_compare_exchange_strong(&token, &holder, next);
            }
            turns = 0;
        }
    }
    atomic_store(&waiting[seat], false);
    atomic_fetch_add(&progress, 1);
}

void explore_begin(uint64_t seed) {
    for (int i = 0; i < SEATS; i++) atomic_store(&waiting[i], false);
    atomic_store(&generator, seed * UINT64_C(0x2545f4914f6cdd1d) + 1);
    atomic_store(&seats, 0);
    atomic_store(&arrived, 0);
    atomic_store(&token, NOBODY);
    atomic_fetch_add(&generation, 1);
    wtm_explore(explore_point);
    atomic_store(&on, true);
}

void explore_end(void) { atomic_store(&on, false); }

void explore_join(unsigned threads) {
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < (int)threads) sched_yield();
    explore_point();
}

void explore_leave(void) {
    if (seated()) {
        left = true;
        atomic_store(&waiting[seat], false);
        atomic_store(&token, choose());
    }
}
