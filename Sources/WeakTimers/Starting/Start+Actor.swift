extension WeakTimer {
    /// A timer for an actor, which it holds weakly: the body is isolated to the actor.
    ///
    /// While the actor is busy the tick waits for it, and `missed` says what becomes of the next ones.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: Actor>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target, Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler.handle,
            ActorTickBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the actor.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: Actor>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler.handle,
            ActorBox(target, body), isWeak: true)
    }

    /// The same for a body that may suspend. Bodies of one timer do not overlap: ticks that come meanwhile wait for it.
    ///
    /// After the first suspension `invalidate()` speaks of the timer, and no longer of the body that is under way.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: Actor>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target, Tick) async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler.handle,
            ActorTickAsyncBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the actor.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: Actor>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target) async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler.handle,
            ActorAsyncBox(target, body), isWeak: true)
    }
}
