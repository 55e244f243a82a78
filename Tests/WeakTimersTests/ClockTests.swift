import WeakTimers
import XCTest

final class ClockTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    /* field report: 68, 69, 70 */
    // covers: time.range
    func testDurationsBecomeNanoseconds() {
        func delay(_ duration: Duration) -> TimerClock.Instant? {
            let timer = WeakTimer.after(duration, scheduler: scheduler) {}
            defer { timer.invalidate() }
            return timer.nextFire
        }
        XCTAssertEqual(delay(.zero)?.nanoseconds, 0)
        XCTAssertEqual(delay(.seconds(-1))?.nanoseconds, 0)
        XCTAssertEqual(delay(.nanoseconds(1))?.nanoseconds, 1)
        // Rounded up: nothing may be early.
        XCTAssertEqual(delay(Duration(secondsComponent: 0, attosecondsComponent: 1))?.nanoseconds, 1)
        XCTAssertEqual(delay(Duration(secondsComponent: 0, attosecondsComponent: 1_000_000_001))?.nanoseconds, 2)
        XCTAssertEqual(delay(.seconds(18) + .nanoseconds(1))?.nanoseconds, 18_000_000_001)
        XCTAssertEqual(delay(.seconds(19) + .nanoseconds(1))?.nanoseconds, 19_000_000_001)
        XCTAssertEqual(delay(.milliseconds(Int64(Int32.max) + 1))?.nanoseconds, 2_147_483_648_000_000)
        XCTAssertEqual(delay(.nanoseconds(Int64.max))?.nanoseconds, UInt64(Int64.max))
        XCTAssertEqual(delay(.nanoseconds(Int64.max) + .nanoseconds(1))?.nanoseconds, UInt64(Int64.max) + 1)
        XCTAssertEqual(delay(.seconds(18_446_744_073) + .nanoseconds(709_551_614))?.nanoseconds, UInt64.max - 1)
        XCTAssertNil(delay(.seconds(18_446_744_073) + .nanoseconds(709_551_615)))
        XCTAssertNil(delay(.seconds(18_446_744_074)))
        XCTAssertNil(delay(.seconds(Int64.max)))
    }

    // Against a division of all 128 bits, about each power of two and each whole number of nanoseconds near one.
    // covers: time.range
    func testDurationsAreRoundedUpWhateverTheirLength() {
        let timer = WeakTimer.after(.zero, scheduler: scheduler) {}
        for power in 0...94 {
            let near = Int128(1) << Int128(power)
            for base in [near, near / 1_000_000_000 * 1_000_000_000] {
                for offset in [-512, -2, -1, 0, 1, 2, 511, 512, 999_999_999, 1_000_000_000] {
                    let attoseconds = max(base + Int128(offset), 0)
                    let (quotient, remainder) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
                    let expected = quotient + (remainder == 0 ? 0 : 1)
                    timer.reschedule(after: Duration(attoseconds: attoseconds))
                    let next = timer.nextFire?.nanoseconds ?? .max
                    XCTAssertEqual(next, UInt64(clamping: expected), "\(attoseconds) as")
                }
            }
        }
        timer.invalidate()
    }

    func testInstants() {
        let one = TimerClock.Instant(nanoseconds: 1_000_000_000)
        XCTAssertEqual(one.advanced(by: .seconds(2)).nanoseconds, 3_000_000_000)
        XCTAssertEqual(one.advanced(by: .milliseconds(-500)).nanoseconds, 500_000_000)
        XCTAssertEqual(one.advanced(by: .seconds(-5)), .zero)
        XCTAssertEqual(one.advanced(by: .seconds(Int64.max)), .never)
        XCTAssertEqual(TimerClock.Instant.never.advanced(by: .seconds(-1)), .never)
        XCTAssertEqual(one.duration(to: one.advanced(by: .seconds(2))), .seconds(2))
        XCTAssertEqual(one.advanced(by: .seconds(2)).duration(to: one), .seconds(-2))
        XCTAssertEqual(TimerClock.Instant.zero.duration(to: .never) > .seconds(18_000_000_000), true)
        XCTAssertLessThan(TimerClock.Instant.zero, one)
        XCTAssertEqual("\(one)", "1.0 seconds")
        XCTAssertEqual("\(TimerClock.Instant.never)", "never")
    }

    func testInstantsAddAndSubtract() {
        typealias Instant = TimerClock.Instant
        let one = Instant(nanoseconds: 1_000_000_000)
        XCTAssertEqual((one + .seconds(2)).nanoseconds, 3_000_000_000)
        XCTAssertEqual((one - .milliseconds(400)).nanoseconds, 600_000_000)
        XCTAssertEqual(one - .seconds(-1), one + .seconds(1))
        XCTAssertEqual((one + .seconds(2)) - one, .seconds(2))
        XCTAssertEqual(one - (one + .seconds(2)), .seconds(-2))
        var moved = one
        moved += .seconds(3)
        moved -= .seconds(1)
        XCTAssertEqual(moved.nanoseconds, 3_000_000_000)
    }

    // Whatever a duration can hold.
    func testArithmeticSaturates() {
        typealias Instant = TimerClock.Instant
        let least = Duration(attoseconds: .min)
        let most = Duration(attoseconds: .max)
        for instant in [Instant.zero, Instant(nanoseconds: 5), Instant(nanoseconds: .max - 1)] {
            XCTAssertEqual(instant.advanced(by: least), .zero)
            XCTAssertEqual(instant.advanced(by: most), .never)
            XCTAssertEqual(instant + least, .zero)
            XCTAssertEqual(instant - most, .zero)
            XCTAssertEqual(instant + most, .never)
            XCTAssertEqual(instant - least, .never)
        }
        XCTAssertEqual(Instant.never + least, .never)
        XCTAssertEqual(Instant.never - most, .never)
        XCTAssertEqual(Instant.never - Instant.never, .zero)
        XCTAssertEqual(Instant.zero - Instant.never, .zero - (Instant.never - Instant.zero))
        let timer = WeakTimer.after(least, tolerance: least, scheduler: scheduler) {}
        XCTAssertEqual(timer.nextFire, .zero)
        XCTAssertTrue(timer.reschedule(after: least))
        XCTAssertEqual(timer.invalidateAndWait(timeout: least), .stopped)
    }

    func testTheDocumentedSleep() async throws {
        let scheduler = TimerScheduler.shared
        try await Task.sleep(until: scheduler.clock.now + .microseconds(2), clock: scheduler.clock)
    }

    func testASleepOnAFullScheduler() async throws {
        let full = try TimerScheduler(drive: .manual, maxTimers: 1)
        WeakTimer.after(.seconds(1), scheduler: full) {}
        do {
            try await full.clock.sleep(for: .seconds(1))
            XCTFail("there was no room")
        } catch {
            XCTAssertEqual(error as? TimerError, .limit)
        }
    }

    func testThreeKindsOfClock() {
        scheduler.advance(by: .seconds(5))
        for kind in TimerClock.Kind.allCases {
            XCTAssertEqual(TimerClock(kind, scheduler: scheduler).now.nanoseconds, 5_000_000_000)
        }
        XCTAssertEqual(scheduler.clock, TimerClock(.monotonic, scheduler: scheduler))
        XCTAssertEqual(scheduler.clock.minimumResolution, .nanoseconds(1))
        XCTAssertGreaterThan(TimerClock.wall.now.nanoseconds, 1_600_000_000_000_000_000)
        XCTAssertLessThanOrEqual(TimerClock.monotonic.now, TimerClock.monotonic.now)
        XCTAssertLessThanOrEqual(TimerClock.boottime.now, TimerClock.boottime.now)
        XCTAssertEqual(scheduler.clock.measure { scheduler.advance(by: .seconds(1)) }, .seconds(1))
    }

    func testASleepEndsWithManualTime() async throws {
        let clock = scheduler.clock
        let deadline = clock.now.advanced(by: .seconds(10))
        let woken = Counter()
        let sleeper = Task {
            try await Task.sleep(until: deadline, clock: clock)
            woken.increment()
        }
        await settled { scheduler.statistics.live == 1 }
        scheduler.advance(by: .seconds(9))
        XCTAssertEqual(scheduler.statistics.live, 1)
        scheduler.advance(by: .seconds(1))
        try await sleeper.value
        XCTAssertEqual(woken.value, 1)
        // The deadline has passed.
        try await Task.sleep(until: deadline, clock: clock)
        try await clock.sleep(for: .zero)
    }

    func testACancelledSleep() async {
        let clock = scheduler.clock
        let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
        await settled { scheduler.statistics.live == 1 }
        sleeper.cancel()
        let result = await sleeper.result
        XCTAssertThrowsError(try result.get()) { XCTAssertTrue($0 is CancellationError) }
        XCTAssertEqual(scheduler.statistics.live, 0)

        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(10))
        }
        let late = await cancelled.result
        XCTAssertThrowsError(try late.get()) { XCTAssertTrue($0 is CancellationError) }
    }

    // Cancelled at every moment: each sleep ends exactly once, or its continuation would trap.
    func testSleepsThatAreCancelledAtAnyMoment() async {
        let clock = TimerClock.monotonic
        for round in 0..<300 {
            let sleeper = Task { try await clock.sleep(for: .microseconds(round % 50)) }
            if round % 3 == 0 { await Task.yield() }
            sleeper.cancel()
            _ = await sleeper.result
        }
    }

    func testASleepEndsWithItsScheduler() async {
        let clock = scheduler.clock
        let sleeper = Task { try await clock.sleep(for: .seconds(10)) }
        await settled { scheduler.statistics.live == 1 }
        scheduler.shutdown()
        let result = await sleeper.result
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? TimerError, .shutDown) }
        do {
            try await clock.sleep(for: .seconds(1))
            XCTFail("slept on a scheduler that is down")
        } catch {
            XCTAssertTrue(error is TimerError)
        }
    }

    func testARealSleep() async throws {
        let clock = TimerClock.monotonic
        let start = clock.now
        try await clock.sleep(until: start.advanced(by: .milliseconds(2)), tolerance: .milliseconds(1))
        XCTAssertGreaterThanOrEqual(start.duration(to: clock.now), .milliseconds(2))
    }

    func testAClockIsNamedByADotWhereOneIsAskedFor() async throws {
        func name(_ clock: some Clock<Duration>) -> String { "\((clock as? TimerClock)?.kind as Any)" }
        XCTAssertEqual(name(.boottime), name(TimerClock.boottime))
        XCTAssertEqual(name(.wall), name(TimerClock.wall))
        try await Task.sleep(for: .nanoseconds(1), clock: .monotonic)
        let value = try await withTimeout(.seconds(60), clock: .boottime) { 5 }
        XCTAssertEqual(value, 5)
    }
}
