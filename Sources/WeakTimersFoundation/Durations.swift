public import Foundation
public import WeakTimers

extension Duration {
    /// Seconds as Foundation counts them; less than zero is zero. What is beyond the library's 64 bits of nanoseconds means never; NaN stops
    /// the program.
    ///
    /// A number that lies as near to a whole nanosecond as a `Double` can tell means that: 1.1 is 1,100,000,000 ns, though the nearest `Double`
    /// is a little more. Every other is rounded up, so that nothing comes early, and what is more than nothing stays so.
    init(timeInterval: TimeInterval, _ what: StaticString) {
        require(!timeInterval.isNaN, "\(what): not a number")
        let nanoseconds = max(timeInterval, 0) * 1e9
        guard nanoseconds < 9e18 else {
            self = .seconds(min(timeInterval, 1e11))
            return
        }
        let nearest = nanoseconds.rounded()
        let isMeant = abs(nanoseconds - nearest) <= nanoseconds.ulp
        self = .nanoseconds(Int64(isMeant ? nearest : nanoseconds.rounded(.up)))
    }

    /// The number that `init(timeInterval:_:)` takes for it, up to a hundred days.
    var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        if abs(seconds) < 9_000_000, attoseconds % 1_000_000_000 == 0 {
            return TimeInterval(seconds * 1_000_000_000 + attoseconds / 1_000_000_000) / 1e9
        }
        return TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
    }
}

extension Date {
    /// So many seconds from now; what is too far for the library's clocks is `.distantFuture`.
    init(in seconds: TimeInterval) {
        self = seconds < 1e10 ? Date(timeIntervalSinceNow: seconds) : .distantFuture
    }

    /// When that clock will show that instant, or did, if neither it nor the calendar is set meanwhile.
    init(of instant: TimerClock.Instant, on clock: TimerClock) {
        // Two clocks cannot be read at once. Again, if something came between.
        for _ in 0..<10 {
            let before = clock.now
            self.init(in: before.duration(to: instant).timeInterval)
            if before.duration(to: clock.now) < .milliseconds(1) { return }
        }
        self.init(in: clock.now.duration(to: instant).timeInterval)
    }
}

extension TimerClock.Instant {
    /// That date on a wall clock. Dates before 1970 are its zero.
    public init(_ date: Date) {
        self = TimerClock.Instant.zero.advanced(
            by: Duration(timeInterval: date.timeIntervalSince1970, "an instant from a date"))
    }

    /// The date of an instant of a wall clock.
    public var date: Date {
        self == .never ? .distantFuture : Date(timeIntervalSince1970: TimerClock.Instant.zero.duration(to: self).timeInterval)
    }
}

extension WeakTimer.Options {
    /// A one-shot at a date, by the calendar: if the calendar is set meanwhile, it comes when the date does.
    public static func at(_ date: Date) -> WeakTimer.Options {
        var options = at(TimerClock.Instant(date))
        options.clock = .wall
        return options
    }
}
