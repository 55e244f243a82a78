import CPlatform

/// Tells by the processor's counter that hardly any time has passed since the clock was read, for half the price of reading it again.
///
/// The clock is read after a callback for the next one's `now`, and for how long it took. Most callbacks take a few nanoseconds, and
/// then the reading before will do: it is never in the future, and a microsecond old at most. All that depends on the counter is how old,
/// so a counter that differs between processors, or a machine that is moved to another, can make a reading older, never wrong. Only one
/// that runs at a fixed rate is used, and its rate is measured again each second.
///
/// The scheduler's is used under its lock; a run of callbacks takes it along, and leaves it where it was.
struct Stopwatch {
    /// The counter just before the clock was read, and after the last callback.
    var mark: UInt64 = 0
    private var last: UInt64 = 0
    /// When the callback that runs began, by the monotonic clock.
    private(set) var began: UInt64 = 0
    /// In how many counts from the mark the reading is still good; 0 when the rate is not known.
    private(set) var limit: UInt64 = 0
    /// Nanoseconds a count, times 2^20; and what was measured before, with which it must agree.
    private var scale: UInt64 = 0
    private var measured: UInt64 = 0
    /// When the measurement began.
    private var baseCounter: UInt64 = 0
    private var baseTime: UInt64 = 0

    private static let good: UInt64 = 1_000
    private static let fraction: UInt64 = 20
    /// Whether there is a counter. Set once, before any scheduler exists.
    nonisolated(unsafe) static var isAvailable = false

    /// Reads the monotonic clock; a callback begins now.
    @inline(__always)
    mutating func read() -> UInt64 {
        mark = wtmp_counter()
        last = mark
        began = SystemClock.monotonic()
        return began
    }

    /// A callback begins now; `time` was read at the mark.
    @inline(__always)
    mutating func begin(_ time: UInt64) {
        last = wtmp_counter()
        began = time &+ nanoseconds(last.saturatingSubtract(mark))
    }

    /// A callback has ended, and the next begins: how long it took. Reads the clock anew when `time`, the last reading, is older than `good` counts.
    @inline(__always)
    mutating func lap(_ time: inout UInt64, good: UInt64) -> UInt64 {
        let took: UInt64
        let counter = wtmp_counter()
        if counter &- mark < good {
            took = nanoseconds(counter.saturatingSubtract(last))
            began &+= took
        } else {
            mark = counter
            time = SystemClock.monotonic()
            took = time.saturatingSubtract(began)
            began = time
        }
        last = counter
        return took
    }

    /// Nanoseconds of counts that are few.
    @inline(__always)
    func nanoseconds(_ counts: UInt64) -> UInt64 { (counts &* scale) >> Self.fraction }

    /// Measures the rate by a reading of the clock that was just taken with `read`; the counter is now at `counter`.
    mutating func measure(_ now: UInt64, at counter: UInt64 = wtmp_counter()) {
        let elapsed = now &- baseTime
        if !Self.isAvailable || elapsed < (limit == 0 ? 2_000_000 : 1_000_000_000) { return }
        // What lies between the two readings must not be a pause.
        if counter &- mark > 4096 { return }
        let counts = mark &- baseCounter
        baseCounter = mark
        baseTime = now
        // The first has no beginning, and what was hours ago would not fit.
        var found: UInt64 = 0
        if elapsed < 1 << 40, counts > elapsed / 64 { found = elapsed << Self.fraction / counts }
        let agrees = found != 0 && found &- measured &+ found / 16 <= found / 8
        measured = found
        scale = agrees ? found : 0
        limit = agrees ? (Self.good << Self.fraction) / found : 0
    }
}
