extension WeakTimer {
    /// For the modules of this package that see to it themselves that a target which is not `Sendable` is touched only where it belongs.
    package static func startUnchecked<Target: AnyObject>(
        _ options: Options, target: Target, on executor: TimerExecutor, scheduler: TimerScheduler,
        _ body: @escaping (Target, Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch(
            options: options, executor: executor, handle: scheduler.handle, box: TargetTickBox(target, body), isWeak: true
        ).start()
    }

    /// The same without a target.
    package static func startUnchecked(
        _ options: Options, on executor: TimerExecutor, scheduler: TimerScheduler, _ body: @escaping (Tick) -> Void
    ) throws(TimerError) -> WeakTimer {
        try Launch(options: options, executor: executor, handle: scheduler.handle, box: TickBox(body)).start()
    }

    /// The short form's way with errors.
    package static func launchUnchecked<Target: AnyObject>(
        _ options: Options, target: Target, on executor: TimerExecutor, scheduler: TimerScheduler, what: StaticString,
        _ body: @escaping (Target, Tick) -> Void
    ) -> WeakTimer {
        Launch(
            options: options, executor: executor, handle: scheduler.handle, box: TargetTickBox(target, body), isWeak: true
        ).startOrTrap(what)
    }
}

extension TimerExecutor {
    /// The main actor's executor.
    package static var mainActor: TimerExecutor { IsolationExecutor.main }

    /// The executor of a body with that isolation; nil without one.
    package static func of(_ isolation: (any Actor)?) -> TimerExecutor? { IsolationExecutor.of(isolation) }
}
