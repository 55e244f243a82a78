import WeakTimers
import XCTest

final class FrameTimerTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    // covers: time.no-drift
    func testFramesLieWhereArithmeticSays() {
        let model = Model()
        let frames = Record<UInt64>()
        let link = FrameTimer(rate: FrameRate(60_000, 1_001), target: model, scheduler: scheduler) { model, link in
            frames.append(link.timestamp.nanoseconds)
            XCTAssertEqual(link.timestamp.duration(to: link.targetTimestamp), .nanoseconds(16_683_333), accuracy: .nanoseconds(1))
        }
        XCTAssertEqual(link.timestamp, .zero)
        XCTAssertEqual(link.targetTimestamp.nanoseconds, 16_683_334)
        XCTAssertEqual(link.frame, 0)
        scheduler.advance(by: .seconds(10))
        let expected = (0..<599).map { (frame: UInt64) -> UInt64 in 16_683_334 + (frame * 1_001_000_000_000 + 59_999) / 60_000 }
        XCTAssertEqual(frames.all, expected)
        XCTAssertEqual(link.frame, 599)
        XCTAssertEqual(link.skippedFrames, 0)
        XCTAssertEqual(link.duration, .nanoseconds(16_683_334))
        XCTAssertEqual("\(link.rate)", "60000/1001 Hz")
    }

    func testItReadsWhatWasDoneToTheTimerBehindIt() {
        let model = Model()
        let link = FrameTimer(rate: FrameRate(10), target: model, scheduler: scheduler) { model in model.refresh() }
        scheduler.advance(by: .milliseconds(150))
        link.isPaused = true
        scheduler.advance(by: .seconds(10))
        link.isPaused = false
        XCTAssertEqual(link.targetTimestamp.nanoseconds, 10_200_000_000)
        link.timer.reschedule(after: .seconds(3))
        XCTAssertEqual(link.targetTimestamp.nanoseconds, 13_150_000_000)
        link.timer.pause()
        XCTAssertTrue(link.isPaused)
        link.timer.resume()
        XCTAssertFalse(link.isPaused)
        link.isPaused = true
        link.timer.resume()
        XCTAssertFalse(link.isPaused)
        link.invalidate()
        XCTAssertFalse(link.isValid)
    }

    func testPause() {
        let model = Model()
        let link = FrameTimer(rate: FrameRate(10), target: model, name: "link", scheduler: scheduler) { model in model.refresh() }
        scheduler.advance(by: .seconds(1))
        link.isPaused = true
        XCTAssertTrue(link.isPaused)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(model.ticks.value, 10)
        link.isPaused = false
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(model.ticks.value, 20)
        XCTAssertEqual(link.timer.info?.name, "link")
        XCTAssertEqual(link.invalidate(), .stopped)
        XCTAssertFalse(link.isValid)
    }

    func testItHoldsItsTargetWeakly() {
        let deaths = Counter()
        var model: Model? = Model(deaths: deaths)
        let link = FrameTimer(rate: FrameRate(10), target: model!, scheduler: scheduler, action: Model.refresh)
        scheduler.advance(by: .seconds(1))
        model = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(1))
        XCTAssertFalse(link.isValid)
    }

    /* field report: 29 */
    func testATargetThatOwnsItsFrameTimer() {
        final class View: Sendable {
            let link = Locked<FrameTimer?>(nil)
            let deaths: Counter
            init(_ deaths: Counter, _ scheduler: TimerScheduler) {
                self.deaths = deaths
                let made = FrameTimer(rate: FrameRate(60), target: self, scheduler: scheduler) { view, link in
                    XCTAssertTrue(view.link.withLock { $0 } === link)
                }
                link.withLock { $0 = made }
            }
            deinit { deaths.increment() }
        }
        let deaths = Counter()
        var view: View? = View(deaths, scheduler)
        scheduler.advance(by: .seconds(1))
        withExtendedLifetime(view) {}
        view = nil
        XCTAssertEqual(deaths.value, 1)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    @MainActor func testOnTheMainActor() {
        let view = ViewModel()
        let confined = Confined()
        let link = FrameTimer(rate: FrameRate(10), target: view, scheduler: scheduler) { view, link in view.ticks += 1 }
        let other = FrameTimer(rate: FrameRate(10), target: confined, scheduler: scheduler) { confined, link in confined.ticks += 1 }
        let method = FrameTimer(rate: FrameRate(10), target: view, scheduler: scheduler, action: ViewModel.refresh)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(view.ticks, 20)
        XCTAssertEqual(confined.ticks, 10)
        for timer in [link, other, method] { timer.invalidate() }
    }

    func testABodyThatIsToldAboutTheTick() {
        let model = Model()
        let link = FrameTimer(rate: FrameRate(10), target: model, scheduler: scheduler) { model, tick in
            XCTAssertEqual(tick.missed, 0)
            model.ticks.increment(by: tick.ordinal)
        }
        let plain = FrameTimer(rate: FrameRate(10), target: model, scheduler: scheduler) { model, _ in model.refresh() }
        scheduler.advance(by: .milliseconds(300))
        XCTAssertEqual(model.ticks.value, 1 + 2 + 3 + 3)
        XCTAssertEqual(link.frame, 3)
        plain.invalidate()
    }

    func testMoreSkippedFramesThanCanBeCounted() {
        let works = Record<TimerExecutor.Work>()
        let model = Model()
        let executor = TimerExecutor.custom { work in works.append(work) }
        let link = FrameTimer(rate: FrameRate(1_000_000_000), target: model, on: executor, scheduler: scheduler) { model, _ in
            model.refresh()
        }
        scheduler.advance(by: .seconds(10_000_000_000))
        works.all[0]()
        XCTAssertEqual(link.skippedFrames, .max)
        scheduler.advance(by: .nanoseconds(10))
        works.all[1]()
        XCTAssertEqual(model.ticks.value, 2)
        XCTAssertEqual(link.skippedFrames, .max)
    }

    func testOnAnExecutor() {
        let model = Model()
        let link = FrameTimer(rate: FrameRate(10), target: model, on: .pool(threads: 1), scheduler: scheduler) { model, link in
            model.ticks.increment(by: link.frame)
        }
        scheduler.advance(by: .milliseconds(200))
        XCTAssertEqual(model.ticks.value, 3)
        link.invalidate()
    }

    func testRates() {
        XCTAssertEqual(FrameRate(60), FrameRate(60, 1))
        XCTAssertEqual(FrameRate(1, 3).interval, .seconds(3))
        XCTAssertEqual(FrameRate(1_000_000_000).interval, .nanoseconds(1))
        XCTAssertEqual("\(FrameRate(60))", "60 Hz")
    }
}

private func XCTAssertEqual(_ left: Duration, _ right: Duration, accuracy: Duration, line: UInt = #line) {
    XCTAssertTrue(left >= right - accuracy && left <= right + accuracy, "\(left) is not \(right)", line: line)
}
