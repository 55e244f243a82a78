extension FrameTimer {
    /// A frame timer that starts now; the first frame is due after one interval.
    ///
    /// The body runs where it was written: on its actor if it has one, and else on the scheduler's thread. To have it run elsewhere, say
    /// so with `on:`.
    ///
    /// - Parameters:
    ///   - rate: Frames per second.
    ///   - target: The object to serve, held weakly.
    ///   - tolerance: How much later than its time a frame may come; at most half the interval counts.
    ///   - name: A name for lists and logs.
    ///   - scheduler: Whose time it goes by.
    ///   - body: What to do at each frame. It gets the object and this frame timer.
    public convenience init<Target: AnyObject & Sendable>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, FrameTimer) -> Void
    ) {
        self.init(rate: rate)
        let call = unisolated(body)
        start(
            TargetTickBox(target, framed(call)), options: .frames(rate, tolerance, name),
            executor: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler)
    }

    /// The same for a body that asks for nothing but the object.
    public convenience init<Target: AnyObject & Sendable>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target) -> Void
    ) {
        self.init(rate: rate)
        let call = unisolated(body)
        start(
            TargetTickBox(target, framed { target, _ in call(target) }), options: .frames(rate, tolerance, name),
            executor: IsolationExecutor.of(body.isolation) ?? .scheduler, scheduler: scheduler)
    }

    /// The same for a body that is told about the tick in place of the frame timer.
    @_disfavoredOverload
    public convenience init<Target: AnyObject & Sendable>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable (Target, Tick) -> Void
    ) {
        self.init(rate: rate)
        let call = unisolated(body)
        start(
            TargetTickBox(target) { [weak self] target, tick in
                self?.note(tick)
                call(target, tick)
            }, options: .frames(rate, tolerance, name), executor: IsolationExecutor.of(body.isolation) ?? .scheduler,
            scheduler: scheduler)
    }

    /// A frame timer for an actor, which it holds weakly: the body is isolated to the actor.
    public convenience init<Target: Actor>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (isolated Target, FrameTimer) -> Void
    ) {
        self.init(rate: rate)
        start(
            ActorTickBox(target) { [weak self] target, tick in
                guard let self else { return }
                note(tick)
                body(target, self)
            }, options: .frames(rate, tolerance, name), executor: IsolationExecutor.of(target) ?? .scheduler, scheduler: scheduler)
    }

    /// The same for a body that asks for nothing but the actor.
    public convenience init<Target: Actor>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (isolated Target) -> Void
    ) {
        self.init(rate: rate, target: target, tolerance: tolerance, name: name, scheduler: scheduler) { (target: isolated Target, _: FrameTimer) in
            body(target)
        }
    }

    /// A frame timer whose body runs on an executor.
    public convenience init<Target: AnyObject & Sendable>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil, on executor: TimerExecutor,
        scheduler: TimerScheduler = .shared, _ body: @escaping @Sendable (Target, FrameTimer) -> Void
    ) {
        self.init(rate: rate)
        start(
            TargetTickBox(target, framed(body)), options: .frames(rate, tolerance, name), executor: executor,
            scheduler: scheduler)
    }

    /// The same for an object that is not `Sendable`, on the caller's actor. Stops the program with a message if the body is isolated to
    /// another one.
    public convenience init<Target: AnyObject>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        scheduler: TimerScheduler = .shared, isolation: isolated any Actor = #isolation,
        _ body: @escaping @isolated(any) (Target, FrameTimer) -> Void
    ) {
        self.init(rate: rate)
        let call = unisolated(body, on: isolation)
        start(
            ConfinedTickBox(target, on: isolation, framed(call)), options: .frames(rate, tolerance, name),
            executor: IsolationExecutor.of(isolation) ?? .scheduler, scheduler: scheduler)
    }

    /// The same with an unbound method: `action: View.step`. One of a main-actor class is called on the main actor.
    @_disfavoredOverload
    public convenience init<Target: AnyObject & Sendable>(
        rate: FrameRate, target: Target, tolerance: Duration = .zero, name: String? = nil,
        on executor: TimerExecutor = .scheduler, scheduler: TimerScheduler = .shared,
        action: @escaping @Sendable (Target) -> @isolated(any) @Sendable () -> Void
    ) {
        self.init(rate: rate)
        start(
            TargetTickBox(target, framed { target, _ in unisolated(action(target))() }), options: .frames(rate, tolerance, name),
            executor: IsolationExecutor.of(action(target).isolation) ?? executor, scheduler: scheduler)
    }

    private func framed<Target: AnyObject>(
        _ body: @escaping (Target, FrameTimer) -> Void
    ) -> (Target, Tick) -> Void {
        { [weak self] target, tick in
            guard let self else { return }
            note(tick)
            body(target, self)
        }
    }
}

extension WeakTimer.Options {
    fileprivate static func frames(_ rate: FrameRate, _ tolerance: Duration, _ name: String?) -> Self {
        var options = WeakTimer.Options.rate(rate)
        options.tolerance = tolerance
        options.name = name
        return options
    }
}
