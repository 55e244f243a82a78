extension WeakTimer {
    /// A repeating timer for an object, which it holds weakly: `body` is called with the object at each tick.
    ///
    /// The body runs where it was written: on the main actor or another actor if the closure is isolated to one, and else on the
    /// scheduler's thread. To have it run elsewhere, say so with `on:`. When the object has died the timer ends, at its next tick at
    /// the latest and at once with a `TimerScope` in the object. Dropping the result does not stop the timer.
    ///
    /// A body of one expression that computes with `Double`s or joins strings can take the compiler seconds, or more time than it
    /// allows itself. Write the parameter's type then, `{ (view: View) in … }`, with `isolated` if it is an actor's.
    ///
    /// - Parameters:
    ///   - interval: Time between two ticks, and from now to the first one; more than zero, the program stops with a message otherwise.
    ///   - target: The object to serve. It is never kept alive but for the length of a callback.
    ///   - tolerance: How much later than its time a tick may come, so that timers share wake-ups. At most half the interval counts.
    ///   - missed: What becomes of ticks that could not be delivered in time.
    ///   - limit: After how many callbacks the timer ends; more than zero, nil for no limit.
    ///   - immediate: Whether the first tick comes at once.
    ///   - clock: Which kind of clock the timer goes by. Only the kind counts; the time is that of `scheduler`.
    ///   - name: A name for lists and logs, cut to 47 bytes.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do at each tick. It may call every function of the library, and end its own timer.
    /// - Returns: The timer; one that has ended if the scheduler is shut down or full.
    @discardableResult
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler,
            TargetTickBox(target, unisolated(body)), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler,
            TargetBox(target, unisolated(body)), isWeak: true)
    }

    /// A repeating timer whose body runs on an executor: a pool, a serial queue, or `.inline` for the scheduler's thread.
    @discardableResult
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: executor, scheduler: scheduler, TargetTickBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func every<Target: AnyObject & Sendable>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        on executor: TimerExecutor, scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Target) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: executor, scheduler: scheduler, TargetBox(target, body), isWeak: true)
    }
}
