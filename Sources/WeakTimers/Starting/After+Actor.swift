extension WeakTimer {
    /// A one-shot for an actor, which it holds weakly: the body is isolated to the actor.
    ///
    /// While the actor is busy the tick waits for it.
    @discardableResult
    public static func after<Target: Actor>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: IsolationExecutor.of(target) ?? .scheduler,
            scheduler: scheduler, ActorTickBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the actor.
    @discardableResult
    public static func after<Target: Actor>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: IsolationExecutor.of(target) ?? .scheduler,
            scheduler: scheduler, ActorBox(target, body), isWeak: true)
    }

    /// The same for a body that may suspend. Bodies of one timer do not overlap.
    ///
    /// After the first suspension `invalidate()` speaks of the timer, and no longer of the body that is under way.
    @discardableResult
    public static func after<Target: Actor>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target, Tick) async -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: IsolationExecutor.of(target) ?? .scheduler,
            scheduler: scheduler, ActorTickAsyncBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the actor.
    @discardableResult
    public static func after<Target: Actor>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target) async -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: IsolationExecutor.of(target) ?? .scheduler,
            scheduler: scheduler, ActorAsyncBox(target, body),
            isWeak: true)
    }
}
