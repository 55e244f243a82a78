internal import CWeakTimer

/// Owns time: keeps timers, sleeps until the next one is due, and delivers ticks.
///
/// Most programs need none but `.shared`, which starts its thread at the first use. Make one of your own to give its timers a thread, a
/// limit or a log of their own, or to bring time under control in tests:
///
///     let scheduler = TimerScheduler.manual()
///     WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model in … }
///     scheduler.advance(by: .seconds(60))     // 60 ticks have run
///
/// A scheduler that is given up is shut down: its timers end. Every member may be called from every thread and, where its own text
/// does not say otherwise, from inside every callback.
public final class TimerScheduler: Sendable {
    let handle: wtm_scheduler
    private let sink: LogSink
    private let executor: ExecutorOwner?

    /// The scheduler that everything uses unless told otherwise. After a `shutdown` its next use starts it afresh.
    public static let shared = TimerScheduler(wtm_scheduler(id: 0), sink: LogSink(nil), executor: nil)

    /// A scheduler with a thread of its own, unless `drive` says otherwise.
    ///
    /// - Parameters:
    ///   - name: The name of its thread, cut to 15 bytes.
    ///   - drive: Who makes its time pass.
    ///   - maxTimers: How many timers may live at once; nil for no limit.
    ///   - executor: Where callbacks run that are not told otherwise; nil for the scheduler's thread.
    ///   - slowCallback: Callbacks that take longer are logged as warnings; nil for none.
    ///   - threadStackBytes: The stack of its thread; nil for the system's default.
    ///   - timerSlack: The slack that the kernel may take with its thread's sleep; nil for the least, one nanosecond. Where ticks are
    ///     dense it also limits for how long the thread rests between two handfuls (nil: 50 microseconds, never less than 10).
    ///   - spin: How long before a deadline its thread stops sleeping and spins, for the last microseconds of precision.
    ///   - logLevel: The least level that is logged.
    ///   - onThreadStart: Called once on its thread, before anything else.
    ///   - onClockJump: Called with the change when the calendar was stepped.
    ///   - log: Gets what it logs.
    /// - Throws: `system` if a thread, a descriptor or memory is refused; `invalid` for a number that makes no sense; `gone` or `shutDown`
    ///   for an executor that is down.
    public init(
        name: String? = nil, drive: Drive = .thread, maxTimers: Int? = nil, executor: TimerExecutor? = nil,
        slowCallback: Duration? = nil, threadStackBytes: Int? = nil, timerSlack: Duration? = nil, spin: Duration = .zero,
        logLevel: LogLevel = .info, onThreadStart: (@Sendable () -> Void)? = nil,
        onClockJump: (@Sendable (Duration) -> Void)? = nil, log: LogHandler? = nil
    ) throws(TimerError) {
        var options = wtm_scheduler_options()
        options.size = UInt32(MemoryLayout<wtm_scheduler_options>.size)
        options.drive = drive.drive.rawValue
        options.log_level = logLevel.level.rawValue
        if let maxTimers {
            guard maxTimers > 0 else { throw .invalid }
            options.max_timers = UInt64(maxTimers)
        }
        // Less than nothing makes no sense, and to take it for nothing would hide a slip.
        for duration in [slowCallback, timerSlack, spin] {
            if let duration, duration < .zero { throw .invalid }
        }
        if let threadStackBytes, threadStackBytes < 0 { throw .invalid }
        if let slowCallback { options.slow_callback_ns = Nanoseconds.from(slowCallback) }
        if let threadStackBytes { options.thread_stack_bytes = UInt64(count: threadStackBytes) }
        if let timerSlack { options.timer_slack_ns = Nanoseconds.from(timerSlack) }
        options.spin_ns = Nanoseconds.from(spin)
        var owner: ExecutorOwner?
        if let executor, case .handle(let found) = executor.place {
            owner = found
            options.executor = found.handle
        }
        sink = LogSink(log, onThreadStart: onThreadStart, onClockJump: onClockJump)
        sink.install(in: &options)
        var handle = wtm_scheduler()
        let status = withOptionalCString(name) { name in
            options.name = name
            return wtm_scheduler_create(&options, &handle)
        }
        if let error = TimerError(status) {
            sink.giveBack()
            throw error
        }
        self.handle = handle
        self.executor = owner
    }

    private init(_ handle: wtm_scheduler, sink: LogSink, executor: ExecutorOwner?) {
        self.handle = handle
        self.sink = sink
        self.executor = executor
    }

    // Never waits: the last reference may go inside one of its own callbacks.
    deinit { if handle.id != 0 { _ = wtm_scheduler_shutdown(handle, 0) } }

    /// Its monotonic clock. `TimerClock(.wall, scheduler:)` gives the others.
    public var clock: TimerClock { TimerClock(kind: .monotonic, schedulerID: handle.id) }

    /// The time on its monotonic clock; zero after its shutdown.
    public var now: TimerClock.Instant { clock.now }

    /// What it logs goes there; nil for nowhere. The handler is called on any thread, and may call the library.
    public var log: LogHandler? {
        get { sink.handler }
        set { sink.handler = newValue }
    }

    /// Ends all of its timers, waits for the last callbacks, and ends its thread.
    ///
    /// - Parameter timeout: How long to wait at most, in real time; after `timedOut` it goes on by itself. Nil waits for ever.
    /// - Returns: `wouldDeadlock` from inside one of its callbacks: it then completes after that callback.
    @discardableResult
    public func shutdown(timeout: Duration? = nil) -> WaitResult {
        WaitResult(wtm_scheduler_shutdown(handle, timeout.map(Nanoseconds.from) ?? Nanoseconds.never))
    }
}
