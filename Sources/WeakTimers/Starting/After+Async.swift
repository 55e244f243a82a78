extension WeakTimer {
    /// A one-shot for an object, with a body that may suspend; it runs where it was written, on its actor if it has one.
    ///
    /// Bodies of one timer do not overlap. After the first suspension `invalidate()` speaks of the timer, and no longer of the body that is
    /// under way. A body without an actor begins on the scheduler's thread, and goes on in Swift's own pool.
    @discardableResult
    public static func after<Target: AnyObject & Sendable>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, Tick) async -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler,
            ClosureAsyncBox(target, body), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func after<Target: AnyObject & Sendable>(
        _ delay: Duration, target: Target, tolerance: Duration = .zero, clock: TimerClock = .monotonic,
        name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) async -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler,
            TargetAsyncBox(target, body), isWeak: true)
    }
}
