import Foundation
import WeakTimers
import XCTest

/// A count that any thread may change.
final class Counter: Sendable {
    private let count = Locked(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func increment(by amount: Int = 1) -> Int {
        count.withLock {
            $0 += amount
            return $0
        }
    }
}

/// A class as people write them: not Sendable, with an unbound method for each form.
class Model {
    let ticks = Counter()
    private let deaths: Counter?

    init(deaths: Counter? = nil) { self.deaths = deaths }

    deinit { deaths?.increment() }

    func tick() { ticks.increment() }
    func note(_ tick: Tick) { ticks.increment(by: min(tick.ordinal, 1)) }
}

extension XCTestCase {
    /// Waits until something is so, which other threads bring about; the main run loop runs meanwhile.
    func eventually(
        _ what: String = "it never came", file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool
    ) {
        let deadline = Date(timeIntervalSinceNow: 30)
        while !condition() {
            if Date() > deadline { return XCTFail(what, file: file, line: line) }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
        }
    }
}
