extension WeakTimer {
    /// For the modules of this package that see to it themselves that a target which is not `Sendable` is touched only where it belongs.
    ///
    /// - Parameter clock: A clock of the scheduler, which may be gone.
    package static func startUnchecked<Target: AnyObject>(
        _ options: Options, target: Target, on executor: TimerExecutor, schedulerOf clock: TimerClock,
        _ body: @escaping (Target, Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(options, on: executor, scheduler: clock.scheduler, TargetTickBox(target, body), isWeak: true)
    }

    /// The same without a target.
    package static func startUnchecked(
        _ options: Options, on executor: TimerExecutor, schedulerOf clock: TimerClock, _ body: @escaping (Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch.start(options, on: executor, scheduler: clock.scheduler, TickBox(body), isWeak: false)
    }

    /// The short form `every`.
    package static func everyUnchecked<Target: AnyObject>(
        _ interval: Duration, target: Target, tolerance: Duration, missed: MissedTicks, limit: Int?, immediate: Bool,
        clock: TimerClock, name: String?, on executor: TimerExecutor, scheduler: TimerScheduler,
        _ body: @escaping (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.every(
            interval, tolerance: tolerance, missed: missed, limit: limit, immediate: immediate, clock: clock, name: name,
            on: executor, scheduler: scheduler, TargetTickBox(target, body), isWeak: true)
    }

    /// The short form `after`.
    package static func afterUnchecked<Target: AnyObject>(
        _ delay: Duration, target: Target, tolerance: Duration, clock: TimerClock, name: String?,
        on executor: TimerExecutor, scheduler: TimerScheduler, _ body: @escaping (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch.after(
            delay, tolerance: tolerance, clock: clock, name: name, on: executor, scheduler: scheduler,
            TargetTickBox(target, body), isWeak: true)
    }
}

extension TimerExecutor {
    /// The main actor's executor.
    package static var mainActor: TimerExecutor { IsolationExecutor.main }

    /// The executor of a body with that isolation; nil without one.
    package static func of(_ isolation: (any Actor)?) -> TimerExecutor? { IsolationExecutor.of(isolation) }
}
