/// Runs its body once things have been quiet for a while: after the last of a flurry of calls.
///
///     let save = Debouncer(.milliseconds(300), target: document, action: Document.save)
///     // at each keystroke:
///     save()
///
/// Each call is one move of one timer: no allocation, no task. It holds its target weakly. When the debouncer goes, a call that still
/// waits goes with it; `flush()` does it now. Every member may be called from every thread, and from inside the body.
public final class Debouncer: Sendable {
    private let quiet: Duration
    private let timer: WeakTimer

    private init(quiet: Duration, box: TimerBox, isWeak: Bool, name: String?, on executor: TimerExecutor, scheduler: TimerScheduler) {
        self.quiet = quiet
        var options = WeakTimer.Options.at(.never)
        options.staysAfterTick = true
        options.name = name
        timer = Launch.startOrTrap(options, on: executor, scheduler: scheduler, box, isWeak: isWeak, "Debouncer")
    }

    /// Runs `body` when nobody has called for the duration `quiet`.
    ///
    /// - Parameters:
    ///   - quiet: How long nobody must have called; less than zero is zero.
    ///   - name: A name for lists and logs.
    ///   - executor: Where the body runs.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do.
    public convenience init(
        _ quiet: Duration, name: String? = nil, on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable () -> Void
    ) {
        self.init(quiet: quiet, box: PlainBox(body), isWeak: false, name: name, on: executor, scheduler: scheduler)
    }

    /// The same for an object that is held weakly: after its death nothing is run any more.
    public convenience init<Target: AnyObject & Sendable>(
        _ quiet: Duration, target: Target, name: String? = nil, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Target) -> Void
    ) {
        self.init(quiet: quiet, box: TargetBox(target, body), isWeak: true, name: name, on: executor, scheduler: scheduler)
    }

    /// The same with an unbound method: `action: Document.save`.
    @_disfavoredOverload
    public convenience init<Target: AnyObject & Sendable>(
        _ quiet: Duration, target: Target, name: String? = nil, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared, action: @escaping @Sendable (Target) -> @Sendable () -> Void
    ) {
        self.init(quiet, target: target, name: name, on: executor, scheduler: scheduler) { action($0)() }
    }

    deinit { timer.invalidate() }

    /// Notes a call: the body runs when no other has come for the quiet time.
    public func call() { timer.reschedule(after: quiet) }

    /// The same as `call()`.
    public func callAsFunction() { call() }

    /// Whether a call waits for its quiet time to pass.
    public var isPending: Bool { timer.info?.next ?? .never != .never }

    /// Forgets the calls so far.
    public func cancel() { timer.nextFire = .never }

    /// Runs the body as soon as possible if a call waits.
    public func flush() {
        if isPending { timer.reschedule(after: .zero) }
    }
}
