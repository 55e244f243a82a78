import WeakTimers
import XCTest

final class TimeoutTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    func testATimeout() async {
        let scheduler = scheduler
        let task = Task {
            try await withTimeout(.seconds(5), clock: scheduler.clock) {
                try await scheduler.clock.sleep(for: .seconds(60))
                return 1
            }
        }
        await settled { scheduler.statistics.live == 2 }
        scheduler.advance(by: .seconds(5))
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? TimerError, .timedOut) }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testWhatIsInTime() async throws {
        let value = try await withTimeout(.seconds(60)) { 7 }
        XCTAssertEqual(value, 7)
        let none: Int? = try await withTimeout(.seconds(60), clock: scheduler.clock) { nil }
        XCTAssertNil(none)
        struct Failure: Error {}
        do {
            try await withTimeout(.seconds(60), clock: ContinuousClock()) { throw Failure() }
            XCTFail("the body's error was lost")
        } catch {
            XCTAssertTrue(error is Failure)
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testATimeoutThatIsCancelledFromOutside() async {
        let clock = scheduler.clock
        let task = Task { try await withTimeout(.seconds(5), clock: clock) { try await clock.sleep(for: .seconds(60)) } }
        await settled { scheduler.statistics.live == 2 }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
    }

    func testNoTimeAtAll() async {
        let started = Counter()
        for timeout in [Duration.zero, .nanoseconds(-1), .seconds(-1), Duration(attoseconds: .min)] {
            for _ in 0..<50 {
                do {
                    try await withTimeout(timeout) { _ = started.increment() }
                    XCTFail("there was no time")
                } catch {
                    XCTAssertEqual(error as? TimerError, .timedOut)
                }
            }
        }
        XCTAssertEqual(started.value, 0)
    }

    func testMoreTimeThanThereIs() async throws {
        let value = try await withTimeout(Duration(attoseconds: .max)) { 7 }
        XCTAssertEqual(value, 7)
    }

    // Cancelled from outside, the body has the last word.
    func testABodyThatFinishesAlthoughItsCallerWasCancelled() async throws {
        let clock = scheduler.clock
        for _ in 0..<50 {
            let isRunning = Counter()
            let mayReturn = Counter()
            let task = Task {
                try await withTimeout(.seconds(5), clock: clock) {
                    isRunning.increment()
                    while mayReturn.value == 0 { await Task.yield() }
                    return Task.isCancelled
                }
            }
            await settled { isRunning.value == 1 && scheduler.statistics.live == 1 }
            task.cancel()
            await settled { scheduler.statistics.live == 0 }
            mayReturn.increment()
            let wasCancelled = try await task.value
            XCTAssertTrue(wasCancelled)
        }
    }

    func testAClockThatEnds() async {
        let scheduler = scheduler
        let task = Task { try await withTimeout(.seconds(5), clock: scheduler.clock) { try await Task.sleep(for: .seconds(3600)) } }
        await settled { scheduler.statistics.live == 1 }
        scheduler.shutdown()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? TimerError, .shutDown) }
    }
}
