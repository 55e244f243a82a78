import XCTest

@testable import WeakTimerCore

/// For how long the thread rests where ticks are dense.
final class DenseTests: XCTestCase {
    func testRest() {
        let cases: [(ticks: UInt64, slack: UInt64, rest: UInt64)] = [
            (8, 0, 10_000), (156, 0, 10_000), (157, 0, 10_048), (700, 0, 44_800), (782, 0, 50_000), (.max, 0, 50_000),
            (1_000_000, 1, 10_000), (1_000, 20_000, 20_000), (100, 20_000, 10_000), (10_000, 500_000, 500_000),
            (1_000_000, .max, 1_000_000), (8, .max, 10_000),
        ]
        for (ticks, slack, rest) in cases {
            XCTAssertEqual(Dense.rest(ticks, slack: slack), rest, "\(ticks) ticks with a slack of \(slack)")
        }
    }
}
