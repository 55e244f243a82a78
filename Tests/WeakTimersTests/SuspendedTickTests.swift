import WeakTimers
import XCTest

/// What ticks say that have waited for a suspended body.
final class SuspendedTickTests: XCTestCase {
    // covers: time.fire
    func testEachFireIsATickOfItsOwn() async throws {
        for missed in MissedTicks.allCases {
            try await onEachKindOfTarget({ $0.missed = missed }) { suspended, _ in
                suspended.timer.fire()
                suspended.scheduler.advance(by: .zero)
                suspended.timer.fire()
                suspended.scheduler.advance(by: .zero)
                for count in 2...3 {
                    await suspended.finish()
                    await suspended.begins(count)
                }
                let fired = suspended.bodies.begun.all.dropFirst()
                XCTAssertEqual(fired.map(\.isFired), [true, true])
                XCTAssertEqual(fired.map(\.missed), [0, 0])
                XCTAssertEqual(fired.map(\.ordinal), [1, 1])
                await suspended.finish()
                await suspended.expect(3)
            }
        }
    }

    // covers: time.fire
    func testAFireStandsBesideTheGrid() async throws {
        for missed in MissedTicks.allCases {
            try await onEachKindOfTarget({ $0.missed = missed }) { suspended, _ in
                suspended.scheduler.advance(by: .seconds(1))
                suspended.timer.fire()
                suspended.scheduler.advance(by: .zero)
                for count in 2...3 {
                    await suspended.finish()
                    await suspended.begins(count)
                }
                let ticks = suspended.bodies.begun.all.dropFirst()
                XCTAssertEqual(ticks.map(\.isFired), [false, true])
                XCTAssertEqual(ticks.map(\.missed), [0, 0])
                XCTAssertEqual(ticks.map(\.ordinal), [2, 2])
            }
        }
    }

    // covers: time.fire time.pause
    func testAFireComesAlthoughTheTimerIsPaused() async throws {
        try await onEachKindOfTarget { suspended, _ in
            suspended.scheduler.advance(by: .seconds(1))
            suspended.timer.pause()
            suspended.timer.fire()
            suspended.scheduler.advance(by: .zero)
            await suspended.finish()
            await suspended.begins(2)
            XCTAssertTrue(suspended.bodies.begun.all[1].isFired)
            await suspended.finish()
            suspended.scheduler.advance(by: .seconds(10))
            await suspended.expect(2)
        }
    }

    // covers: time.missed
    func testMissedTicksAreReckonedWhenTheBodyStarts() async throws {
        try await onEachKindOfTarget { suspended, _ in
            suspended.scheduler.advance(by: .seconds(4))
            await suspended.finish()
            await suspended.begins(2)
            XCTAssertEqual(suspended.bodies.begun.all.map(\.ordinal), [1, 5])
            XCTAssertEqual(suspended.bodies.begun.all.map(\.missed), [0, 3])
            XCTAssertEqual(suspended.timer.info?.missed, 3)
        }
    }

    // covers: time.missed
    func testBurstBringsEachTick() async throws {
        try await onEachKindOfTarget({ $0.missed = .burst }) { suspended, _ in
            suspended.scheduler.advance(by: .seconds(3))
            for count in 2...4 {
                await suspended.finish()
                await suspended.begins(count)
            }
            XCTAssertEqual(suspended.bodies.begun.all.map(\.ordinal), [1, 2, 3, 4])
            XCTAssertEqual(suspended.bodies.begun.all.map(\.missed), [0, 0, 0, 0])
            await suspended.finish()
            await suspended.expect(4)
        }
    }

    // covers: time.missed
    func testDelayLaysTheGridFromTheTickThatWaited() async throws {
        try await onEachKindOfTarget({ $0.missed = .delay }) { suspended, _ in
            suspended.scheduler.advance(by: .milliseconds(3_500))
            await suspended.finish()
            await suspended.begins(2)
            let tick = suspended.bodies.begun.all[1]
            XCTAssertEqual(tick.ordinal, 2)
            XCTAssertEqual(tick.missed, 0)
            XCTAssertEqual(tick.next, suspended.scheduler.now.advanced(by: .seconds(1)))
        }
    }

    func testOtherTimersOfTheActorDoNotWait() async {
        let scheduler = TimerScheduler.manual()
        let bodies = Bodies()
        let worker = Worker()
        WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { _, tick in await bodies.run(tick) }
        WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { worker in worker.ticks.increment() }
        WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { worker in await worker.work() }
        for count in 1...3 {
            scheduler.advance(by: .seconds(1))
            await settled { worker.ticks.value == count * 11 }
        }
        XCTAssertEqual(bodies.begun.all.count, 1)
        bodies.goOn()
        await settled { bodies.begun.all.count == 2 }
        bodies.goOn()
    }

    // With real time nobody need advance anything: what is due comes by itself.
    func testUnderRealTime() async {
        let ticks = Record<Int>()
        let worker = Worker()
        let timer = WeakTimer.every(.microseconds(100), target: worker, missed: .burst) { _, tick in
            for _ in 0..<tick.ordinal % 7 { await Task.yield() }
            ticks.append(tick.ordinal)
        }
        await settled { ticks.all.count >= 200 }
        timer.invalidate()
        XCTAssertEqual(ticks.all, Array(1...ticks.all.count))
    }
}

private actor Worker {
    let ticks = Counter()

    func work() async {
        await Task.yield()
        ticks.increment(by: 10)
    }
}
