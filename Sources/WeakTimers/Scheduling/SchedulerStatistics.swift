internal import CWeakTimer

/// What a scheduler has done so far. Counters saturate.
public struct SchedulerStatistics: Hashable, Sendable {
    /// How many timers live.
    public let live: Int
    /// How many timers were ever started: always `live` plus the sum of `ended`.
    public let created: Int
    /// How many callbacks were called.
    public let ticks: Int
    /// How many ticks were not delivered on their own.
    public let missed: Int
    /// How many ticks executors refused or dropped.
    public let dropped: Int
    /// How often the thread woke, or `runDue()` or `advance(by:)` was called.
    public let wakeups: Int
    /// How many timers ended, by reason.
    public let ended: [EndReason: Int]
    /// Ticks by lateness: number i counts those that were 2^i to 2^(i+1) nanoseconds late, number 0 also those that were not.
    public let lateness: [Int]
    /// Callbacks by how long they took, in the same steps.
    public let callbacks: [Int]
    /// The greatest lateness.
    public let maxLateness: Duration
    /// The longest callback.
    public let maxCallback: Duration

    init(_ stats: wtm_scheduler_stats) {
        live = Int(count: stats.live)
        created = Int(count: stats.created)
        ticks = Int(count: stats.ticks)
        missed = Int(count: stats.missed)
        dropped = Int(count: stats.dropped)
        wakeups = Int(count: stats.wakeups)
        let byReason = Self.counts(stats.ended)
        let reasons = [
            WTM_REASON_COMPLETED, WTM_REASON_INVALIDATED, WTM_REASON_TARGET_GONE, WTM_REASON_SHUTDOWN,
        ]
        ended = Dictionary(uniqueKeysWithValues: reasons.map { (EndReason($0), byReason[Int($0.rawValue)]) })
        lateness = Self.counts(stats.lateness_log2)
        callbacks = Self.counts(stats.callback_log2)
        maxLateness = Nanoseconds.duration(stats.max_lateness_ns)
        maxCallback = Nanoseconds.duration(stats.max_callback_ns)
    }

    /// C's arrays arrive as tuples.
    private static func counts<Tuple>(_ tuple: Tuple) -> [Int] {
        withUnsafeBytes(of: tuple) { $0.bindMemory(to: UInt64.self).map { Int(count: $0) } }
    }
}

extension TimerScheduler {
    /// What it has done so far; all zero after its shutdown.
    public var statistics: SchedulerStatistics {
        var stats = wtm_scheduler_stats()
        stats.size = UInt32(MemoryLayout<wtm_scheduler_stats>.size)
        _ = wtm_scheduler_get_stats(handle, &stats)
        return SchedulerStatistics(stats)
    }
}
