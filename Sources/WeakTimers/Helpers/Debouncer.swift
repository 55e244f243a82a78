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
/// The body runs where it was written: on its actor if it has one, and else on the scheduler's thread, unless `on:` says otherwise. One for an
/// actor is isolated to that.
public final class Debouncer: Sendable {
    private let quiet: Duration
    private let clock: TimerClock
    private let timer: WeakTimer
    private let state: Locked<State>

    /// Which ticks the body is to run for, by the deadlines that they were given. One that has begun cannot be taken back, and may come here
    /// after somebody has looked and moved the timer.
    private struct State {
        /// The deadline of the last call, or of the flush that served it instead; nil if no call waits.
        var due: TimerClock.Instant?
        /// The deadline that a flush replaced: a tick for it is that call's as well.
        var flushed: TimerClock.Instant?

        mutating func move(_ timer: WeakTimer, to deadline: TimerClock.Instant, replacing flushed: TimerClock.Instant? = nil) {
            due = deadline
            self.flushed = flushed
            timer.nextFire = deadline
        }

        /// False for a tick that a flush asked for although the call's own had begun, and for one that a later call came before.
        mutating func bodyStarts(_ tick: Tick) -> Bool {
            guard tick.scheduled == due || tick.scheduled == flushed else { return false }
            self = State()
            return true
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
            HeraldBox(box) { tick in state.withLock { $0.bodyStarts(tick) } }, isWeak: isWeak, "Debouncer")
    }

    deinit { timer.invalidate() }

    /// Notes a call: the body runs when no other has come for the quiet time.
    public func call() {
        state.withLock { state in
            // A deadline beyond the clock's range would be none, and nothing would wait.
            state.move(timer, to: min(clock.now + quiet, TimerClock.Instant(nanoseconds: Nanoseconds.never - 1)))
        }
    }

    /// The same as `call()`.
    public func callAsFunction() { call() }

    /// Whether a call waits for its quiet time to pass.
    public var isPending: Bool { state.withLock { isPending($0) } }

    /// Forgets the calls so far.
    public func cancel() {
        state.withLock { state in
            state = State()
            timer.nextFire = .never
        }
    }

    /// Runs the body as soon as possible if a call waits.
    public func flush() {
        state.withLock { state in
            if isPending(state) { state.move(timer, to: clock.now, replacing: state.due) }
        }
    }

    /// An executor may have dropped the tick.
    private func isPending(_ state: State) -> Bool { state.due != nil && timer.isPending }
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
