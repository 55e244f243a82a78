internal import CWeakTimer

/// Where callbacks run.
///
/// Without one they run on the scheduler's own thread (or on the scheduler's default executor, if it was made with one). A value
/// may be copied and shared between threads and timers; what stands behind it is shut down when the last copy and the last timer
/// that uses it are gone, or by `shutdown(timeout:)`.
public struct TimerExecutor: Sendable {
    enum Place {
        case scheduler
        case inline
        case handle(ExecutorOwner)
    }

    /// One piece of work that a custom executor is asked to run: call it once, on any thread. It may be called late, also after
    /// the timer or the scheduler has ended: then it does nothing. A second call does nothing.
    public typealias Work = @Sendable () -> Void

    let place: Place

    /// What the scheduler was made with: its own thread unless it was given an executor.
    public static var scheduler: TimerExecutor { TimerExecutor(place: .scheduler) }

    /// The scheduler's own thread, also on a scheduler with another default; under manual time the thread that advances.
    public static var inline: TimerExecutor { TimerExecutor(place: .inline) }

    /// A new pool of threads.
    ///
    /// - Parameters:
    ///   - threads: How many threads, at most 1,024; 0, the default, is one for each core.
    ///   - name: The threads' name, cut to 15 bytes.
    ///
    /// Stops the program with a message if there are too many threads, or the system refuses; `makePool` reports it instead.
    public static func pool(threads: Int = 0, name: String? = nil) -> TimerExecutor {
        do {
            return try makePool(threads: threads, name: name)
        } catch {
            stop("no pool of \(threads) threads could be made: \(error)")
        }
    }

    /// A new pool of threads, or the reason why there is none: `limit` above 1,024 threads, `invalid` below 0, `system` if the
    /// system refuses.
    public static func makePool(threads: Int = 0, name: String? = nil) throws(TimerError) -> TimerExecutor {
        guard threads >= 0 else { throw .invalid }
        var handle = wtm_executor()
        try withOptionalCString(name) {
            wtm_executor_create_pool(UInt32(clamping: threads), $0, &handle)
        }.check()
        return TimerExecutor(place: .handle(ExecutorOwner(handle, keeping: nil)))
    }

    /// A new queue over a pool: what is handed to it runs one after the other, in order, on the pool's threads.
    ///
    /// Stops the program with a message if `pool` is not a pool.
    public static func serial(on pool: TimerExecutor) -> TimerExecutor {
        guard case .handle(let owner) = pool.place else {
            stop("a serial queue needs a pool to run on")
        }
        var handle = wtm_executor()
        let status = wtm_executor_create_serial(owner.handle, &handle)
        require(status == WTM_OK, "no serial queue could be made: \(TimerError(status) ?? .system)")
        return TimerExecutor(place: .handle(ExecutorOwner(handle, keeping: owner)))
    }

    /// An executor of your own: `submit` arranges for each piece of work to be called once.
    ///
    /// `submit` is called on any thread, possibly on several at once; it may call the work before it returns. A timer whose work was
    /// dropped uncalled stays queued until it is moved, paused or ended; say `false` to refuse it instead.
    public static func custom(_ submit: @escaping @Sendable (_ work: @escaping Work) -> Void) -> TimerExecutor {
        custom(
            SubmitFunction { work in
                submit(work)
                return true
            })
    }

    /// An executor of your own that may refuse: after `false` that tick counts as dropped and the timer goes on.
    ///
    /// `Answer` is `Bool`. (With that type itself, a closure of one expression would be ambiguous, or its answer be lost.)
    public static func custom<Answer: ExpressibleByBooleanLiteral & Sendable>(
        _ submit: @escaping @Sendable (_ work: @escaping Work) -> Answer
    ) -> TimerExecutor {
        custom(SubmitFunction { work in submit(work) as? Bool ?? true })
    }

    private static func custom(_ function: SubmitFunction) -> TimerExecutor {
        TimerExecutor(place: .handle(ExecutorOwner.custom(function)))
    }

    /// Refuses further ticks, drops queued ones and waits for running ones, at most for `timeout` (nil: for ever).
    ///
    /// Answers `wouldDeadlock` from one of its own callbacks (it completes after that one), and `alreadyEnded` for `.inline` and
    /// `.scheduler`, which have nothing to shut down.
    @discardableResult
    public func shutdown(timeout: Duration? = nil) -> WaitResult {
        guard case .handle(let owner) = place else { return .alreadyEnded }
        return WaitResult(wtm_executor_shutdown(owner.handle, timeout.map(Nanoseconds.from) ?? Nanoseconds.never))
    }
}
