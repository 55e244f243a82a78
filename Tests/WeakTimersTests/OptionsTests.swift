import WeakTimers
import XCTest

/// The full form reports everything that the short forms stop the program for.
final class OptionsTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private func error(_ options: WeakTimer.Options, on executor: TimerExecutor = .scheduler) -> TimerError? {
        do {
            try WeakTimer.start(options, on: executor, scheduler: scheduler) {}.invalidate()
            return nil
        } catch {
            return error
        }
    }

    /* field report: 73 */
    // covers: life.failed
    func testWhatMakesNoSenseIsReported() {
        XCTAssertEqual(error(.every(.zero)), .invalid)
        XCTAssertEqual(error(.every(.seconds(-1))), .invalid)
        var options = WeakTimer.Options.every(.seconds(1))
        options.limit = 0
        XCTAssertEqual(error(options), .invalid)
        options.limit = -1
        XCTAssertEqual(error(options), .invalid)
        options = .every(.seconds(1))
        options.rate = FrameRate(60)
        XCTAssertEqual(error(options), .invalid)
        options = .every(.seconds(1))
        options.immediate = true
        XCTAssertNil(error(options))
        options.delay = .seconds(1)
        XCTAssertEqual(error(options), .invalid)
        options = .at(.zero)
        options.interval = .seconds(1)
        options.immediate = true
        XCTAssertEqual(error(options), .invalid)
        options = .after(.seconds(1))
        options.isConcurrent = true
        XCTAssertEqual(error(options), .invalid)
        XCTAssertNil(error(options, on: .pool(threads: 1)))
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testWhatIsTooSmallIsNothingAndWhatIsTooLargeIsNever() throws {
        XCTAssertNil(error(.after(.seconds(-5))))
        var options = WeakTimer.Options.after(.seconds(1))
        options.tolerance = .seconds(-1)
        let timer = try WeakTimer.start(options, scheduler: scheduler) {}
        XCTAssertEqual(timer.tolerance, .zero)
        let never = try WeakTimer.start(.after(.seconds(Int64.max)), scheduler: scheduler) {}
        XCTAssertNil(never.nextFire)
        XCTAssertTrue(never.isValid)
        let rare = try WeakTimer.start(.every(.seconds(Int64.max)), scheduler: scheduler) {}
        scheduler.advance(by: .seconds(1_000_000_000))
        XCTAssertTrue(rare.isValid)
        XCTAssertFalse(timer.isValid)
    }

    /* field report: 86 */
    func testALimitOfTimers() throws {
        let scheduler = try TimerScheduler(drive: .manual, maxTimers: 2)
        WeakTimer.after(.seconds(1), scheduler: scheduler) {}
        WeakTimer.after(.seconds(1), scheduler: scheduler) {}
        XCTAssertThrowsError(try WeakTimer.start(.after(.seconds(1)), scheduler: scheduler) {}) {
            XCTAssertEqual($0 as? TimerError, .limit)
        }
        XCTAssertFalse(WeakTimer.after(.seconds(1), scheduler: scheduler) {}.isValid)
        scheduler.advance(by: .seconds(1))
        XCTAssertTrue(WeakTimer.after(.seconds(1), scheduler: scheduler) {}.isValid)
    }

    func testAStartAfterTheShutdown() {
        scheduler.shutdown()
        XCTAssertTrue([TimerError.gone, .shutDown].contains(error(.every(.seconds(1)))))
        XCTAssertFalse(WeakTimer.every(.seconds(1), scheduler: scheduler) {}.isValid)
    }

    /* field report: 47, 48 */
    func testAPausedStart() throws {
        let ticks = Counter()
        var options = WeakTimer.Options.every(.seconds(1))
        options.startsPaused = true
        let timer = try WeakTimer.start(options, scheduler: scheduler) { ticks.increment() }
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(ticks.value, 0)
        timer.resume()
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertEqual(try WeakTimer.start(options, scheduler: scheduler) {}.invalidate(), .stopped)
    }

    func testAKeptOneShot() throws {
        let ticks = Counter()
        var options = WeakTimer.Options.after(.seconds(1))
        options.staysAfterTick = true
        let timer = try WeakTimer.start(options, scheduler: scheduler) { ticks.increment() }
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(timer.info?.state, .idle)
        timer.reschedule(after: .seconds(1))
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 2)
    }

    // covers: time.no-drift
    func testARate() throws {
        let ticks = Record<UInt64>()
        try WeakTimer.start(.rate(FrameRate(60_000, 1_001)), scheduler: scheduler) { tick in
            ticks.append(tick.scheduled.nanoseconds)
        }
        scheduler.advance(by: .seconds(2))
        let expected = (0..<119).map { (tick: UInt64) -> UInt64 in 16_683_334 + (tick * 1_001_000_000_000 + 59_999) / 60_000 }
        XCTAssertEqual(ticks.all, expected)
    }

    func testADeadlineInThePast() throws {
        let ticks = Record<Tick>()
        scheduler.advance(by: .seconds(10))
        var options = WeakTimer.Options.at(.zero.advanced(by: .seconds(5)))
        options.interval = .seconds(2)
        try WeakTimer.start(options, scheduler: scheduler) { tick in ticks.append(tick) }
        scheduler.advance(by: .zero)
        XCTAssertEqual(ticks.all.map(\.missed), [2])
        XCTAssertEqual(ticks.all.map(\.scheduled), [.zero.advanced(by: .seconds(9))])
    }

    func testErrorsSayWhatTheyMean() {
        XCTAssertEqual(TimerError.allCases.count, 9)
        XCTAssertEqual(Set(TimerError.allCases.map(\.description)).count, 9)
    }

    func testADelayOfZeroIsAtOnceAlsoForARepeatingTimer() throws {
        for (delay, first) in [(Duration?.none, 10), (.zero, 0), (.seconds(-3), 0), (.nanoseconds(1), 0)] {
            let scheduler = TimerScheduler.manual(), ticks = Record<Int>()
            for var options in [WeakTimer.Options.every(.seconds(10)), .rate(FrameRate(1, 10))] {
                options.delay = delay
                try WeakTimer.start(options, scheduler: scheduler) { (tick: Tick) in ticks.append(Int(tick.scheduled.nanoseconds / 1_000_000_000)) }
            }
            scheduler.advance(by: .seconds(15))
            let expected = first == 0 ? [0, 0, 10, 10] : [10, 10]
            XCTAssertEqual(ticks.all, expected, "\(String(describing: delay))")
        }
        var options = WeakTimer.Options.at(TimerClock.Instant(nanoseconds: 5))
        options.interval = .seconds(1)
        options.delay = .zero
        XCTAssertNil(error(options), "a deadline is in place of a delay")
    }

    func testASchedulersNegativeNumbersAreRefused() {
        XCTAssertThrowsError(try TimerScheduler(threadStackBytes: -1)) { XCTAssertEqual($0 as? TimerError, .invalid) }
        XCTAssertThrowsError(try TimerScheduler(slowCallback: .nanoseconds(-1))) { XCTAssertEqual($0 as? TimerError, .invalid) }
        XCTAssertThrowsError(try TimerScheduler(timerSlack: .seconds(-1))) { XCTAssertEqual($0 as? TimerError, .invalid) }
        XCTAssertThrowsError(try TimerScheduler(spin: .seconds(-1))) { XCTAssertEqual($0 as? TimerError, .invalid) }
    }
}
