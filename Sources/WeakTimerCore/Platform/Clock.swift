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

    /// How far a coarse reading may lie behind an exact one. Set once, before any scheduler exists.
    nonisolated(unsafe) static var coarseResolution: UInt64 = 0

    /// Whether a coarse reading will do for a timer of this tolerance: `Slack` leaves room for it.
    @inline(__always)
    static func isLoose(_ tolerance: UInt64) -> Bool {
        coarseResolution != 0 && tolerance >= 2 &* coarseResolution
    }

    /// An instant that is not before now and at most `coarseResolution` after it, for a fifth of the price of an exact one.
    @inline(__always)
    static func monotonicRoundedUp() -> UInt64 {
        #if WTM_FAULTS
            return wtmp_clock_ns(linuxMonotonicCoarse) &+ coarseResolution &+ shift.0
        #else
            return wtmp_clock_ns(linuxMonotonicCoarse) &+ coarseResolution
        #endif
    }
}
