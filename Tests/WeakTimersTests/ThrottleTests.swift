import Foundation
import WeakTimers
import XCTest

final class ThrottleTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    func testAThrottleRunsAtBothEnds() {
        let runs = Record<UInt64>()
        let scheduler = scheduler
        let throttle = Throttle(.seconds(1), scheduler: scheduler) { runs.append(scheduler.now.nanoseconds / 1_000_000) }
        XCTAssertTrue(throttle.call())
        scheduler.advance(by: .milliseconds(100))
        for _ in 0..<5 {
            XCTAssertFalse(throttle.call())
            scheduler.advance(by: .milliseconds(100))
        }
        XCTAssertEqual(runs.all, [0])
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(runs.all, [0, 1000])
        XCTAssertTrue(throttle())
        scheduler.advance(by: .zero)
        XCTAssertEqual(runs.all, [0, 1000, 5600])
        throttle()
        throttle.cancel()
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(runs.all, [0, 1000, 5600])
    }

    func testAThrottleIsNeverTooFast() {
        let runs = Record<TimerClock.Instant>()
        let scheduler = scheduler
        let throttle = Throttle(.milliseconds(10), scheduler: scheduler) { runs.append(scheduler.now) }
        for step in 0..<1000 {
            throttle()
            scheduler.advance(by: .milliseconds(step % 4))
        }
        for (earlier, later) in zip(runs.all, runs.all.dropFirst()) {
            XCTAssertGreaterThanOrEqual(earlier.duration(to: later), .milliseconds(10))
        }
        XCTAssertGreaterThan(runs.all.count, 140)
    }

    func testAThrottleWithoutATrailingRun() {
        let model = Model()
        let throttle = Throttle(.seconds(1), target: model, trailing: false, scheduler: scheduler, action: Model.refresh)
        let closure = Throttle(.seconds(1), target: model, scheduler: scheduler) { model in model.refresh() }
        for _ in 0..<3 { throttle() }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(model.ticks.value, 1)
        closure()
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(model.ticks.value, 2)
    }

    // In real time it is chance whether the first run has started when the second call comes.
    func testACallBeforeTheFirstRunHasStarted() {
        let runs = Record<UInt64>()
        let scheduler = scheduler
        let throttle = Throttle(.milliseconds(100), scheduler: scheduler) { runs.append(scheduler.now.nanoseconds / 1_000_000) }
        XCTAssertTrue(throttle.call())
        XCTAssertFalse(throttle.call())
        XCTAssertFalse(throttle.call())
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(runs.all, [0, 100])
        let leading = Throttle(.milliseconds(100), trailing: false, scheduler: scheduler) { runs.append(7) }
        XCTAssertTrue(leading.call())
        XCTAssertFalse(leading.call())
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(runs.all, [0, 100, 7])
    }

    func testCancellingGivesTheTurnBack() {
        let runs = Record<UInt64>()
        let scheduler = scheduler
        let throttle = Throttle(.milliseconds(100), scheduler: scheduler) { runs.append(scheduler.now.nanoseconds / 1_000_000) }
        throttle()
        scheduler.advance(by: .zero)
        throttle()
        throttle.cancel()
        scheduler.advance(by: .milliseconds(50))
        XCTAssertFalse(throttle.call(), "the interval since the only run goes on")
        throttle.cancel()
        scheduler.advance(by: .milliseconds(50))
        XCTAssertTrue(throttle.call(), "and is over")
        throttle()
        throttle.cancel()
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(runs.all, [0], "neither of the calls at 100 ms had started")
        XCTAssertTrue(throttle.call())
        scheduler.advance(by: .zero)
        XCTAssertEqual(runs.all, [0, 1100])
    }

    // The interval counts from where the body starts, however late its executor is.
    func testASlowExecutor() {
        let works = Record<TimerExecutor.Work>()
        let runs = Record<UInt64>()
        let scheduler = scheduler
        let throttle = Throttle(.milliseconds(100), on: .custom { works.append($0) }, scheduler: scheduler) {
            runs.append(scheduler.now.nanoseconds / 1_000_000)
        }
        throttle()
        scheduler.advance(by: .milliseconds(90))
        XCTAssertFalse(throttle.call())
        works.all[0]()
        scheduler.advance(by: .milliseconds(99))
        XCTAssertFalse(throttle.call())
        XCTAssertEqual(works.all.count, 1)
        scheduler.advance(by: .milliseconds(1))
        works.all[1]()
        XCTAssertEqual(runs.all, [90, 190])
    }

    func testAnExecutorThatRefuses() {
        let runs = Counter()
        let refusals = Counter()
        let executor = TimerExecutor.custom { work in
            if refusals.increment() == 1 { return false }
            work()
            return true
        }
        let throttle = Throttle(.milliseconds(100), on: executor, scheduler: scheduler) { runs.increment() }
        XCTAssertTrue(throttle.call())
        scheduler.advance(by: .zero)
        XCTAssertEqual(runs.value, 0)
        XCTAssertTrue(throttle.call())
        scheduler.advance(by: .zero)
        XCTAssertEqual(runs.value, 1)
    }

    func testACallFromItsOwnBody() {
        let runs = Record<UInt64>()
        let own = Locked<Throttle?>(nil)
        let scheduler = scheduler
        let throttle = Throttle(.milliseconds(100), scheduler: scheduler) {
            runs.append(scheduler.now.nanoseconds / 1_000_000)
            if runs.all.count < 3 { XCTAssertEqual(own.withLock { $0 }?.call(), false) }
        }
        own.withLock { $0 = throttle }
        throttle()
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(runs.all, [0, 100, 200])
        own.withLock { $0 = nil }
    }

    // Called and cancelled at every moment of a run, in real time.
    func testFromManyThreads() {
        let runs = Counter()
        let interval = Duration.microseconds(200)
        let start = TimerClock.monotonic.now
        let throttle = Throttle(interval, on: .pool(threads: 2)) { runs.increment() }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for step in 0..<5000 {
                throttle.call()
                if thread == 0, step % 7 == 0 { throttle.cancel() }
            }
        }
        throttle()
        let seen = runs.value
        throttle()
        eventually { runs.value > seen }
        let count = runs.value
        XCTAssertLessThanOrEqual(interval * (count - 1), TimerClock.monotonic.now - start)
    }

    func testACallThatNothingComesOfIsFalse() throws {
        let runs = Counter()
        var model: Model? = Model()
        let ofModel = Throttle(.seconds(1), target: model!, scheduler: scheduler) { _ in runs.increment() }
        let own = try TimerScheduler(drive: .manual)
        let ofScheduler = Throttle(.seconds(1), scheduler: own) { runs.increment() }
        own.shutdown()
        XCTAssertFalse(ofScheduler.call())
        model = nil
        ofModel.call()
        scheduler.advance(by: .seconds(10))
        XCTAssertFalse(ofModel.call(), "the target was found dead at the tick")
        XCTAssertFalse(ofModel.call())
        XCTAssertEqual(runs.value, 0)
    }
}
