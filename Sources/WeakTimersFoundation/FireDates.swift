import Foundation
import WeakTimers

/// What `fireDate` reads. The engine counts nanoseconds on a clock that knows no calendar; a date is reckoned from it once, and stands until
/// the timer goes to another instant.
struct FireDates {
    /// When it fires next, as far as that was set or read; for a timer that the engine has nothing to come for, see `holds`.
    private(set) var date: Date
    /// The engine's instant for which `date` stands.
    private var instant: TimerClock.Instant?
    /// What the clocks made of `instant` then. The date that was set differs from it if it had passed.
    private var reckoned = Date.distantPast
    /// Whether `date` stands although the engine has nothing to come: the timer was not scheduled, was moved to a date that never comes, or has
    /// its only tick now.
    private var holds = true
    /// Whether the date was set, and its tick has not come.
    private(set) var isSet = false
    /// When it called back last.
    private var last: Date?

    init(_ date: Date) { self.date = date }

    /// What a timer that has ended reads.
    var final: Date { last ?? date }

    /// What a timer reads for which the engine has nothing to come.
    var idle: Date { holds ? date : .distantFuture }

    /// The clocks may have come apart since the date was reckoned: the calendar was set, the machine was suspended, or time is manual.
    mutating func read(_ next: TimerClock.Instant, on clock: TimerClock) -> Date {
        let now = Date(of: next, on: clock)
        if next != instant || abs(now.timeIntervalSince(reckoned)) > 0.05 {
            date = now
            instant = next
            reckoned = now
        }
        return date
    }

    /// It was moved to a date, which is that instant.
    mutating func set(_ date: Date, _ instant: TimerClock.Instant, on clock: TimerClock) {
        self.date = date
        self.instant = instant
        reckoned = Date(of: instant, on: clock)
        holds = true
        isSet = true
    }

    /// Its first interval begins.
    mutating func begin(_ interval: TimeInterval) {
        date = Date(in: interval)
        instant = nil
        holds = false
    }

    /// It calls back.
    mutating func tick(isLast: Bool, isFired: Bool) {
        let now = Date()
        last = now
        if isLast {
            date = now
            instant = nil
            holds = true
        } else if !isFired {
            holds = false
        }
        if isLast || !isFired { isSet = false }
    }
}
