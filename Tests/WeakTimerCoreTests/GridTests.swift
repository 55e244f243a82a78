import XCTest

@testable import WeakTimerCore

/// The ideal deadlines of a repeating timer.
final class GridTests: XCTestCase {
    private let rates: [(UInt32, UInt32)] = [
        (60_000, 1_001), (24_000, 1_001), (1, 1), (3, 7), (1_000_000_000, 1), (7, 4_294_967_295), (999_999_937, 3),
    ]

    // covers: time.no-drift
    func testAnIntegerGrid() {
        for interval in [1, 7, 1_000, 16_666_667] as [UInt64] {
            let grid = Grid(base: 100)
            for k in (0..<1_000).map(UInt64.init) + [1_000_000, 1 << 30] {
                let deadline = grid.deadline(k, interval)
                XCTAssertEqual(deadline, 100 + k * interval)
                XCTAssertEqual(grid.lastPoint(notAfter: deadline, interval), k)
                if k > 0 { XCTAssertEqual(grid.lastPoint(notAfter: deadline - 1, interval), k - 1) }
            }
        }
    }

    // covers: time.no-drift
    func testARationalGridIsExact() {
        let tenYears: UInt64 = 315_576_000
        for (numerator, denominator) in rates {
            let grid = Grid(base: 5, numerator: numerator, denominator: denominator)
            let last = tenYears * UInt64(numerator) / UInt64(denominator)
            for k in [0, 1, 2, 3, 59, 60, 1_000, last / 2, last] where k <= max(last, 2) {
                let (whole, rest) = UInt64(numerator).dividingFullWidth((UInt128(k) * UInt128(denominator) * 1_000_000_000).halves)
                let exact = whole + (rest > 0 ? 1 : 0)
                XCTAssertEqual(grid.deadline(k, 0), 5 + exact, "\(numerator)/\(denominator), point \(k)")
                XCTAssertEqual(grid.lastPoint(notAfter: 5 + exact, 0), k)
                if k > 0 { XCTAssertEqual(grid.lastPoint(notAfter: 4 + exact, 0), k - 1) }
            }
        }
    }

    /// Points of a rate that lie before its first, also where a whole cycle back is before the beginning of time.
    // covers: time.clocks time.no-drift
    func testARateReachesBackToTheBeginningOfTime() {
        for (numerator, denominator) in rates where denominator < 1 << 31 {
            for base in [0, 5, 1_000_000_007, 77_000_000_000, 1_700_000_000_000_000_123] as [UInt64] {
                for now in [0, 1, base / 3, base / 2, base] {
                    let before = Grid(index: 7, base: base, numerator: numerator, denominator: denominator)
                    var grid = before
                    grid.reachBack(to: now, 0)
                    let k = grid.lastPoint(notAfter: now, 0) + 1
                    let expected = Self.firstPoint(after: now, of: base, numerator, denominator)
                    XCTAssertEqual(grid.deadline(k, 0), expected, "\(numerator)/\(denominator) from \(base) at \(now)")
                    XCTAssertEqual(grid.deadline(grid.index, 0), before.deadline(7, 0))
                }
            }
        }
    }

    /// By whole numbers with a sign: the last k whose point is not after `now` is floor((now - base) n / P), and point k is ceil(k P / n).
    private static func firstPoint(after now: UInt64, of base: UInt64, _ numerator: UInt32, _ denominator: UInt32) -> UInt64 {
        let n = Int128(numerator), period = 1_000_000_000 * Int128(denominator)
        let distance: Int128 = (Int128(now) - Int128(base)) * n
        var last: Int128 = distance / period
        if distance < 0, last * period != distance { last -= 1 }
        let scaled: Int128 = (last + 1) * period
        var offset: Int128 = scaled / n
        if scaled > 0, offset * n != scaled { offset += 1 }
        return UInt64(Int128(base) + offset)
    }

    func testAPeriodIsRoundedUp() {
        XCTAssertEqual(Grid(numerator: 60_000, denominator: 1_001).roundedPeriod, 16_683_334)
        XCTAssertEqual(Grid(numerator: 1_000, denominator: 1).roundedPeriod, 1_000_000)
        XCTAssertEqual(Grid(numerator: 3, denominator: 1).roundedPeriod, 333_333_334)
    }

    // covers: time.range
    func testSumsStopAtTheEndOfTime() {
        XCTAssertEqual(Grid(base: .max - 5).deadline(2, 4), .max)
        XCTAssertEqual(Grid(base: 1).deadline(.max, .max), .max)
        XCTAssertEqual(Grid(base: 1, numerator: 1, denominator: .max).deadline(.max, 0), .max)
    }

    // covers: time.clocks
    func testReachingBackKeepsThePoints() {
        for base in [1_000, 12_345_678_901] as [UInt64] {
            for now in [0, 1, 999, base - 1, base, base + 1] {
                var grid = Grid(index: 3, base: base)
                grid.reachBack(to: now, 300)
                XCTAssertEqual(base % 300, grid.base % 300)
                XCTAssertTrue(grid.base <= now || grid.base < 300, "base \(grid.base), now \(now)")
                XCTAssertEqual(grid.deadline(grid.index, 300), base + 3 * 300, "the point that was next is so still")
            }
        }
        for (numerator, denominator) in rates {
            let base = UInt64(denominator) * 3_000_000_000
            var grid = Grid(index: 2, base: base, numerator: numerator, denominator: denominator)
            let next = grid.deadline(2, 0)
            grid.reachBack(to: base / 3, 0)
            XCTAssertLessThanOrEqual(grid.base, base / 3)
            XCTAssertEqual(grid.deadline(grid.index, 0), next, "\(numerator)/\(denominator)")
        }
    }
}

extension UInt128 {
    fileprivate var halves: (high: UInt64, low: UInt64) { (UInt64(self >> 64), UInt64(truncatingIfNeeded: self)) }
}
