import XCTest

@testable import WeakTimerCore

/// Slots that are spread before their time: what is due, and in which order, must not depend on it.
final class WheelAheadTests: XCTestCase {
    private func wheel(shift: UInt64 = 0, many: UInt32 = 2, cost: UInt64 = 1) -> TestWheel {
        let test = TestWheel(shift: shift)
        test.wheel.pointee.ahead.many = many
        test.wheel.pointee.ahead.cost = cost
        return test
    }

    func testTheBeginIsDueBeforeTheSlotByItsSizeAndThenItGoesOn() {
        let test = wheel(many: 50, cost: 3)
        for i in 0..<100 { test.insert(i, at: 8_192 + 3_000 + UInt64(i)) }
        XCTAssertEqual(test.wheel.nextWake(), 8_192 - 800, "also where the first is due long after the slot's beginning")
        XCTAssertEqual(test.wheel.pointee.ahead.due, 8_192 - 800)
        test.wheel.spreadAhead(now: 8_192 - 801, limit: 10)
        XCTAssertEqual(test.wheel.pointee.ahead.level, 0, "it is not time yet")
        for left in [90, 80, 70, 60, 50] {
            test.wheel.spreadAhead(now: 8_192 - 800, limit: 10)
            XCTAssertEqual(test.checkInvariants(), 100)
            XCTAssertEqual(test.wheel.nextWake(), left > 50 ? 0 : 8_192 + 3_000)
        }
        XCTAssertEqual(test.wheel.pointee.ahead.due, .never, "few enough are left to be spread when the time comes")
        XCTAssertEqual(test.collect(8_192 + 2_999), [])
        XCTAssertEqual(test.wheel.nextWake(), 8_192 + 3_000)
        XCTAssertEqual(test.collect(20_000), Array(0..<100))
        XCTAssertTrue(test.wheel.isEmpty)
        XCTAssertEqual(test.wheel.nextWake(), .never)
    }

    func testTheBeginDependsOnTheSizeUpToASlotOfTheThirdLevelOrTheOneBelow() {
        for (count, lead) in [(3, 24), (20, 160), (500, 4_000)] as [(Int, UInt64)] {
            let test = wheel(cost: 3)
            for i in 0..<count { test.insert(i, at: 2 * 262_144 + 8_200) }
            XCTAssertEqual(test.wheel.nextWake(), 2 * 262_144 - lead)
        }
        // Of a slot of the second level, of the third and of the fourth.
        for (first, most) in [(61 * 4_096, 61 * 4_096), (262_144, 262_144), (64 * 262_144, 262_144), (64 * 64 * 262_144, 64 * 262_144)]
            as [(UInt64, UInt64)]
        {
            let test = wheel(cost: 30)
            for i in 0..<3 { test.insert(i, at: first + 100) }
            XCTAssertEqual(test.wheel.nextWake(), first - most)
        }
    }

    // covers: time.fair
    func testOfABegunSlotAPortionMayBeLeftForItsTime() {
        let test = wheel(many: 256, cost: 12)
        for i in 0..<300 { test.insert(i, at: 3 * 262_144 + 5_000) }
        var portions = 0
        while test.wheel.nextWake() == 0 || portions == 0 {
            test.wheel.spreadAhead(now: 3 * 262_144 - 1, limit: Ahead.portion)
            portions += 1
        }
        XCTAssertEqual(portions, 4, "44 are left of 300")
        XCTAssertEqual(test.collect(3 * 262_144 + 5_000), Array(0..<300))
    }

    func testTheHighestLevelGoesFirst() {
        let test = wheel(cost: 10)
        for i in 0..<10 { test.insert(i, at: 8_200 + UInt64(i)) }
        for i in 10..<20 { test.insert(i, at: 262_144 + UInt64(i)) }
        test.wheel.spreadAhead(now: 8_130, limit: 100)
        XCTAssertEqual(test.wheel.pointee.ahead.level, 2, "the other's time has not come")
        XCTAssertEqual(test.collect(9_000), Array(0..<10))
        for i in 0..<10 { test.insert(i, at: 16_400 + UInt64(i)) }
        test.wheel.spreadAhead(now: 260_000, limit: 100)
        XCTAssertEqual(test.wheel.pointee.ahead.level, 3)
        XCTAssertEqual(test.collect(262_143), Array(0..<10))
        XCTAssertEqual(test.collect(300_000), Array(10..<20))
    }

    // covers: world.idle
    func testASlotWhoseTimersWereAllMovedIsForgotten() {
        let test = wheel()
        for i in 0..<10 { test.insert(i, at: 8_200 + UInt64(i)) }
        for i in 0..<10 { test.move(i, to: 1_000_000 + UInt64(i)) }
        test.wheel.spreadAhead(now: 8_190, limit: 100)
        XCTAssertEqual(test.wheel.pointee.ahead.level, 0)
        XCTAssertEqual(test.checkInvariants(), 10)
        XCTAssertEqual(test.wheel.nextWake(), 786_432 - 20, "nobody wakes for the old slot")
        XCTAssertEqual(test.collect(2_000_000), Array(0..<10))
    }

    // covers: time.fair
    func testALimitHoldsForSlotsInOrder() {
        let test = wheel()
        for slot in 1..<60 { for i in 0..<10 { test.insert((slot - 1) * 10 + i, at: UInt64(slot * 64 + i)) } }
        var ready = TimerList()
        XCTAssertFalse(test.wheel.collect(now: 4_000, into: &ready, limit: 20))
        var count = 0
        while ready.first != 0 {
            let timer = Timers.at(ready.first - 1)
            ready.remove(timer)
            timer.place = Place.none
            count += 1
        }
        XCTAssertEqual(count, 20)
        XCTAssertEqual(test.collect(4_000, limit: 20).count, 590 - 20)
    }

    func testFewTimersAndManualTimeSpreadNothingAhead() {
        for (many, cost) in [(UInt32(100), UInt64(3)), (2, 0)] {
            let test = wheel(many: many, cost: cost)
            for i in 0..<100 { test.insert(i, at: 12_000) }
            XCTAssertEqual(test.wheel.nextWake(), 12_000)
            XCTAssertEqual(test.wheel.pointee.ahead.due, .never)
            XCTAssertEqual(test.collect(12_000), Array(0..<100))
        }
    }

    // covers: time.order
    func testWhatComesToTheSlotLaterTakesItsPlace() {
        let test = wheel()
        for i in 0..<10 { test.insert(i, at: 8_200 + 2 * UInt64(i)) }
        test.wheel.spreadAhead(now: .max - 1, limit: 100)
        test.wheel.pointee.ahead.many = 20
        for i in 10..<15 { test.insert(i, at: 8_201 + 2 * UInt64(i - 10)) }
        test.move(14, to: 8_190)
        test.move(0, to: 12_289)
        test.remove(3)
        XCTAssertEqual(test.checkInvariants(), 14)
        XCTAssertEqual(test.wheel.nextWake(), 8_190)
        XCTAssertEqual(test.collect(8_190), [14])
        XCTAssertEqual(test.collect(8_207), [10, 1, 11, 2, 12, 13])
        XCTAssertEqual(test.collect(12_288), [4, 5, 6, 7, 8, 9])
        XCTAssertEqual(test.collect(12_289), [0])
    }

    // covers: stop.none-after
    func testAllOfABlockAreTakenOutAgain() {
        let test = wheel()
        for i in 0..<10 { test.insert(i, at: 8_200 + UInt64(i)) }
        test.wheel.spreadAhead(now: .max - 1, limit: 100)
        for i in 0..<10 { test.remove(i) }
        XCTAssertTrue(test.wheel.isEmpty)
        XCTAssertEqual(test.collect(10_000), [])
        XCTAssertEqual(test.wheel.nextWake(), .never, "nobody wakes twice for those")
        test.insert(0, at: 10_001)
        XCTAssertEqual(test.collect(10_001), [0])
    }

    // covers: time.clocks
    func testGoingBackForgetsTheBlock() {
        let test = wheel()
        for i in 0..<10 { test.insert(i, at: 308_200 + UInt64(i)) }
        XCTAssertEqual(test.collect(303_000), [])
        test.wheel.spreadAhead(now: .max - 1, limit: 7)
        test.wheel.rewind(to: 0) { _ in }
        XCTAssertEqual(test.checkInvariants(), 10)
        XCTAssertEqual(test.collect(308_199), [])
        XCTAssertEqual(test.collect(308_300), Array(0..<10))
    }

    // covers: time.order time.range
    func testAtRandomAgainstASortedList() {
        for seed in UInt64(1)...24 {
            var random = SplitMix(state: seed)
            let test = wheel(shift: seed % 3 * 5, many: UInt32(seed % 4), cost: seed % 8 + 1)
            var free = Array(0..<1000), model: [Int] = []
            var now: UInt64 = seed % 6 == 0 ? .max - (1 << 40) : 0
            _ = test.collect(now)
            var blocks = 0
            for step in 0..<6_000 {
                let distance = random.next() >> (random.next() % 30 + 34)
                switch random.next() % 16 {
                case 0..<6:
                    guard let i = free.popLast() else { break }
                    test.insert(i, at: min(now.saturatingAdd(distance), .max - 1), tolerance: random.next() % 4 == 0 ? distance / 8 % 1_000_000 : 0)
                    model.append(i)
                case 6, 7:
                    guard let i = model.randomElement(using: &random) else { break }
                    test.move(i, to: min(now.saturatingAdd(distance), .max - 1))
                case 8:
                    guard let i = model.randomElement(using: &random) else { break }
                    test.remove(i)
                    model.removeAll { $0 == i }
                    free.append(i)
                case 9..<13:
                    _ = test.wheel.nextWake()
                    test.wheel.spreadAhead(now: .max - 1, limit: UInt32(random.next() % 40))
                    if test.wheel.pointee.ahead.level != 0 { blocks += 1 }
                default:
                    now = min(now.saturatingAdd(distance >> (random.next() % 8)), .max - 1)
                    let due = model.filter { test.deadline($0) <= now }
                        .sorted { (test.deadline($0), test.armed($0)) < (test.deadline($1), test.armed($1)) }
                    model.removeAll { test.deadline($0) <= now }
                    XCTAssertEqual(test.collect(now, limit: UInt32(random.next() % 50) + 1), due, "seed \(seed), step \(step)")
                    free += due
                }
                if step % 64 == 0 {
                    XCTAssertEqual(test.checkInvariants(), model.count, "seed \(seed), step \(step)")
                    let first = model.map { test.timer($0).wake }.min()
                    XCTAssertLessThanOrEqual(test.wheel.nextWake(), first ?? .never, "seed \(seed), step \(step)")
                }
            }
            XCTAssertGreaterThan(blocks, 20, "seed \(seed) had few blocks that were spread ahead")
            _ = test.collect(.max - 1)
            XCTAssertTrue(test.wheel.isEmpty)
        }
    }
}
