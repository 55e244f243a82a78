internal import CWeakTimer

/// Where timers are started: the three forms, made into one call of the engine.
enum Launch {
    /// The short form of a repeating timer. It stops the program on a programmer's error. Where there is nothing to start on any more
    /// (the scheduler is down, full, or the system refuses), the answer is a timer that has ended.
    static func every(
        _ interval: Duration, tolerance: Duration, missed: MissedTicks, limit: Int?, immediate: Bool, clock: TimerClock,
        name: String?, on executor: TimerExecutor, scheduler: TimerScheduler, _ box: TimerBox, isWeak: Bool
    ) -> WeakTimer {
        require(
            interval > .zero, "WeakTimer.every: the interval must be more than zero, not \(interval)")
        var options = fresh(clock, tolerance)
        options.interval_ns = Nanoseconds.from(interval)
        options.missed = missed.policy.rawValue
        if immediate { options.flags = UInt32(WTM_TIMER_IMMEDIATE) }
        if let limit {
            require(limit > 0, "WeakTimer.every: the limit must be more than zero, not \(limit)")
            options.tick_limit = UInt64(limit)
        }
        return startOrTrap(&options, name: name, on: executor, scheduler, box, isWeak: isWeak, "WeakTimer.every")
    }

    /// The short form of a one-shot, with the same manners.
    static func after(
        _ delay: Duration, tolerance: Duration, clock: TimerClock, name: String?, on executor: TimerExecutor,
        scheduler: TimerScheduler, _ box: TimerBox, isWeak: Bool
    ) -> WeakTimer {
        var options = fresh(clock, tolerance)
        options.delay_ns = Nanoseconds.from(delay)
        return startOrTrap(&options, name: name, on: executor, scheduler, box, isWeak: isWeak, "WeakTimer.after")
    }

    /// The full form: reports everything.
    static func start(
        _ options: WeakTimer.Options, on executor: TimerExecutor, scheduler: wtm_scheduler, _ box: TimerBox, isWeak: Bool
    ) throws(TimerError) -> WeakTimer {
        var converted = try options.converted()
        var timer = WeakTimer.none
        try start(
            &converted, name: options.name, onEnd: options.onEnd, on: executor, scheduler, box, isWeak: isWeak, &timer
        ).check()
        return timer
    }

    /// The full form for those who made the options themselves: an error is a mistake of theirs, or there is nothing to start on.
    static func startOrTrap(
        _ options: WeakTimer.Options, on executor: TimerExecutor, scheduler: TimerScheduler, _ box: TimerBox, isWeak: Bool,
        _ what: StaticString
    ) -> WeakTimer {
        do {
            return try start(options, on: executor, scheduler: scheduler.handle, box, isWeak: isWeak)
        } catch {
            error.status.trapIfMistake("\(what) was given options that contradict each other")
            return .none
        }
    }

    private static func fresh(_ clock: TimerClock, _ tolerance: Duration) -> wtm_timer_options {
        var options = wtm_timer_options()
        options.size = UInt32(MemoryLayout<wtm_timer_options>.size)
        options.clock = clock.kind.clock.rawValue
        if tolerance > .zero { options.tolerance_ns = Nanoseconds.from(tolerance) }
        return options
    }

    private static func startOrTrap(
        _ options: inout wtm_timer_options, name: String?, on executor: TimerExecutor, _ scheduler: TimerScheduler,
        _ box: TimerBox, isWeak: Bool, _ what: StaticString
    ) -> WeakTimer {
        var timer = WeakTimer.none
        start(&options, name: name, onEnd: nil, on: executor, scheduler.handle, box, isWeak: isWeak, &timer)
            .trapIfMistake("\(what) was given options that contradict each other")
        return timer
    }

    /// The one place where the engine is called. A start that fails takes nothing, and gives the box back.
    private static func start(
        _ options: inout wtm_timer_options, name: String?, onEnd: EndHandler?, on executor: TimerExecutor,
        _ scheduler: wtm_scheduler, _ box: TimerBox, isWeak: Bool, _ timer: inout WeakTimer
    ) -> wtm_status {
        options.fn = timerTicked
        options.release = timerReleased
        if isWeak { options.weak = weakReferenceOps }
        switch box.place(executor.place) {
        case .scheduler: break
        case .inline: options.flags |= UInt32(WTM_TIMER_INLINE)
        case .handle(let owner):
            options.executor = owner.handle
            box.executor = owner
        }
        box.onEnd = onEnd
        // A scheduler of one's own logs the death of a named timer's target; the shared one has no sink, and is helped.
        if scheduler.id == 0 { box.name = name }
        if onEnd != nil || box.name != nil { options.ended = timerEnded }

        let context = Unmanaged.passRetained(box)
        options.context = context.toOpaque()
        var handle = wtm_timer()
        let status = withOptionalCString(name) { name in
            options.name = name
            let status = wtm_timer_start(scheduler, &options, &handle)
            guard status == WTM_ERR_GONE, let owner = box.executor, owner.renew(options.executor) else { return status }
            options.executor = owner.handle
            return wtm_timer_start(scheduler, &options, &handle)
        }
        if status != WTM_OK { context.release() }
        timer = WeakTimer(handle)
        return status
    }
}

/// Told of a timer's end.
typealias EndHandler = @Sendable (WeakTimer, EndReason) -> Void
