import XCTest

@testable import WeakTimerCore

/// What the processor's counter is taken for: nothing, until its rate has been measured twice with one result.
final class StopwatchTests: XCTestCase {
    private let ms: UInt64 = 1_000_000, second: UInt64 = 1_000_000_000
    private var wasAvailable = false

    override func setUp() {
        wasAvailable = Stopwatch.isAvailable
        Stopwatch.isAvailable = true
    }

    override func tearDown() { Stopwatch.isAvailable = wasAvailable }

    /// Reads the clock at a moment, when the counter is at `counter`.
    private func measure(_ watch: inout Stopwatch, _ time: UInt64, _ counter: UInt64, pause: UInt64 = 60) {
        watch.mark = counter
        watch.measure(time, at: counter &+ pause)
    }

    private func measured(_ countsPerMicrosecond: UInt64, from start: UInt64 = 7_000_000_000_000_000) -> Stopwatch {
        var watch = Stopwatch()
        for i in 0..<3 as Range<UInt64> { measure(&watch, start + i * 2 * ms, 5 + i * 2_000 * countsPerMicrosecond) }
        return watch
    }

    func testRates() {
        for rate in [24, 100, 1_000, 2_400, 3_000, 5_300] as [UInt64] {
            let watch = measured(rate)
            XCTAssertEqual(Double(watch.limit), Double(rate), accuracy: Double(rate) / 1_000 + 1)
            XCTAssertEqual(Double(watch.nanoseconds(rate)), 1_000, accuracy: 2)
            XCTAssertLessThanOrEqual(watch.nanoseconds(rate), 1_000)
        }
    }

    func testItTakesTwoThatAgree() {
        var watch = Stopwatch()
        measure(&watch, 100 * ms, 0)
        XCTAssertEqual(watch.limit, 0)
        measure(&watch, 101 * ms, 3_000_000)
        measure(&watch, 102 * ms, 6_000_000)
        XCTAssertEqual(watch.limit, 0, "the first has nothing to agree with")
        measure(&watch, 104 * ms, 12_000_000)
        XCTAssertEqual(watch.limit, 2_999, accuracy: 2)
        // After that once a second.
        measure(&watch, 500 * ms, 12_000_001)
        XCTAssertEqual(watch.limit, 2_999, accuracy: 2)
        measure(&watch, 1_104 * ms, 12_000_000 + 1_500_000_000)
        XCTAssertEqual(watch.limit, 0, "another machine")
        measure(&watch, 1_106 * ms, 12_000_000 + 1_503_000_000)
        XCTAssertEqual(watch.limit, 1_499, accuracy: 2)
    }

    func testCountersThatAreNone() {
        for counter in [0, 1, .max] as [UInt64] {
            var watch = Stopwatch()
            for i in 1..<20 as Range<UInt64> { measure(&watch, i * 2 * ms, counter) }
            XCTAssertEqual(watch.limit, 0)
            XCTAssertEqual(watch.nanoseconds(1), 0)
        }
        // One that runs backwards gives a rate that no counter has, or none.
        var watch = Stopwatch()
        for i in 1..<20 as Range<UInt64> { measure(&watch, i * 2 * ms, 1 << 40 &- i * 6_000_000) }
        XCTAssertEqual(watch.limit, 0)
        // Less than one count in 64 ns is too coarse.
        XCTAssertEqual(measured(15).limit, 0)
        Stopwatch.isAvailable = false
        XCTAssertEqual(measured(3_000).limit, 0)
    }

    func testAPauseBetweenTheTwoReadingsIsNotMeasured() {
        var watch = Stopwatch()
        for i in 1..<20 as Range<UInt64> { measure(&watch, i * 2 * ms, i * 6_000_000, pause: 5_000) }
        XCTAssertEqual(watch.limit, 0)
    }

    func testWhatLiesHoursApartIsNotMeasured() {
        var watch = measured(3_000, from: second)
        measure(&watch, 3_600 * 24 * second, 3_600 * 24 * 3 * second)
        XCTAssertEqual(watch.limit, 0)
        measure(&watch, 3_600 * 24 * second + 2 * ms, 3_600 * 24 * 3 * second + 6_000_000)
        measure(&watch, 3_600 * 24 * second + 4 * ms, 3_600 * 24 * 3 * second + 12_000_000)
        XCTAssertEqual(watch.limit, 2_999, accuracy: 2)
    }
}

private func XCTAssertEqual(_ a: UInt64, _ b: UInt64, accuracy: UInt64, _ text: String = "", line: UInt = #line) {
    XCTAssertTrue(a <= b &+ accuracy && b <= a &+ accuracy, "\(a) is not about \(b) \(text)", line: line)
}
