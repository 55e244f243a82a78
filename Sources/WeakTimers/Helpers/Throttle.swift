/// Lets its body run at most once in an interval, however often it is called: at the first call at once, and at the end of the interval
/// again if there were calls meanwhile.
///
///     let redraw = Throttle(.milliseconds(16), target: view, action: View.redraw)
///     redraw()    // as often as you like
///
/// The interval counts from the moment at which the body starts. A call that comes while an earlier one waits for its turn at the end of the
/// interval is one with that.
///
/// It holds its target weakly. When the throttle goes, a call that still waits goes with it. Every member may be called from every
/// thread, and from inside the body. The body never runs inside `call()`; under manual time the next advance runs it. After its scheduler's
/// shutdown it does nothing.
///
/// The body runs where it was written: on its actor if it has one, and else on the scheduler's thread, unless `on:` says otherwise. One for an
/// actor is isolated to that.
public final class Throttle: Sendable {
    private let trailing: Bool
    private let clock: TimerClock
    private let timer: WeakTimer
    private let state: Locked<ThrottleState>

    init(
        _ interval: Duration, trailing: Bool, _ box: TimerBox, isWeak: Bool, name: String?, on executor: TimerExecutor,
        scheduler: TimerScheduler
    ) {
        require(interval > .zero, "Throttle: the interval must be more than zero, not \(interval)")
        self.trailing = trailing
        clock = scheduler.clock
        let state = Locked(ThrottleState(interval: interval))
        self.state = state
        timer = Launch.startOrTrap(
            .onDemand(name), on: executor, scheduler: scheduler,
            HeraldBox(box) { tick in
                state.withLock { $0.bodyStarts(tick) }
                return true
            }, isWeak: isWeak, "Throttle")
    }

    deinit { timer.invalidate() }

    /// Asks for the body to run.
    ///
    /// - Returns: Whether this call starts it now; else it comes at the end of the interval, or (without `trailing`) not at all.
    @discardableResult
    public func call() -> Bool {
        state.withLock { $0.call(timer, clock, trailing: trailing) }
    }

    /// The same as `call()`.
    @discardableResult
    public func callAsFunction() -> Bool { call() }

    /// Forgets the calls for which the body has not started. The interval since it last did goes on.
    public func cancel() {
        state.withLock { $0.cancel(timer, clock) }
    }
}

/// What a throttle knows of its one timer, under its lock.
private struct ThrottleState {
    private enum Booking {
        case none
        /// A run that was asked for at once.
        case leading
        /// The same, and there was a call since: at the end of the interval there is to be another.
        case leadingThenTrailing
        /// A run at the end of the interval.
        case trailing
    }

    private let interval: Duration
    private var freeAt = TimerClock.Instant.zero
    private var booking = Booking.none
    /// How many runs of the body are in `freeAt` and in the booking; and how many have told of their start, which may come a moment later.
    private var runs = 0
    private var told = 0

    init(interval: Duration) { self.interval = interval }

    /// Called at each start of the body.
    mutating func bodyStarts(_ tick: Tick) {
        told += 1
        if told > runs { started(tick.timer, at: tick.now) }
    }

    mutating func call(_ timer: WeakTimer, _ clock: TimerClock, trailing: Bool) -> Bool {
        look(timer, clock)
        switch booking {
        case .leading:
            if trailing { booking = .leadingThenTrailing }
        case .leadingThenTrailing, .trailing: break
        case .none:
            let now = clock.now
            if now >= freeAt {
                timer.nextFire = now
                // A timer that has ended, with its target or its scheduler, starts nothing.
                if timer.isValid { booking = .leading }
                return booking == .leading
            }
            if trailing { bookTrailing(timer) }
        }
        return false
    }

    mutating func cancel(_ timer: WeakTimer, _ clock: TimerClock) {
        if booking == .none { return }
        if booking == .leadingThenTrailing { booking = .leading }
        timer.nextFire = .never
        look(timer, clock)
    }

    /// Brings the booking up to date: its run may have started and not told of it yet, or an executor has dropped it.
    private mutating func look(_ timer: WeakTimer, _ clock: TimerClock) {
        if booking == .none { return }
        guard let info = timer.info else { return booking = .none }
        if info.ticks > runs {
            started(timer, at: clock.now)
        } else if info.next == .never {
            booking = .none
        }
    }

    private mutating func started(_ timer: WeakTimer, at now: TimerClock.Instant) {
        runs += 1
        freeAt = now + interval
        let another = booking == .leadingThenTrailing
        booking = .none
        if another { bookTrailing(timer) }
    }

    private mutating func bookTrailing(_ timer: WeakTimer) {
        booking = .trailing
        timer.nextFire = freeAt
    }
}
