public import Foundation
public import WeakTimers

/// Foundation's `Timer` without its traps: it does not retain its target, needs no run loop, may be used from any thread, and nothing need
/// invalidate it. A class that used `Timer` changes that one word.
///
///     timer = ScheduledTimer.scheduledTimer(
///         timeInterval: 1, target: self, action: Model.tick, userInfo: nil, repeats: true)
///
/// **How long it runs.** A timer from `scheduledTimer(…)` runs, as Foundation's do, whether or not anybody keeps it: one with a target until
/// the target dies, which it finds out at its next tick; one with a block until it is invalidated (or, if it does not repeat, has fired). A
/// timer from `init` belongs to whoever holds it: after `schedule()` it runs until it is given up, or its target dies. `RunLoop.add(_:forMode:)`
/// starts it, too, and keeps it.
///
/// **Where it calls.** On `dispatchQueue` if one is given. Otherwise a method of a main-actor class, a block written on the main actor, and
/// every timer made on the main thread, or where the main queue runs, are called there, as with Foundation; any other on a thread of the
/// library's own, so that no run loop is needed. A target that is not `Sendable` must belong there.
///
/// **Seconds.** A number that lies as near to a whole nanosecond as a `Double` can tell means that: 1.1 is 1,100,000,000 ns. Every other is
/// rounded up to the next nanosecond, and what is more than zero is one at least.
///
/// **Threads.** Every member may be called from every thread, and from inside the callback.
public final class ScheduledTimer: @unchecked Sendable {
    /// What a callback needs; given back when the timer ends.
    typealias Call = (_ target: AnyObject?, _ timer: ScheduledTimer) -> Void

    struct State {
        var timer = WeakTimer.none
        var call: Call?
        var userInfo: Any?
        var dates: FireDates
        var tolerance: TimeInterval
        var place: Place
        /// Nil once it was scheduled.
        var waiting: Waiting?
        /// How many calls `fire()` is making itself.
        var calls = 0
        /// Whether its date was set since the last of them began.
        var isRearmed = false
        /// Whether another timer of the engine takes the place of `timer`, which may have ended for that.
        var isMoving = false
        /// Whether somebody has been told that he ended it.
        var isEndClaimed = false
        var hasEnded = false

        var isValid: Bool { isMoving ? !isEndClaimed : timer.isValid }
    }

    /// What a timer that waits to be scheduled needs if another of the engine's is to take its place.
    struct Waiting {
        var name: String?
    }

    let state: Locked<State>
    let clock: TimerClock
    let interval: TimeInterval
    let repeats: Bool
    let hasTarget: Bool
    private(set) weak var target: AnyObject?

    init(_ plan: Plan, target: AnyObject?, call: @escaping Call) {
        interval = plan.interval
        repeats = plan.repeats
        clock = plan.clock
        hasTarget = target != nil
        self.target = target
        state = Locked(
            State(
                call: call, userInfo: plan.userInfo, dates: FireDates(Date(in: plan.interval)), tolerance: plan.effectiveTolerance,
                place: plan.place))
    }

    // Once the timer has ended this does nothing; one that runs on keeps this object.
    deinit { state.withLock { $0.timer }.invalidate() }

    /// The seconds between two ticks; 0 for a timer that does not repeat, as Foundation has it.
    public var timeInterval: TimeInterval { repeats ? interval : 0 }

    /// The object that came with it; nil after its end.
    public var userInfo: Any? { state.withLock { $0.userInfo } }

    /// Whether it has not ended. One that was not scheduled yet is valid, and so is, during its callback, one that does not repeat.
    ///
    /// That its target has died a timer finds out at its next tick, or when it is fired: until then it is valid.
    public var isValid: Bool { state.withLock { $0.isValid } }

    /// The timer behind it: for its `info`, `invalidateAndWait` and all else that this class does not offer. It knows nothing of a call that
    /// `fire()` makes itself; see there. `RunLoop.add(_:forMode:)` puts another in its place.
    public var timer: WeakTimer { state.withLock { $0.timer } }

    /// How many seconds later than its time a tick may come; at most half the interval of a repeating timer. Setting it moves neither the
    /// next tick nor the ones after it; after the end it does nothing.
    public var tolerance: TimeInterval {
        get {
            let timer = timer
            return timer.isValid ? timer.tolerance.timeInterval : state.withLock { $0.tolerance }
        }
        set {
            let tolerance = Duration(timeInterval: newValue, "a tolerance")
            state.withLock { state in
                state.timer.tolerance = tolerance
                if state.isMoving {
                    state.tolerance = tolerance.timeInterval
                } else if state.timer.isValid {
                    state.tolerance = state.timer.tolerance.timeInterval
                }
            }
        }
    }
}

/// Two are equal if they are the same object.
extension ScheduledTimer: Hashable {
    public static func == (left: ScheduledTimer, right: ScheduledTimer) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
