internal import CWeakTimer

/// What a callback is told about the tick that it is called for.
public struct Tick: Hashable, Sendable {
    /// The timer, so that a body can stop or move its own: `tick.timer.invalidate()`.
    public let timer: WeakTimer
    /// The ideal time of this tick; of several that one tick stands for, the latest.
    public let scheduled: TimerClock.Instant
    /// The time at which the callback was started.
    public let now: TimerClock.Instant
    /// The ideal time of the next tick, or `.never`.
    public let next: TimerClock.Instant
    /// Which tick of the grid this is, counted from 1; missed ones count, fired ones do not.
    public let ordinal: Int
    /// How many ticks of the grid it stands for beyond itself.
    public let missed: Int
    /// Whether `fire()` asked for it, outside the grid.
    public let isFired: Bool

    /// How long after its ideal time the callback was started.
    public var lateness: Duration { scheduled.duration(to: now) }

    init(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        self.timer = timer
        scheduled = TimerClock.Instant(nanoseconds: tick.pointee.scheduled_ns)
        now = TimerClock.Instant(nanoseconds: tick.pointee.now_ns)
        next = TimerClock.Instant(nanoseconds: tick.pointee.next_ns)
        ordinal = Int(count: tick.pointee.ordinal)
        missed = Int(count: tick.pointee.missed)
        isFired = tick.pointee.flags & UInt32(WTM_TICK_FIRED) != 0
    }

    /// A tick of the grid that stands for an earlier one too, for a consumer who was too slow to take that.
    init(_ later: Tick, standingFor earlier: Tick) {
        timer = later.timer
        scheduled = later.scheduled
        now = later.now
        next = later.next
        ordinal = later.ordinal
        let (missed, overflow) = earlier.missed.addingReportingOverflow(later.missed)
        self.missed = overflow || missed == .max ? .max : missed + 1
        isFired = later.isFired
    }
}
