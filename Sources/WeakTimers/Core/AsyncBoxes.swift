/// An async body that runs where it was written.
final class ClosureAsyncBox<Target: AnyObject & Sendable>: AsyncBox<Target>, @unchecked Sendable {
    private let body: @isolated(any) @Sendable (Target, Tick) async -> Void

    init(
        _ target: Target, _ body: @escaping @isolated(any) @Sendable (Target, Tick) async -> Void
    ) {
        self.body = body
        super.init(target)
    }

    override func home(_ target: Target) -> (any Actor)? { body.isolation }

    override func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {
        await body(target, tick)
    }
}

/// The same without the tick. A closure round the body would have an isolation of its own, hence a class.
final class TargetAsyncBox<Target: AnyObject & Sendable>: AsyncBox<Target>, @unchecked Sendable {
    private let body: @isolated(any) @Sendable (Target) async -> Void

    init(_ target: Target, _ body: @escaping @isolated(any) @Sendable (Target) async -> Void) {
        self.body = body
        super.init(target)
    }

    override func home(_ target: Target) -> (any Actor)? { body.isolation }

    override func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {
        await body(target)
    }
}

/// An unbound async method, which may be isolated to a global actor.
final class MethodAsyncBox<Target: AnyObject & Sendable>: AsyncBox<Target>, @unchecked Sendable {
    private let action: @Sendable (Target) -> @isolated(any) @Sendable () async -> Void

    init(
        _ target: Target,
        _ action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () async -> Void
    ) {
        self.action = action
        super.init(target)
    }

    override func home(_ target: Target) -> (any Actor)? { action(target).isolation }

    override func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {
        await action(target)()
    }
}

/// The same for a method that takes the tick.
final class MethodTickAsyncBox<Target: AnyObject & Sendable>: AsyncBox<Target>, @unchecked Sendable {
    private let action: @Sendable (Target) -> @isolated(any) @Sendable (Tick) async -> Void

    init(
        _ target: Target,
        _ action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) async -> Void
    ) {
        self.action = action
        super.init(target)
    }

    override func home(_ target: Target) -> (any Actor)? { action(target).isolation }

    override func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {
        await action(target)(tick)
    }
}
