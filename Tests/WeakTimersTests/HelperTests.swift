import WeakTimers
import XCTest

final class HelperTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    func testADebouncerWaitsForQuiet() {
        let runs = Counter()
        let debouncer = Debouncer(.seconds(1), scheduler: scheduler) { runs.increment() }
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(runs.value, 0)
        for _ in 0..<5 {
            debouncer.call()
            scheduler.advance(by: .milliseconds(900))
        }
        XCTAssertTrue(debouncer.isPending)
        XCTAssertEqual(runs.value, 0)
        scheduler.advance(by: .milliseconds(100))
        XCTAssertEqual(runs.value, 1)
        XCTAssertFalse(debouncer.isPending)
        debouncer()
        debouncer.cancel()
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(runs.value, 1)
        debouncer.flush()
        scheduler.advance(by: .zero)
        XCTAssertEqual(runs.value, 1)
        debouncer()
        debouncer.flush()
        scheduler.advance(by: .zero)
        XCTAssertEqual(runs.value, 2)
    }

    func testADebouncerHoldsItsTargetWeakly() {
        let deaths = Counter()
        var model: Model? = Model(deaths: deaths)
        let ticks = model!.ticks
        let debouncer = Debouncer(.seconds(1), target: model!, scheduler: scheduler, action: Model.refresh)
        let closure = Debouncer(.seconds(1), target: model!, scheduler: scheduler) { model in model.refresh() }
        debouncer.call()
        closure.call()
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 2)
        debouncer.call()
        model = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 2)
    }

    func testADebouncerThatGoes() {
        let runs = Counter()
        var debouncer: Debouncer? = Debouncer(.seconds(1), scheduler: scheduler) { runs.increment() }
        debouncer?.call()
        debouncer = nil
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(runs.value, 0)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

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

    func testHelpersOnAnExecutor() {
        let model = Model()
        let pool = TimerExecutor.pool(threads: 1)
        let debouncers = [
            Debouncer(.seconds(1), on: pool, scheduler: scheduler) { model.refresh() },
            Debouncer(.seconds(1), target: model, on: pool, scheduler: scheduler) { model in model.refresh() },
            Debouncer(.seconds(1), target: model, on: pool, scheduler: scheduler, action: Model.refresh),
        ]
        let throttles = [
            Throttle(.seconds(1), on: pool, scheduler: scheduler) { model.refresh() },
            Throttle(.seconds(1), target: model, on: pool, scheduler: scheduler) { model in model.refresh() },
            Throttle(.seconds(1), target: model, on: pool, scheduler: scheduler, action: Model.refresh),
        ]
        for debouncer in debouncers { debouncer() }
        for throttle in throttles { throttle() }
        // They are given back after their last use, and what waits goes with them.
        withExtendedLifetime((debouncers, throttles)) { _ = scheduler.advance(by: .seconds(1)) }
        XCTAssertEqual(model.ticks.value, 6)
    }

    @MainActor func testHelpersOnTheMainActor() async throws {
        let view = ViewModel()
        let debouncer = Debouncer(.seconds(1), target: view, scheduler: scheduler) { view in view.ticks += 1 }
        let throttle = Throttle(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.refresh)
        let plain = Debouncer(.seconds(1), scheduler: scheduler) { [weak view] in view?.ticks += 1 }
        let elsewhere = Debouncer(.seconds(1), on: .inline, scheduler: scheduler) {}
        for _ in 0..<3 {
            debouncer()
            throttle()
            plain()
            elsewhere()
        }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(view.ticks, 3)
        try await withTimeout(.seconds(60)) {
            MainActor.assertIsolated()
            view.ticks += 1
        }
        XCTAssertEqual(view.ticks, 4)
    }

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
}
