extension WeakTimer {
    /// A timer that calls a method of an object, which it holds weakly: `action: Model.refresh`.
    ///
    /// A method of a main-actor class is called on the main actor; any other runs on `executor`.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler.handle,
            MethodBox(target, action), isWeak: true)
    }

    /// The same for a method that takes the tick.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler.handle,
            MethodTickBox(target, action), isWeak: true)
    }

    /// The same for a method that may suspend. Without an actor it begins on the scheduler's thread and goes on
    /// in Swift's own pool, whatever `executor` is.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler.handle,
            MethodAsyncBox(target, action), isWeak: true)
    }

    /// The same for a method that may suspend and takes the tick.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: AnyObject & Sendable>(
        _ options: Options, target: Target, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler.handle,
            MethodTickAsyncBox(target, action), isWeak: true)
    }

    /// The same for an actor's method that is async. (One that is not cannot be named without a call: write `{ actor in actor.method() }`.)
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: Actor>(
        _ options: Options, target: Target, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (isolated Target) -> @Sendable () async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(target) ?? executor, scheduler: scheduler.handle,
            ActorAsyncBox(target) { target in await action(target)() }, isWeak: true)
    }

    /// The same for one that takes the tick.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: Actor>(
        _ options: Options, target: Target, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (isolated Target) -> @Sendable (Tick) async -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(target) ?? executor, scheduler: scheduler.handle,
            ActorTickAsyncBox(target) { target, tick in await action(target)(tick) }, isWeak: true)
    }

    /// The same for an object that is not `Sendable`, on the caller's actor.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: AnyObject>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        isolation: isolated any Actor = #isolation, action: @escaping (Target) -> @isolated(any) () -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler.handle,
            ConfinedMethodBox(target, on: isolation, action), isWeak: true)
    }

    /// The same for a method that takes the tick.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    @_disfavoredOverload
    public static func start<Target: AnyObject>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        isolation: isolated any Actor = #isolation, action: @escaping (Target) -> @isolated(any) (Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler.handle,
            ConfinedMethodTickBox(target, on: isolation, action), isWeak: true)
    }
}
