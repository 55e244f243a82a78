internal import CWeakTimer

extension WeakTimer {
    /// When the timer ticks next, on its own clock; nil while it is paused or has nothing to come, and when it has ended.
    ///
    /// Setting it moves the next tick, and the grid of a repeating timer with it; setting nil pauses the timer.
    public var nextFire: TimerClock.Instant? {
        get {
            var deadline: UInt64 = 0
            guard wtm_timer_get_next(handle, &deadline) == WTM_OK, deadline != Nanoseconds.never else { return nil }
            return TimerClock.Instant(nanoseconds: deadline)
        }
        nonmutating set {
            if let newValue {
                _ = wtm_timer_set_next(handle, newValue.nanoseconds)
            } else {
                pause()
            }
        }
    }

    /// The time between two ticks; nil for a one-shot and for a timer that has ended.
    ///
    /// Setting it leaves the tolerance as it is and the next tick where it is, and lays the grid from there; setting nil (or zero,
    /// or less) makes the next tick the last. An interval given to a one-shot makes it repeat. Of a timer with a rate this is the
    /// interval rounded; setting it takes the place of the rate.
    public var interval: Duration? {
        get {
            guard let info = rawInfo, info.interval_ns != 0 else { return nil }
            return Nanoseconds.duration(info.interval_ns)
        }
        nonmutating set {
            _ = wtm_timer_set_interval_only(handle, newValue.map(Nanoseconds.from) ?? 0)
        }
    }

    /// How much later than its ideal time a tick may come, so that timers can share wake-ups; zero for a timer that has ended.
    ///
    /// It is at most half the interval of a repeating timer: a shorter interval cuts it, and a longer one does not bring it back. Setting
    /// it moves neither the next tick nor the grid, that of a rate included.
    public var tolerance: Duration {
        get { rawInfo.map { Nanoseconds.duration($0.tolerance_ns) } ?? .zero }
        nonmutating set { _ = wtm_timer_set_tolerance(handle, Nanoseconds.from(newValue)) }
    }

    /// Sets interval and tolerance in one step, with the rules of the two properties.
    ///
    /// - Returns: False if the timer had ended.
    @discardableResult
    public func setInterval(_ interval: Duration, tolerance: Duration) -> Bool {
        wtm_timer_set_interval(handle, Nanoseconds.from(interval), Nanoseconds.from(tolerance)) == WTM_OK
    }

    /// A snapshot of the timer: name, state, counts, lateness; nil when it has ended.
    public var info: TimerInfo? { rawInfo.map { TimerInfo(self, $0) } }

    private var rawInfo: wtm_timer_info? {
        var info = wtm_timer_info()
        info.size = UInt32(MemoryLayout<wtm_timer_info>.size)
        return wtm_timer_get_info(handle, &info) == WTM_OK ? info : nil
    }
}
