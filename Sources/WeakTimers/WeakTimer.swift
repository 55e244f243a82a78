internal import CWeakTimer

/// A timer that cannot leak, cannot outlive what it serves, and can be stopped from any thread.
///
///     final class Model: Sendable {
///         private let timers = TimerScope()
///         func start() { WeakTimer.every(.seconds(1), target: self, action: Model.refresh).store(in: timers) }
///         func refresh() { … }
///     }
///
/// A `WeakTimer` is a value of eight bytes that names a timer. It retains nothing, so it cannot take part in a cycle, and dropping it
/// does not stop the timer: the death of its target does, as do `invalidate()`, a `TimerScope`, its limit and its scheduler. A value
/// whose timer has ended is safe to use for ever: every call on it does nothing and says so.
///
/// That a target has died is found out when the timer is to tick. One that is not to (it is paused, or its next tick is `.never`) lives on
/// until it is resumed or moved, invalidated, or its scheduler is shut down; a `TimerScope` in the target ends it at once.
///
/// **Where bodies run.** With `on:`, a body runs there. Without, the body of a target runs where it was written: on the main actor or
/// another actor if the closure is isolated to one, and else on the scheduler's thread. A body without a target runs on the
/// scheduler's thread, unless it says `@MainActor in`. An actor's body is isolated to the actor.
///
/// **Threads.** Every member may be called from every thread, and from inside every callback.
public struct WeakTimer: Hashable, Sendable {
    let id: UInt64

    /// No timer: what a scheduler that is shut down starts.
    public static var none: WeakTimer { WeakTimer(id: 0) }

    init(id: UInt64) { self.id = id }

    init(_ handle: wtm_timer) { id = handle.id }

    var handle: wtm_timer { wtm_timer(id: id) }
}

extension WeakTimer: CustomStringConvertible {
    /// The timer's name if it has one, and its state.
    public var description: String {
        guard let info else { return "WeakTimer(ended)" }
        return info.name.isEmpty ? "WeakTimer(\(info.state))" : "WeakTimer(\(info.name), \(info.state))"
    }
}
