import CPlatform

/// The monotonic clock, told by the processor's counter for a few microseconds after each reading of it.
///
/// That is how the kernel's own user-space clock works: the time of a reading, and the counts since then at a measured rate. What it spares is the
/// call, and the fences in it. A reading belongs to some count between the one before it and the one after; the middle is taken, and only where
/// both lie within 50 ns. So the time told differs from the clock's by less than a call of the library takes: by half of that, less what
/// entering and leaving the clock take at the least, and by the two nanoseconds that the rate may be off by at the end of 32 microseconds
/// (sixteen for up to a second after the system's clock has begun to be slewed by the usual 500 parts in a million; more is seen at the next reading).
///
/// It tells nothing (`reach` is 0) where there is no counter of a fixed rate, while two measurements of the rate do not agree, and after a
/// reading that took longer, since it was interrupted, or the system's clock goes by something else. A counter that differs between
/// processors, or a machine that is moved to another, makes an age that is not in reach, and the clock is read.
///
/// A scheduler's is used under its lock.
struct CounterClock {
    /// For how many counts after the mark the time can be told; 0 for not at all.
    private(set) var reach: UInt64 = 0
    /// Where the counter stood when the clock was last read, or just before if that took long.
    private(set) var mark: UInt64 = 0
    /// What the clock said.
    private var time: UInt64 = 0
    /// Nanoseconds a count, times 2^20; 0 when the rate is not known.
    private(set) var scale: UInt64 = 0
    /// How many counts a microsecond has; 0 when the rate is not known.
    private(set) var microsecond: UInt64 = 0
    /// What was measured before, with which it must agree; and when that measurement ended.
    private var measured: UInt64 = 0
    private var baseCounter: UInt64 = 0
    private var baseTime: UInt64 = 0
    /// How many readings in a row took long.
    private var misses: UInt32 = 0

    static let fraction: UInt64 = 20
    private static let reachInMicroseconds: UInt64 = 32
    private static let missLimit: UInt32 = 8
    /// Whether there is a counter. Set once, before any scheduler exists.
    nonisolated(unsafe) static var isAvailable = false

    /// Whether it can tell the time, if not at present then after the next reading: one that took long is as a rule the first after others had the
    /// processor's caches, and the next does not.
    @inline(__always) var isUseful: Bool { scale != 0 && misses < Self.missLimit }

    /// The time at which the counter stood at `counter`, if it can tell.
    @inline(__always)
    func time(at counter: UInt64) -> UInt64? {
        let age = counter &- mark
        return age < reach ? time &+ (age &* scale) >> Self.fraction : nil
    }

    /// Reads the monotonic clock.
    mutating func read() -> UInt64 {
        let before = wtmp_counter()
        let now = SystemClock.monotonic()
        if Self.isAvailable { note(now, from: before, to: wtmp_counter()) }
        return now
    }

    /// Takes note of a reading of the clock between two of the counter.
    mutating func note(_ now: UInt64, from before: UInt64, to after: UInt64) {
        let took = after &- before
        let middle = before &+ took / 2
        if isQuick(took), isOff(now, at: middle) { forget() }
        mark = before
        time = now
        measure(took)
        if isQuick(took) {
            mark = middle
            misses = 0
            reach = microsecond &* Self.reachInMicroseconds
        } else {
            misses = min(misses &+ 1, Self.missLimit)
            reach = 0
        }
    }

    /// Whether a reading took no more than 50 ns.
    private func isQuick(_ took: UInt64) -> Bool { scale != 0 && took &* 20 <= microsecond }

    /// Whether a quick reading shows that the rate is no longer right, as where the system's clock has begun to be slewed: after the last one the counter
    /// would have told a time that is off by more than two readings may differ. Not asked after a pause, when little was told.
    private func isOff(_ now: UInt64, at counter: UInt64) -> Bool {
        let age = counter &- mark
        if reach == 0 || age > reach &* 64 { return false }
        let passed = (age &* scale) >> Self.fraction
        let most = 50 &+ passed >> 14
        return time &+ passed &- now &+ most > 2 &* most
    }

    /// The rate is to be measured anew.
    private mutating func forget() {
        scale = 0
        microsecond = 0
        measured = 0
        baseTime = 0
    }

    /// Measures the rate from the last measurement to the mark, once a second when it is known.
    private mutating func measure(_ took: UInt64) {
        let elapsed = time &- baseTime
        let counts = mark &- baseCounter
        // The reading is off by what it took, so that must be little beside what is measured.
        if elapsed < (scale == 0 ? 2_000_000 : 1_000_000_000) || took > counts >> 16 { return }
        baseCounter = mark
        baseTime = time
        var found: UInt64 = 0
        // The first has no beginning, and what was hours ago would not fit.
        if elapsed < 1 << 40, counts > elapsed / 64 { found = elapsed << Self.fraction / counts }
        let agrees = found != 0 && found &- measured &+ found >> 14 <= found >> 13
        measured = found
        scale = agrees ? found : 0
        microsecond = agrees ? 1_000 << Self.fraction / found : 0
    }
}
