internal import CWeakTimer

extension TimerClock {
    /// Suspends the task until the deadline, or until it is cancelled. Under manual time the advance that reaches the deadline ends it.
    ///
    /// `Task.sleep(until:tolerance:clock:)` and everything else that takes a `Clock` comes here.
    ///
    /// - Parameters:
    ///   - deadline: When to go on; returns at once if it has passed.
    ///   - tolerance: How much later will do.
    /// - Throws: `CancellationError` if the task is cancelled, `TimerError.shutDown` or `.gone` if the scheduler ends, `.limit`
    ///   if it has no room for another timer.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        if now >= deadline, schedulerIsUp { return }
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                sleeper.start(continuation, until: deadline, tolerance: tolerance ?? .zero, on: self)
            }
        } onCancel: {
            sleeper.cancel()
        }
    }

    /// A clock whose scheduler is down stands at zero for ever. The shared scheduler always comes up.
    private var schedulerIsUp: Bool {
        var delay: UInt64 = 0
        return schedulerID == 0 || wtm_scheduler_next_delay(scheduler, &delay) == WTM_OK
    }
}

/// One sleep: a one-shot whose end, whatever its reason, resumes the task. The engine tells the end exactly once.
private final class Sleeper: Sendable {
    private enum State {
        case new
        case cancelled
        case sleeping(WeakTimer)
    }

    private let state = Locked(State.new)

    func start(
        _ continuation: CheckedContinuation<Void, any Error>, until deadline: TimerClock.Instant, tolerance: Duration,
        on clock: TimerClock
    ) {
        var options = WeakTimer.Options.at(deadline)
        options.clock = clock
        options.tolerance = tolerance
        options.onEnd = { _, reason in
            switch reason {
            case .completed: continuation.resume()
            case .shutDown: continuation.resume(throwing: TimerError.shutDown)
            case .invalidated, .targetGone: continuation.resume(throwing: CancellationError())
            }
        }
        do {
            let timer = try Launch.start(
                options, on: .inline, scheduler: clock.scheduler, PlainBox {}, isWeak: false)
            let isCancelled = state.withLock { state in
                if case .cancelled = state { return true }
                state = .sleeping(timer)
                return false
            }
            if isCancelled { timer.invalidate() }
        } catch {
            continuation.resume(throwing: error)
        }
    }

    func cancel() {
        let timer = state.withLock { state -> WeakTimer? in
            defer { state = .cancelled }
            if case .sleeping(let timer) = state { return timer }
            return nil
        }
        timer?.invalidate()
    }
}
