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
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(action(target).isolation) ?? executor, handle: scheduler.handle,
            box: TargetBox(target, calling(action)), isWeak: true
        ).startOrTrap("WeakTimer.every")
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
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(action(target).isolation) ?? executor, handle: scheduler.handle,
            box: TargetTickBox(target, calling(action)), isWeak: true
        ).startOrTrap("WeakTimer.every")
    }

    /// The same for a method that may suspend.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () async -> Void
    ) -> WeakTimer {
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(action(target).isolation) ?? executor, handle: scheduler.handle,
            box: MethodAsyncBox(target, missed: missed, action), isWeak: true
        ).startOrTrap("WeakTimer.every")
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
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(target) ?? executor, handle: scheduler.handle,
            box: ActorAsyncBox(target, missed: missed) { target, _ in await action(target)() }, isWeak: true
        ).startOrTrap("WeakTimer.every")
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
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(isolation) ?? .scheduler, handle: scheduler.handle,
            box: ConfinedBox(target, on: isolation, droppingTick(confinedCall(action))), isWeak: true
        ).startOrTrap("WeakTimer.every")
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
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(isolation) ?? .scheduler, handle: scheduler.handle,
            box: ConfinedBox(target, on: isolation, confinedCall(action)), isWeak: true
        ).startOrTrap("WeakTimer.every")
    }
}
