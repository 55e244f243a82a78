import XCTest

@testable import WeakTimerCore

/// What the processor's counter is taken for: nothing, until its rate has been measured twice with one result, and then the time for 32 microseconds
/// after each reading of the clock.
final class CounterClockTests: XCTestCase {
    private let ms: UInt64 = 1_000_000, second: UInt64 = 1_000_000_000
    private let start: UInt64 = 7_000_000_000_000_000

    /// A clock that has been read at three moments, four milliseconds apart, the last at `start` plus eight and the counter's `from` plus as much.
    private func measured(_ countsPerMicrosecond: UInt64, from counter: UInt64 = 1 << 36, at time: UInt64? = nil) -> CounterClock {
        var clock = CounterClock()
        for i in 0..<3 as Range<UInt64> {
            clock.read(at: (time ?? start) + i * 4 * ms, counter &+ i * 4_000 * countsPerMicrosecond)
        }
        return clock
    }

    func testRates() {
        for rate in [24, 100, 1_000, 2_400, 3_000, 5_300] as [UInt64] {
            let clock = measured(rate)
            XCTAssertEqual(clock.microsecond, rate, accuracy: 1)
            XCTAssertEqual((rate &* clock.scale) >> CounterClock.fraction, 1_000, accuracy: 2)
            XCTAssertEqual(clock.reach, 32 * clock.microsecond)
        }
    }

    func testItTakesTwoThatAgree() {
        var clock = CounterClock()
        clock.read(at: 100 * ms, 0)
        clock.read(at: 101 * ms, 3_000_000)
        clock.read(at: 104 * ms, 12_000_000)
        XCTAssertFalse(clock.isUseful, "the first has nothing to agree with")
        XCTAssertEqual(clock.microsecond, 0)
        clock.read(at: 108 * ms, 24_000_000)
        XCTAssertTrue(clock.isUseful)
        XCTAssertEqual(clock.microsecond, 3_000, accuracy: 1)
        // After that once a second.
        clock.read(at: 500 * ms, 24_000_000 + 392 * 3_000_000)
        XCTAssertEqual(clock.microsecond, 3_000, accuracy: 1)
        clock.read(at: 1_108 * ms, 24_000_000 + 1_500_000_000)
        XCTAssertFalse(clock.isUseful, "another machine")
        clock.read(at: 1_112 * ms, 24_000_000 + 1_506_000_000)
        XCTAssertTrue(clock.isUseful)
        XCTAssertEqual(clock.microsecond, 1_500, accuracy: 1)
    }

    /// Two rates that differ by more than one part in sixteen thousand would be off by more than two nanoseconds in 32 microseconds.
    func testHowCloseTheyMustBe() {
        for (drift, agrees) in [(0, true), (20, true), (-20, true), (100, false), (-100, false), (1_000, false)] as [(Int64, Bool)] {
            var clock = measured(3_000)
            let counts = 1_500_000_000 * (1_000_000 + drift) / 1_000_000
            clock.read(at: start + 8 * ms + second / 2, (1 << 36) + 24_000_000 + UInt64(counts))
            clock.read(at: start + 8 * ms + second, (1 << 36) + 24_000_000 + 2 * UInt64(counts))
            XCTAssertEqual(clock.isUseful, agrees, "\(drift) parts in a million")
        }
    }

    /// The next reading shows it, not the next measurement: what was told meanwhile is off by microseconds.
    func testAClockThatIsSlewedIsNoticedAtOnce() {
        for slew in [-100_000, -83_333, -5_000, 5_000, 83_333, 100_000] as [Int64] {
            var clock = measured(3_000)
            var counter = clock.mark, time = start + 8 * ms
            for _ in 0..<10 {
                counter += 32 * 3_000
                time += 32_000
                clock.read(at: time, counter)
                XCTAssertTrue(clock.isUseful)
            }
            counter += 32 * 3_000
            time += UInt64(32_000 + 32_000 * slew / 1_000_000)
            clock.read(at: time, counter)
            XCTAssertFalse(clock.isUseful, "\(slew) parts in a million")
            XCTAssertNil(clock.time(at: counter))
            // At its new rate it serves again.
            for _ in 0..<3 {
                counter += 4 * 3_000_000
                time += UInt64(4_000_000 + 4 * slew)
                clock.read(at: time, counter)
            }
            XCTAssertTrue(clock.isUseful)
            XCTAssertEqual(clock.time(at: counter), time)
        }
    }

    /// Two readings may differ by what each is not known to.
    func testReadingsThatDifferALittleAreNotTakenForThat() {
        var clock = measured(3_000)
        let counter = clock.mark
        for i in 1..<200 as Range<UInt64> {
            clock.read(at: start + 8 * ms + i * 32_000 + (i % 2) * 50, counter + i * 32 * 3_000)
            XCTAssertTrue(clock.isUseful)
        }
        // Nor is a pause, after which no reading is compared.
        clock.read(at: start + 50 * ms, counter + 42 * 3_000_000)
        XCTAssertTrue(clock.isUseful)
    }

    func testItTellsTheTime() {
        for rate in [24, 1_000, 2_300, 4_777] as [UInt64] {
            for from in [1 << 33, 1 << 40, UInt64.max - 20_000 * rate, UInt64.max - 12_000 * rate] as [UInt64] {
                let clock = measured(rate, from: from)
                for microseconds in 0..<32 as Range<UInt64> {
                    let told = clock.time(at: clock.mark &+ microseconds * rate) ?? 0
                    XCTAssertEqual(told, start + 8 * ms + microseconds * 1_000, accuracy: 2)
                    XCTAssertLessThanOrEqual(told, start + 8 * ms + microseconds * 1_000)
                }
            }
        }
    }

    func testBeyondItsReachItDoesNot() {
        let clock = measured(3_000)
        for counts in [32 * 3_000, 33 * 3_000, 1 << 62, .max, .max - 3_000] as [UInt64] {
            XCTAssertNil(clock.time(at: clock.mark &+ counts))
        }
        XCTAssertNil(CounterClock().time(at: 0))
    }

    func testCountersThatAreNone() {
        for counter in [0, 1, .max] as [UInt64] {
            var clock = CounterClock()
            for i in 1..<20 as Range<UInt64> { clock.read(at: i * 4 * ms, counter) }
            XCTAssertFalse(clock.isUseful)
            XCTAssertEqual(clock.scale, 0)
        }
        // One that runs backwards gives a rate that no counter has, or none.
        var clock = CounterClock()
        for i in 1..<20 as Range<UInt64> { clock.read(at: i * 4 * ms, 1 << 40 &- i * 12_000_000) }
        XCTAssertFalse(clock.isUseful)
        // Less than one count in 64 ns is too coarse.
        XCTAssertFalse(measured(15).isUseful)
    }

    /// The time of an interrupted reading is not that of the counter before it.
    func testAReadingThatTookLongTellsNothing() {
        var clock = measured(3_000)
        let mark = clock.mark
        clock.read(at: start + 9 * ms, mark + 3_000_000, took: 150)
        XCTAssertEqual(clock.time(at: clock.mark), start + 9 * ms)
        clock.read(at: start + 9 * ms, mark + 3_000_000, took: 151)
        XCTAssertNil(clock.time(at: clock.mark))
        XCTAssertEqual(clock.microsecond, 3_000, accuracy: 1, "the rate is known")
        clock.read(at: start + 9 * ms + 400, mark + 3_001_200)
        XCTAssertEqual(clock.time(at: clock.mark), start + 9 * ms + 400)
    }

    /// Where all take long the system's clock is not by the counter, or dear to read: nobody should ask.
    func testEightThatTookLongInARowAreGivenUpOn() {
        var clock = measured(3_000)
        let mark = clock.mark
        for round in 0..<2 as Range<UInt64> {
            for i in 1...8 as ClosedRange<UInt64> {
                XCTAssertTrue(clock.isUseful)
                clock.read(at: start + 9 * ms + round * ms + i * 1_000, mark + 3_000_000 * (round + 1) + i * 3_000, took: 200)
            }
            XCTAssertFalse(clock.isUseful)
            clock.read(at: start + 9 * ms + round * ms + 9_000, mark + 3_000_000 * (round + 1) + 27_000)
        }
        XCTAssertTrue(clock.isUseful)
    }

    func testAPauseBetweenTheTwoReadingsIsNotMeasured() {
        var clock = CounterClock()
        for i in 1..<20 as Range<UInt64> { clock.read(at: i * 4 * ms, i * 12_000_000, took: 5_000) }
        XCTAssertEqual(clock.microsecond, 0)
    }

    func testWhatLiesHoursApartIsNotMeasured() {
        let day: UInt64 = (1 << 36) + 3_600 * 24 * 3 * second
        var clock = measured(3_000, at: second)
        clock.read(at: 3_600 * 24 * second, day)
        XCTAssertFalse(clock.isUseful)
        clock.read(at: 3_600 * 24 * second + 4 * ms, day + 12_000_000)
        clock.read(at: 3_600 * 24 * second + 8 * ms, day + 24_000_000)
        XCTAssertEqual(clock.microsecond, 3_000, accuracy: 1)
    }

    func testACallbackIsTimedByTheRate() {
        let watch = Stopwatch(mark: 0, scale: measured(3_000).scale, 0)
        XCTAssertEqual(watch.nanoseconds(3_000), 1_000, accuracy: 1)
        XCTAssertEqual(Stopwatch(mark: 0, scale: 0, 0).nanoseconds(3_000), 0)
    }
}

extension CounterClock {
    /// The clock says `time` when the counter stands at `counter`.
    fileprivate mutating func read(at time: UInt64, _ counter: UInt64, took: UInt64 = 1) {
        note(time, from: counter, to: counter &+ took)
    }
}

private func XCTAssertEqual(_ a: UInt64, _ b: UInt64, accuracy: UInt64, _ text: String = "", line: UInt = #line) {
    XCTAssertTrue(a <= b &+ accuracy && b <= a &+ accuracy, "\(a) is not about \(b) \(text)", line: line)
}
