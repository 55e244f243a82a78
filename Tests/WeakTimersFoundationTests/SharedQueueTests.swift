import Dispatch
import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// Timers on one queue share an executor, of which the engine has room for about a million.
final class SharedQueueTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private func inline(_ made: Counter) -> @Sendable (@escaping TimerExecutor.Work) -> Void {
        made.increment()
        return { work in work() }
    }

    func testOneExecutorForAllWhoAsk() {
        let executors = SharedExecutors<Int>()
        let made = Counter()
        var held = [executors.executor(for: 1) { inline(made) }]
        held.append(executors.executor(for: 1) { inline(made) })
        XCTAssertEqual(made.value, 1)
        held.append(executors.executor(for: 2) { inline(made) })
        XCTAssertEqual(made.value, 2)
        let ticks = Counter()
        for executor in held { WeakTimer.after(.seconds(1), on: executor, scheduler: scheduler) { ticks.increment() } }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 3)
        // Once nobody uses it, it is made anew.
        held = []
        held = [executors.executor(for: 1) { inline(made) }]
        XCTAssertEqual(made.value, 3)
    }

    func testATimerKeepsIts() {
        let executors = SharedExecutors<Int>()
        let made = Counter()
        let timer = WeakTimer.every(.seconds(1), on: executors.executor(for: 1) { inline(made) }, scheduler: scheduler) {}
        _ = executors.executor(for: 1) { inline(made) }
        XCTAssertEqual(made.value, 1)
        timer.invalidate()
        _ = executors.executor(for: 1) { inline(made) }
        XCTAssertEqual(made.value, 2)
    }

    func testTheTableForgetsPlacesThatCameAndWent() {
        let executors = SharedExecutors<Int>()
        let made = Counter()
        var held: [TimerExecutor] = []
        for place in 0..<1000 {
            let executor = executors.executor(for: place) { inline(made) }
            if place < 100 { held.append(executor) }
        }
        XCTAssertLessThanOrEqual(executors.count, 2 * 100 + 64)
        for place in 0..<100 { held.append(executors.executor(for: place) { inline(made) }) }
        XCTAssertEqual(made.value, 1000)
    }

    func testAQueueIsGivenBackWithItsLastTimer() {
        weak var released: DispatchQueue?
        do {
            let queue = DispatchQueue(label: "released")
            released = queue
            let timers = (0..<3).map { _ in
                ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, dispatchQueue: queue, scheduler: scheduler) { _ in }
            }
            for timer in timers { timer.invalidate() }
        }
        XCTAssertNil(released)
    }

    func testFromManyThreads() {
        let queues = (0..<4).map { DispatchQueue(label: "\($0)") }
        let scheduler = scheduler
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for round in 0..<500 {
                let timer = ScheduledTimer.scheduledTimer(
                    withTimeInterval: 1, repeats: true, dispatchQueue: queues[round % 4], scheduler: scheduler
                ) { _ in }
                XCTAssertTrue(timer.isValid)
                timer.invalidate()
            }
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }
}
