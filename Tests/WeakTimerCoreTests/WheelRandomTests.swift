import XCTest

@testable import WeakTimerCore

/// Everything that a wheel can be told, at random and at every level, against a sorted list: blocks that are spread ahead, banks that
/// change places, clocks that go back a little or a long way, and wheels that are emptied and begin anew.
final class WheelRandomTests: XCTestCase {
    func testEverythingAtRandom() {
        for seed in UInt64(100)..<108 {
            var random = SplitMix(state: seed)
            let test = TestWheel(shift: seed % 5 == 0 ? 10 : seed % 3 * 5)
            let wheel = test.wheel
            wheel.pointee.ahead.many = UInt32(seed % 3)
            wheel.pointee.ahead.cost = seed % 30
            var free = Array(0..<300), model: [Int] = []
            // As the scheduler does before anybody goes through the lists.
            func settle() { free += test.settle() }
            var now: UInt64 = seed % 5 == 0 ? .max - (1 << 50) : 0
            _ = test.collect(now)
            for step in 0..<8_000 {
                let distance = random.next() >> (random.next() % 44 + 20)
                let choice = random.next() % 18
                switch choice {
                case 0..<5:
                    guard let i = free.popLast() else { break }
                    let tolerance = random.next() % 4 == 0 ? distance / 8 % 1_000_000 : 0
                    test.insert(i, at: min(now.saturatingAdd(distance), .max - 1), tolerance: tolerance)
                    model.append(i)
                case 5, 6, 7:
                    guard let i = model.randomElement(using: &random) else { break }
                    let deadline = choice == 7 ? test.deadline(i).saturatingAdd(distance >> 20) : now.saturatingAdd(distance)
                    test.move(i, to: min(deadline, .max - 1))
                case 8:
                    // Now and then so many that those that ended before are taken out meanwhile.
                    for _ in 0..<(random.next() % 8 == 0 ? 40 : 1) {
                        guard let i = model.randomElement(using: &random) else { break }
                        model.removeAll { $0 == i }
                        if random.next() % 4 == 0 {
                            test.remove(i)
                            free.append(i)
                        } else {
                            free += test.end(i)
                        }
                    }
                case 9..<14:
                    settle()
                    _ = wheel.nextWake()
                    wheel.spreadAhead(now: .max - 1, limit: UInt32(random.next() % 10))
                case 14 where random.next() % 40 == 0:
                    now -= min(now, distance)
                    settle()
                    wheel.rewind(to: now) { _ in }
                case 15 where random.next() % 60 == 0:
                    for i in model { test.remove(i) }
                    settle()
                    free += model
                    model = []
                    XCTAssertTrue(wheel.isEmpty)
                    wheel.reset()
                    wheel.pointee.current = now >> wheel.pointee.shift
                default:
                    // Now and then the clock has gone back by less than anybody noticed.
                    let isBack = random.next() % 10 == 0
                    now = isBack ? now - min(now, 3_000) : min(now.saturatingAdd(distance >> (random.next() % 30)), .max - 1)
                    let due = model.filter { test.deadline($0) <= now }
                        .sorted { (test.deadline($0), test.armed($0)) < (test.deadline($1), test.armed($1)) }
                    model.removeAll { test.deadline($0) <= now }
                    settle()
                    XCTAssertEqual(test.collect(now, limit: UInt32(random.next() % 50) + 1), due, "seed \(seed), step \(step)")
                    free += due
                }
                if step % 16 == 0 {
                    settle()
                    XCTAssertEqual(test.checkInvariants(), model.count, "seed \(seed), step \(step)")
                    let first = model.map { test.timer($0).wake }.min()
                    XCTAssertLessThanOrEqual(wheel.nextWake(), first ?? .never, "seed \(seed), step \(step)")
                }
            }
            for i in model { test.remove(i) }
            settle()
            XCTAssertTrue(wheel.isEmpty)
        }
    }
}
