import CWeakTimer
import Synchronization

/// The options as the engine wants them, or why not.
private func convert(_ raw: UnsafePointer<wtm_scheduler_options>?) -> Result<SchedulerOptions, StatusError> {
    guard let raw else { return .success(SchedulerOptions()) }
    var given = wtm_scheduler_options()
    guard Input.read(raw, into: &given, pairs: (0, 8, 0)) else { return .failure(StatusError(WTM_ERR_INVALID)) }
    guard given.flags == 0, let drive = Scheduler.Drive(rawValue: given.drive),
        given.log_level <= WTM_LOG_ERROR.rawValue
    else { return .failure(StatusError(WTM_ERR_INVALID)) }
    var options = SchedulerOptions()
    options.drive = drive
    options.hooks.onThreadStart = given.on_thread_start
    options.hooks.onClockJump = given.on_clock_jump
    options.hooks.log = given.log
    options.hooks.logLevel = given.log_level
    options.hooks.context = given.context
    options.hooks.release = given.release
    options.maxTimers = given.max_timers
    options.slowCallback = given.slow_callback_ns
    options.stackBytes = given.thread_stack_bytes
    options.slack = given.timer_slack_ns
    options.spin = given.spin_ns
    if let name = given.name { options.name = Names.short(name, or: Names.scheduler) }
    if given.executor.id != 0 {
        switch Executors.locked(given.executor.id) {
        case .success(let executor): executor.unlock()
        case .failure(.gone): return .failure(StatusError(WTM_ERR_GONE))
        case .failure(.goingDown): return .failure(StatusError(WTM_ERR_SHUT_DOWN))
        }
        options.executorID = given.executor.id
    }
    return .success(options)
}

@_cdecl("wtm_scheduler_default") @implementation
public func wtm_scheduler_default() -> wtm_scheduler { wtm_scheduler(id: Schedulers.default) }

@_cdecl("wtm_scheduler_create") @implementation
public func wtm_scheduler_create(
    _ options: UnsafePointer<wtm_scheduler_options>?, _ out: UnsafeMutablePointer<wtm_scheduler>?
) -> wtm_status {
    guard let out else { return WTM_ERR_INVALID }
    out.pointee.id = 0
    switch convert(options).flatMap({ Schedulers.create($0) }) {
    case .success(let id):
        out.pointee.id = id
        return WTM_OK
    case .failure(let error): return error.status
    }
}

@_cdecl("wtm_scheduler_shutdown") @implementation
public func wtm_scheduler_shutdown(_ s: wtm_scheduler, _ timeout_ns: UInt64) -> wtm_status {
    switch Schedulers.locked(s.id, creating: false) {
    case .success(let scheduler): return scheduler.shutDown(timeout_ns)
    // There is no default scheduler, so it is shut down already.
    case .failure(let error): return s.id == 0 ? WTM_OK : error.status
    }
}

@_cdecl("wtm_scheduler_now") @implementation
public func wtm_scheduler_now(_ s: wtm_scheduler, _ clock: wtm_clock) -> UInt64 {
    guard clock.rawValue <= WTM_CLOCK_WALL.rawValue, case .success(let scheduler) = Schedulers.locked(s.id) else { return 0 }
    let isManual = scheduler.pointee.drive == .manual
    let now = isManual ? scheduler.now(Int(clock.rawValue)) : 0
    scheduler.pointee.lock.unlock()
    return isManual ? now : SystemClock.read(UInt32(clock.rawValue))
}

@_cdecl("wtm_scheduler_fd") @implementation
public func wtm_scheduler_fd(_ s: wtm_scheduler) -> Int32 {
    guard case .success(let scheduler) = Schedulers.locked(s.id) else { return -1 }
    defer { scheduler.pointee.lock.unlock() }
    return scheduler.pointee.descriptors.epoll.load(ordering: .acquiring) &- 1
}

@_cdecl("wtm_scheduler_next_delay") @implementation
public func wtm_scheduler_next_delay(_ s: wtm_scheduler, _ out_delay_ns: UnsafeMutablePointer<UInt64>?) -> wtm_status {
    guard let out_delay_ns else { return WTM_ERR_INVALID }
    out_delay_ns.pointee = 0
    switch Schedulers.locked(s.id) {
    case .failure(let error): return error.status
    case .success(let scheduler):
        if scheduler.pointee.state != .up { return scheduler.unlocked(WTM_ERR_SHUT_DOWN) }
        out_delay_ns.pointee = scheduler.nextDelay()
        return WTM_OK
    }
}

@_cdecl("wtm_scheduler_run_due") @implementation
public func wtm_scheduler_run_due(
    _ s: wtm_scheduler, _ max_ticks: UInt32, _ out_ran: UnsafeMutablePointer<UInt32>?
) -> wtm_status {
    var ran: UInt32 = 0
    defer { out_ran?.pointee = ran }
    switch Schedulers.locked(s.id) {
    case .failure(let error): return error.status
    case .success(let scheduler): return scheduler.runDue(max_ticks, &ran)
    }
}

@_cdecl("wtm_scheduler_advance") @implementation
public func wtm_scheduler_advance(
    _ s: wtm_scheduler, _ by_ns: UInt64, _ out_ran: UnsafeMutablePointer<UInt64>?
) -> wtm_status {
    var ran: UInt64 = 0
    defer { out_ran?.pointee = ran }
    switch Schedulers.locked(s.id) {
    case .failure(let error): return error.status
    case .success(let scheduler): return scheduler.advance(by: by_ns, &ran)
    }
}

@_cdecl("wtm_scheduler_set_wall") @implementation
public func wtm_scheduler_set_wall(_ s: wtm_scheduler, _ unix_ns: UInt64) -> wtm_status {
    switch Schedulers.locked(s.id) {
    case .failure(let error): return error.status
    case .success(let scheduler): return scheduler.setWall(unix_ns)
    }
}

@_cdecl("wtm_scheduler_get_stats") @implementation
public func wtm_scheduler_get_stats(_ s: wtm_scheduler, _ out: UnsafeMutablePointer<wtm_scheduler_stats>?) -> wtm_status {
    guard let out, let output = Output(out, known: MemoryLayout<wtm_scheduler_stats>.size) else { return WTM_ERR_INVALID }
    output.clear()
    switch Schedulers.locked(s.id) {
    case .failure(let error): return error.status
    case .success(let scheduler):
        if scheduler.pointee.state != .up { return scheduler.unlocked(WTM_ERR_SHUT_DOWN) }
        let statistics = scheduler.statistics()
        scheduler.pointee.lock.unlock()
        output.write(statistics)
        return WTM_OK
    }
}

@_cdecl("wtm_scheduler_for_each") @implementation
public func wtm_scheduler_for_each(
    _ s: wtm_scheduler, _ visit: wtm_visit_fn?, _ context: UnsafeMutableRawPointer?
) -> wtm_status {
    guard let visit else { return WTM_ERR_INVALID }
    switch Schedulers.locked(s.id) {
    case .failure(let error): return error.status
    case .success(let scheduler): return scheduler.forEach(visit, context)
    }
}
