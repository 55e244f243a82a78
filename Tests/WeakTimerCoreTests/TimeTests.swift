import XCTest

@testable import WeakTimerCore

/// Saturating nanoseconds, and tolerances in 32 bits.
final class TimeTests: XCTestCase {
    private let edges: [UInt64] = [0, 1, 2, 1 << 31, 1 << 32, 1 << 62, 1 << 63, .max - 1, .max]

    // covers: time.range
    func testSumsProductsAndDifferencesStopAtTheEnds() {
        for a in edges {
            for b in edges {
                XCTAssertEqual(UInt128(a.saturatingAdd(b)), min(UInt128(a) + UInt128(b), UInt128(UInt64.max)))
                XCTAssertEqual(UInt128(a.saturatingMultiply(b)), min(UInt128(a) * UInt128(b), UInt128(UInt64.max)))
                XCTAssertEqual(a.saturatingSubtract(b), a > b ? a - b : 0)
            }
        }
        var count = UInt64.max - 1
        count.count()
        count.count(5)
        XCTAssertEqual(count, .max, "a counter never comes round")
    }

    // covers: time.tolerance
    func testAToleranceIsKeptExactlyOrNotInShort() {
        let ms: UInt64 = 1_000_000
        for tolerance in [0, 1, 999, ms, (1 << 31) - 1, 1 << 31, 2_148 * ms, 3_600_000 * ms, ((1 << 31) - 1) * ms, 1 << 60, .max] {
            if let code = ToleranceCode.encode(tolerance) { XCTAssertEqual(ToleranceCode.decode(code), tolerance) }
        }
        XCTAssertNotNil(ToleranceCode.encode(0))
        XCTAssertNotNil(ToleranceCode.encode(10_000 * ms))
        XCTAssertNil(ToleranceCode.encode(10_000 * ms + 1), "such a timer has a record")
        XCTAssertNil(ToleranceCode.encode(.max))
    }

    // covers: time.tolerance time.range
    func testTheWakeLiesInsideTheWindow() {
        for deadline in edges {
            for tolerance in edges {
                for isLoose in [false, true] {
                    let wake = Slack.wake(deadline, tolerance, isLoose: isLoose)
                    if deadline == .never || tolerance == 0 {
                        XCTAssertEqual(wake, deadline)
                    } else {
                        XCTAssertTrue(
                            deadline <= wake && wake <= min(deadline.saturatingAdd(tolerance), .never - 1), "\(deadline) + \(tolerance): \(wake)")
                    }
                }
            }
        }
    }

    // covers: time.tolerance
    func testAOneShotThatIsMadeToRepeatKeepsRoomForItsRounding() throws {
        let ms: UInt64 = 1_000_000, lag = SystemClock.coarseLag
        SystemClock.coarseLag = 8 * ms
        defer { SystemClock.coarseLag = lag }
        let test = TestWheel(), timer = test.timer(0)
        let record = try XCTUnwrap(Records.allocate())
        defer { Records.free(record) }
        timer.pointee.aux = UInt(bitPattern: record)
        record.pointee.tolerance = 60 * ms
        timer.pointee.deadline = 500 * ms
        timer.set(TimerBits.full)
        defer { timer.clear(TimerBits.full | TimerBits.repeating) }
        let loose = Slack.wake(500 * ms, 60 * ms, isLoose: true), exact = Slack.wake(500 * ms, 60 * ms, isLoose: false)
        XCTAssertLessThan(loose, exact)
        XCTAssertEqual(timer.wake, loose)
        timer.set(TimerBits.repeating)
        XCTAssertEqual(timer.wake, loose, "it has not ticked")
        record.pointee.ordinal = 1
        XCTAssertEqual(timer.wake, exact)
    }

    // covers: time.tolerance time.fresh
    func testACoarseReadingStaysInsideTheWindow() {
        let us: UInt64 = 1_000, lag = SystemClock.coarseLag
        SystemClock.coarseLag = 8_000 * us
        defer { SystemClock.coarseLag = lag }
        XCTAssertFalse(SystemClock.isLoose(8_999 * us))
        for tolerance in [9_000 * us, 10_000 * us, 10_001 * us, 12_000 * us, 34_000 * us, 100_000 * us, 3_600_000_000 * us, .max] {
            XCTAssertTrue(SystemClock.isLoose(tolerance))
            let rounding = SystemClock.rounding(tolerance)
            XCTAssertGreaterThanOrEqual(rounding, 8_000 * us, "as old as a reading may be")
            XCTAssertLessThanOrEqual(rounding, 12_000 * us)
            // A reading that was not old at all is late by all of the rounding, and the tick must come in time all the same.
            let wake = Slack.wake(1_000 + rounding, tolerance, isLoose: true)
            XCTAssertLessThanOrEqual(wake, (1_000 as UInt64).saturatingAdd(tolerance).saturatingSubtract(500 * us))
            XCTAssertGreaterThan(wake, 1_000 + rounding)
        }
        XCTAssertEqual(SystemClock.rounding(9_000 * us), 8_000 * us)
        XCTAssertEqual(SystemClock.rounding(10_000 * us), 8_500 * us)
        XCTAssertEqual(SystemClock.rounding(20_000 * us), 12_000 * us)
        XCTAssertEqual(Slack.wake(0, 10_000 * us, isLoose: false), 8_750 * us)
        XCTAssertEqual(Slack.wake(0, 10_000 * us, isLoose: true), 875 * us)
    }
}
