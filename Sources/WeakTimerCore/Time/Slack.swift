/// How much of a tolerance the library uses up by itself. The rest is the window for which the thread wakes.
enum Slack {
    /// What a wake-up takes, or a rest where ticks are dense.
    private static let wakeUp: UInt64 = 100_000

    /// The latest moment to wake for a deadline, so that the tick stays inside its window; `never` only for the deadline that never comes.
    ///
    /// A deadline that may have been reckoned by a coarse clock (`isLoose`) may have used up a part of the window.
    @inline(__always)
    static func wake(_ deadline: UInt64, _ tolerance: UInt64, isLoose: Bool) -> UInt64 {
        tolerance == 0 || deadline == .never ? deadline : end(deadline, tolerance, isLoose: isLoose)
    }

    /// The same where there is a tolerance and a deadline.
    @inline(never)
    static func end(_ deadline: UInt64, _ tolerance: UInt64, isLoose: Bool) -> UInt64 {
        var kept = max(tolerance / 8, min(tolerance / 2, wakeUp))
        if isLoose, SystemClock.isLoose(tolerance) { kept = max(kept, SystemClock.rounding(tolerance) &+ tolerance / 16) }
        return min(deadline.saturatingAdd(tolerance &- kept), .never &- 1)
    }
}
