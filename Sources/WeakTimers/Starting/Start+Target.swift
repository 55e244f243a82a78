extension WeakTimer {
    /// Starts a timer for an object, which it holds weakly, with everything that can be said about a schedule, and reports everything.
    ///
    /// The body runs where it was written: on the main actor or another actor if the closure is isolated to one, and else on the
    /// scheduler's thread. To have it run elsewhere, say so with `on:`.
    ///
    /// - Parameters:
    ///   - options: The schedule.
    ///   - target: The object to serve. It is never kept alive but for the length of a callback.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do at each tick.
    /// - Returns: The timer.
    /// - Throws: `invalid` for options that are out of range or contradict each other, `limit` if the scheduler is full, `shutDown` or `gone` if
    ///   it or the executor is down, `system` if memory is refused. A start that fails takes nothing: the body is given back.
    @discardableResult
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler.handle,
            TargetTickBox(target, unisolated(body)), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler.handle,
            TargetBox(target, unisolated(body)), isWeak: true)
    }

    /// A timer whose body runs on an executor: a pool, a serial queue, or `.inline` for the scheduler's thread.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target, Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: executor, scheduler: scheduler.handle, TargetTickBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: executor, scheduler: scheduler.handle, TargetBox(target, body), isWeak: true)
    }
}
