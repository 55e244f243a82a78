extension WeakTimer {
    /// A repeating timer for an actor, which it holds weakly: the body is isolated to the actor.
    ///
    /// While the actor is busy the tick waits for it, and `missed` says what becomes of the next ones.
    @discardableResult
    public static func every<Target: Actor>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (isolated Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler, ActorTickBox(target, body),
            isWeak: true)
    }

    /// The same for a body that asks for nothing but the actor.
    @discardableResult
    public static func every<Target: Actor>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (isolated Target) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler,
            ActorBox(target, body), isWeak: true)
    }

    /// The same for a body that may suspend. Bodies of one timer do not overlap: ticks that come meanwhile wait for it.
    ///
    /// After the first suspension `invalidate()` speaks of the timer, and no longer of the body that is under way.
    @discardableResult
    public static func every<Target: Actor>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (isolated Target, Tick) async -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler,
            ActorTickAsyncBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the actor.
    @discardableResult
    public static func every<Target: Actor>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (isolated Target) async -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler,
            ActorAsyncBox(target, body), isWeak: true)
    }
}
