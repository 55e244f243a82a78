/// Runs `body`, and gives it up when it takes longer than `timeout`.
///
///     let page = try await withTimeout(.seconds(5)) { try await fetch(url) }
///
/// When the time is over the body's task is cancelled; as with every structured task, this call returns when the body has
/// noticed. A body that finishes although it was cancelled is too late all the same.
///
/// When the calling task is cancelled, so is the body's, and time counts no longer: what the body makes of it is the outcome, its error
/// (`CancellationError`, as a rule) or, if it finishes all the same, its value.
///
/// - Parameters:
///   - timeout: How long, from the call on. Zero or less is over at once: the body is not started.
///   - clock: Whose time it goes by, such as a manual scheduler's clock; by default the shared scheduler's.
///   - body: What to do. It runs in a child task, on the actor on which it was written if it was.
/// - Returns: What the body returned.
/// - Throws: `TimerError.timedOut` if the time was over first, what the body threw, or what the clock threw: `shutDown` or `gone` if
///   its scheduler ends, `limit` if that has no room for another timer.
public func withTimeout<Result: Sendable, C: Clock>(
    _ timeout: C.Duration, clock: C = TimerClock.monotonic,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async throws -> Result
) async throws -> Result {
    if timeout <= .zero { throw TimerError.timedOut }
    // Reckoned before the tasks get to run, so that a manual clock may be advanced right after the call.
    let deadline = clock.now.advanced(by: timeout)
    return try await withThrowingTaskGroup(of: Outcome<Result>.self) { group in
        group.addTask { .returned(try await body()) }
        group.addTask {
            do {
                try await clock.sleep(until: deadline, tolerance: nil)
                return .timedOut
            } catch  where error is CancellationError && Task.isCancelled {
                return .cancelled
            }
        }
        defer { group.cancelAll() }
        while let outcome = try await group.next() {
            switch outcome {
            case .returned(let result): return result
            case .timedOut: throw TimerError.timedOut
            case .cancelled: continue
            }
        }
        throw CancellationError()
    }
}

private enum Outcome<Result: Sendable>: Sendable {
    case returned(Result)
    case timedOut
    /// The calling task was, and the body has the last word.
    case cancelled
}
