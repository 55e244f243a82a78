// These forms, and those of `after`, `start` and `FrameTimer`, are not @_disfavoredOverload, though that would halve the time the
// compiler takes for bodies. It minds a disfavored form more than a missing `Sendable`, and would choose the form that demands
// `Sendable` for objects that are not: on an actor an error in Swift 6 mode, and off it silence in Swift 5 mode.
extension WeakTimer {
    /// A repeating timer for an object that is not `Sendable`, and therefore belongs to the caller's actor: that is where the body runs.
    ///
    /// Only code on an actor (the main actor, mostly) can call this; elsewhere the compiler refuses it, since nothing would keep two
    /// threads off the object. The timer keeps neither the object nor the actor alive, and ends with either.
    ///
    /// Stops the program with a message if the body is isolated to another actor than the caller's.
    @discardableResult
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, isolation: isolated any Actor = #isolation,
        _ body: @escaping @isolated(any) (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler,
            ConfinedTickBox(target, on: isolation, unisolated(body, on: isolation)), isWeak: true)
    }

    /// The same for a body that asks for nothing but the object.
    @discardableResult
    public static func every<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration = .zero, missed: MissedTicks = .coalesce,
        limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic, name: String? = nil,
        scheduler: TimerScheduler = .shared, isolation: isolated any Actor = #isolation,
        _ body: @escaping @isolated(any) (Target) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock,
            name: name, on: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler,
            ConfinedBox(target, on: isolation, unisolated(body, on: isolation)), isWeak: true)
    }
}
