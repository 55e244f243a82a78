internal import CWeakTimer

/// A snapshot of a timer that lives.
public struct TimerInfo: Hashable, Sendable {
    /// What a live timer is doing.
    public enum State: Hashable, Sendable {
        /// Waiting for its next tick.
        case armed
        /// Paused; only `fire()` makes it tick.
        case paused
        /// Its tick has been handed to an executor and has not started.
        case queued
        /// Its callback is running.
        case running
        /// A kept one-shot between two uses.
        case idle
    }

    /// The timer.
    public let timer: WeakTimer
    /// The name it was started with, cut to 47 bytes; empty if it had none.
    public let name: String
    /// What it is doing.
    public let state: State
    /// The clock it goes by.
    public let clock: TimerClock.Kind
    /// What it does about missed ticks.
    public let missedTicks: MissedTicks
    /// The ideal time of its next tick, or `.never`.
    public let next: TimerClock.Instant
    /// Its interval, or zero for a one-shot.
    public let interval: Duration
    /// The tolerance in effect: at most half the interval of a repeating timer.
    public let tolerance: Duration
    /// How often its callback was called, fired ticks included.
    public let ticks: Int
    /// How many ticks of its grid were not delivered on their own.
    public let missed: Int
    /// How many ticks an executor refused or dropped.
    public let dropped: Int
    /// The greatest lateness so far.
    public let maxLateness: Duration
    /// The longest callback so far.
    public let maxCallback: Duration

    init(_ timer: WeakTimer, _ info: wtm_timer_info) {
        self.timer = timer
        name = withUnsafeBytes(of: info.name) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        state =
            switch wtm_timer_state(rawValue: info.state) {
            case WTM_STATE_PAUSED: .paused
            case WTM_STATE_QUEUED: .queued
            case WTM_STATE_RUNNING: .running
            case WTM_STATE_IDLE: .idle
            default: .armed
            }
        clock = TimerClock.Kind(info.clock)
        missedTicks = MissedTicks(info.missed_policy)
        next = TimerClock.Instant(nanoseconds: info.next_ns)
        interval = Nanoseconds.duration(info.interval_ns)
        tolerance = Nanoseconds.duration(info.tolerance_ns)
        ticks = Int(count: info.ticks)
        missed = Int(count: info.missed)
        dropped = Int(count: info.dropped)
        maxLateness = Nanoseconds.duration(info.max_lateness_ns)
        maxCallback = Nanoseconds.duration(info.max_callback_ns)
    }
}
