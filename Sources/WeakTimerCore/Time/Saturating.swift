/// Nanoseconds that stop at the ends of their range instead of wrapping or trapping.
extension UInt64 {
    /// The deadline that never comes.
    static var never: UInt64 { .max }

    @inline(__always)
    func saturatingAdd(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    @inline(__always)
    func saturatingSubtract(_ other: UInt64) -> UInt64 {
        self > other ? self &- other : 0
    }

    @inline(__always)
    func saturatingMultiply(_ other: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// For counters, which must never come round to zero.
    @inline(__always)
    mutating func count(_ more: UInt64 = 1) { self = saturatingAdd(more) }
}
