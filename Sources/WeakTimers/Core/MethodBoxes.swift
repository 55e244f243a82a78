internal import CWeakTimer

// Unbound methods as bodies. Swift gives an unbound method of a main-actor class a type whose isolation is in the result, where
// `@isolated(any)` keeps it. The executor has brought the tick onto it. Classes, as a closure round the method would be an allocation.

/// An unbound method.
final class MethodBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    private let action: @Sendable (Target) -> @isolated(any) @Sendable () -> Void

    init(_ target: Target, _ action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () -> Void) {
        self.action = action
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { unisolated(action($0))() }
    }
}

/// The same for a method that takes the tick.
final class MethodTickBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    private let action: @Sendable (Target) -> @isolated(any) @Sendable (Tick) -> Void

    init(_ target: Target, _ action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) -> Void) {
        self.action = action
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { unisolated(action($0))(Tick(timer, tick)) }
    }
}

/// An unbound method of a confined target.
final class ConfinedMethodBox<Target: AnyObject>: ConfinedWeakBox, @unchecked Sendable {
    private let action: (Target) -> @isolated(any) () -> Void

    init(_ target: Target, on actor: any Actor, _ action: @escaping (Target) -> @isolated(any) () -> Void) {
        self.action = action
        super.init(target: target, on: actor)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        guard isAtHome(timer) else { return }
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { unisolated(action($0))() }
    }
}

/// The same for a method that takes the tick.
final class ConfinedMethodTickBox<Target: AnyObject>: ConfinedWeakBox, @unchecked Sendable {
    private let action: (Target) -> @isolated(any) (Tick) -> Void

    init(_ target: Target, on actor: any Actor, _ action: @escaping (Target) -> @isolated(any) (Tick) -> Void) {
        self.action = action
        super.init(target: target, on: actor)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        guard isAtHome(timer) else { return }
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { unisolated(action($0))(Tick(timer, tick)) }
    }
}
