/// Executors that bring a tick onto an actor, so that the engine's promises (none after a stop, no overlap, missed ticks reckoned when
/// the callback starts) hold for isolated bodies as for all others.
///
/// A tick that comes on the actor already (a manual scheduler that the main actor advances) runs at once, so that the advance has
/// run it when it returns; every other tick is enqueued.
enum IsolationExecutor {
    /// The executor for a body with that isolation, which its timers share; nil if the body has none.
    static func of(_ isolation: (any Actor)?) -> TimerExecutor? {
        guard let isolation else { return nil }
        return isolation === MainActor.shared ? main : TimerExecutor(place: .handle(actors.owner(for: isolation)))
    }

    /// The main actor's. Never shut down.
    static let main = TimerExecutor(place: .handle(KeptExecutor(MainFunction())))

    private static let actors = ActorExecutors()
}

private final class MainFunction: SubmitFunction, @unchecked Sendable {
    init() { super.init { _ in false } }

    override func submit(_ work: QueuedWork) -> Bool {
        Task.immediate { @MainActor in work.run() }
        return true
    }
}

/// Runs work on one actor, which it does not keep alive.
final class ActorFunction: SubmitFunction, @unchecked Sendable {
    private weak var actor: (any Actor)?

    init(_ actor: any Actor) {
        self.actor = actor
        super.init { _ in false }
    }

    func runs(on other: any Actor) -> Bool { actor === other }

    override func submit(_ work: QueuedWork) -> Bool {
        if let actor {
            // Begins here, so that the one thing to be enqueued is the step onto the actor.
            Task.immediate { await Self.run(work, on: actor) }
        } else {
            // The box finds its actor dead, too, and ends the timer in place of calling the body.
            work.run()
        }
        return true
    }

    private static func run(_ work: QueuedWork, on actor: isolated any Actor) { work.run() }
}
