import CPlatform
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
    guard let (chunk, timer) = Timers.locate(t.id) else { return WTM_ERR_GONE }
    if chunk.pointee.movesLoosely.load(ordering: .relaxed) != 0 {
        return rescheduleLookingFirst(t.id, delay_ns, chunk, timer)
    }
    // The clock keeps the processor from looking ahead, so the timer is asked for before.
    wtmp_prefetch(timer)
    let now = SystemClock.monotonic()
    guard let owner = Timers.owner(timer, chunk, t.id) else { return WTM_ERR_GONE }
    owner.pointee.lock.lock()
    let bits = timer.bits
    if !Timers.isCurrent(bits, t.id) { return owner.unlocked(WTM_ERR_GONE) }
    if owner.pointee.drive != .manual, owner.movePlain(timer, bits, to: now.saturatingAdd(delay_ns), but: TimerBits.clockMask) {
        if bits & TimerBits.loose != 0 { chunk.pointee.movesLoosely.store(looseMoves, ordering: .relaxed) }
        return owner.unlocked(WTM_OK)
    }
    return rescheduleAny(t.id, delay_ns, now, timer, owner)
}

/// After how many moves of timers that are not loose a chunk is taken to have none.
private let looseMoves: UInt64 = 16

/// Reschedules a timer of a chunk in which some are loose: it looks at the timer before it chooses the clock. What it sees is a hint until the lock is held.
@inline(never)
private func rescheduleLookingFirst(
    _ id: UInt64, _ delay: UInt64, _ chunk: UnsafeMutablePointer<TimerChunk>, _ timer: TimerPointer
) -> wtm_status {
    guard let owner = Timers.owner(timer, chunk, id) else { return WTM_ERR_GONE }
    let seemsLoose = timer.has(TimerBits.loose)
    var now = seemsLoose ? 0 : SystemClock.monotonic()
    owner.pointee.lock.lock()
    let bits = timer.bits
    if !Timers.isCurrent(bits, id) { return owner.unlocked(WTM_ERR_GONE) }
    if seemsLoose {
        // While it runs, it may be made to repeat, and nobody would know how its deadline was reckoned.
        let isLoose = bits & (TimerBits.full | TimerBits.running) == 0 && SystemClock.isLoose(timer.tolerance)
        now = isLoose ? SystemClock.monotonicRoundedUp(timer.tolerance) : SystemClock.monotonic()
        chunk.pointee.movesLoosely.store(looseMoves, ordering: .relaxed)
    } else {
        let left = chunk.pointee.movesLoosely.load(ordering: .relaxed)
        chunk.pointee.movesLoosely.store(left == 0 ? 0 : left &- 1, ordering: .relaxed)
    }
    if owner.pointee.drive != .manual, owner.movePlain(timer, bits, to: now.saturatingAdd(delay), but: TimerBits.clockMask) {
        return owner.unlocked(WTM_OK)
    }
    return rescheduleAny(id, delay, now, timer, owner)
}

/// The general way; `now` is by the monotonic clock. The caller holds the lock, which is released.
@inline(never)
private func rescheduleAny(
    _ id: UInt64, _ delay: UInt64, _ now: UInt64, _ timer: TimerPointer, _ owner: SchedulerPointer
) -> wtm_status {
    owner.reschedule(Handle.index(id), timer, delay: delay, now: timer.clock == 0 ? now : owner.now(timer.clock))
}

@_cdecl("wtm_timer_set_next") @implementation
public func wtm_timer_set_next(_ t: wtm_timer, _ deadline_ns: UInt64) -> wtm_status {
    guard let (timer, scheduler) = Timers.find(t.id) else { return WTM_ERR_GONE }
    if !scheduler.pointee.lock.lockShortly() { return setNextSlowly(t.id, deadline_ns) }
    let bits = timer.bits
    if Timers.isCurrent(bits, t.id), scheduler.movePlain(timer, bits, to: deadline_ns) { return scheduler.unlocked(WTM_OK) }
    return setNextLocked(t.id, deadline_ns, timer, scheduler)
}

@inline(never)
private func setNextSlowly(_ id: UInt64, _ deadline: UInt64) -> wtm_status {
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: id) else { return WTM_ERR_GONE }
    if scheduler.movePlain(timer, timer.bits, to: deadline) { return scheduler.unlocked(WTM_OK) }
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
