import Synchronization

/// A scheduler's time by the processor's counter: what `CounterClock` tells, for what counts from now.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Whether a reading of the counter will tell the time, as far as can be known without the lock.
    @inline(__always) var hasCounterTime: Bool { pointee.counterHint.load(ordering: .relaxed) != 0 }

    /// The time at which the counter stood at `counter`, or, where that is not known, the time now. The caller holds the lock.
    @inline(__always)
    func counterNow(at counter: UInt64) -> UInt64 { pointee.counterClock.time(at: counter) ?? readCounterClock() }

    /// Reads the system's monotonic clock. The caller holds the lock.
    @inline(never)
    func readCounterClock() -> UInt64 {
        let now = pointee.counterClock.read()
        pointee.counterHint.store(pointee.counterClock.isUseful ? 1 : 0, ordering: .relaxed)
        return now
    }
}
