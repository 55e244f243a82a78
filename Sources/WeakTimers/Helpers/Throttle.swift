/// Lets its body run at most once in an interval, however often it is called: at the first call at once, and at the end of the interval
/// again if there were calls meanwhile.
///
///     let redraw = Throttle(.milliseconds(16), target: view, action: View.redraw)
///     redraw()    // as often as you like
///
/// It holds its target weakly. When the throttle goes, a call that still waits goes with it. Every member may be called from every
/// thread, and from inside the body. The body runs on the executor, never inside `call()`; under manual time the next advance runs it.
public final class Throttle: Sendable {
    private struct State {
        var freeAt = TimerClock.Instant.zero
    }

    private let interval: Duration
    private let trailing: Bool
    private let clock: TimerClock
    private let timer: WeakTimer
    private let state = Locked(State())

    private init(
        interval: Duration, trailing: Bool, box: TimerBox, isWeak: Bool, name: String?, on executor: TimerExecutor,
        scheduler: TimerScheduler
    ) {
        precondition(interval > .zero, "WeakTimers: Throttle: the interval must be more than zero, not \(interval)")
        self.interval = interval
        self.trailing = trailing
        clock = scheduler.clock
        var options = WeakTimer.Options.at(.never)
        options.staysAfterTick = true
        options.name = name
        timer = Launch.startOrTrap(options, on: executor, scheduler: scheduler, box, isWeak: isWeak, "Throttle")
    }

    /// Runs `body` at most once in `interval`.
    ///
    /// - Parameters:
    ///   - interval: More than zero; the program stops with a message otherwise.
    ///   - trailing: Whether calls that came too soon count as one at the end of the interval; else they are forgotten.
    ///   - name: A name for lists and logs.
    ///   - executor: Where the body runs.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do.
    public convenience init(
        _ interval: Duration, trailing: Bool = true, name: String? = nil, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable () -> Void
    ) {
        self.init(
            interval: interval, trailing: trailing, box: PlainBox(body), isWeak: false, name: name, on: executor,
            scheduler: scheduler)
    }

    /// The same for an object that is held weakly: after its death nothing is run any more.
    public convenience init<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, trailing: Bool = true, name: String? = nil, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Target) -> Void
    ) {
        self.init(
            interval: interval, trailing: trailing, box: TargetBox(target, body), isWeak: true, name: name, on: executor,
            scheduler: scheduler)
    }

    /// The same with an unbound method: `action: View.redraw`.
    @_disfavoredOverload
    public convenience init<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, trailing: Bool = true, name: String? = nil, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared, action: @escaping @Sendable (Target) -> @Sendable () -> Void
    ) {
        self.init(interval, target: target, trailing: trailing, name: name, on: executor, scheduler: scheduler) { action($0)() }
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
            if trailing, timer.info?.next ?? .never == .never {
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
