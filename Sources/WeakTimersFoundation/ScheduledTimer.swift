public import Foundation
public import WeakTimers

/// Foundation's `Timer` without its traps: it does not retain its target, needs no run loop, may be used from any thread, and nothing need
/// invalidate it. A class that used `Timer` changes that one word.
///
///     timer = ScheduledTimer.scheduledTimer(
///         timeInterval: 1, target: self, action: Model.tick, userInfo: nil, repeats: true)
///
/// **How long it runs.** A timer from `scheduledTimer(…)` runs, as Foundation's do, whether or not anybody keeps it: one with a target until
/// the target dies, one with a block until it is invalidated (or, if it does not repeat, has fired). A timer from `init` belongs
/// to whoever holds it: after `schedule()` it runs until it is given up, or its target dies.
///
/// **Where it calls.** On `dispatchQueue` if one is given. Otherwise a method of a main-actor class, a block written on the main actor, and
/// every timer made on the main thread are called on the main thread, as with Foundation; any other on a thread of the library's own, so
/// that no run loop is needed. A target that is not `Sendable` must belong there.
///
/// **Threads.** Every member may be called from every thread, and from inside the callback.
public final class ScheduledTimer: @unchecked Sendable {
    /// What a callback needs; given back when the timer ends.
    typealias Call = (_ target: AnyObject?, _ timer: ScheduledTimer) -> Void

    struct State {
        var timer = WeakTimer.none
        var call: Call?
        var userInfo: Any?
        var fireDate: Date
        var tolerance: TimeInterval
    }

    let state: Locked<State>
    let clock: TimerClock
    let place: Place
    private let interval: TimeInterval
    private let repeats: Bool
    private(set) weak var target: AnyObject?

    init(_ plan: Plan, target: AnyObject?, call: @escaping Call) {
        interval = plan.interval
        repeats = plan.repeats
        clock = plan.scheduler.clock
        place = plan.place
        self.target = target
        state = Locked(
            State(
                call: call, userInfo: plan.userInfo, fireDate: Date(in: plan.interval),
                tolerance: plan.tolerance))
    }

    // Once the timer has ended this does nothing; one that runs on keeps this object.
    deinit { state.withLock { $0.timer }.invalidate() }

    /// The seconds between two ticks; 0 for a timer that does not repeat, as Foundation has it.
    public var timeInterval: TimeInterval { repeats ? interval : 0 }

    /// The object that came with it; nil after its end.
    public var userInfo: Any? { state.withLock { $0.userInfo } }

    /// Whether it has not ended. One that was not scheduled yet is valid.
    public var isValid: Bool { timer.isValid }

    /// The timer behind it.
    public var timer: WeakTimer { state.withLock { $0.timer } }

    /// How many seconds later than its time a tick may come; at most half the interval of a repeating timer. Setting it moves neither the
    /// next tick nor the ones after it.
    public var tolerance: TimeInterval {
        get {
            let timer = timer
            return timer.isValid ? timer.tolerance.timeInterval : state.withLock { $0.tolerance }
        }
        set {
            let tolerance = Duration(timeInterval: newValue, "a tolerance")
            state.withLock { $0.tolerance = tolerance.timeInterval }
            timer.tolerance = tolerance
        }
    }

    /// When it fires next; after its end, when that was. Setting it moves the next tick, and those after it of a repeating timer; a date
    /// that has passed means at once, `.distantFuture` never. Setting it does nothing after the end.
    public var fireDate: Date {
        get {
            let timer = timer
            guard timer.isValid else { return state.withLock { $0.fireDate } }
            guard let next = timer.nextFire else { return state.withLock { $0.fireDate } }
            return Date(in: clock.now.duration(to: next).timeInterval)
        }
        set {
            state.withLock { $0.fireDate = newValue }
            if newValue == .distantFuture {
                timer.nextFire = .never
            } else {
                timer.reschedule(after: Duration(timeInterval: newValue.timeIntervalSinceNow, "a fire date"))
            }
        }
    }

    /// Starts a timer that came from `init`; its first interval begins now. Again, or after the end, it does nothing.
    public func schedule() {
        state.withLock { $0.fireDate = Date(in: interval) }
        timer.resume()
    }

    /// Calls back once more, outside the schedule; a timer that does not repeat has thereby fired.
    ///
    /// On the main thread a timer that calls there calls before this returns, as Foundation's does; any other calls as soon as possible
    /// where it calls.
    public func fire() {
        guard case .main = place, Thread.isMainThread else {
            timer.fire()
            return
        }
        guard isValid else { return }
        let target = target
        deliver(target)
        if !repeats { invalidate() }
    }

    /// Ends it: when this returns no callback starts any more. What it held is given back, at once or after the callback that runs.
    ///
    /// May be called again, before `schedule()`, and from any thread.
    @discardableResult
    public func invalidate() -> StopResult { timer.invalidate() }

    /// - Parameter ticking: The timer behind it, which may tick before its start has returned.
    func deliver(_ target: AnyObject?, from ticking: WeakTimer? = nil) {
        let call = state.withLock { state in
            if let ticking { state.timer = ticking }
            return state.call
        }
        call?(target, self)
    }

    func ended() {
        // Released after the lock: what is given back may run code that comes here.
        let held = state.withLock { state in
            defer {
                state.call = nil
                state.userInfo = nil
            }
            return (state.call, state.userInfo)
        }
        withExtendedLifetime(held) {}
    }
}
