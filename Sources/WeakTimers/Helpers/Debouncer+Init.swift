extension Debouncer {
    /// Runs `body` when nobody has called for the duration `quiet`.
    ///
    /// - Parameters:
    ///   - quiet: How long nobody must have called; less than zero is zero.
    ///   - name: A name for lists and logs.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do.
    public convenience init(
        _ quiet: Duration, name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () -> Void
    ) {
        self.init(
            quiet, PlainBox(unisolated(body)), isWeak: false, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler)
    }

    /// The same with a body that runs on an executor.
    public convenience init(
        _ quiet: Duration, name: String? = nil, on executor: TimerExecutor, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable () -> Void
    ) {
        self.init(
            quiet, PlainBox(body), isWeak: false, name: name, on: executor, scheduler: scheduler)
    }

    /// The same for an object that is held weakly: after its death nothing is run any more.
    public convenience init<Target: AnyObject & Sendable>(
        _ quiet: Duration, target: Target, name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) -> Void
    ) {
        self.init(
            quiet, TargetBox(target, unisolated(body)), isWeak: true, name: name,
            on: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler)
    }

    /// The same for an actor, which is held weakly: the body is isolated to it.
    public convenience init<Target: Actor>(
        _ quiet: Duration, target: Target, name: String? = nil, scheduler: TimerScheduler = .shared,
        _ body: @escaping @Sendable (isolated Target) -> Void
    ) {
        self.init(
            quiet, ActorBox(target, body), isWeak: true, name: name, on: IsolationExecutor.of(target) ?? .scheduler,
            scheduler: scheduler)
    }

    /// The same for an object, with a body that runs on an executor.
    public convenience init<Target: AnyObject & Sendable>(
        _ quiet: Duration, target: Target, name: String? = nil, on executor: TimerExecutor,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Target) -> Void
    ) {
        self.init(
            quiet, TargetBox(target, body), isWeak: true, name: name, on: executor, scheduler: scheduler)
    }

    /// The same with an unbound method: `action: Document.save`. One of a main-actor class is called on the main actor.
    @_disfavoredOverload
    public convenience init<Target: AnyObject & Sendable>(
        _ quiet: Duration, target: Target, name: String? = nil, on executor: TimerExecutor = .scheduler,
        scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () -> Void
    ) {
        self.init(
            quiet, MethodBox(target, action), isWeak: true, name: name,
            on: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler)
    }
}
