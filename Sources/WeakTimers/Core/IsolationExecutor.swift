/// Executors that bring a tick onto an actor, so that the engine's promises (none after a stop, no overlap, missed ticks reckoned
/// when the callback starts) hold for isolated bodies as for all others, and for bodies that suspend (`IsolationFunction`).
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

    /// For bodies that may suspend and have no actor. Never shut down.
    static let unisolated = TimerExecutor(place: .handle(KeptExecutor(UnisolatedFunction())))

    private static let actors = ActorExecutors()
}
