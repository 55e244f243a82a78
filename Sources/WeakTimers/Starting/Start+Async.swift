extension WeakTimer {
    /// A timer for an object, with a body that may suspend; it runs where it was written, on its actor if it has one.
    ///
    /// Bodies of one timer do not overlap. After the first suspension `invalidate()` speaks of the timer, and no longer of the body that is
    /// under way. A body without an actor begins on the scheduler's thread, and goes on in Swift's own pool.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, Tick) async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler.handle,
            ClosureAsyncBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler.handle,
            TargetAsyncBox(target, body), isWeak: true)
    }
}
