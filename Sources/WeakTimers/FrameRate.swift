/// Ticks per second as a fraction, exact for ever: `FrameRate(60_000, 1_001)` is the 59.94 Hz of NTSC.
public struct FrameRate: Hashable, Sendable {
    /// Above the line.
    public let numerator: UInt32
    /// Below the line.
    public let denominator: UInt32

    /// So many ticks in so many seconds: `FrameRate(60)`, `FrameRate(24_000, 1_001)`.
    ///
    /// Stops the program with a message if either number is less than one or beyond 32 bits, or the rate is above 1 GHz.
    public init(_ numerator: Int, _ denominator: Int = 1) {
        let range = 1...Int(UInt32.max)
        require(
            range.contains(numerator) && range.contains(denominator),
            "a frame rate is made of two numbers from 1 to \(UInt32.max), not \(numerator) and \(denominator)")
        require(numerator <= denominator * 1_000_000_000, "a frame rate is at most 1 GHz")
        self.numerator = UInt32(numerator)
        self.denominator = UInt32(denominator)
    }

    /// The time from one tick to the next, rounded up to a nanosecond. The ticks themselves are not rounded: they do not drift.
    public var interval: Duration {
        let nanoseconds = (UInt64(denominator) * 1_000_000_000 + UInt64(numerator) - 1) / UInt64(numerator)
        return Nanoseconds.duration(nanoseconds)
    }
}

extension FrameRate: CustomStringConvertible {
    /// Such as "60000/1001 Hz".
    public var description: String { denominator == 1 ? "\(numerator) Hz" : "\(numerator)/\(denominator) Hz" }
}
