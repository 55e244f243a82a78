extension TimerClock {
    /// A point in time on a `TimerClock`, in nanoseconds since that clock's zero: the boot of the machine, the making of a
    /// manual scheduler, or 1 January 1970 for the wall clock.
    ///
    /// Arithmetic saturates: nothing lies before zero, and everything beyond 64 bits is `never`.
    public struct Instant: InstantProtocol, Sendable {
        /// Nanoseconds since the clock's zero.
        public let nanoseconds: UInt64

        /// The instant that lies so many nanoseconds after the clock's zero.
        public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

        /// The clock's zero.
        public static var zero: Instant { Instant(nanoseconds: 0) }
        /// The instant that does not come: the `next` of a last tick.
        public static var never: Instant { Instant(nanoseconds: Nanoseconds.never) }

        /// The instant that far later, or earlier if the duration is negative.
        public func advanced(by duration: Duration) -> Instant {
            Instant(nanoseconds: Nanoseconds.adding(duration, to: nanoseconds))
        }

        /// How far `other` lies after this instant; negative if it lies before.
        public func duration(to other: Instant) -> Duration {
            other.nanoseconds >= nanoseconds
                ? Nanoseconds.duration(other.nanoseconds - nanoseconds)
                : .zero - Nanoseconds.duration(nanoseconds - other.nanoseconds)
        }

        /// The instant that far later, or earlier if the duration is negative.
        public static func + (instant: Instant, duration: Duration) -> Instant { instant.advanced(by: duration) }

        /// The instant that far earlier, or later if the duration is negative.
        public static func - (instant: Instant, duration: Duration) -> Instant {
            instant.advanced(by: Nanoseconds.negated(duration))
        }

        /// How far the left instant lies after the right one; negative if it lies before.
        public static func - (left: Instant, right: Instant) -> Duration { right.duration(to: left) }

        /// Moves the instant that far ahead, or back if the duration is negative.
        public static func += (instant: inout Instant, duration: Duration) { instant = instant + duration }

        /// Moves the instant that far back, or ahead if the duration is negative.
        public static func -= (instant: inout Instant, duration: Duration) { instant = instant - duration }

        /// Whether the left instant comes first.
        public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
    }
}

extension TimerClock.Instant: CustomStringConvertible {
    /// The time since the clock's zero, or "never".
    public var description: String {
        self == .never ? "never" : "\(Nanoseconds.duration(nanoseconds))"
    }
}
