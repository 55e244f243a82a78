import CWeakTimer
import Synchronization

// Stopping.

@_cdecl("wtm_timer_invalidate") @implementation
public func wtm_timer_invalidate(_ t: wtm_timer) -> wtm_status {
    guard let (timer, scheduler) = Timers.find(t.id) else { return WTM_ERR_GONE }
    if !scheduler.pointee.lock.lockShortly() { return invalidateSlowly(t.id) }
    let bits = timer.bits
    if Timers.isCurrent(bits, t.id), scheduler.isPlainWaiting(timer, bits) {
        return scheduler.invalidatePlain(Handle.index(t.id), timer, bits)
    }
    return invalidateLocked(t.id, timer, scheduler)
}

@inline(never)
private func invalidateSlowly(_ id: UInt64) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: id) else { return WTM_ERR_GONE }
    if scheduler.isPlainWaiting(timer, timer.bits) { return scheduler.invalidatePlain(Handle.index(id), timer, timer.bits) }
    return scheduler.invalidateAny(Handle.index(id), timer)
}

/// The caller holds the lock, which is released.
@inline(never)
private func invalidateLocked(_ id: UInt64, _ timer: TimerPointer, _ scheduler: SchedulerPointer) -> wtm_status {
    if !Timers.isCurrent(timer, id) { return scheduler.unlocked(WTM_ERR_GONE) }
    return scheduler.invalidateAny(Handle.index(id), timer)
}

@_cdecl("wtm_timer_invalidate_and_wait") @implementation
public func wtm_timer_invalidate_and_wait(_ t: wtm_timer, _ timeout_ns: UInt64) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    if scheduler.isPlainWaiting(timer, timer.bits) { return scheduler.invalidatePlain(Handle.index(t.id), timer, timer.bits) }
    let epoch = Process.epoch
    let deadline = Wait.deadline(timeout_ns)
    let status = scheduler.invalidateAny(Handle.index(t.id), timer)
    if Process.epoch != epoch { return WTM_ERR_GONE }
    // As a rule there is nothing to wait for: the hooks have run here.
    if !Timers.isCurrent(timer, t.id) { return status == WTM_ERR_GONE ? WTM_ERR_GONE : WTM_OK }
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

@_cdecl("wtm_timer_set_next") @implementation
public func wtm_timer_set_next(_ t: wtm_timer, _ deadline_ns: UInt64) -> wtm_status {
    guard let (timer, scheduler) = Timers.find(t.id) else { return WTM_ERR_GONE }
    if !scheduler.pointee.lock.lockShortly() { return setNextSlowly(t.id, deadline_ns) }
    let bits = timer.bits
    if Timers.isCurrent(bits, t.id), scheduler.isPlainMovable(bits) {
        if scheduler.moveLater(timer, bits, to: deadline_ns) { return scheduler.unlocked(WTM_OK) }
        return scheduler.moveEarlier(Handle.index(t.id), timer, to: deadline_ns)
    }
    return setNextLocked(t.id, deadline_ns, timer, scheduler)
}

@inline(never)
private func setNextSlowly(_ id: UInt64, _ deadline: UInt64) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: id) else { return WTM_ERR_GONE }
    return scheduler.setNext(Handle.index(id), timer, deadline)
}

/// The caller holds the lock, which is released.
@inline(never)
private func setNextLocked(_ id: UInt64, _ deadline: UInt64, _ timer: TimerPointer, _ scheduler: SchedulerPointer) -> wtm_status {
    if !Timers.isCurrent(timer, id) { return scheduler.unlocked(WTM_ERR_GONE) }
    return scheduler.setNext(Handle.index(id), timer, deadline)
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
