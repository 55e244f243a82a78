extension WeakTimer {
    /// A repeating timer without a target. It keeps what `body` captures until it ends; a captured `self` lives as long.
    ///
    /// The body runs where it was written: on its actor if it has one, and else on the scheduler's thread.
    @discardableResult
    public static func every(
        _ interval: Duration, tolerance: Duration = .zero, missed: MissedTicks = .coalesce, limit: Int? = nil,
        immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Tick) -> Void
    ) -> WeakTimer {
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(body.isolation) ?? .scheduler, handle: scheduler.handle,
            box: TickBox(unsafeBitCast(body, to: ((Tick) -> Void).self))
        ).startOrTrap("WeakTimer.every")
    }

    /// The same for a body that asks for nothing.
    @discardableResult
    public static func every(
        _ interval: Duration, tolerance: Duration = .zero, missed: MissedTicks = .coalesce, limit: Int? = nil,
        immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () -> Void
    ) -> WeakTimer {
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: IsolationExecutor.of(body.isolation) ?? .scheduler, handle: scheduler.handle,
            box: PlainBox(unsafeBitCast(body, to: (() -> Void).self))
        ).startOrTrap("WeakTimer.every")
    }

    /// A repeating timer without a target whose body runs on an executor.
    @discardableResult
    public static func every(
        _ interval: Duration, tolerance: Duration = .zero, missed: MissedTicks = .coalesce, limit: Int? = nil,
        immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil, on executor: TimerExecutor,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Tick) -> Void
    ) -> WeakTimer {
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: executor, handle: scheduler.handle, box: TickBox(body)
        ).startOrTrap("WeakTimer.every")
    }

    /// The same for a body that asks for nothing.
    @discardableResult
    public static func every(
        _ interval: Duration, tolerance: Duration = .zero, missed: MissedTicks = .coalesce, limit: Int? = nil,
        immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil, on executor: TimerExecutor,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable () -> Void
    ) -> WeakTimer {
        Launch(
            options: Options(
                every: interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
                name: name),
            executor: executor, handle: scheduler.handle, box: PlainBox(body)
        ).startOrTrap("WeakTimer.every")
    }
}
