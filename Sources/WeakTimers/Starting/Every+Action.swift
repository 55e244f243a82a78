extension WeakTimer {
    /// A repeating timer that calls a method of an object, which it holds weakly: `action: Model.refresh`.
    ///
    /// A method of a main-actor class is called on the main actor; any other runs on `executor`.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler,
            MethodBox(target, action), isWeak: true)
    }

    /// The same for a method that takes the tick.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler,
            MethodTickBox(target, action), isWeak: true)
    }

    /// The same for a method that may suspend. Without an actor it begins on the scheduler's thread and goes on
    /// in Swift's own pool, whatever `executor` is.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () async -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler,
            MethodAsyncBox(target, action), isWeak: true)
    }

    /// The same for a method that may suspend and takes the tick.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable (Tick) async -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler,
            MethodTickAsyncBox(target, action), isWeak: true)
    }

    /// The same for an actor's method that is async. (One that is not cannot be named without a call: write `{ actor in actor.method() }`.)
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: Actor>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (isolated Target) -> @Sendable () async -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(target) ?? executor, scheduler: scheduler,
            ActorAsyncBox(target) { target in await action(target)() }, isWeak: true)
    }

    /// The same for one that takes the tick.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: Actor>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (isolated Target) -> @Sendable (Tick) async -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(target) ?? executor, scheduler: scheduler,
            ActorTickAsyncBox(target) { target, tick in await action(target)(tick) }, isWeak: true)
    }

    /// The same for an object that is not `Sendable`, on the caller's actor.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, isolation: isolated any Actor = #isolation,
        action: @escaping (Target) -> @isolated(any) () -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler,
            ConfinedMethodBox(target, on: isolation, action), isWeak: true)
    }

    /// The same for a method that takes the tick.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, isolation: isolated any Actor = #isolation,
        action: @escaping (Target) -> @isolated(any) (Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler,
            ConfinedMethodTickBox(target, on: isolation, action), isWeak: true)
    }
}
