/// The ideal deadlines of a repeating timer: `base + k × period`, with an integer or a rational period.
///
/// A rational rate of `numerator / denominator` hertz has the point k at `base + ceil(k × 10^9 × denominator / numerator)`,
/// reckoned afresh for each k in 128 bits, so nothing accumulates.
struct Grid {
    /// Which point the timer's next deadline is.
    var index: UInt64 = 0
    /// The deadline of point 0, less `before`.
    var base: UInt64 = 0
    /// 0 for an integer period.
    var numerator: UInt32 = 0
    var denominator: UInt32 = 0
    /// How far point 0 lies before the beginning of time; `base` is 0 then.
    var before: UInt64 = 0

    var isRational: Bool { numerator != 0 }

    /// One period of a rate in 1/numerator nanoseconds; below 2^62.
    private var scaledPeriod: UInt64 { 1_000_000_000 &* UInt64(denominator) }

    /// The period rounded up to whole nanoseconds, for a rate.
    var roundedPeriod: UInt64 {
        let n = UInt64(numerator)
        return (scaledPeriod &+ n &- 1) / n
    }

    /// The distance of the point k from the base; saturates.
    private func offset(_ k: UInt64, _ interval: UInt64) -> UInt64 {
        if !isRational { return k.saturatingMultiply(interval) }
        let n = UInt128(numerator)
        let exact = (UInt128(k) &* UInt128(scaledPeriod) &+ (n &- 1)) / n
        return exact > UInt128(UInt64.max) ? .max : UInt64(truncatingIfNeeded: exact)
    }

    func deadline(_ k: UInt64, _ interval: UInt64) -> UInt64 {
        let offset = offset(k, interval)
        return offset == .max ? .max : base.saturatingAdd(offset.saturatingSubtract(before))
    }

    /// The last point that is not after `now`; `now` must not be before the base.
    func lastPoint(notAfter now: UInt64, _ interval: UInt64) -> UInt64 {
        let distance = now &- base
        if !isRational { return interval == 0 ? 0 : distance / interval }
        // ceil(k × P) <= d  <=>  k × P <= d  <=>  k <= d / P, for whole d.
        let k = (UInt128(distance) &+ UInt128(before)) &* UInt128(numerator) / UInt128(scaledPeriod)
        return k > UInt128(UInt64.max) ? .max : UInt64(truncatingIfNeeded: k)
    }

    /// Moves the base back by whole cycles, which leaves the points where they are, until it is not after `now`. With an interval no further than the
    /// beginning of time: the point before that one is before time. A rate's cycle has many points, of which some may still be in time.
    mutating func reachBack(to now: UInt64, _ interval: UInt64) {
        if now >= base { return }
        let cycle = isRational ? scaledPeriod : interval
        if cycle == 0 { return }
        let wanted = (base &- now &- 1) / cycle &+ 1
        let cycles = isRational ? wanted : min(wanted, base / cycle)
        // A cycle is below 2^62.
        let distance = UInt128(cycles) &* UInt128(cycle)
        if distance > UInt128(base) {
            before = UInt64(truncatingIfNeeded: distance &- UInt128(base))
            base = 0
        } else {
            base &-= UInt64(truncatingIfNeeded: distance)
        }
        index = index.saturatingAdd(cycles.saturatingMultiply(isRational ? UInt64(numerator) : 1))
    }

    /// Lays the grid anew, with its point 0 at the deadline.
    mutating func lay(from deadline: UInt64) {
        base = deadline
        index = 0
        before = 0
    }
}
