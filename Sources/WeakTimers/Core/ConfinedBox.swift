internal import CWeakTimer

/// A body that is confined to an actor together with its target, neither of which need be Sendable. The actor is held weakly, since it
/// may well be what owns the target; without it there is nowhere to run.
final class ConfinedBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    private weak var actor: (any Actor)?
    private let body: (Target, Tick) -> Void

    init(_ target: Target, on actor: any Actor, _ body: @escaping (Target, Tick) -> Void) {
        self.actor = actor
        self.body = body
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        guard actor != nil else {
            timer.invalidate()
            return
        }
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { body($0, Tick(timer, tick)) }
    }
}

/// A body isolated to its target, which is an actor. The executor has brought the tick onto it.
final class ActorBox<Target: Actor>: WeakBox, @unchecked Sendable {
    private let body: @Sendable (isolated Target, Tick) -> Void

    init(_ target: Target, _ body: @escaping @Sendable (isolated Target, Tick) -> Void) {
        self.body = body
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        let tick = (lockedTarget(of: tick, as: Target.self), Tick(timer, tick))
        tick.0._withUnsafeGuaranteedRef { target in
            target.assumeIsolated { body($0, tick.1) }
        }
    }
}
