import XCTest

@testable import WeakTimerCore

/// Timers that have ended stay linked until up to fifteen others have, or until somebody settles the wheel.
final class WheelDeferredTests: XCTestCase {
    func testTheOlderHalfGoesWhenThereIsNoRoom() {
        let test = TestWheel()
        let most = Wheel.deferredMost, half = most / 2
        let count = most + half + 3
        for i in 0..<count { test.insert(i, at: 1_000) }
        for i in 0..<count {
            let isFull = i == most - 1 || i == most - 1 + half
            XCTAssertEqual(test.end(i), isFull ? Array(i + 1 - most..<i + 1 - half) : [])
        }
        XCTAssertEqual(test.settle(), Array(most..<count))
        XCTAssertTrue(test.wheel.isEmpty)
        XCTAssertEqual(test.settle(), [])
    }

    /// Whichever lie side by side in the list, first and last among them.
    func testNeighbours() {
        for ended in [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1], [0, 7], [7, 6, 5], [3, 5, 4], [0, 1, 2, 3, 4, 5, 6, 7]] {
            let test = TestWheel()
            for i in 0..<8 { test.insert(i, at: 1_000) }
            for i in ended { XCTAssertEqual(test.end(i), []) }
            XCTAssertEqual(test.checkInvariants(), 8, "still linked")
            XCTAssertEqual(Set(test.settle()), Set(ended))
            XCTAssertEqual(test.checkInvariants(), 8 - ended.count)
            XCTAssertEqual(test.collect(1_000), (0..<8).filter { !ended.contains($0) })
        }
    }

    /// A new timer of the same slot may come before one that is still linked, and one beside it may be moved or taken out.
    func testOthersComeAndGo() {
        let test = TestWheel()
        for i in 0..<3 { test.insert(i, at: 1_000) }
        XCTAssertEqual(test.end(2), [])
        test.insert(3, at: 1_000)
        XCTAssertEqual(test.end(3), [])
        test.remove(1)
        test.move(0, to: 500)
        XCTAssertEqual(Set(test.settle()), [2, 3])
        XCTAssertEqual(test.checkInvariants(), 1)
        XCTAssertEqual(test.collect(1_000), [0])
    }

    /// The slot of a timer that was ended last does not remember it: nobody wakes for it.
    func testWakes() {
        let test = TestWheel()
        test.insert(0, at: 1_000)
        test.insert(1, at: 5_000)
        XCTAssertEqual(test.end(0), [])
        _ = test.settle()
        XCTAssertEqual(test.wheel.nextWake(), 5_000)
    }
}
