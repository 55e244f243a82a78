/* What the examples share: a check that ends the program with a message, and a latch, on which
 * main() waits for callbacks without sleeping. Nothing here belongs to the library. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MILLISECONDS(n) ((uint64_t)(n) * 1000000u)
#define SECONDS(n) ((uint64_t)(n) * 1000000000u)

/* The scheduler that the library makes by itself: the zero handle means the default one. */
#define DEFAULT_SCHEDULER ((wtm_scheduler){ 0 })

#define REQUIRE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

/* A call that must succeed; the message names the status otherwise. */
#define SUCCEED(call) \
    do { \
        wtm_status status_of_call = (call); \
        if (status_of_call < 0) { \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, wtm_status_message(status_of_call)); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

typedef struct latch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int count;
} latch;

#define LATCH_INIT { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 }

static inline void latch_add(latch *l) {
    pthread_mutex_lock(&l->lock);
    l->count++;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static inline int latch_count(latch *l) {
    pthread_mutex_lock(&l->lock);
    int count = l->count;
    pthread_mutex_unlock(&l->lock);
    return count;
}

static inline void latch_wait(latch *l, int count) {
    pthread_mutex_lock(&l->lock);
    while (l->count < count) pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

#endif
