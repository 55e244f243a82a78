import CWeakTimer

/// The options of a plain one-shot on the monotonic clock, read without copying the struct. Nil for anything else, invalid options included.
struct PlainOptions {
    var fn: UInt
    var release: UInt
    var first: UInt64
    var origin: PlainOrigin
    var reading: UInt64 = 0
    var tolerance: UInt32

    @inline(__always)
    init?(_ options: UnsafePointer<wtm_timer_options>) {
        guard options.pointee.size == UInt32(MemoryLayout<wtm_timer_options>.size), let callback = options.pointee.fn else { return nil }
        let flags = options.pointee.flags
        let others =
            UInt64(flags & ~TimerFlags.absolute) | UInt64(options.pointee.clock) | UInt64(options.pointee.missed)
            | options.pointee.target.id | options.pointee.executor.id | options.pointee.interval_ns
            | UInt64(options.pointee.rate_hz_numerator) | UInt64(options.pointee.rate_hz_denominator)
            | options.pointee.tick_limit
        guard others == 0, options.pointee.ended == nil, options.pointee.weak == nil, options.pointee.name == nil,
            let code = ToleranceCode.encode(options.pointee.tolerance_ns)
        else { return nil }
        fn = unsafeBitCast(callback, to: UInt.self)
        release = unsafeBitCast(options.pointee.release, to: UInt.self)
        tolerance = code
        if flags & TimerFlags.absolute != 0 {
            first = options.pointee.deadline_ns
            origin = .zero
        } else {
            first = options.pointee.delay_ns
            origin = .now
            if SystemClock.isLoose(options.pointee.tolerance_ns) {
                origin = .reading
                reading = SystemClock.monotonicRoundedUp(options.pointee.tolerance_ns)
            }
        }
    }
}
