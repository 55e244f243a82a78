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

    func testAQuietTimeBeyondTheClocksRange() {
        scheduler.advance(by: .seconds(1))
        for quiet in [Duration.seconds(Int64.max), .nanoseconds(Int64.max) * 2, Duration(attoseconds: .max)] {
            let runs = Counter()
            let debouncer = Debouncer(quiet, scheduler: scheduler) { runs.increment() }
            debouncer.call()
            XCTAssertTrue(debouncer.isPending)
            debouncer.cancel()
            XCTAssertFalse(debouncer.isPending)
            debouncer.call()
            scheduler.advance(by: .seconds(1_000_000))
            XCTAssertEqual(runs.value, 0)
            debouncer.flush()
            scheduler.advance(by: .zero)
            XCTAssertEqual(runs.value, 1)
            XCTAssertFalse(debouncer.isPending)
        }
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
        // The throttle twice: at once, and at the end of the interval.
        XCTAssertEqual(view.ticks, 4)
        try await withTimeout(.seconds(60)) {
            MainActor.assertIsolated()
            view.ticks += 1
        }
        XCTAssertEqual(view.ticks, 5)
    }

    /// In real time, since the race is between a tick that has begun and who looks whether one is to come.
    // covers: stop.none-after
    func testAFlushRunsTheBodyOnceForACall() {
        let runs = Counter()
        let debouncer = Debouncer(.microseconds(20)) { runs.increment() }
        for round in 1...2_000 {
            debouncer.call()
            for _ in 0..<round % 50 { _ = debouncer.isPending }
            while runs.value < round { debouncer.flush() }
            XCTAssertEqual(runs.value, round)
            debouncer.flush()
        }
    }

    func testACallDuringTheBodyOfAFlushIsOneMore() {
        let runs = Counter()
        let debouncer = Locked<Debouncer?>(nil)
        let made = Debouncer(.seconds(1), scheduler: scheduler) {
            if runs.increment() == 1 { debouncer.withLock { $0 }?.call() }
        }
        debouncer.withLock { $0 = made }
        made.call()
        made.flush()
        scheduler.advance(by: .milliseconds(999))
        XCTAssertEqual(runs.value, 1)
        scheduler.advance(by: .milliseconds(1))
        XCTAssertEqual(runs.value, 2)
        debouncer.withLock { $0 = nil }
    }

    /// The call after a flush waits for its own quiet time, and runs once, although the flush may have asked for a tick that nobody needed.
    func testACallAfterAFlushWaitsForItsQuietTimeAndRunsOnce() {
        let runs = Counter(), early = Counter(), called = Locked(TimerClock.Instant.zero)
        let quiet = Duration.microseconds(100)
        let debouncer = Debouncer(quiet) {
            if TimerClock.monotonic.now < called.withLock({ $0 }) + quiet { early.increment() }
            runs.increment()
        }
        for round in 0..<2_000 {
            debouncer.call()
            let until = TimerClock.monotonic.now + .microseconds(round % 120)
            while TimerClock.monotonic.now < until {}
            debouncer.flush()
            while runs.value < 2 * round + 1 {}
            called.withLock { $0 = TimerClock.monotonic.now }
            debouncer.call()
            while runs.value < 2 * round + 2 {}
            XCTAssertEqual(runs.value, 2 * round + 2)
            called.withLock { $0 = .zero }
        }
        XCTAssertEqual(early.value, 0)
    }
}
