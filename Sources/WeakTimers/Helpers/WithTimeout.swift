/// Runs `body`, and gives it up when it takes longer than `timeout`.
///
///     let page = try await withTimeout(.seconds(5)) { try await fetch(url) }
///
/// When the time is over the body's task is cancelled; as with every structured task, this call returns when the body has
/// noticed. A body that finishes although it was cancelled is too late all the same.
///
/// - Parameters:
///   - timeout: How long, from the call on. Zero or less is over at once.
///   - clock: Whose time it goes by, such as a manual scheduler's clock; by default the shared scheduler's.
///   - body: What to do. It runs in a child task, on the actor on which it was written if it was.
/// - Returns: What the body returned.
/// - Throws: `TimerError.timedOut` if the time was over first, what the body threw, or `CancellationError`.
public func withTimeout<Result: Sendable, C: Clock>(
    _ timeout: C.Duration, clock: C = TimerClock.monotonic,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async throws -> Result
) async throws -> Result {
    // Reckoned before the tasks get to run, so that a manual clock may be advanced right after the call.
    let deadline = clock.now.advanced(by: timeout)
    return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(until: deadline, tolerance: nil)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else { throw TimerError.timedOut }
        return result
    }
}
