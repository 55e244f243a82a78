import XCTest

@testable import WeakTimerCore

/// Timers that have ended stay linked until eight others have, or until somebody settles the wheel.
final class WheelDeferredTests: XCTestCase {
    func testTheNinthTakesTheFirstOut() {
        let test = TestWheel()
        for i in 0..<20 { test.insert(i, at: 1_000) }
        let most = Wheel.deferredMost
        for i in 0..<most { XCTAssertNil(test.end(i)) }
        for i in most..<20 { XCTAssertEqual(test.end(i), i - most) }
        XCTAssertEqual(Set(test.settle()), Set(20 - most..<20))
        XCTAssertTrue(test.wheel.isEmpty)
        XCTAssertEqual(test.settle(), [])
    }

    /// Whichever lie side by side in the list, first and last among them.
    func testNeighbours() {
        for ended in [[0, 1, 2], [2, 1, 0], [0, 2, 1], [1], [0, 7], [7, 6, 5], [3, 5, 4], [0, 1, 2, 3, 4, 5, 6, 7]] {
            let test = TestWheel()
            for i in 0..<8 { test.insert(i, at: 1_000) }
            for i in ended { XCTAssertNil(test.end(i)) }
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
        XCTAssertNil(test.end(2))
        test.insert(3, at: 1_000)
        XCTAssertNil(test.end(3))
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
        XCTAssertNil(test.end(0))
        _ = test.settle()
        XCTAssertEqual(test.wheel.nextWake(), 5_000)
    }
}
