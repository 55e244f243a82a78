public import Foundation
public import WeakTimers

extension Duration {
    /// Seconds as Foundation counts them. What is beyond the library's 64 bits of nanoseconds means never; NaN stops the program.
    init(timeInterval: TimeInterval, _ what: StaticString) {
        require(!timeInterval.isNaN, "\(what): not a number")
        self = .seconds(min(max(timeInterval, 0), 1e11))
    }

    var timeInterval: TimeInterval {
        let (seconds, attoseconds) = components
        return TimeInterval(seconds) + TimeInterval(attoseconds) / 1e18
    }
}

extension Date {
    /// So many seconds from now; what is too far for the library's clocks is `.distantFuture`.
    init(in seconds: TimeInterval) {
        self = seconds < 1e10 ? Date(timeIntervalSinceNow: seconds) : .distantFuture
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
