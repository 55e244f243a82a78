internal import CWeakTimer

extension WeakTimer.Options {
    /// The options as the C functions take them; what they have no number for is an error here.
    func converted() throws(TimerError) -> wtm_timer_options {
        var options = wtm_timer_options()
        options.size = UInt32(MemoryLayout<wtm_timer_options>.size)
        options.clock = clock.kind.clock.rawValue
        options.missed = missed.policy.rawValue
        if let delay { options.delay_ns = Nanoseconds.from(delay) }
        if let deadline {
            options.deadline_ns = deadline.nanoseconds
            options.flags |= UInt32(WTM_TIMER_ABSOLUTE)
        }
        if let interval {
            guard interval > .zero else { throw .invalid }
            options.interval_ns = Nanoseconds.from(interval)
        }
        if let rate {
            options.rate_hz_numerator = rate.numerator
            options.rate_hz_denominator = rate.denominator
        }
        if tolerance > .zero { options.tolerance_ns = Nanoseconds.from(tolerance) }
        if let limit {
            guard limit > 0 else { throw .invalid }
            options.tick_limit = UInt64(limit)
        }
        // For the C functions a delay of 0 on a repeating timer is none, and so the first tick comes after one interval.
        let isDueAtOnce = delay.map { $0 <= .zero } ?? false && deadline == nil && (interval != nil || rate != nil)
        if immediate || isDueAtOnce { options.flags |= UInt32(WTM_TIMER_IMMEDIATE) }
        if startsPaused { options.flags |= UInt32(WTM_TIMER_PAUSED) }
        if staysAfterTick { options.flags |= UInt32(WTM_TIMER_KEEP) }
        if isConcurrent { options.flags |= UInt32(WTM_TIMER_CONCURRENT) }
        return options
    }
}
