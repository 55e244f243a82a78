import CPlatform

/// Tells by the processor's counter that hardly any time has passed since the clock was read, for half the price of reading it again.
///
/// The clock is read after a callback for the next one's `now`, and for how long it took. Most callbacks take a few nanoseconds, and
/// then the reading before will do: it is never in the future, and a microsecond old at most. All that depends on the counter is how old,
/// so a counter that differs between processors, or a machine that is moved to another, can make a reading older, never wrong. The rate
/// is the scheduler's `CounterClock`'s.
///
/// A run of callbacks has its own, and leaves the mark for the next.
struct Stopwatch {
    /// Where the counter stood when the clock was read, and after the last callback.
    var mark: UInt64
    private var last: UInt64 = 0
    /// When the callback that runs began, by the monotonic clock.
    private(set) var began: UInt64 = 0
    /// Nanoseconds a count, times 2^20.
    private let scale: UInt64

    /// A callback begins now; `time` was read at the mark.
    @inline(__always)
    init(mark: UInt64, scale: UInt64, _ time: UInt64) {
        self.mark = mark
        self.scale = scale
        last = wtmp_counter()
        began = time &+ nanoseconds(last.saturatingSubtract(mark))
    }

    /// Reads the monotonic clock; a callback begins now.
    @inline(__always)
    mutating func read() -> UInt64 {
        mark = wtmp_counter()
        last = mark
        began = SystemClock.monotonic()
        return began
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
    func nanoseconds(_ counts: UInt64) -> UInt64 { (counts &* scale) >> CounterClock.fraction }
}
