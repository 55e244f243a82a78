/// Lets its body run at most once in an interval, however often it is called: at the first call at once, and at the end of the interval
/// again if there were calls meanwhile.
///
///     let redraw = Throttle(.milliseconds(16), target: view, action: View.redraw)
///     redraw()    // as often as you like
///
/// It holds its target weakly. When the throttle goes, a call that still waits goes with it. Every member may be called from every
/// thread, and from inside the body. The body never runs inside `call()`; under manual time the next advance runs it.
///
/// The body runs where it was written: on its actor if it has one, and else on the scheduler's thread, unless `on:` says otherwise.
public final class Throttle: Sendable {
    private struct State {
        var freeAt = TimerClock.Instant.zero
    }

    private let interval: Duration
    private let trailing: Bool
    private let clock: TimerClock
    private let timer: WeakTimer
    private let state = Locked(State())

    init(
        _ interval: Duration, trailing: Bool, _ box: TimerBox, isWeak: Bool, name: String?, on executor: TimerExecutor,
        scheduler: TimerScheduler
    ) {
        require(interval > .zero, "Throttle: the interval must be more than zero, not \(interval)")
        self.interval = interval
        self.trailing = trailing
        clock = scheduler.clock
        timer = Launch.startOrTrap(
            .onDemand(name), on: executor, scheduler: scheduler, box, isWeak: isWeak, "Throttle")
    }

    deinit { timer.invalidate() }

    /// Asks for the body to run.
    ///
    /// - Returns: Whether this call starts it now; else it comes at the end of the interval, or (without `trailing`) not at all.
    @discardableResult
    public func call() -> Bool {
        state.withLock { state in
            let now = clock.now
            if now >= state.freeAt {
                state.freeAt = now.advanced(by: interval)
                timer.nextFire = now
                return true
            }
            if trailing, !timer.isPending {
                timer.nextFire = state.freeAt
                state.freeAt = state.freeAt.advanced(by: interval)
            }
            return false
        }
    }

    /// The same as `call()`.
    @discardableResult
    public func callAsFunction() -> Bool { call() }

    /// Forgets a call that waits for the end of the interval.
    public func cancel() { timer.nextFire = .never }
}
