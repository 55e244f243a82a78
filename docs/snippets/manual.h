/* Virtual time for the snippets: the guide's code runs as it stands, and no test waits. */
#ifndef MANUAL_H
#define MANUAL_H

#include <weaktimer.h>

#include "example.h"

static inline wtm_scheduler manual_scheduler(void) {
    wtm_scheduler_options options = WTM_SCHEDULER_OPTIONS_INIT;
    wtm_scheduler scheduler;
    options.drive = WTM_DRIVE_MANUAL;
    SUCCEED(wtm_scheduler_create(&options, &scheduler));
    return scheduler;
}

static inline void pass(wtm_scheduler scheduler, uint64_t ns) { SUCCEED(wtm_scheduler_advance(scheduler, ns, NULL)); }

#endif
