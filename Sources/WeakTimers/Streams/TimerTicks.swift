internal import CWeakTimer

/// The ticks of a repeating timer as an asynchronous sequence.
///
///     for await tick in scheduler.ticks(every: .seconds(1)) { … }
///
/// The timer starts when `ticks(every:…)` is called, so that the grid does not depend on when a task gets to run. A consumer who is
/// slower than the timer gets what `missed` says: by default one tick that carries the count. The sequence ends when its task is cancelled,
/// its scheduler is shut down or its target (if it has one) has died; the timer ends, too, when nobody holds the sequence or its
/// iterator any more.
///
/// The first iterator takes the timer over; every further one has a timer of its own, which starts with it.
public struct TimerTicks: AsyncSequence, Sendable {
    /// One tick.
    public typealias Element = Tick
    /// It ends, but does not fail.
    public typealias Failure = Never

    private let first: TickLease
    private let another: @Sendable () -> TickLease

    init(_ start: @escaping @Sendable () -> TickLease) {
        another = start
        first = start()
    }

    /// Waits for one tick after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let lease: TickLease

        /// The next tick; nil at the end.
        public mutating func next() async -> Tick? { await lease.next(isolation: nil) }

        /// The next tick; nil at the end. It leaves the caller's actor only to wait: a tick that is there is taken at once.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Tick? {
            await lease.next(isolation: actor)
        }
    }

    /// An iterator, and with it a timer.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lease: first.claim() ? first : another())
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
        let options = tickOptions(interval, tolerance, missed)
        let handle = handle
        return TimerTicks {
            TickLease(options, on: handle, isWeak: false) { channel in TickBox { channel.send($0) } }
        }
    }

    /// The same for an object that is held weakly: the sequence ends, at the next tick at the latest, when it has died.
    public func ticks<Target: AnyObject & Sendable>(
        every interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce
    ) -> TimerTicks {
        let options = tickOptions(interval, tolerance, missed)
        let handle = handle
        return TimerTicks { [weak target] in
            TickLease(options, on: handle, isWeak: true) { channel in
                target.map { TargetTickBox($0) { _, tick in channel.send(tick) } }
            }
        }
    }

    private func tickOptions(_ interval: Duration, _ tolerance: Duration, _ missed: MissedTicks) -> WeakTimer.Options {
        require(interval > .zero, "ticks: the interval must be more than zero, not \(interval)")
        var options = WeakTimer.Options.every(interval)
        options.tolerance = tolerance
        options.missed = missed
        return options
    }
}
