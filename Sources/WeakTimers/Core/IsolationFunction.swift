internal import CWeakTimer

/// Brings ticks to where the bodies of this library's own executors run.
///
/// The tick of a timer whose body is suspended is not brought before that body is over: until then it is the engine's, which
/// takes it back when the timer is moved, paused or ended, and reckons what it says when it starts. The executor is shared, but
/// only that timer waits.
class IsolationFunction: SubmitFunction, @unchecked Sendable {
    struct Body: Sendable {
        /// The tick that came meanwhile. There is never more than one: a later one means that the engine took the earlier back.
        fileprivate(set) var waiting: QueuedWork?
        /// What runs the body, if nothing may go on before that has given back what it holds.
        fileprivate(set) var task: Task<Void, Never>?
    }

    /// The bodies that have begun and are not over.
    private var bodies = Locked<[WeakTimer: Body]>([:])

    init() { super.init { _ in false } }

    /// In a forked child, before the executor is made anew: the parent's bodies do not go on, nor does who held the lock.
    final override func forgetParent() { bodies = Locked([:]) }

    /// Arranges for the work to be run.
    func bring(_ work: QueuedWork) { stop("an executor without a place") }

    final override func submit(_ work: QueuedWork) -> Bool {
        if !keep(work) { bring(work) }
        return true
    }

    // Under the lock, so that work which stands when it is looked at is not put in the place of what came after it.
    private func keep(_ work: QueuedWork) -> Bool {
        bodies.withLock { bodies in
            if bodies.isEmpty { return false }
            let timer = WeakTimer(work.timer)
            guard bodies[timer] != nil else { return false }
            bodies[timer]?.waiting = work
            return true
        }
    }

    final func bodyBegins(_ timer: WeakTimer) {
        bodies.withLock { $0[timer] = Body() }
    }

    /// Tells of the task before the tick is over for the engine. Nothing to do if the body is.
    final func bodyGoesOn(_ timer: WeakTimer, in task: Task<Void, Never>) {
        bodies.withLock { $0[timer]?.task = task }
    }

    final func bodyEnded(_ timer: WeakTimer) -> Body? {
        bodies.withLock { $0.removeValue(forKey: timer) }
    }
}

/// Work on the main actor.
final class MainFunction: IsolationFunction, @unchecked Sendable {
    override func bring(_ work: QueuedWork) {
        Task.immediate { @MainActor in work.run() }
    }
}

/// Work for bodies that may suspend and have no actor. They begin where they are handed over, inside the engine's tick.
final class UnisolatedFunction: IsolationFunction, @unchecked Sendable {
    override func bring(_ work: QueuedWork) { work.run() }
}

/// Runs work on one actor, which it does not keep alive.
final class ActorFunction: IsolationFunction, @unchecked Sendable {
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        super.init()
    }

    func runs(on other: any Actor) -> Bool { actor === other }

    override func bring(_ work: QueuedWork) {
        if let actor {
            // Begins here, so that the one thing to be enqueued is the step onto the actor.
            Task.immediate { await Self.run(work, on: actor) }
        } else {
            // The engine finds its actor dead, too, and ends the timer in place of calling the body.
            work.run()
        }
    }

    private static func run(_ work: QueuedWork, on actor: isolated any Actor) { work.run() }
}

extension QueuedWork {
    /// The timer whose tick this is; none if the engine has taken it back.
    fileprivate var timer: wtm_timer { wtm_executor_work_timer(number) }
}
