extension WeakTimer {
    /// A one-shot for an object, which it holds weakly: `body` is called once with the object, if it still lives then.
    ///
    /// The body runs where it was written: on the main actor or another actor if the closure is isolated to one, and else on the
    /// scheduler's thread. To have it run elsewhere, say so with `on:`. Dropping the result does not stop the timer.
    ///
    /// - Parameters:
    ///   - delay: Time from now to the tick; less than zero is zero, more than 64 bits of nanoseconds is never.
    ///   - target: The object to serve. It is never kept alive but for the length of the callback.
    ///   - tolerance: How much later will do, so that timers share wake-ups.
    ///   - clock: Which kind of clock the timer goes by. Only the kind counts; the time is that of `scheduler`.
    ///   - name: A name for lists and logs, cut to 47 bytes.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do. It may call every function of the library; `reschedule(after:)` arms its own timer again.
    /// - Returns: The timer; one that has ended if the scheduler is shut down or full.
    @discardableResult
    public static func after<Target: AnyObject & Sendable>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler,
            TargetTickBox(target, unisolated(body)), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func after<Target: AnyObject & Sendable>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler,
            TargetBox(target, unisolated(body)), isWeak: true)
    }

    /// A one-shot whose body runs on an executor: a pool, a serial queue, or `.inline` for the scheduler's thread.
    @discardableResult
    public static func after<Target: AnyObject & Sendable>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: executor, scheduler: scheduler,
            TargetTickBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func after<Target: AnyObject & Sendable>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: executor, scheduler: scheduler,
            TargetBox(target, body), isWeak: true)
    }
}
