// Unbound methods as bodies. Swift gives an unbound method of a main-actor class a type whose isolation is in the result, where
// `@isolated(any)` keeps it. By the time these closures run, an executor has brought the tick onto that actor, so that the call may be
// made directly: that is what the casts say. An `@isolated(any)` function differs from a plain one in the type alone.

func calling<Target: AnyObject>(
    _ action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () -> Void
) -> (Target) -> Void {
    { target in unsafeBitCast(action(target), to: (() -> Void).self)() }
}

func calling<Target: AnyObject>(
    _ action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) -> Void
) -> (Target, Tick) -> Void {
    { target, tick in unsafeBitCast(action(target), to: ((Tick) -> Void).self)(tick) }
}

func confinedCall<Target: AnyObject>(
    _ action: @escaping (Target) -> @isolated(any) () -> Void
) -> (Target) -> Void {
    { target in unsafeBitCast(action(target), to: (() -> Void).self)() }
}

func confinedCall<Target: AnyObject>(
    _ action: @escaping (Target) -> @isolated(any) (Tick) -> Void
) -> (Target, Tick) -> Void {
    { target, tick in unsafeBitCast(action(target), to: ((Tick) -> Void).self)(tick) }
}

func droppingTick<Target: AnyObject>(_ body: @escaping (Target) -> Void) -> (Target, Tick) -> Void {
    { target, _ in body(target) }
}
