public import WeakTimers

extension WeakTimer {
    /// A repeating timer for an object that is not `Sendable` and belongs to the named queue or run loop: that is where the body runs.
    ///
    /// The parameters are those of `every` in `WeakTimers`.
    @discardableResult
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: ConfiningExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target, Tick) -> Void
    ) -> WeakTimer {
        everyUnchecked(
            interval, target: target, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate,
            clock: clock, name: name, on: executor.executor, scheduler: scheduler, body)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: ConfiningExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target) -> Void
    ) -> WeakTimer {
        everyUnchecked(
            interval, target: target, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate,
            clock: clock, name: name, on: executor.executor, scheduler: scheduler
        ) { target, _ in body(target) }
    }

    /// The same with an unbound method: `action: Cache.prune`.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: ConfiningExecutor, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> () -> Void
    ) -> WeakTimer {
        everyUnchecked(
            interval, target: target, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate,
            clock: clock, name: name, on: executor.executor, scheduler: scheduler
        ) { target, _ in action(target)() }
    }

    /// The same for a method that takes the tick.
    @discardableResult
    @_disfavoredOverload
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: ConfiningExecutor, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> (Tick) -> Void
    ) -> WeakTimer {
        everyUnchecked(
            interval, target: target, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate,
            clock: clock, name: name, on: executor.executor, scheduler: scheduler
        ) { target, tick in action(target)(tick) }
    }
}
