import Foundation
import WeakTimers
import XCTest

/// Targets that die in every position, and what is left behind: nothing.
final class LifetimeTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let deaths = Counter()
    private let released = Counter()

    private func start(_ model: Model) -> WeakTimer {
        let payload = Payload(released)
        return WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model in
            payload.touch()
            model.refresh()
        }
    }

    /* field report: 29, 31 */
    // covers: life.weak life.release.once
    func testATargetThatDiesBeforeTheFirstTick() {
        var model: Model? = Model(deaths: deaths)
        let timer = start(model!)
        model = nil
        XCTAssertEqual(deaths.value, 1)
        XCTAssertEqual(scheduler.advance(by: .seconds(5)), 0)
        XCTAssertFalse(timer.isValid)
        XCTAssertEqual(released.value, 1)
        XCTAssertEqual(scheduler.statistics.ended[.targetGone], 1)
        XCTAssertEqual(scheduler.statistics.ticks, 0)
    }

    func testATargetThatDiesBetweenTwoTicks() {
        var model: Model? = Model(deaths: deaths)
        let ticks = model!.ticks
        let timer = start(model!)
        scheduler.advance(by: .seconds(2))
        model = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertFalse(timer.isValid)
        XCTAssertEqual(released.value, 1)
    }

    // covers: life.borrow
    func testACallbackThatHoldsTheLastReference() {
        let holder = Locked<Model?>(Model(deaths: deaths))
        let seen = Counter()
        let timer = WeakTimer.every(.seconds(1), target: holder.withLock { $0! }, scheduler: scheduler) { [deaths] model in
            let last = holder.withLock { held in
                defer { held = nil }
                return held
            }
            XCTAssertNotNil(last)
            // The callback's own borrow is all that is left after this.
            withExtendedLifetime(last) {}
            XCTAssertEqual(deaths.value, 0)
            model.refresh()
            seen.increment()
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(seen.value, 1)
        XCTAssertEqual(deaths.value, 1)
        XCTAssertEqual(scheduler.advance(by: .seconds(5)), 0)
        XCTAssertFalse(timer.isValid)
    }

    func testATargetThatDiesInsideItsOneShot() {
        let holder = Locked<Model?>(Model(deaths: deaths))
        WeakTimer.after(.seconds(1), target: holder.withLock { $0! }, scheduler: scheduler) { model in
            holder.withLock { $0 = nil }
            model.refresh()
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(deaths.value, 1)
        XCTAssertEqual(scheduler.statistics.live, 0)
        XCTAssertEqual(scheduler.statistics.ended[.completed], 1)
    }

    func testATargetThatAnotherThreadDropsDuringACallback() {
        let holder = Locked<Model?>(Model(deaths: deaths))
        let timer = WeakTimer.every(.seconds(1), target: holder.withLock { $0! }, scheduler: scheduler) { [deaths] model in
            let dropped = Counter()
            Thread.detachNewThread {
                holder.withLock { $0 = nil }
                dropped.increment()
            }
            while dropped.value == 0 { sched_yield() }
            XCTAssertEqual(deaths.value, 0)
            model.refresh()
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(1))
        XCTAssertFalse(timer.isValid)
    }

    /* field report: 8, 10 */
    func testTargetsThatDieOnOtherThreadsWhileTheSharedSchedulerTicks() {
        let targets = 200
        let hits = Counter()
        for _ in 0..<targets {
            let model = Model(deaths: deaths)
            WeakTimer.every(.microseconds(200), target: model) { model in
                model.refresh()
                hits.increment()
            }
            Thread.detachNewThread { withExtendedLifetime(model) { _ = model.ticks.value } }
        }
        eventually { deaths.value == targets }
        eventually { TimerScheduler.shared.timers.isEmpty }
    }

    /* field report: 30, 32, 33, 36 */
    // covers: life.free life.release.when
    func testAnInvalidatedTimerGivesItsClosureBackAtOnce() {
        for count in 1...1000 {
            let payload = Payload(released)
            let timer = WeakTimer.after(.seconds(3600), scheduler: scheduler) { payload.touch() }
            XCTAssertEqual(timer.invalidate(), .stopped)
            // The loop's own reference is the last one.
            withExtendedLifetime(payload) {}
            XCTAssertEqual(scheduler.statistics.live, 0)
            if count > 1 { XCTAssertGreaterThanOrEqual(released.value, count - 1) }
        }
        XCTAssertEqual(released.value, 1000)
    }

    func testEveryWayToEndGivesTheClosureBackOnce() throws {
        let payloads = Counter()
        func payload() -> Payload {
            payloads.increment()
            return Payload(released)
        }
        // Completed.
        WeakTimer.after(.zero, scheduler: scheduler) { [payload = payload()] in payload.touch() }
        // Limit reached.
        WeakTimer.every(.seconds(1), limit: 2, scheduler: scheduler) { [payload = payload()] in payload.touch() }
        // From its own callback.
        WeakTimer.every(.seconds(1), scheduler: scheduler) { [payload = payload()] tick in
            payload.touch()
            XCTAssertEqual(tick.timer.invalidate(), .stillRunning)
        }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(released.value, payloads.value)
        // A start that fails.
        var broken = WeakTimer.Options.every(.seconds(1))
        broken.immediate = true
        broken.delay = .seconds(1)
        XCTAssertThrowsError(
            try WeakTimer.start(broken, scheduler: scheduler) { [payload = payload()] in payload.touch() })
        XCTAssertEqual(released.value, payloads.value)
        // Shut down.
        WeakTimer.every(.seconds(1), scheduler: scheduler) { [payload = payload()] in payload.touch() }
        scheduler.shutdown()
        XCTAssertEqual(released.value, payloads.value)
        // On a scheduler that is down.
        let late = WeakTimer.every(.seconds(1), scheduler: scheduler) { [payload = payload()] in payload.touch() }
        XCTAssertFalse(late.isValid)
        XCTAssertEqual(released.value, payloads.value)
    }

    func testASchedulerThatIsGivenUpEndsItsTimers() {
        var scheduler: TimerScheduler? = .manual()
        let payload = Payload(released)
        let timer = WeakTimer.every(.seconds(1), scheduler: scheduler!) { payload.touch() }
        scheduler = nil
        XCTAssertFalse(timer.isValid)
    }

    func testATimerThatReplacesItself() {
        let model = Model(deaths: deaths)
        let starts = Counter()
        @Sendable func again(_ scheduler: TimerScheduler) {
            guard starts.increment() < 100 else { return }
            WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { _ in again(scheduler) }
        }
        again(scheduler)
        scheduler.advance(by: .seconds(200))
        XCTAssertEqual(starts.value, 100)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }
}
