import CPlatform
import CWeakTimer
import Synchronization

// Stopping.

@_cdecl("wtm_timer_invalidate") @implementation
public func wtm_timer_invalidate(_ t: wtm_timer) -> wtm_status {
    guard let (timer, scheduler) = Timers.find(t.id) else { return WTM_ERR_GONE }
    Timers.prefetchNeighbours(timer)
    scheduler.pointee.lock.lock()
    if !Timers.isCurrent(timer, t.id) { return scheduler.unlocked(WTM_ERR_GONE) }
    return scheduler.invalidate(Handle.index(t.id), timer)
}

@_cdecl("wtm_timer_invalidate_and_wait") @implementation
public func wtm_timer_invalidate_and_wait(_ t: wtm_timer, _ timeout_ns: UInt64) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    if scheduler.invalidatePlain(Handle.index(t.id), timer) { return WTM_OK }
    let epoch = Process.epoch
    let deadline = Wait.deadline(timeout_ns)
    let status = scheduler.invalidate(Handle.index(t.id), timer)
    if Process.epoch != epoch { return WTM_ERR_GONE }
    let waited = Wait.until(.timer(scheduler, Handle.index(t.id), t.id), deadline, scheduler.pointee.event)
    if waited != WTM_OK { return waited }
    return status == WTM_ERR_GONE ? WTM_ERR_GONE : WTM_OK
}

// Moving.

@_cdecl("wtm_timer_fire") @implementation
public func wtm_timer_fire(_ t: wtm_timer) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    return scheduler.fire(Handle.index(t.id), timer)
}

@_cdecl("wtm_timer_reschedule") @implementation
public func wtm_timer_reschedule(_ t: wtm_timer, _ delay_ns: UInt64) -> wtm_status {
    guard let (timer, owner) = Timers.find(t.id) else { return WTM_ERR_GONE }
    // Neither the clock of a timer nor the drive of its scheduler changes while the handle is current.
    let bits = timer.pointee.head.load(ordering: .relaxed)
    let now: UInt64
    if bits & (TimerBits.clockMask | TimerBits.full) == 0 {
        // A plain timer's tolerance, as a hint: it may have changed by the time the lock is held, and is looked at again there.
        let code = UInt32(truncatingIfNeeded: wtmp_hint64(UnsafeRawPointer(timer) + 40) >> 32)
        let isLoose = code != 0 && SystemClock.isLoose(ToleranceCode.decode(code))
        now = isLoose ? SystemClock.monotonicRoundedUp() : SystemClock.monotonic()
        owner.pointee.lock.lock()
        if !Timers.isCurrent(timer, t.id) { return owner.unlocked(WTM_ERR_GONE) }
        if isLoose, timer.has(TimerBits.full) || !SystemClock.isLoose(timer.tolerance) {
            return owner.reschedule(Handle.index(t.id), timer, delay: delay_ns, now: SystemClock.monotonic())
        }
        if owner.pointee.drive != .manual, owner.movePlain(timer, to: now.saturatingAdd(delay_ns)) { return WTM_OK }
    } else {
        now = SystemClock.read(UInt32(truncatingIfNeeded: bits >> TimerBits.clockShift & 3))
        owner.pointee.lock.lock()
        if !Timers.isCurrent(timer, t.id) { return owner.unlocked(WTM_ERR_GONE) }
    }
    return owner.reschedule(Handle.index(t.id), timer, delay: delay_ns, now: now)
}

@_cdecl("wtm_timer_set_next") @implementation
public func wtm_timer_set_next(_ t: wtm_timer, _ deadline_ns: UInt64) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    if scheduler.movePlain(timer, to: deadline_ns) { return WTM_OK }
    return scheduler.setNext(Handle.index(t.id), timer, deadline_ns)
}

@_cdecl("wtm_timer_set_interval") @implementation
public func wtm_timer_set_interval(_ t: wtm_timer, _ interval_ns: UInt64, _ tolerance_ns: UInt64) -> wtm_status {
    setInterval(t.id, interval_ns, tolerance_ns)
}

@_cdecl("wtm_timer_set_interval_only") @implementation
public func wtm_timer_set_interval_only(_ t: wtm_timer, _ interval_ns: UInt64) -> wtm_status {
    setInterval(t.id, interval_ns, nil)
}

@_cdecl("wtm_timer_set_tolerance") @implementation
public func wtm_timer_set_tolerance(_ t: wtm_timer, _ tolerance_ns: UInt64) -> wtm_status {
    setInterval(t.id, nil, tolerance_ns)
}

@inline(never)
private func setInterval(_ id: UInt64, _ interval: UInt64?, _ tolerance: UInt64?) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: id) else { return WTM_ERR_GONE }
    return scheduler.setInterval(Handle.index(id), timer, interval, tolerance)
}

@_cdecl("wtm_timer_pause") @implementation
public func wtm_timer_pause(_ t: wtm_timer) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    return scheduler.pause(Handle.index(t.id), timer)
}

@_cdecl("wtm_timer_resume") @implementation
public func wtm_timer_resume(_ t: wtm_timer) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    return scheduler.resume(Handle.index(t.id), timer)
}
