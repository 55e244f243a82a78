// Unbound methods as bodies. Swift gives an unbound method of a main-actor class a type whose isolation is in the result, where
// `@isolated(any)` keeps it.

func calling<Target: AnyObject>(
    _ action: @escaping (Target) -> @isolated(any) () -> Void
) -> (Target) -> Void {
    { target in unisolated(action(target))() }
}

func calling<Target: AnyObject>(
    _ action: @escaping (Target) -> @isolated(any) (Tick) -> Void
) -> (Target, Tick) -> Void {
    { target, tick in unisolated(action(target))(tick) }
}

func droppingTick<Target: AnyObject>(_ body: @escaping (Target) -> Void) -> (Target, Tick) -> Void {
    { target, _ in body(target) }
}
