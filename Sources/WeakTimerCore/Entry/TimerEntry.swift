import CWeakTimer

// Starting.

/// Starts what the short forms describe.
@inline(never)
private func startShort(
    _ s: wtm_scheduler, _ delay: UInt64, _ interval: UInt64, _ fn: wtm_tick_fn, _ context: UnsafeMutableRawPointer?,
    _ release: wtm_release_fn?, _ target: UInt64, _ out: UnsafeMutablePointer<wtm_timer>?
) -> wtm_status {
    var spec = TimerSpec()
    spec.fn = unsafeBitCast(fn, to: UInt.self)
    spec.context = context
    spec.release = release
    spec.target = target
    spec.first = delay
    spec.interval = interval
    spec.now = SystemClock.monotonic()
    return Scheduler.startDefaulted(s.id, spec, out)
}

extension Scheduler {
    /// Starts a timer that has not named an executor.
    @inline(__always)
    fileprivate static func startDefaulted(
        _ id: UInt64, _ spec: TimerSpec, _ out: UnsafeMutablePointer<wtm_timer>?
    ) -> wtm_status {
        // The default scheduler has no executor of its own.
        if id == 0 { return SchedulerPointer.start(id, spec, out) }
        if let scheduler = Schedulers.find(id), scheduler.pointee.executorID == 0 {
            return SchedulerPointer.start(id, spec, out)
        }
        var spec = spec
        let status = settleExecutor(&spec, 0, id)
        return status == WTM_OK ? SchedulerPointer.start(id, spec, out) : status
    }
}

@_cdecl("wtm_timer_start") @implementation
public func wtm_timer_start(
    _ s: wtm_scheduler, _ options: UnsafePointer<wtm_timer_options>?, _ out: UnsafeMutablePointer<wtm_timer>?
) -> wtm_status {
    out?.pointee.id = 0
    var flags: UInt32 = 0
    guard let options else { return WTM_ERR_INVALID }
    if let plain = PlainOptions(options) {
        let isStarted = SchedulerPointer.startPlain(
            s.id, fn: plain.fn, context: options.pointee.context, release: plain.release, first: plain.first, from: plain.origin,
            plain.reading, tolerance: plain.tolerance, out)
        if isStarted { return WTM_OK }
    }
    guard var spec = TimerSpec(options, &flags) else { return WTM_ERR_INVALID }
    let status = settleExecutor(&spec, flags, s.id)
    if status != WTM_OK { return status }
    if !spec.isAbsolute, !spec.isPaused {
        let isLoose = spec.clock == 0 && spec.interval == 0 && SystemClock.isLoose(spec.tolerance)
        spec.now = isLoose ? SystemClock.monotonicRoundedUp(spec.tolerance) : SystemClock.read(spec.clock)
    }
    return SchedulerPointer.start(s.id, spec, out)
}

@_cdecl("wtm_timer_after") @implementation
public func wtm_timer_after(
    _ s: wtm_scheduler, _ delay_ns: UInt64, _ fn: wtm_tick_fn?, _ context: UnsafeMutableRawPointer?,
    _ release: wtm_release_fn?, _ out: UnsafeMutablePointer<wtm_timer>?
) -> wtm_status {
    out?.pointee.id = 0
    guard let fn else { return WTM_ERR_INVALID }
    let isStarted = SchedulerPointer.startPlain(
        s.id, fn: unsafeBitCast(fn, to: UInt.self), context: context, release: unsafeBitCast(release, to: UInt.self),
        first: delay_ns, from: .now, 0, tolerance: 0, out)
    return isStarted ? WTM_OK : startShort(s, delay_ns, 0, fn, context, release, 0, out)
}

@_cdecl("wtm_timer_every") @implementation
public func wtm_timer_every(
    _ s: wtm_scheduler, _ interval_ns: UInt64, _ fn: wtm_tick_fn?, _ context: UnsafeMutableRawPointer?,
    _ release: wtm_release_fn?, _ out: UnsafeMutablePointer<wtm_timer>?
) -> wtm_status {
    out?.pointee.id = 0
    guard let fn, interval_ns != 0 else { return WTM_ERR_INVALID }
    return startShort(s, interval_ns, interval_ns, fn, context, release, 0, out)
}

@_cdecl("wtm_timer_after_target") @implementation
public func wtm_timer_after_target(
    _ s: wtm_scheduler, _ delay_ns: UInt64, _ fn: wtm_tick_fn?, _ t: wtm_target, _ out: UnsafeMutablePointer<wtm_timer>?
) -> wtm_status {
    out?.pointee.id = 0
    guard let fn else { return WTM_ERR_INVALID }
    if t.id == 0 { return WTM_ERR_GONE }
    return startShort(s, delay_ns, 0, fn, nil, nil, t.id, out)
}

@_cdecl("wtm_timer_every_target") @implementation
public func wtm_timer_every_target(
    _ s: wtm_scheduler, _ interval_ns: UInt64, _ fn: wtm_tick_fn?, _ t: wtm_target, _ out: UnsafeMutablePointer<wtm_timer>?
) -> wtm_status {
    out?.pointee.id = 0
    guard let fn, interval_ns != 0 else { return WTM_ERR_INVALID }
    if t.id == 0 { return WTM_ERR_GONE }
    return startShort(s, interval_ns, interval_ns, fn, nil, nil, t.id, out)
}

// Looking.

@_cdecl("wtm_timer_is_valid") @implementation @inline(__always)
public func wtm_timer_is_valid(_ t: wtm_timer) -> Bool { Timers.isValid(t.id) }

@_cdecl("wtm_timer_get_next") @implementation
public func wtm_timer_get_next(_ t: wtm_timer, _ out_deadline_ns: UnsafeMutablePointer<UInt64>?) -> wtm_status {
    guard let out_deadline_ns else { return WTM_ERR_INVALID }
    out_deadline_ns.pointee = 0
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    if timer.has(TimerBits.ended) { return scheduler.unlocked(WTM_ERR_GONE) }
    out_deadline_ns.pointee = scheduler.next(timer)
    return scheduler.unlocked(WTM_OK)
}

@_cdecl("wtm_timer_get_info") @implementation
public func wtm_timer_get_info(_ t: wtm_timer, _ out: UnsafeMutablePointer<wtm_timer_info>?) -> wtm_status {
    guard let out, let output = Output(out, known: MemoryLayout<wtm_timer_info>.size) else { return WTM_ERR_INVALID }
    output.clear()
    guard let (scheduler, timer) = SchedulerPointer.locked(timer: t.id) else { return WTM_ERR_GONE }
    if timer.has(TimerBits.ended) { return scheduler.unlocked(WTM_ERR_GONE) }
    let info = scheduler.info(Handle.index(t.id), timer)
    scheduler.pointee.lock.unlock()
    output.write(info)
    return WTM_OK
}
