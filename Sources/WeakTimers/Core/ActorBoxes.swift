internal import CWeakTimer

/// A body isolated to its target, which is an actor. The executor has brought the tick onto it.
final class ActorBox<Target: Actor>: WeakBox, @unchecked Sendable {
    private let body: @Sendable (isolated Target) -> Void

    init(_ target: Target, _ body: @escaping @Sendable (isolated Target) -> Void) {
        self.body = body
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { target in
            target.assumeIsolated { body($0) }
        }
    }
}

/// The same for a body that is told about the tick.
final class ActorTickBox<Target: Actor>: WeakBox, @unchecked Sendable {
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

/// An async body that is isolated to its target.
final class ActorAsyncBox<Target: Actor>: AsyncBox<Target>, @unchecked Sendable {
    private let body: @Sendable (isolated Target) async -> Void

    init(_ target: Target, _ body: @escaping @Sendable (isolated Target) async -> Void) {
        self.body = body
        super.init(target)
    }

    override func home(_ target: Target) -> (any Actor)? { target }

    override func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {
        await body(target)
    }
}

/// The same for a body that is told about the tick.
final class ActorTickAsyncBox<Target: Actor>: AsyncBox<Target>, @unchecked Sendable {
    private let body: @Sendable (isolated Target, Tick) async -> Void

    init(_ target: Target, _ body: @escaping @Sendable (isolated Target, Tick) async -> Void) {
        self.body = body
        super.init(target)
    }

    override func home(_ target: Target) -> (any Actor)? { target }

    override func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {
        await body(target, tick)
    }
}
