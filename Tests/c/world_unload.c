/* dlclose of the library while it is in use: it stays mapped, its threads go on, and it can be opened again.
 * This program alone does not link the library; the path of the shared object is its argument.
 * covers: world.unload
 * field report: 83 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weaktimer.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: false: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1); \
        } \
    } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned ticks, releases;

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick, (void)context;
    pthread_mutex_lock(&lock);
    ticks++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void release(void *context) {
    (void)context;
    releases++;
}

static void wait_for_more_ticks(void) {
    pthread_mutex_lock(&lock);
    unsigned from = ticks;
    while (ticks < from + 3) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

/* dlsym gives an object pointer; C has no cast from it to a function pointer, so its bytes are copied. */
static void find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    CHECK(symbol != NULL);
    memcpy(function, &symbol, sizeof symbol);
}

int main(int count, char **arguments) {
    CHECK(count == 2);
    alarm(120);
    for (int round = 0; round < 20; round++) {
        wtm_status (*create)(const wtm_scheduler_options *, wtm_scheduler *);
        wtm_status (*every)(wtm_scheduler, uint64_t, wtm_tick_fn, void *, wtm_release_fn, wtm_timer *);
        wtm_status (*stop)(wtm_timer, uint64_t);
        wtm_status (*shut_down)(wtm_scheduler, uint64_t);
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) fprintf(stderr, "%s\n", dlerror());
        CHECK(library != NULL);
        find(library, "wtm_scheduler_create", &create);
        find(library, "wtm_timer_every", &every);
        find(library, "wtm_timer_invalidate_and_wait", &stop);
        find(library, "wtm_scheduler_shutdown", &shut_down);
        wtm_scheduler s = { 0 };
        wtm_timer t = { 0 };
        CHECK(create(NULL, &s) == WTM_OK);
        CHECK(every(s, 1000, tick, NULL, release, &t) == WTM_OK);
        wait_for_more_ticks();
        CHECK(dlclose(library) == 0); /* while its thread is in its loop or in our callback */
        wait_for_more_ticks();
        void *again = dlopen(arguments[1], RTLD_NOW | RTLD_NOLOAD);
        CHECK(again != NULL); /* still mapped */
        CHECK(dlclose(again) == 0);
        CHECK(stop(t, WTM_NEVER) == WTM_OK); /* the old addresses still hold */
        CHECK(releases == (unsigned)round + 1);
        if (round % 2) CHECK(shut_down(s, WTM_NEVER) == WTM_OK);
        else CHECK(every(s, 1000000, tick, NULL, NULL, NULL) == WTM_OK); /* left running */
    }
    printf("ok dlclose_while_in_use\n");
    return 0;
}
