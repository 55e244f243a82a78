// Bodies of targets that are confined to an actor. The compiler lets a function of another actor pass for such a body, since its type says
// no more than that it has some isolation. (The type that would refuse it makes the choice between the forms ambiguous.)

func unisolated<Target: AnyObject>(
    _ body: @escaping @isolated(any) (Target, Tick) -> Void, on actor: any Actor
) -> (Target, Tick) -> Void {
    requireHome(body.isolation, actor)
    return unisolated(body)
}

func unisolated<Target: AnyObject>(
    _ body: @escaping @isolated(any) (Target) -> Void, on actor: any Actor
) -> (Target) -> Void {
    requireHome(body.isolation, actor)
    return unisolated(body)
}

func unisolated<Target: AnyObject>(
    _ body: @escaping @isolated(any) (Target, FrameTimer) -> Void, on actor: any Actor
) -> (Target, FrameTimer) -> Void {
    requireHome(body.isolation, actor)
    return unisolated(body)
}

/// Stops the program if a body would run on one actor and is isolated to another.
private func requireHome(_ isolation: (any Actor)?, _ actor: any Actor) {
    require(
        isolation == nil || isolation === actor,
        "a timer's target that is not Sendable belongs to the actor that starts the timer, and the body to another one")
}
