import XCTest

@testable import WeakTimerCore

/// The wheel against a sorted list: small sets exhaustively, large ones at random.
final class WheelOrderTests: XCTestCase {
    private let edges: [UInt64] = [0, 1, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8192, 262_144]

    /// The numbers of those due at `now` in the order of deadline and arming, and the rest.
    private func split(_ model: inout [Int], _ test: TestWheel, _ now: UInt64) -> [Int] {
        let due = model.filter { test.deadline($0) <= now }
            .sorted { (test.deadline($0), test.armed($0)) < (test.deadline($1), test.armed($1)) }
        model.removeAll { test.deadline($0) <= now }
        return due
    }

    // covers: time.order
    func testAllTriplesOfEdges() {
        let test = TestWheel()
        for a in edges {
            for b in edges {
                for c in edges {
                    test.wheel.reset()
                    var model = [0, 1, 2]
                    for (i, deadline) in [a, b, c].enumerated() { test.insert(i, at: deadline) }
                    XCTAssertEqual(test.wheel.nextWake(), min(a, b, c))
                    for now in Set([a, b, c]).sorted() {
                        XCTAssertEqual(test.collect(now), split(&model, test, now), "\(a) \(b) \(c) at \(now)")
                    }
                    XCTAssertTrue(test.wheel.isEmpty)
                }
            }
        }
    }

    // covers: stop.none-after
    func testAllTriplesWithOneTakenOut() {
        let test = TestWheel()
        for a in edges {
            for b in edges {
                for c in edges {
                    for removed in 0..<3 {
                        test.wheel.reset()
                        var model = [0, 1, 2]
                        for (i, deadline) in [a, b, c].enumerated() { test.insert(i, at: deadline) }
                        test.remove(removed)
                        model.removeAll { $0 == removed }
                        XCTAssertEqual(test.wheel.nextWake(), model.map { test.deadline($0) }.min())
                        XCTAssertEqual(test.collect(300_000), split(&model, test, 300_000), "\(a) \(b) \(c) without \(removed)")
                    }
                }
            }
        }
    }

    // covers: time.order
    func testAllPairsOfMoves() {
        let test = TestWheel()
        for from in edges {
            for to in edges {
                for other in edges {
                    test.wheel.reset()
                    var model = [0, 1]
                    test.insert(0, at: from)
                    test.insert(1, at: other)
                    test.move(0, to: to)
                    XCTAssertEqual(test.wheel.nextWake(), min(to, other), "nobody wakes for the old deadline")
                    _ = test.checkInvariants()
                    for now in Set([from, to, other]).sorted() {
                        XCTAssertEqual(test.collect(now), split(&model, test, now), "\(from) to \(to) beside \(other)")
                    }
                }
            }
        }
    }

    // covers: time.order time.range
    func testAtRandom() {
        for seed in UInt64(1)...6 {
            var random = SplitMix(state: seed)
            let test = TestWheel(shift: seed > 4 ? 10 : seed % 2 * 10)
            var free = Array(0..<300), model: [Int] = []
            var now: UInt64 = seed > 4 ? .max - (1 << 40) : 0
            for step in 0..<3_000 {
                let distance = random.next() >> (random.next() % 40 + 20)
                switch random.next() % 10 {
                case 0..<4:
                    guard let i = free.popLast() else { break }
                    test.insert(i, at: min(now.saturatingAdd(distance), .max - 1))
                    model.append(i)
                case 4, 5:
                    guard let i = model.randomElement(using: &random) else { break }
                    test.move(i, to: min(now.saturatingAdd(distance), .max - 1))
                case 6:
                    guard let i = model.randomElement(using: &random) else { break }
                    test.remove(i)
                    model.removeAll { $0 == i }
                    free.append(i)
                default:
                    now = min(now.saturatingAdd(distance), .max - 1)
                    let due = split(&model, test, now)
                    XCTAssertEqual(test.collect(now), due, "seed \(seed), step \(step)")
                    free += due
                }
                if step % 100 == 0 {
                    XCTAssertEqual(test.checkInvariants(), model.count, "seed \(seed), step \(step)")
                    let first = model.map { test.deadline($0) }.min()
                    XCTAssertEqual(test.wheel.nextWake(), first ?? .never, "seed \(seed), step \(step)")
                }
            }
            _ = test.collect(.max - 1)
        }
    }

    func testABigSlotIsSpreadInPortions() {
        let test = TestWheel()
        var random = SplitMix(state: 7)
        for limit in [1, 3, 64, 1_000] as [UInt32] {
            test.wheel.reset()
            var model = Array(0..<500)
            for i in model { test.insert(i, at: 4_096 + random.next() % 4_096) }
            XCTAssertEqual(test.collect(8_191, limit: limit), split(&model, test, 8_191), "in portions of \(limit)")
            XCTAssertTrue(test.wheel.isEmpty)
        }
    }

    func testWhileASlotIsSpreadTheOwnerIsToLookAgain() {
        let test = TestWheel()
        for i in 0..<100 { test.insert(i, at: 4_100 + UInt64(i)) }
        var ready = TimerList()
        XCTAssertFalse(test.wheel.collect(now: 4_099, into: &ready, limit: 10))
        XCTAssertEqual(test.wheel.nextWake(), 0)
        XCTAssertEqual(test.collect(4_099, limit: 10), [])
        XCTAssertEqual(test.wheel.nextWake(), 4_100)
        XCTAssertEqual(test.collect(4_200).count, 100)
    }

    // covers: time.clocks
    func testGoingBack() {
        let test = TestWheel()
        for (i, deadline) in edges.enumerated() { test.insert(i, at: deadline + 300_000) }
        XCTAssertEqual(test.collect(299_000), [])
        test.wheel.rewind(to: 10) { $0.pointee.deadline -= 299_000 }
        XCTAssertEqual(test.checkInvariants(), edges.count)
        XCTAssertEqual(test.wheel.nextWake(), 1_000)
        XCTAssertEqual(test.collect(999), [])
        XCTAssertEqual(test.collect(300_000).map { test.deadline($0) }, edges.map { $0 + 1_000 })
    }
}
