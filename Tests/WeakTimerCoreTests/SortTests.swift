import XCTest

@testable import WeakTimerCore

/// The sort of a slot's list.
final class SortTests: XCTestCase {
    /// Links the timers in the order given, sorts them, and gives their numbers.
    private func sorted(_ test: TestWheel, _ numbers: [Int]) -> [Int] {
        for (i, number) in numbers.enumerated() {
            test.timer(number).pointee.next = i + 1 < numbers.count ? test.index(numbers[i + 1]) + 1 : 0
        }
        var link = ListSort.sort(numbers.isEmpty ? 0 : test.index(numbers[0]) + 1)
        var result: [Int] = []
        while link != 0 {
            result.append(test.number(link - 1))
            link = Timers.at(link - 1).pointee.next
        }
        return result
    }

    // covers: time.order
    func testAllListsOfUpToSixOverThreeDeadlines() {
        let test = TestWheel()
        for length in 0...6 {
            var combinations = 1
            for _ in 0..<length { combinations *= 3 }
            for combination in 0..<combinations {
                var rest = combination
                for i in 0..<length {
                    test.timer(i).pointee.deadline = UInt64(rest % 3)
                    test.timer(i).armed = UInt64(i)
                    rest /= 3
                }
                let wanted = (0..<length).sorted { (test.deadline($0), $0) < (test.deadline($1), $1) }
                XCTAssertEqual(sorted(test, Array(0..<length)), wanted, "in arming order")
                XCTAssertEqual(sorted(test, (0..<length).reversed()), wanted, "in reverse")
            }
        }
    }

    func testWhatIsLevelStaysInItsOrder() {
        let test = TestWheel()
        for i in 0..<100 {
            test.timer(i).pointee.deadline = 5
            test.timer(i).armed = 7
        }
        let order = (0..<100).map { $0 * 37 % 100 }
        XCTAssertEqual(sorted(test, order), order)
    }

    func testAThousandAtRandom() {
        let test = TestWheel()
        var random = SplitMix(state: 11)
        for _ in 0..<20 {
            for i in 0..<1_000 {
                test.timer(i).pointee.deadline = random.next() % 50
                test.timer(i).armed = random.next() % 1_000_000
            }
            let order = Array(0..<1_000).shuffled(using: &random)
            let place = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
            let wanted = order.sorted {
                (test.deadline($0), test.armed($0), place[$0]!) < (test.deadline($1), test.armed($1), place[$1]!)
            }
            XCTAssertEqual(sorted(test, order), wanted)
        }
    }
}
