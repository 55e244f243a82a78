/* Guide: shutting down in the right order. */
#include "manual.h"

static char order[8];
static int told;

struct service {
    wtm_scheduler scheduler;
    wtm_executor pool, queue;
    wtm_target lifetime;
};

static void work(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    latch_add(context);
}

static void service_hook(void *context) {
    (void)context;
    order[told++] = 't';
}

static void scheduler_hook(void *context) {
    (void)context;
    order[told++] = 's';
}

/* region: shutdown */
static void service_stop(struct service *service) {
    /* 1. The objects: their timers end, running callbacks are waited for, their hooks have run. */
    wtm_target_close(service->lifetime, WTM_NEVER);

    /* 2. The scheduler: ends what is left, and joins its thread. Nothing is handed to executors any more. */
    wtm_scheduler_shutdown(service->scheduler, WTM_NEVER);

    /* 3. The executors: queues before their pool. */
    wtm_executor_shutdown(service->queue, WTM_NEVER);
    wtm_executor_shutdown(service->pool, WTM_NEVER);

    /* 4. Whatever the callbacks used. A plugin may be unloaded now. */
}
/* end region */

int main(void) {
    latch worked = LATCH_INIT;
    struct service service;
    SUCCEED(wtm_executor_create_pool(2, "workers", &service.pool));
    SUCCEED(wtm_executor_create_serial(service.pool, &service.queue));

    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    options.executor = service.queue;
    options.release = scheduler_hook;
    SUCCEED(wtm_scheduler_create(&options, &service.scheduler));
    SUCCEED(wtm_target_create(&worked, service_hook, &service.lifetime));
    SUCCEED(wtm_timer_every_target(service.scheduler, MILLISECONDS(1), work, service.lifetime, NULL));
    latch_wait(&worked, 3);

    service_stop(&service);
    REQUIRE(told == 2 && order[0] == 't' && order[1] == 's');
    REQUIRE(wtm_scheduler_shutdown(service.scheduler, 0) == WTM_ERR_GONE);
    return EXIT_SUCCESS;
}
