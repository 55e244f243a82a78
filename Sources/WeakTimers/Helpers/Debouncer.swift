/// Runs its body once things have been quiet for a while: after the last of a flurry of calls.
///
///     let save = Debouncer(.milliseconds(300), target: document, action: Document.save)
///     // at each keystroke:
///     save()
///
/// Each call is one move of one timer: no allocation, no task. It holds its target weakly. When the debouncer goes, a call that still
/// waits goes with it; `flush()` does it now. Every member may be called from every thread, and from inside the body.
/// After its scheduler's shutdown it does nothing, also where that is the shared scheduler, which starts afresh for others. A quiet time
/// beyond the clock's 64 bits of nanoseconds ends when the clock does.
///
/// The body runs where it was written: on its actor if it has one, and else on the scheduler's thread, unless `on:` says otherwise.
public final class Debouncer: Sendable {
    private let quiet: Duration
    private let clock: TimerClock
    private let timer: WeakTimer
    private let state: Locked<State>

    /// Which ticks the body is to run for. A tick that `flush()` asked for may find that the call's own, which began while `flush()` looked,
    /// has served it.
    private struct State {
        /// There was a call that no body has started for.
        var hasCall = false
        /// `flush()` has moved the tick since the last call.
        var isFlushed = false

        mutating func bodyStarts() -> Bool {
            defer { hasCall = false }
            return hasCall || !isFlushed
        }
    }

    init(
        _ quiet: Duration, _ box: TimerBox, isWeak: Bool, name: String?, on executor: TimerExecutor,
        scheduler: TimerScheduler
    ) {
        self.quiet = quiet
        clock = scheduler.clock
        let state = Locked(State())
        self.state = state
        timer = Launch.startOrTrap(
            .onDemand(name), on: executor, scheduler: scheduler,
            HeraldBox(box) { _ in state.withLock { $0.bodyStarts() } }, isWeak: isWeak, "Debouncer")
    }

    deinit { timer.invalidate() }

    /// Notes a call: the body runs when no other has come for the quiet time.
    public func call() {
        state.withLock { state in
            state = State(hasCall: true)
            // A deadline beyond the clock's range would be none, and nothing would wait.
            if Nanoseconds.from(quiet) > Nanoseconds.never / 2 {
                timer.nextFire = min(clock.now + quiet, TimerClock.Instant(nanoseconds: Nanoseconds.never - 1))
            } else {
                timer.reschedule(after: quiet)
            }
        }
    }

    /// The same as `call()`.
    public func callAsFunction() { call() }

    /// Whether a call waits for its quiet time to pass.
    public var isPending: Bool { timer.isPending }

    /// Forgets the calls so far.
    public func cancel() { timer.nextFire = .never }

    /// Runs the body as soon as possible if a call waits.
    public func flush() {
        state.withLock { state in
            guard isPending else { return }
            state.isFlushed = true
            timer.reschedule(after: .zero)
        }
    }
}

extension WeakTimer.Options {
    /// A timer that waits to be moved, and stays after its tick.
    static func onDemand(_ name: String?) -> Self {
        var options = at(.never)
        options.staysAfterTick = true
        options.name = name
        return options
    }
}

extension WeakTimer {
    /// Whether a tick is to come.
    var isPending: Bool { info?.next ?? .never != .never }
}
