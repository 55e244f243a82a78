/// The C functions count nanoseconds in 64 bits; the largest number means "never".
enum Nanoseconds {
    static let never = UInt64.max

    private static let attosecondsPerNanosecond: UInt64 = 1_000_000_000
    private static let fiveToTheNinth: UInt64 = 1_953_125

    /// Rounds up, so that nothing fires early; 0 for what is negative, `never` for what does not fit.
    static func from(_ duration: Duration) -> UInt64 {
        let attoseconds = duration.attoseconds
        if attoseconds <= 0 { return 0 }
        let bits = UInt128(truncatingIfNeeded: attoseconds)
        let low = UInt64(truncatingIfNeeded: bits)
        if bits >> 73 == 0 {
            // Below two and a half hours: 10^9 is 2^9 times 5^9, and without the 2^9 it is a division of 64 bits by a constant.
            let reduced = UInt64(truncatingIfNeeded: bits >> 9)
            let quotient = reduced / fiveToTheNinth
            return low & 511 == 0 && reduced == quotient &* fiveToTheNinth ? quotient : quotient &+ 1
        }
        let high = UInt64(truncatingIfNeeded: bits >> 64)
        // The quotient fits in 64 bits exactly if the high word is below the divisor.
        guard high < attosecondsPerNanosecond else { return never }
        let (quotient, remainder) = attosecondsPerNanosecond.dividingFullWidth((high, low))
        return remainder == 0 || quotient == never ? quotient : quotient + 1
    }

    static func duration(_ nanoseconds: UInt64) -> Duration {
        Duration(attoseconds: Int128(nanoseconds) * Int128(attosecondsPerNanosecond))
    }

    static func adding(_ duration: Duration, to instant: UInt64) -> UInt64 {
        if instant == never { return never }
        if duration < .zero {
            let back = from(negated(duration))
            return back >= instant ? 0 : instant - back
        }
        let (sum, overflow) = instant.addingReportingOverflow(from(duration))
        return overflow ? never : sum
    }

    /// The least duration has no counterpart; the greatest stands for it.
    static func negated(_ duration: Duration) -> Duration {
        Duration(attoseconds: duration.attoseconds == .min ? .max : -duration.attoseconds)
    }
}

extension Int {
    /// Counters of the engine are 64 bits without a sign.
    init(count: UInt64) { self = Int(clamping: count) }
}

extension UInt64 {
    /// A count that a caller gave; less than nothing is nothing.
    init(count: Int) { self = UInt64(Swift.max(0, count)) }
}
