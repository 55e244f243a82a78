extension WeakTimer {
    /// A one-shot without a target. It keeps what `body` captures until it ends; a captured `self` lives as long.
    ///
    /// The body runs on the scheduler's thread, also when it was written on an actor; one that says `@MainActor in` runs there.
    @discardableResult
    public static func after(
        _ delay: Duration, tolerance: Duration = .zero, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        _ body: @escaping @isolated(any) @Sendable (Tick) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler, TickBox(unisolated(body)),
            isWeak: false)
    }

    /// The same for a body that asks for nothing.
    @discardableResult
    public static func after(
        _ delay: Duration, tolerance: Duration = .zero, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        _ body: @escaping @isolated(any) @Sendable () -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler, PlainBox(unisolated(body)),
            isWeak: false)
    }

    /// A one-shot without a target whose body runs on an executor.
    @discardableResult
    public static func after(
        _ delay: Duration, tolerance: Duration = .zero, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor, scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Tick) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: executor, scheduler: scheduler, TickBox(body),
            isWeak: false)
    }

    /// The same for a body that asks for nothing.
    @discardableResult
    public static func after(
        _ delay: Duration, tolerance: Duration = .zero, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor, scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable () -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: executor, scheduler: scheduler, PlainBox(body),
            isWeak: false)
    }
}
