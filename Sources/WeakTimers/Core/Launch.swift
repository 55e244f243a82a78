internal import CWeakTimer

/// The one place where a timer is started.
struct Launch {
    var options: WeakTimer.Options
    var executor: TimerExecutor = .scheduler
    var handle: wtm_scheduler
    var box: TimerBox
    var isWeak = false

    /// The full form: reports everything.
    func start() throws(TimerError) -> WeakTimer {
        var options = try self.options.converted()
        options.fn = timerTicked
        options.release = timerReleased
        if isWeak { options.weak = weakReferenceOps }
        switch executor.place {
        case .scheduler: break
        case .inline: options.flags |= UInt32(WTM_TIMER_INLINE)
        case .handle(let owner):
            options.executor = owner.handle
            box.executor = owner
        }
        box.onEnd = end
        if box.wantsEnd { options.ended = timerEnded }

        let context = Unmanaged.passRetained(box)
        options.context = context.toOpaque()
        var timer = wtm_timer()
        let status = withOptionalCString(self.options.name) { name in
            options.name = name
            return wtm_timer_start(handle, &options, &timer)
        }
        if let error = TimerError(status) {
            // A start that fails takes nothing.
            context.release()
            throw error
        }
        return WeakTimer(timer)
    }

    private var end: (@Sendable (WeakTimer, EndReason) -> Void)? {
        guard let last = TimerScheduler.lastLine(of: options.name, on: handle) else { return options.onEnd }
        guard let onEnd = options.onEnd else { return last }
        return { timer, reason in
            last(timer, reason)
            onEnd(timer, reason)
        }
    }

    /// The short form: stops the program on a programmer's error. Where there is nothing to start on any more (the scheduler is
    /// down, full, or the system refuses), the answer is a timer that has ended.
    func startOrTrap(_ what: StaticString) -> WeakTimer {
        if let interval = options.interval, interval <= .zero {
            preconditionFailure("WeakTimers: \(what): the interval must be more than zero, not \(interval)")
        }
        if let limit = options.limit, limit <= 0 {
            preconditionFailure("WeakTimers: \(what): the limit must be more than zero, not \(limit)")
        }
        do {
            return try start()
        } catch {
            error.status.trapIfMistake("\(what) was given options that contradict each other")
            return .none
        }
    }
}

extension TimerBox {
    /// Whether anybody wants to hear of the timer's end.
    @inline(__always) final var wantsEnd: Bool { onEnd != nil || needsEnd }
}
