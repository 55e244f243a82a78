internal import CWeakTimer

/// The ticks of a repeating timer as an asynchronous sequence.
///
///     for await tick in scheduler.ticks(every: .seconds(1)) { … }
///
/// The timer starts when `ticks(every:…)` is called, so that the grid does not depend on when a task gets to run. A consumer who is
/// slower than the timer gets what `missed` says: by default one tick that carries the count. The sequence ends when its task is cancelled
/// or its scheduler is shut down; the timer ends when nobody holds the sequence or its iterator any more.
///
/// The first iterator takes the timer over; every further one has a timer of its own, which starts with it.
public struct TimerTicks: AsyncSequence, Sendable {
    /// One tick.
    public typealias Element = Tick
    /// It ends, but does not fail.
    public typealias Failure = Never

    private let first: TickLease
    private let options: WeakTimer.Options
    private let scheduler: UInt64

    init(_ options: WeakTimer.Options, on scheduler: wtm_scheduler) {
        self.options = options
        self.scheduler = scheduler.id
        first = TickLease(options, on: scheduler)
    }

    /// Waits for one tick after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let lease: TickLease

        /// The next tick; nil when the task is cancelled or the scheduler has ended.
        public mutating func next() async -> Tick? { await lease.next() }

        /// The next tick, without leaving the caller's actor; nil when the task is cancelled or the scheduler has ended.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Tick? { await lease.next() }
    }

    /// An iterator, and with it a timer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lease: first.claim() ? first : TickLease(options, on: wtm_scheduler(id: scheduler), isClaimed: true))
    }
}

extension TimerScheduler {
    /// A repeating timer, started now, whose ticks a task awaits. See `TimerTicks`.
    ///
    /// Stops the program with a message if the interval is zero or less.
    ///
    /// - Parameters:
    ///   - interval: Time between two ticks.
    ///   - tolerance: How much later than its time a tick may come.
    ///   - missed: What a slow consumer gets: one tick that stands for all (`coalesce`), every one of them (`burst`: those that wait
    ///     are kept), or the latest without a count (`delay`).
    public func ticks(
        every interval: Duration, tolerance: Duration = .zero, missed: MissedTicks = .coalesce
    ) -> TimerTicks {
        precondition(interval > .zero, "WeakTimers: ticks: the interval must be more than zero, not \(interval)")
        var options = WeakTimer.Options.every(interval)
        options.tolerance = tolerance
        options.missed = missed
        return TimerTicks(options, on: handle)
    }
}
