/* Foreign weak references: each tick locks, a NULL ends the timer, unlock gives the strong pointer back.
 * covers: life.weak life.borrow life.release.once life.release.last life.unlocked
 * field report: 31 */
#include "harness.h"

/* A small reference-counted object with weak references, as another runtime would have them. */
typedef struct object {
    pthread_mutex_t lock;
    unsigned strong, weak, destroyed, locks, unlocks;
    char order[64];
    wtm_timer timer;
    void (*on_lock)(struct object *);
    void (*on_destroy)(struct object *);
    bool hold;
    th_counter held, go;
} object;

static void note(object *o, char letter) {
    size_t length = strlen(o->order);
    if (length + 1 < sizeof o->order) o->order[length] = letter;
}

static void object_init(object *o) {
    memset(o, 0, sizeof *o);
    pthread_mutex_init(&o->lock, NULL);
    th_counter_init(&o->held);
    th_counter_init(&o->go);
    o->strong = o->weak = 1;
}

static void drop_strong(object *o) {
    pthread_mutex_lock(&o->lock);
    bool last = --o->strong == 0;
    if (last) {
        o->destroyed++;
        note(o, 'd');
    }
    pthread_mutex_unlock(&o->lock);
    if (last && o->on_destroy != NULL) o->on_destroy(o);
}

static void *lock_object(void *weak) {
    object *o = weak;
    if (o->on_lock != NULL) o->on_lock(o);
    pthread_mutex_lock(&o->lock);
    o->locks++;
    bool alive = o->strong > 0;
    if (alive) o->strong++;
    note(o, alive ? 'l' : 'n');
    pthread_mutex_unlock(&o->lock);
    return alive ? o : NULL;
}

static void unlock_object(void *strong) {
    object *o = strong;
    pthread_mutex_lock(&o->lock);
    o->unlocks++;
    note(o, 'u');
    pthread_mutex_unlock(&o->lock);
    drop_strong(o);
}

static void tick(wtm_timer timer, const wtm_tick *tick, void *context) {
    object *o = context;
    CHECK(tick->target == o);
    o->timer = timer;
    note(o, 't');
    if (o->hold) {
        th_counter_add(&o->held, 1);
        th_counter_wait(&o->go, 1);
    }
}
static wtm_reason last_reason;
static void ended(wtm_timer timer, wtm_reason reason, void *context) {
    (void)timer;
    last_reason = reason;
    note(context, 'e');
}
static void release_weak(void *context) {
    object *o = context;
    o->weak--;
    note(o, 'r');
}

static wtm_timer start(wtm_scheduler s, object *o, uint64_t interval) {
    wtm_weak_ops ops = WTM_WEAK_OPS_INIT; /* copied: gone when this returns */
    ops.lock = lock_object;
    ops.unlock = unlock_object;
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick;
    options.context = o;
    options.ended = ended;
    options.release = release_weak;
    options.weak = &ops;
    options.delay_ns = 1;
    options.interval_ns = interval;
    wtm_timer t = { 0 };
    CHECK_OK(wtm_timer_start(s, &options, &t));
    memset(&ops, 0, sizeof ops);
    return t;
}

TEST(each_tick_locks_and_unlocks) {
    wtm_scheduler s = th_manual();
    object o;
    object_init(&o);
    start(s, &o, 1);
    CHECK_U64(th_advance(s, 3), 3);
    CHECK_STR(o.order, "ltultultu");
    CHECK_EQ(o.strong, 1);
    th_shutdown(s);
    CHECK_STR(o.order, "ltultultuer");
    CHECK_EQ(o.weak, 0);
}

TEST(a_null_ends_the_timer_and_is_no_tick) {
    wtm_scheduler s = th_manual();
    object o;
    object_init(&o);
    wtm_timer t = start(s, &o, 1);
    CHECK_U64(th_advance(s, 1), 1);
    drop_strong(&o);
    CHECK(wtm_timer_is_valid(t)); /* a foreign weak reference is found dead at the next tick */
    CHECK_U64(th_advance(s, 1), 0);
    CHECK_STR(o.order, "ltudner");
    CHECK_EQ(last_reason, WTM_REASON_TARGET_GONE);
    CHECK(!wtm_timer_is_valid(t));
    CHECK_U64(th_advance(s, 100), 0);
    CHECK_U64(th_stats(s).ticks, 1);
    CHECK_U64(th_stats(s).ended[WTM_REASON_TARGET_GONE], 1);
    CHECK_EQ(o.unlocks, 1);
    th_shutdown(s);
}

static void tick_drops(wtm_timer timer, const wtm_tick *tick, void *context) {
    (void)timer, (void)tick;
    note(context, 't');
    drop_strong(context); /* the owner's reference: the callback's is now the last */
}

TEST(the_last_strong_pointer_may_go_while_the_callback_has_it) {
    wtm_scheduler s = th_manual();
    object o;
    object_init(&o);
    wtm_weak_ops ops = { sizeof ops, 0, lock_object, unlock_object };
    wtm_timer_options options = WTM_TIMER_OPTIONS_INIT;
    options.fn = tick_drops;
    options.context = &o;
    options.ended = ended;
    options.release = release_weak;
    options.weak = &ops;
    CHECK_OK(wtm_timer_start(s, &options, NULL));
    CHECK_U64(th_advance(s, 0), 1);
    CHECK_EQ(o.destroyed, 1); /* inside unlock */
    CHECK_STR(o.order, "ltuder");
    CHECK_EQ(last_reason, WTM_REASON_COMPLETED);
    th_shutdown(s);
}

static wtm_scheduler hook_scheduler;
static wtm_timer hook_timer;

static unsigned calls_from_hooks;
static void call_freely(void) {
    th_probe probe;
    th_probe_init(&probe);
    wtm_timer_options options = th_options(&probe);
    wtm_timer t = { 0 };
    options.delay_ns = 5;
    CHECK_OK(wtm_timer_start(hook_scheduler, &options, &t));
    CHECK_OK(wtm_timer_invalidate_and_wait(t, WTM_NEVER));
    CHECK_STR(probe.order, "er");
    calls_from_hooks++;
}

static void call_from_lock(object *o) {
    (void)o;
    call_freely();
    CHECK_STATUS(wtm_scheduler_advance(hook_scheduler, 0, NULL), WTM_ERR_WOULD_DEADLOCK);
}

static void call_from_destroy(object *o) {
    (void)o;
    call_freely();
}

static void stop_from_lock(object *o) {
    (void)o;
    CHECK_STATUS(wtm_timer_invalidate_and_wait(hook_timer, WTM_NEVER), WTM_ERR_WOULD_DEADLOCK);
}

TEST(weak_ops_may_call_the_library) {
    hook_scheduler = th_manual();
    object o;
    object_init(&o);
    o.on_lock = call_from_lock;
    o.on_destroy = call_from_destroy;
    hook_timer = start(hook_scheduler, &o, 1);
    CHECK_U64(th_advance(hook_scheduler, 2), 2);
    drop_strong(&o);
    CHECK_U64(th_advance(hook_scheduler, 1), 0);
    CHECK_EQ(calls_from_hooks, 4); /* three locks and a destruction */
    th_shutdown(hook_scheduler);
}

TEST(a_wait_for_the_own_timer_from_lock_is_answered) {
    hook_scheduler = th_manual();
    object o;
    object_init(&o);
    o.on_lock = stop_from_lock;
    hook_timer = start(hook_scheduler, &o, 1);
    th_advance(hook_scheduler, 5);
    CHECK_EQ(o.weak, 0);
    CHECK_EQ(last_reason, WTM_REASON_INVALIDATED);
    CHECK_EQ(o.locks, o.unlocks); /* what was locked was given back */
    CHECK_EQ(o.strong, 1);
    th_shutdown(hook_scheduler);
}

static void *run_advance(void *argument) {
    CHECK_OK(wtm_scheduler_advance(*(wtm_scheduler *)argument, 1, NULL));
    return NULL;
}

TEST(a_wait_covers_unlock_and_hooks) {
    wtm_scheduler s = th_manual();
    object o;
    object_init(&o);
    o.hold = true;
    wtm_timer t = start(s, &o, 1);
    pthread_t helper = th_thread(run_advance, &s);
    th_counter_wait(&o.held, 1);
    drop_strong(&o); /* the callback's pointer is the last */
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, 0), WTM_ERR_TIMED_OUT);
    CHECK_STATUS(wtm_timer_invalidate(t), WTM_ERR_GONE);
    th_counter_add(&o.go, 1);
    CHECK_STATUS(wtm_timer_invalidate_and_wait(t, WTM_NEVER), WTM_ERR_GONE);
    CHECK_STR(o.order, "ltuder");
    CHECK_EQ(o.destroyed, 1);
    CHECK_EQ(o.weak, 0);
    th_join(helper);
    th_shutdown(s);
}
