import Foundation
import WeakTimers
import XCTest

final class ExecutorTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    // Manual time waits for pools, so that nothing here need wait.
    func testAPool() throws {
        let model = Model()
        let pool = try TimerExecutor.makePool(threads: 2, name: "pool")
        let threads = Record<Bool>()
        WeakTimer.every(.seconds(1), target: model, on: pool, scheduler: scheduler) { model, _ in
            threads.append(Thread.isMainThread)
            model.refresh()
        }
        WeakTimer.every(.seconds(1), target: model, on: pool, scheduler: scheduler, action: Model.refresh)
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(model.ticks.value, 6)
        XCTAssertEqual(threads.all, [false, false, false])
        XCTAssertEqual(pool.shutdown(), .stopped)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(model.ticks.value, 6)
        XCTAssertEqual(scheduler.statistics.dropped, 2)
        XCTAssertThrowsError(try TimerExecutor.makePool(threads: 100_000))
        XCTAssertThrowsError(try TimerExecutor.makePool(threads: -1))
    }

    // covers: time.serial
    func testASerialQueueRunsOneAfterTheOther() {
        let inside = Counter()
        let overlaps = Counter()
        let ran = Counter()
        let queue = TimerExecutor.serial(on: .pool(threads: 4))
        for _ in 0..<20 {
            WeakTimer.every(.seconds(1), on: queue, scheduler: scheduler) {
                if inside.increment() != 1 { overlaps.increment() }
                sched_yield()
                inside.increment(by: -1)
                ran.increment()
            }
        }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ran.value, 100)
        XCTAssertEqual(overlaps.value, 0)
    }

    func testACustomExecutor() {
        let waiting = Record<TimerExecutor.Work>()
        let ticks = Counter()
        let executor = TimerExecutor.custom { work in waiting.append(work) }
        let timer = WeakTimer.every(.seconds(1), on: executor, scheduler: scheduler) { ticks.increment() }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(timer.info?.state, .queued)
        XCTAssertEqual(ticks.value, 0)
        waiting.all[0]()
        waiting.all[0]()
        XCTAssertEqual(ticks.value, 1)
        scheduler.advance(by: .seconds(1))
        timer.invalidate()
        waiting.all[1]()
        XCTAssertEqual(ticks.value, 1)
    }

    func testAnExecutorThatRefuses() {
        let ticks = Counter()
        let executor = TimerExecutor.custom { work -> Bool in false }
        let timer = WeakTimer.every(.seconds(1), on: executor, scheduler: scheduler) { ticks.increment() }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(ticks.value, 0)
        XCTAssertEqual(timer.info?.dropped, 3)
    }

    func testTheAnswerOfOneExpression() {
        let refused = Counter()
        @Sendable func refuse(_ work: TimerExecutor.Work) -> Bool { refused.increment() < 0 }
        let executors = [
            TimerExecutor.custom { work in refuse(work) }, .custom { refuse($0) }, .custom(refuse), .custom { _ in false },
            .custom { work in
                let answer = refuse(work)
                return answer
            },
        ]
        for executor in executors {
            let timer = WeakTimer.every(.seconds(1), on: executor, scheduler: scheduler) { XCTFail("it was refused") }
            scheduler.advance(by: .seconds(1))
            XCTAssertEqual(timer.info?.dropped, 1)
            timer.invalidate()
        }
        XCTAssertEqual(refused.value, 4)
        let accepted = WeakTimer.every(.seconds(1), on: .custom { work in work() }, scheduler: scheduler) {}
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(accepted.info?.ticks, 1)
    }

    func testASchedulersOwnDefault() throws {
        let ran = Counter()
        let executor = TimerExecutor.custom { work in
            ran.increment()
            work()
        }
        let scheduler = try TimerScheduler(drive: .manual, executor: executor)
        WeakTimer.after(.seconds(1), scheduler: scheduler) {}
        WeakTimer.after(.seconds(1), on: .inline, scheduler: scheduler) {}
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ran.value, 1)
    }

    func testAnExecutorIsGivenBackWithItsLastTimer() {
        let released = Counter()
        var timer = WeakTimer.none
        do {
            let payload = Payload(released)
            let executor = TimerExecutor.custom { work in
                payload.touch()
                work()
            }
            timer = WeakTimer.every(.seconds(1), on: executor, scheduler: scheduler) {}
        }
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(released.value, 0)
        XCTAssertEqual(timer.info?.ticks, 2)
        timer.invalidate()
        XCTAssertEqual(released.value, 1)
        XCTAssertEqual(TimerExecutor.inline.shutdown(), .alreadyEnded)
    }

    func testAnExecutorIsGivenBackAfterTheOneTickThatUsedIt() {
        let released = Counter()
        for _ in 0..<100 {
            let payload = Payload(released)
            WeakTimer.after(
                .zero,
                on: .custom { work in
                    payload.touch()
                    work()
                }, scheduler: scheduler
            ) {}
        }
        scheduler.advance(by: .zero)
        XCTAssertEqual(released.value, 100)
    }

    func testAPoolThatIsGivenUpInItsOwnCallback() {
        let ran = Counter()
        for _ in 0..<20 {
            WeakTimer.after(.zero, on: .pool(threads: 1)) { ran.increment() }
        }
        eventually { ran.value == 20 }
    }
}
