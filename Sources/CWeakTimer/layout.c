/* The binary layout of the header, asserted wherever Swift compiles it: handles are 64-bit values, enumerators are ints,
 * and every struct has the size that version 0 gave it. A later version may only append fields. */
#include "weaktimer.h"

#if UINTPTR_MAX == UINT64_MAX
#define WTM_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " has changed its size")
WTM_SIZE(wtm_timer_options, 128);
WTM_SIZE(wtm_weak_ops, 24);
WTM_SIZE(wtm_tick, 64);
WTM_SIZE(wtm_timer_info, 136);
WTM_SIZE(wtm_scheduler_options, 112);
WTM_SIZE(wtm_scheduler_stats, 624);
WTM_SIZE(wtm_executor_ops, 16);
WTM_SIZE(wtm_scheduler, 8);
WTM_SIZE(wtm_timer, 8);
WTM_SIZE(wtm_target, 8);
WTM_SIZE(wtm_executor, 8);
WTM_SIZE(wtm_status, sizeof(int));
#endif
