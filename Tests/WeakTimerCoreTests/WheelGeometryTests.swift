import XCTest

@testable import WeakTimerCore

/// Where the wheel files a deadline: exhaustively on a wheel whose tick is a nanosecond.
final class WheelGeometryTests: XCTestCase {
    private let interesting: [UInt64] = [0, 1, 2, 31, 62, 63, 64, 65, 127, 128, 4094, 4095, 4096, 4097, 8191, 8192, 262_143, 262_144]

    // covers: time.range
    func testASlotStartsNoLaterThanWhatItHolds() {
        let test = TestWheel()
        for current in interesting {
            test.wheel.pointee.current = current
            for tick in current...(current + 9_000) {
                let place = test.wheel.place(tick)
                let level = place >> 6, slot = place & 63
                let start = test.wheel.start(level, slot)
                let span: UInt64 = 1 << UInt64(level * 6)
                XCTAssertTrue(start <= tick && tick - start < span, "tick \(tick) at \(current): level \(level), slot \(slot)")
                if level > 0 { XCTAssertGreaterThan(start, current, "a slot above the lowest level is not the present one") }
            }
        }
    }

    // covers: time.order
    func testAllSlotsOfALevelComeBeforeAllOfTheNext() {
        let test = TestWheel()
        for current in interesting {
            test.wheel.pointee.current = current
            var last = (level: 0, start: UInt64(0))
            for tick in current...(current + 9_000) {
                let place = test.wheel.place(tick)
                let here = (level: place >> 6, start: test.wheel.start(place >> 6, place & 63))
                XCTAssertTrue(here.level >= last.level && here.start >= last.start, "tick \(tick) at \(current)")
                last = here
            }
        }
    }

    func testThePastIsFiledWithThePresent() {
        let test = TestWheel()
        for current in interesting {
            test.wheel.pointee.current = current
            for tick in 0...min(current, 5_000) { XCTAssertEqual(test.wheel.place(tick), Int(current & 63)) }
        }
    }

    // covers: time.range
    func testEveryBitOfADeadlineHasItsLevel() {
        let test = TestWheel(shift: 10)
        let rows = (0..<Wheel.levels).map { test.wheel.row($0) }
        for bit in 0..<UInt64(64) {
            for deadline in [1 << bit, (1 << bit) - 1, (1 << bit) + (1 << bit) / 3] as [UInt64] {
                let tick = deadline >> 10
                let level = tick == 0 ? 0 : (63 - tick.leadingZeroBitCount) / 6
                XCTAssertEqual(test.wheel.place(deadline) >> 6, rows[level], "deadline \(deadline)")
            }
        }
        XCTAssertEqual(test.wheel.place(.max - 1) >> 6, rows[Wheel.levels - 1])
        XCTAssertEqual(Set(rows).count, Wheel.levels)
        XCTAssertEqual(rows.max(), Wheel.rows - 1)
    }

    func testEachDeadlineComesAtItsTickAndNotBefore() {
        let test = TestWheel()
        var now: UInt64 = 0
        for distance in UInt64(1)...4_500 {
            let deadline = now + distance
            test.insert(0, at: deadline)
            XCTAssertEqual(test.wheel.nextWake(), deadline)
            XCTAssertEqual(test.collect(deadline - 1), [], "before \(deadline)")
            XCTAssertEqual(test.collect(deadline), [0], "at \(deadline)")
            XCTAssertTrue(test.wheel.isEmpty)
            now = deadline
        }
    }

    func testAnEmptyWheelNeverWakes() {
        let test = TestWheel()
        XCTAssertEqual(test.wheel.nextWake(), .never)
        test.insert(0, at: 100)
        test.remove(0)
        XCTAssertEqual(test.wheel.nextWake(), .never)
        XCTAssertTrue(test.wheel.isEmpty)
    }

    // covers: time.range
    func testWhatNeverComesIsNotFiled() {
        let test = TestWheel(shift: 10)
        XCTAssertEqual(test.insert(0, at: .never), .never)
        XCTAssertTrue(test.wheel.isEmpty)
        XCTAssertEqual(test.timer(0).place, Place.none)
    }

    // covers: time.range time.order
    func testAJumpOverTheWholeOfTimeFindsAllInOrder() {
        let test = TestWheel(shift: 10)
        let deadlines: [UInt64] = (0..<UInt64(64)).map { UInt64(1) << $0 } + [.max - 1, .max - 2, 5, 1_000_000_007]
        for (i, deadline) in deadlines.shuffled().enumerated() { test.insert(i, at: deadline) }
        XCTAssertEqual(test.checkInvariants(), deadlines.count)
        let found = test.collect(.max - 1).map { test.deadline($0) }
        XCTAssertEqual(found, deadlines.sorted())
    }

    // covers: time.tolerance
    func testTheWakeOfASlotIsTheEarliestEndOfAWindow() {
        let test = TestWheel(shift: 10)
        let ms: UInt64 = 1_000_000
        test.insert(0, at: 100 * ms, tolerance: 50 * ms)
        let first = test.wheel.nextWake()
        XCTAssertTrue(first > 100 * ms && first <= 150 * ms)
        test.insert(1, at: 110 * ms)
        XCTAssertEqual(test.wheel.nextWake(), 110 * ms)
        test.remove(1)
        XCTAssertEqual(test.wheel.nextWake(), first, "what was removed wakes nobody")
    }
}
