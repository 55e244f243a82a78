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

/// What happened, in order.
final class Record<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// A target that counts its ticks, and whose death is counted.
final class Model: Sendable {
    let ticks = Counter()
    let timers = TimerScope()
    private let deaths: Counter?

    init(deaths: Counter? = nil) { self.deaths = deaths }

    deinit { deaths?.increment() }

    func refresh() { ticks.increment() }
    func note(_ tick: Tick) { ticks.increment(by: tick.ordinal) }
    func load() async { ticks.increment() }
}

/// A class that nothing but its actor may touch.
final class Confined {
    var ticks = 0

    func refresh() { ticks += 1 }
    func note(_ tick: Tick) { ticks += tick.ordinal }
}

@MainActor final class ViewModel {
    var ticks = 0

    func refresh() {
        MainActor.assertIsolated()
        ticks += 1
    }

    func load() async {
        MainActor.assertIsolated()
        ticks += 1
    }
}

/// Captured by a closure, it tells whether the closure was given back.
final class Payload: Sendable {
    private let deaths: Counter
    init(_ deaths: Counter) { self.deaths = deaths }
    deinit { deaths.increment() }
    func touch() {}
}

extension XCTestCase {
    /// Waits until something is so, which other threads or tasks bring about. Under manual time nothing else needs waiting for.
    func eventually(
        _ what: String = "it never came", file: StaticString = #filePath, line: UInt = #line, _ condition: () -> Bool
    ) {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            if ContinuousClock.now > deadline { return XCTFail(what, file: file, line: line) }
            sched_yield()
        }
    }

    /// The same for a task, which gives others a turn.
    func settled(
        _ what: String = "it never came", file: StaticString = #filePath, line: UInt = #line,
        isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool
    ) async {
        let deadline = ContinuousClock.now + .seconds(30)
        while !(await condition()) {
            if ContinuousClock.now > deadline { return XCTFail(what, file: file, line: line) }
            await Task.yield()
        }
    }
}
