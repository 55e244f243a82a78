import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// Seconds in a `Double`, and what the engine makes of them.
final class IntervalTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private func engineInterval(_ seconds: TimeInterval) -> Duration? {
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: seconds, repeats: true, scheduler: scheduler) { _ in }
        defer { timer.invalidate() }
        XCTAssertEqual(timer.timeInterval, seconds)
        return timer.timer.interval
    }

    func testDecimalsMeanWhatTheySay() {
        for nanoseconds in [1, 3, 100, 1_001, 16_683_334, 100_000_000, 300_000_000, 1_100_000_000, 2_200_000_000, 86_400_100_000_000] as [Int64] {
            XCTAssertEqual(engineInterval(TimeInterval(nanoseconds) / 1e9), .nanoseconds(nanoseconds))
        }
        for thousandths in 1...10_000 as ClosedRange<Int64> {
            XCTAssertEqual(engineInterval(TimeInterval(thousandths) / 1000), .milliseconds(thousandths))
        }
        XCTAssertEqual(engineInterval(0.1 + 0.2), .milliseconds(300))
    }

    // covers: time.never-early
    func testOthersAreRoundedUp() {
        XCTAssertEqual(engineInterval(1.0 / 3), .nanoseconds(333_333_334))
        XCTAssertEqual(engineInterval(1.1e-9), .nanoseconds(2))
        XCTAssertEqual(engineInterval(1.000_000_000_1), .nanoseconds(1_000_000_001))
    }

    func testLessThanANanosecondIsOne() {
        for seconds in [9e-10, 4e-19, 1e-30, .leastNormalMagnitude, .leastNonzeroMagnitude] {
            let ticks = Counter()
            let timer = ScheduledTimer.scheduledTimer(withTimeInterval: seconds, repeats: true, scheduler: scheduler) { _ in
                ticks.increment()
            }
            XCTAssertTrue(timer.isValid)
            XCTAssertEqual(timer.timer.interval, .nanoseconds(1))
            scheduler.advance(by: .nanoseconds(3))
            XCTAssertEqual(ticks.value, 3)
            timer.invalidate()
        }
    }

    func testVeryLongOnes() {
        XCTAssertEqual(engineInterval(1e9), .seconds(1_000_000_000))
        XCTAssertEqual(engineInterval(1e10), .seconds(10_000_000_000))
        for seconds in [1e11, 1e300, .greatestFiniteMagnitude, .infinity] { XCTAssertGreaterThan(engineInterval(seconds)!, .seconds(18_000_000_000)) }
    }

    func testAToleranceReadsAsItWasSet() {
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 10, repeats: true, tolerance: 20, scheduler: scheduler) { _ in }
        XCTAssertEqual(timer.tolerance, 5)
        for tolerance in [0.1, 1.1, 2.3, 1e-9, 0] {
            timer.tolerance = tolerance
            XCTAssertEqual(timer.tolerance, tolerance)
        }
        timer.invalidate()
    }
}
