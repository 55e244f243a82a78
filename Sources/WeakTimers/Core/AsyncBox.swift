internal import CWeakTimer

/// A body that may suspend. Its first part runs inside the engine's callback, on its actor, up to the first suspension. The
/// timer's next tick waits at the executor until the body is over, so that the engine's word holds for it as for any tick that
/// waits: see `IsolationFunction`.
class AsyncBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    init(_ target: Target) { super.init(target: target) }

    /// The actor that the body is isolated to. The executor has brought the tick onto it.
    func home(_ target: Target) -> (any Actor)? { nil }

    /// Calls the body, without a change of executor on the way.
    func invoke(_ target: Target, _ tick: Tick, on home: isolated (any Actor)?) async {}

    /// An executor that knows bodies which suspend. One that the caller named had nothing to do but to begin the task.
    final override func place(_ asked: TimerExecutor.Place) -> TimerExecutor.Place {
        if case .handle(let owner) = asked, (owner as? KeptExecutor)?.function is IsolationFunction { return asked }
        return IsolationExecutor.unisolated.place
    }

    final override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        let target = lockedTarget(of: tick, as: Target.self)
        let tick = Tick(timer, tick)
        function.bodyBegins(timer)
        target._withUnsafeGuaranteedRef { target in
            guard let home = home(target) else {
                Task.immediate { await run(tick, on: nil) }
                return
            }
            let task = begin(tick, on: home)
            if home === target { function.bodyGoesOn(timer, in: task) }
        }
    }

    private var function: IsolationFunction {
        unsafeDowncast(unsafeDowncast(executor.unsafelyUnwrapped, to: KeptExecutor.self).function, to: IsolationFunction.self)
    }

    private func begin<Home: Actor>(_ tick: Tick, on home: Home) -> Task<Void, Never> {
        home.assumeIsolated { home in
            Task.immediate {
                _ = home
                await self.run(tick, on: home)
            }
        }
    }

    private func run(_ tick: Tick, on home: isolated (any Actor)?) async {
        if let target { await invoke(unsafeDowncast(target, to: Target.self), tick, on: home) }
        guard let body = function.bodyEnded(tick.timer), let work = body.waiting else { return }
        // Between two bodies nothing holds the target, neither the line above nor, if it is the actor, this task.
        if let task = body.task {
            let function = function
            Task {
                await task.value
                function.bring(work)
            }
        } else if home == nil {
            // Not inside this body's last step, or bodies that never suspend would nest.
            Task { work.run() }
        } else {
            work.run()
        }
    }
}
