internal import CWeakTimer

/// A target that is confined to an actor together with the body, neither of which need be Sendable. The actor is held weakly, since it may
/// well be what owns the target; without it there is nowhere to run.
class ConfinedWeakBox: WeakBox, @unchecked Sendable {
    private weak var actor: (any Actor)?

    init(target: AnyObject, on actor: any Actor) {
        self.actor = actor
        super.init(target: target)
    }

    /// Whether there is an actor to run on. Ends the timer if there is none.
    final func isAtHome(_ timer: WeakTimer) -> Bool {
        if actor != nil { return true }
        timer.invalidate()
        return false
    }
}

/// A confined body.
final class ConfinedBox<Target: AnyObject>: ConfinedWeakBox, @unchecked Sendable {
    private let body: (Target) -> Void

    init(_ target: Target, on actor: any Actor, _ body: @escaping (Target) -> Void) {
        self.body = body
        super.init(target: target, on: actor)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        guard isAtHome(timer) else { return }
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { body($0) }
    }
}

/// The same for a body that is told about the tick.
final class ConfinedTickBox<Target: AnyObject>: ConfinedWeakBox, @unchecked Sendable {
    private let body: (Target, Tick) -> Void

    init(_ target: Target, on actor: any Actor, _ body: @escaping (Target, Tick) -> Void) {
        self.body = body
        super.init(target: target, on: actor)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        guard isAtHome(timer) else { return }
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { body($0, Tick(timer, tick)) }
    }
}
