extension WeakTimer {
    /// A timer without a target. It keeps what `body` captures until it ends; a captured `self` lives as long.
    ///
    /// The body runs on the scheduler's thread, also when it was written on an actor; one that says `@MainActor in` runs there.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start(
        _ options: Options, scheduler: TimerScheduler = .shared,
        _ body: @escaping @isolated(any) @Sendable (Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler.handle,
            TickBox(unisolated(body)), isWeak: false)
    }

    /// The same for a body that asks for nothing.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start(
        _ options: Options, scheduler: TimerScheduler = .shared,
        _ body: @escaping @isolated(any) @Sendable () -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler.handle,
            PlainBox(unisolated(body)), isWeak: false)
    }

    /// A timer without a target whose body runs on an executor.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start(
        _ options: Options, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: executor, scheduler: scheduler.handle, TickBox(body), isWeak: false)
    }

    /// The same for a body that asks for nothing.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start(
        _ options: Options, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable () -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: executor, scheduler: scheduler.handle, PlainBox(body), isWeak: false)
    }
}
