public import Foundation
public import WeakTimers

#if canImport(Dispatch)
    public import Dispatch
#endif

extension TimerExecutor {
    /// Callbacks run on that dispatch queue, handed over with `async`.
    ///
    /// Each call makes an executor of its own, which may be shut down; of those there can be about a million at a time. For many timers make
    /// one, and give it to all.
    ///
    /// On a concurrent queue callbacks of different timers may overlap; those of one timer do not.
    public static func queue(_ queue: DispatchQueue) -> TimerExecutor {
        .custom { (work: @escaping Work) -> Void in queue.async { work() } }
    }

    /// Callbacks run on that run loop's thread, while it runs in the given mode.
    ///
    /// Each call makes an executor of its own, with a source in the run loop. For many timers make one, and give it to all.
    ///
    /// - Parameters:
    ///   - runLoop: The run loop. It must be running, now and then, for callbacks to come.
    ///   - mode: The mode in which they come; `.common` for all usual ones.
    public static func runLoop(_ runLoop: RunLoop, mode: RunLoop.Mode = .default) -> TimerExecutor {
        let loop = LoopReference(runLoop, mode)
        return .custom { (work: @escaping Work) -> Void in loop.perform(work) }
    }
}

extension TimerExecutor {
    private struct LoopKey: Hashable, Sendable {
        let loop: ObjectIdentifier
        let mode: String
    }

    private static let queues = SharedExecutors<ObjectIdentifier>()
    private static let loops = SharedExecutors<LoopKey>()

    /// The executor on that queue that all who ask here share. It is nobody's to shut down.
    static func shared(by queue: DispatchQueue) -> TimerExecutor {
        queues.executor(for: ObjectIdentifier(queue)) { { work in queue.async { work() } } }
    }

    /// The same on a run loop.
    static func shared(by loop: RunLoop, _ mode: RunLoop.Mode) -> TimerExecutor {
        loops.executor(for: LoopKey(loop: ObjectIdentifier(loop), mode: mode.rawValue)) {
            let loop = LoopReference(loop, mode)
            return { work in loop.perform(work) }
        }
    }
}

/// An executor that keeps to one thread at a time, and therefore may serve objects that are not `Sendable`: the queue or run loop to which
/// they belong anyway. To name it is to say that the object belongs there.
///
///     // `Cache` is no Sendable class; all its users are on `queue`.
///     WeakTimer.every(.seconds(60), target: cache, on: .queue(queue), action: Cache.prune)
public struct ConfiningExecutor: Sendable {
    /// The same place, as an executor.
    public let executor: TimerExecutor

    /// A serial dispatch queue, the object's own. A concurrent one confines nothing.
    public static func queue(_ queue: DispatchQueue) -> ConfiningExecutor {
        ConfiningExecutor(executor: .queue(queue))
    }

    /// The run loop of the object's own thread.
    public static func runLoop(_ runLoop: RunLoop, mode: RunLoop.Mode = .default) -> ConfiningExecutor {
        ConfiningExecutor(executor: .runLoop(runLoop, mode: mode))
    }
}
