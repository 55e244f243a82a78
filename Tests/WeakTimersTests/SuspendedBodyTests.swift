import WeakTimers
import XCTest

/// Ticks that come while the timer's body is suspended: they wait at the executor, and the engine's promises hold for them.
final class SuspendedBodyTests: XCTestCase {
    // covers: time.pause
    func testAPauseHoldsTheTickThatWaits() async throws {
        try await onEachKindOfTarget { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            XCTAssertEqual(suspended.timer.info?.state, .queued)
            suspended.timer.pause()
            await suspended.finish()
            suspended.scheduler.advance(by: .seconds(10))
            await suspended.expect(1)
            suspended.timer.resume()
            await suspended.begins(2)
            XCTAssertEqual(suspended.bodies.begun.all[1].now, suspended.scheduler.now)
            XCTAssertEqual(suspended.timer.info?.ticks, 2)
        }
    }

    func testAMoveTakesBackTheTickThatWaits() async throws {
        try await onEachKindOfTarget { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            suspended.timer.reschedule(after: .seconds(1_000))
            await suspended.finish()
            await suspended.expect(1)
            suspended.timer.reschedule(after: .seconds(10))
            suspended.scheduler.advance(by: .seconds(9))
            await suspended.expect(1)
            suspended.scheduler.advance(by: .seconds(1))
            await suspended.begins(2)
            XCTAssertEqual(suspended.bodies.begun.all.map(\.scheduled.nanoseconds), [1_000_000_000, 12_000_000_000])
        }
    }

    // What was handed over first is void when the second one comes.
    func testAMovedTickMayWaitAgain() async throws {
        try await onEachKindOfTarget { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            for _ in 0..<3 {
                suspended.timer.reschedule(after: .seconds(5))
                suspended.scheduler.advance(by: .seconds(5))
                XCTAssertEqual(suspended.timer.info?.state, .queued)
            }
            await suspended.finish()
            await suspended.begins(2)
            await suspended.expect(2)
            XCTAssertEqual(suspended.bodies.begun.all[1].scheduled, suspended.scheduler.now)
            XCTAssertEqual(suspended.bodies.begun.all[1].missed, 0)
        }
    }

    // covers: stop.none-after
    func testAStopTakesBackTheLastTickOfALimit() async throws {
        try await onEachKindOfTarget({ $0.limit = 2 }) { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            XCTAssertTrue(suspended.timer.isValid)
            XCTAssertEqual(suspended.timer.invalidate(), .stopped)
            await suspended.finish()
            await suspended.expect(1)
        }
    }

    func testALimitIsReachedWhenItsLastTickStarts() async throws {
        try await onEachKindOfTarget({ $0.limit = 2 }) { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            await suspended.finish()
            await suspended.begins(2)
            XCTAssertFalse(suspended.timer.isValid)
            XCTAssertEqual(suspended.scheduler.statistics.ended[.completed], 1)
            suspended.scheduler.advance(by: .seconds(5))
            await suspended.finish()
            await suspended.expect(2)
        }
    }

    // covers: stop.wait
    func testAWaitForTheEndIsNoWaitForTheBody() async throws {
        try await onEachKindOfTarget { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            XCTAssertEqual(suspended.timer.invalidateAndWait(), .stopped)
            await suspended.finish()
            await suspended.expect(1)
        }
    }

    // covers: stop.shutdown
    func testAShutdownDropsTheTickThatWaits() async throws {
        let ends = Record<EndReason>()
        try await onEachKindOfTarget({ $0.onEnd = { _, reason in ends.append(reason) } }) { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            XCTAssertEqual(suspended.scheduler.shutdown(), .stopped)
            await suspended.finish()
            await suspended.expect(1)
        }
        XCTAssertEqual(ends.all, [.shutDown, .shutDown, .shutDown])
    }

    // covers: life.weak
    func testATargetDiesAlthoughATickWaits() async throws {
        for _ in 0..<100 {
            try await onEachKindOfTarget { suspended, drop in
                suspended.scheduler.advance(by: .seconds(1))
                drop()
                XCTAssertEqual(suspended.deaths.value, 0)
                await suspended.finish()
                await settled { suspended.deaths.value == 1 && !suspended.timer.isValid }
                XCTAssertEqual(suspended.bodies.begun.all.count, 1)
                XCTAssertEqual(suspended.scheduler.statistics.ended[.targetGone], 1)
            }
        }
    }
}
