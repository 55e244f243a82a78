import Foundation
import WeakTimers
import XCTest

/// The timers of an actor share what brings their ticks onto it.
final class SharedExecutorTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private actor Worker {
        private let deaths: Counter?
        let done = Counter()

        init(deaths: Counter? = nil) { self.deaths = deaths }
        deinit { deaths?.increment() }

        func work(_ amount: Int = 1) {
            assertIsolated()
            done.increment(by: amount)
        }

        func workLater(_ amount: Int) async {
            await Task.yield()
            work(amount)
        }

        /// Does not let go of the actor until `condition` holds.
        func occupy(until condition: @Sendable () -> Bool) {
            while !condition() { sched_yield() }
        }
    }

    // covers: stop.none-after time.serial
    func testAStopSpeaksOfOneTimerAlone() async {
        let worker = Worker()
        let isOccupied = Counter()
        let isFree = Counter()
        let occupation = Task {
            await worker.occupy {
                isOccupied.increment()
                return isFree.value != 0
            }
        }
        await settled { isOccupied.value != 0 }
        let released = Counter()
        let payload = Payload(released)
        let stopped = WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { worker in
            payload.touch()
            worker.work(1_000)
        }
        let other = WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { worker in worker.work() }
        let last = WeakTimer.after(.seconds(1), target: worker, scheduler: scheduler) { worker in await worker.workLater(100) }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual([stopped, other, last].map { $0.info?.state }, [.queued, .queued, .queued])
        XCTAssertEqual(stopped.invalidate(), .stopped)
        isFree.increment()
        await settled { worker.done.value == 101 && !last.isValid }
        XCTAssertEqual(other.info?.ticks, 1)
        _ = await occupation.value
    }

    func testAShutdownWhileTicksWaitForTheActor() async {
        let deaths = Counter()
        let isFree = Counter()
        let ends = Record<EndReason>()
        var worker: Worker? = Worker(deaths: deaths)
        let isOccupied = Counter()
        let occupation = Task { [worker] in
            await worker!.occupy {
                isOccupied.increment()
                return isFree.value != 0
            }
        }
        await settled { isOccupied.value != 0 }
        for _ in 0..<10 {
            var options = WeakTimer.Options.every(.seconds(1))
            options.onEnd = { _, reason in ends.append(reason) }
            XCTAssertNoThrow(try WeakTimer.start(options, target: worker!, scheduler: scheduler) { $0.work() })
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(scheduler.shutdown(), .stopped)
        XCTAssertEqual(ends.all, Array(repeating: .shutDown, count: 10))
        let done = worker!.done
        worker = nil
        isFree.increment()
        _ = await occupation.value
        await settled { deaths.value == 1 }
        XCTAssertEqual(done.value, 0)
    }

    // covers: life.release.once
    func testActorsThatComeAndGo() async {
        let deaths = Counter()
        let released = Counter()
        // Memory of those that have died is given to others, which must not be taken for them.
        for round in 0..<500 {
            let worker = Worker(deaths: deaths)
            let payload = Payload(released)
            let timer = WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { worker in
                payload.touch()
                worker.work()
            }
            if round.isMultiple(of: 2) {
                scheduler.advance(by: .seconds(1))
                await settled { worker.done.value == 1 }
            }
            if round.isMultiple(of: 3) { timer.invalidate() }
        }
        await settled { deaths.value == 500 }
        scheduler.advance(by: .seconds(1))
        await settled { released.value == 500 }
        XCTAssertEqual(scheduler.timers.count, 0)
    }

    // More than are kept unused, so that the table is cleared among those in use.
    func testManyActorsAtOnce() async {
        let workers = (0..<300).map { _ in Worker() }
        for round in 1...3 {
            let timers = workers.enumerated().map { index, worker in
                WeakTimer.every(.seconds(1), target: worker, scheduler: scheduler) { worker in worker.work(index) }
            }
            scheduler.advance(by: .seconds(1))
            await settled { workers.enumerated().allSatisfy { $1.done.value == $0 * round } }
            for timer in timers { timer.invalidate() }
        }
    }

    func testStartsFromManyThreads() async {
        let workers = (0..<40).map { _ in Worker() }
        let deaths = Counter()
        let scheduler = scheduler
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            WeakTimer.after(.seconds(1), target: workers[index % 40], scheduler: scheduler) { worker in worker.work() }
            WeakTimer.after(.seconds(1), target: Worker(deaths: deaths), scheduler: scheduler) { worker in worker.work() }
                .invalidate()
        }
        scheduler.advance(by: .seconds(1))
        await settled { workers.allSatisfy { $0.done.value == 5 } }
        XCTAssertEqual(deaths.value, 200)
    }
}
