import CPlatform
import Synchronization

/// The clocks of the contract, by their numbers.
enum ClockID {
    static let monotonic: UInt32 = 0
    static let boottime: UInt32 = 1
    static let wall: UInt32 = 2
    static let count = 3
}

/// The only place that reads the system's clocks.
enum SystemClock {
    static let linuxMonotonic: Int32 = 1
    static let linuxMonotonicCoarse: Int32 = 6
    static let linuxBoottime: Int32 = 7
    static let linuxRealtime: Int32 = 0

    #if WTM_FAULTS
        /// Added to the clocks by tests, by clock number; wraps, so that a clock can be set back.
        nonisolated(unsafe) static var shift: (UInt64, UInt64, UInt64) = (0, 0, 0)
    #endif

    @inline(__always)
    static func monotonic() -> UInt64 {
        #if WTM_FAULTS
            return wtmp_clock_ns(linuxMonotonic) &+ shift.0
        #else
            return wtmp_clock_ns(linuxMonotonic)
        #endif
    }

    @inline(__always)
    static func read(_ clock: UInt32) -> UInt64 {
        if clock == ClockID.monotonic { return monotonic() }
        #if WTM_FAULTS
            return clock == ClockID.boottime
                ? wtmp_clock_ns(linuxBoottime) &+ shift.1 : wtmp_clock_ns(linuxRealtime) &+ shift.2
        #else
            return wtmp_clock_ns(clock == ClockID.boottime ? linuxBoottime : linuxRealtime)
        #endif
    }

    /// How old a coarse reading may be; 0 where there is no such clock. Set once, before any scheduler exists.
    ///
    /// The kernel brings the coarse clock forward at each of its own ticks, by whole ticks: one that comes just before a tick's time is full
    /// leaves it to the next. So it is two resolutions.
    nonisolated(unsafe) static var coarseLag: UInt64 = 0

    /// The least tolerance for which a coarse reading will do.
    @inline(__always) private static var leastLoose: UInt64 { coarseLag &+ coarseLag / 8 }

    /// Whether a coarse reading will do for a timer of this tolerance: `Slack` leaves room for it.
    @inline(__always)
    static func isLoose(_ tolerance: UInt64) -> Bool { coarseLag != 0 && tolerance >= leastLoose }

    /// By how much a coarse reading is rounded up for such a tolerance. Not less than its age; and a part of what the window has to spare, for
    /// ticks of the kernel that come late, as where a hypervisor takes the processor away.
    @inline(__always)
    static func rounding(_ tolerance: UInt64) -> UInt64 { coarseLag &+ min((tolerance &- leastLoose) / 2, coarseLag / 2) }

    /// An instant that is not before now and at most `rounding` after it, for a fifth of the price of an exact one.
    @inline(__always)
    static func monotonicRoundedUp(_ tolerance: UInt64) -> UInt64 {
        #if WTM_FAULTS
            return wtmp_clock_ns(linuxMonotonicCoarse) &+ rounding(tolerance) &+ shift.0
        #else
            return wtmp_clock_ns(linuxMonotonicCoarse) &+ rounding(tolerance)
        #endif
    }
}
