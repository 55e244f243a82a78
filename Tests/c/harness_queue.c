/* A custom executor that keeps its work until it is told to run it. */
#include "harness.h"

static bool submit(void *context, void (*run)(uint64_t work), uint64_t work) {
    th_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    bool accept = !queue->refuse;
    if (accept) {
        CHECK(queue->submitted - queue->taken < sizeof queue->work / sizeof queue->work[0]);
        queue->run = run;
        queue->work[queue->submitted++ % (sizeof queue->work / sizeof queue->work[0])] = work;
    } else {
        queue->refused++;
    }
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return accept;
}

static void released(void *context) {
    th_queue *queue = context;
    pthread_mutex_lock(&queue->lock);
    queue->released++;
    pthread_mutex_unlock(&queue->lock);
}

void th_queue_init(th_queue *queue) {
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    wtm_executor_ops ops = WTM_EXECUTOR_OPS_INIT;
    ops.submit = submit;
    CHECK_OK(wtm_executor_create_custom(&ops, queue, released, &queue->executor));
}

unsigned th_queue_run(th_queue *queue, unsigned most) {
    unsigned ran = 0;
    for (; ran < most; ran++) {
        pthread_mutex_lock(&queue->lock);
        bool any = queue->taken < queue->submitted;
        void (*run)(uint64_t) = queue->run;
        uint64_t work = any ? queue->work[queue->taken++ % (sizeof queue->work / sizeof queue->work[0])] : 0;
        pthread_mutex_unlock(&queue->lock);
        if (!any) break;
        run(work);
    }
    return ran;
}

void th_queue_wait(th_queue *queue, unsigned submitted) {
    uint64_t until = th_now() + TH_LIMIT;
    struct timespec limit = { (time_t)(until / TH_SEC), (long)(until % TH_SEC) };
    pthread_mutex_lock(&queue->lock);
    while (queue->submitted < submitted)
        CHECK_EQ(pthread_cond_clockwait(&queue->changed, &queue->lock, CLOCK_MONOTONIC, &limit), 0);
    pthread_mutex_unlock(&queue->lock);
}

void th_queue_refuse(th_queue *queue, bool refuse) {
    pthread_mutex_lock(&queue->lock);
    queue->refuse = refuse;
    pthread_mutex_unlock(&queue->lock);
}
