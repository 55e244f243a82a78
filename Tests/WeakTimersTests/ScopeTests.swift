import Foundation
import WeakTimers
import XCTest

final class ScopeTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    // covers: life.eager
    func testAScopeEndsItsTimersInTheTargetsDeinit() {
        let released = Counter()
        var model: Model? = Model()
        let payload = Payload(released)
        let timer = WeakTimer.every(.seconds(1), target: model!, scheduler: scheduler) { _ in payload.touch() }
        timer.store(in: model!.timers)
        XCTAssertEqual(model!.timers.count, 1)
        model = nil
        XCTAssertFalse(timer.isValid)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testInvalidateAllLeavesTheScopeUsable() {
        let scope = TimerScope()
        let ticks = Counter()
        for _ in 0..<10 { WeakTimer.every(.seconds(1), scheduler: scheduler) { ticks.increment() }.store(in: scope) }
        XCTAssertEqual(scope.count, 10)
        scope.invalidateAll()
        XCTAssertEqual(scope.count, 0)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 0)
        WeakTimer.every(.seconds(1), scheduler: scheduler) { ticks.increment() }.store(in: scope)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 1)
    }

    func testTimersThatEndByThemselvesAreForgotten() {
        let scope = TimerScope()
        for _ in 0..<10_000 {
            WeakTimer.after(.zero, scheduler: scheduler) {}.store(in: scope)
            scheduler.advance(by: .zero)
        }
        XCTAssertEqual(scope.count, 0)
        let live = WeakTimer.every(.seconds(1), scheduler: scheduler) {}.store(in: scope)
        XCTAssertEqual(scope.count, 1)
        XCTAssertTrue(live.isValid)
    }

    func testAScopeThatIsDroppedInsideACallback() {
        let holder = Locked<TimerScope?>(TimerScope())
        let ticks = Counter()
        let timer = WeakTimer.every(.seconds(1), scheduler: scheduler) {
            ticks.increment()
            holder.withLock { $0 = nil }
        }
        timer.store(in: holder.withLock { $0! })
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 1)
        XCTAssertFalse(timer.isValid)
    }

    // The closure's last reference is given back inside invalidateAll; what it held may come to the scope again.
    func testWhatIsGivenBackMayUseTheScope() {
        final class Late: Sendable {
            let scope: TimerScope
            let deaths: Counter
            init(_ scope: TimerScope, _ deaths: Counter) { (self.scope, self.deaths) = (scope, deaths) }
            deinit {
                deaths.increment(by: scope.count + 1)
                scope.invalidateAll()
            }
        }
        let scope = TimerScope()
        let deaths = Counter()
        WeakTimer.every(.seconds(1), scheduler: scheduler) { [late = Late(scope, deaths)] in _ = late.deaths }
            .store(in: scope)
        scope.invalidateAll()
        XCTAssertEqual(deaths.value, 1)
    }

    func testManyThreadsStoreAndInvalidate() {
        let scope = TimerScope()
        let scheduler = scheduler
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for count in 0..<500 {
                WeakTimer.every(.seconds(1), scheduler: scheduler) {}.store(in: scope)
                if count % 50 == thread { scope.invalidateAll() }
            }
        }
        scope.invalidateAll()
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testATimerThatIsStoredTwiceCountsOnce() {
        let scope = TimerScope()
        let timer = WeakTimer.every(.seconds(1), scheduler: scheduler) {}
        for _ in 0..<100 { timer.store(in: scope) }
        WeakTimer.every(.seconds(1), scheduler: scheduler) {}.store(in: scope)
        XCTAssertEqual(scope.count, 2)
    }
}
