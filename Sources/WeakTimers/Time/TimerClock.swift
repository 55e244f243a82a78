internal import CWeakTimer

/// A clock of a scheduler: the system's time, or the manual time of `TimerScheduler.manual()`.
///
/// Since it is a `Clock`, everything that takes one works on it, and under manual time too:
///
///     try await Task.sleep(until: scheduler.clock.now + .seconds(2), clock: scheduler.clock)
///
/// Three kinds tell time differently while the machine sleeps or its calendar is set; see `Kind`. Where a timer is
/// started, `clock:` takes the kind alone (`.monotonic`, `.boottime`, `.wall`): the time is that of the timer's scheduler.
public struct TimerClock: Clock, Sendable, Hashable {
    /// How a clock relates to the world.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// Stops while the machine is suspended; never stepped.
        case monotonic
        /// Goes on while the machine is suspended; never stepped.
        case boottime
        /// The calendar, in nanoseconds since 1 January 1970 UTC; stepped when the calendar is set.
        case wall
    }

    /// What kind of clock it is.
    public let kind: Kind
    let schedulerID: UInt64

    /// The clock of that kind of a scheduler. It does not keep the scheduler alive; after its shutdown `now` stands at zero.
    public init(_ kind: Kind = .monotonic, scheduler: TimerScheduler) {
        self.init(kind: kind, schedulerID: scheduler.handle.id)
    }

    init(kind: Kind, schedulerID: UInt64) {
        self.kind = kind
        self.schedulerID = schedulerID
    }

    /// The shared scheduler's monotonic clock.
    public static var monotonic: TimerClock { TimerClock(kind: .monotonic, schedulerID: 0) }
    /// The shared scheduler's clock that counts suspended time.
    public static var boottime: TimerClock { TimerClock(kind: .boottime, schedulerID: 0) }
    /// The shared scheduler's calendar clock.
    public static var wall: TimerClock { TimerClock(kind: .wall, schedulerID: 0) }

    /// The time now. Callable from everywhere, callbacks included.
    public var now: Instant {
        Instant(nanoseconds: wtm_scheduler_now(scheduler, kind.clock))
    }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    var scheduler: wtm_scheduler { wtm_scheduler(id: schedulerID) }
}

extension TimerClock.Kind {
    var clock: wtm_clock {
        switch self {
        case .monotonic: WTM_CLOCK_MONOTONIC
        case .boottime: WTM_CLOCK_BOOTTIME
        case .wall: WTM_CLOCK_WALL
        }
    }

    init(_ clock: UInt32) {
        self = Self.allCases.first { $0.clock.rawValue == clock } ?? .monotonic
    }
}

extension Clock where Self == TimerClock {
    /// `.monotonic` where a clock is asked for, as in `Task.sleep(for: .seconds(1), clock: .monotonic)`: stops while the machine is suspended.
    public static var monotonic: TimerClock { TimerClock(kind: .monotonic, schedulerID: 0) }
    /// `.boottime` where a clock is asked for: counts while the machine is suspended.
    public static var boottime: TimerClock { TimerClock(kind: .boottime, schedulerID: 0) }
    /// `.wall` where a clock is asked for: follows the calendar.
    public static var wall: TimerClock { TimerClock(kind: .wall, schedulerID: 0) }
}
