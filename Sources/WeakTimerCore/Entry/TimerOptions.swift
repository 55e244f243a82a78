import CWeakTimer

/// The flags of the contract.
enum TimerFlags {
    static let absolute: UInt32 = 1
    static let paused: UInt32 = 2
    static let releaseOnExecutor: UInt32 = 4
    static let concurrent: UInt32 = 8
    static let keep: UInt32 = 16
    static let immediate: UInt32 = 32
    static let inline: UInt32 = 64
    static let all: UInt32 = 127
}

extension TimerSpec {
    /// The options of `wtm_timer_start` as the engine wants them; nil when they are invalid. The executor is looked up later.
    init?(_ raw: UnsafePointer<wtm_timer_options>, _ flags: inout UInt32) {
        var given = wtm_timer_options()
        guard Input.read(raw, into: &given, pairs: (0, 64, 96)) else { return nil }
        guard let fn = given.fn, given.flags & ~TimerFlags.all == 0, given.clock <= WTM_CLOCK_WALL.rawValue,
            given.missed <= WTM_MISSED_DELAY.rawValue
        else { return nil }
        flags = given.flags
        let isAbsolute = flags & TimerFlags.absolute != 0
        let isImmediate = flags & TimerFlags.immediate != 0
        if isImmediate, isAbsolute || given.delay_ns != 0 { return nil }
        if given.target.id != 0, given.weak != nil { return nil }
        if flags & TimerFlags.inline != 0, given.executor.id != 0 { return nil }
        if (given.rate_hz_numerator == 0) != (given.rate_hz_denominator == 0) { return nil }
        self.fn = unsafeBitCast(fn, to: UInt.self)
        context = given.context
        release = given.release
        ended = given.ended
        target = given.target.id
        if let weak = given.weak {
            var ops = wtm_weak_ops()
            guard Input.read(weak, into: &ops, pairs: (0, 0, 0)), let lock = ops.lock, let unlock = ops.unlock else { return nil }
            weakLock = lock
            weakUnlock = unlock
        }
        executorID = given.executor.id
        clock = given.clock
        policy = given.missed
        interval = given.interval_ns
        tolerance = given.tolerance_ns
        limit = given.tick_limit
        name = given.name.flatMap { $0[0] == 0 ? nil : $0 }
        isPaused = flags & TimerFlags.paused != 0
        releasesOnExecutor = flags & TimerFlags.releaseOnExecutor != 0
        if given.rate_hz_numerator != 0 {
            if interval != 0 { return nil }
            let period = 1_000_000_000 &* UInt64(given.rate_hz_denominator)
            if UInt64(given.rate_hz_numerator) > period { return nil }
            rate = (given.rate_hz_numerator, given.rate_hz_denominator)
            var grid = Grid()
            grid.numerator = rate.numerator
            grid.denominator = rate.denominator
            interval = grid.roundedPeriod
        }
        keeps = flags & TimerFlags.keep != 0 && interval == 0
        self.isAbsolute = isAbsolute
        if isAbsolute {
            first = given.deadline_ns
        } else if interval != 0, given.delay_ns == 0, !isImmediate {
            first = interval
        } else {
            first = given.delay_ns
        }
    }
}

/// Settles which executor a timer has, and how many of its ticks may be handed over at once.
func settleExecutor(_ spec: inout TimerSpec, _ flags: UInt32, _ scheduler: UInt64) -> wtm_status {
    let isExplicit = spec.executorID != 0
    if !isExplicit, flags & TimerFlags.inline == 0 {
        switch Schedulers.locked(scheduler) {
        case .failure(let error): return error.status
        case .success(let found):
            spec.executorID = found.pointee.executorID
            found.pointee.lock.unlock()
        }
    }
    let isConcurrent = flags & TimerFlags.concurrent != 0
    if spec.executorID == 0 { return isConcurrent ? WTM_ERR_INVALID : WTM_OK }
    switch Executors.locked(spec.executorID) {
    case .success(let executor):
        let kind = executor.pointee.kind
        if isConcurrent { spec.concurrency = executor.pointee.threads }
        executor.unlock()
        return isConcurrent && kind != .pool ? WTM_ERR_INVALID : WTM_OK
    case .failure(let gone):
        // A default executor that is down refuses ticks; an explicit one refuses the start.
        if !isExplicit { return isConcurrent ? WTM_ERR_INVALID : WTM_OK }
        return gone == .gone ? WTM_ERR_GONE : WTM_ERR_SHUT_DOWN
    }
}
