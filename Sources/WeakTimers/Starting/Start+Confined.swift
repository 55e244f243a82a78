extension WeakTimer {
    /// A timer for an object that is not `Sendable`, and therefore belongs to the caller's actor: that is where the body runs.
    ///
    /// Only code on an actor (the main actor, mostly) can call this; elsewhere the compiler refuses it, since nothing would keep two
    /// threads off the object. The timer keeps neither the object nor the actor alive, and ends with either.
    ///
    /// Stops the program with a message if the body is isolated to another actor than the caller's.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        isolation: isolated any Actor = #isolation, _ body: @escaping @isolated(any) (Target, Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler.handle,
            ConfinedTickBox(target, on: isolation, unisolated(body, on: isolation)), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    ///
    /// - Throws: What the options got wrong (`invalid`), or why the scheduler took no timer.
    @discardableResult
    public static func start<Target: AnyObject>(
        _ options: Options, target: Target, scheduler: TimerScheduler = .shared,
        isolation: isolated any Actor = #isolation, _ body: @escaping @isolated(any) (Target) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(
            options, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler.handle,
            ConfinedBox(target, on: isolation, unisolated(body, on: isolation)), isWeak: true)
    }
}
