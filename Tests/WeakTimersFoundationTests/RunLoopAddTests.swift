import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// `RunLoop.add(_:forMode:)`, in real time, since run loops are not under manual time; every wait is for an event.
final class RunLoopAddTests: XCTestCase {
    func testTheMainRunLoop() {
        let ticks = Counter()
        weak var timer: ScheduledTimer?
        do {
            let made = ScheduledTimer(fire: Date(), interval: 0.001, repeats: true) { timer in
                XCTAssertTrue(Thread.isMainThread)
                if ticks.increment() == 3 { timer.invalidate() }
            }
            RunLoop.main.add(made, forMode: .common)
            timer = made
        }
        // The run loop keeps it.
        XCTAssertNotNil(timer)
        eventually { ticks.value == 3 }
        XCTAssertNil(timer)
    }

    func testTheModeCounts() {
        let ticks = Counter()
        let mode = RunLoop.Mode("other")
        let timer = ScheduledTimer(timeInterval: 0.001, repeats: true) { _ in ticks.increment() }
        RunLoop.main.add(timer, forMode: mode)
        eventually { timer.timer.info?.state == .queued }
        XCTAssertEqual(ticks.value, 0)
        while ticks.value == 0 { _ = RunLoop.main.run(mode: mode, before: Date(timeIntervalSinceNow: 0.001)) }
        timer.invalidate()
    }

    func testAnotherThreadsRunLoop() {
        let ticks = Counter()
        let model = Model()
        nonisolated(unsafe) let target = model
        let timer = Locked<ScheduledTimer?>(nil)
        Thread.detachNewThread {
            nonisolated(unsafe) let thread = Thread.current
            let made = ScheduledTimer(
                timeInterval: 0.001, target: target,
                action: { target in
                    XCTAssertTrue(Thread.current === thread)
                    target.tick()
                }, repeats: true)
            RunLoop.current.add(made, forMode: .default)
            // On its own thread it calls at once.
            let before = target.ticks.value
            made.fire()
            XCTAssertEqual(target.ticks.value, before + 1)
            timer.withLock { $0 = made }
            while made.isValid { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
            ticks.increment()
        }
        eventually { model.ticks.value > 3 }
        timer.withLock { $0 }?.invalidate()
        eventually { ticks.value == 1 }
    }

    func testItKeepsTheDateAndTheTolerance() {
        let date = Date(timeIntervalSinceNow: 1000)
        let timer = ScheduledTimer(fire: date, interval: 10, repeats: true) { _ in }
        timer.tolerance = 2
        RunLoop.main.add(timer, forMode: .default)
        XCTAssertEqual(timer.fireDate, date)
        XCTAssertEqual(timer.tolerance, 2)
        XCTAssertTrue(timer.isValid)
        XCTAssertEqual(timer.invalidate(), .stopped)
        XCTAssertFalse(timer.isValid)
    }

    func testAQueueThatWasAskedForStays() {
        let queue = DispatchQueue(label: "queue")
        let ticks = Counter()
        let timer = ScheduledTimer(timeInterval: 0.001, repeats: true, dispatchQueue: queue) { _ in
            dispatchPrecondition(condition: .onQueue(queue))
            ticks.increment()
        }
        RunLoop.main.add(timer, forMode: .default)
        eventually { ticks.value > 2 }
        timer.invalidate()
    }

    func testATimerThatRunsOrHasEndedStaysAsItIs() {
        let scheduler = TimerScheduler.manual()
        let ticks = Counter()
        let running = ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { _ in ticks.increment() }
        let scheduled = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in ticks.increment() }
        scheduled.schedule()
        let behind = [running.timer, scheduled.timer]
        RunLoop.main.add(running, forMode: .default)
        RunLoop.main.add(scheduled, forMode: .default)
        XCTAssertEqual([running.timer, scheduled.timer], behind)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 2)
        let ended = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in ticks.increment() }
        ended.invalidate()
        RunLoop.main.add(ended, forMode: .default)
        XCTAssertFalse(ended.isValid)
        running.invalidate()
        scheduled.invalidate()
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testASchedulerThatIsFull() throws {
        let scheduler = try TimerScheduler(drive: .manual, maxTimers: 1)
        let held = Counter()
        let timer = ScheduledTimer(
            timeInterval: 1, target: Model(deaths: held), action: Model.tick, userInfo: "info", repeats: true, scheduler: scheduler)
        RunLoop.main.add(timer, forMode: .default)
        XCTAssertFalse(timer.isValid)
        XCTAssertNil(timer.userInfo)
    }

    // One thread puts it on a run loop while another ends it: the end counts, and is told once.
    func testARaceWithItsEnd() {
        let scheduler = TimerScheduler.manual()
        for _ in 0..<2000 {
            let timer = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in }
            let ends = Counter()
            DispatchQueue.concurrentPerform(iterations: 3) { i in
                if i == 0 {
                    RunLoop.main.add(timer, forMode: .default)
                } else if timer.invalidate() != .alreadyEnded {
                    ends.increment()
                }
            }
            XCTAssertEqual(ends.value, 1)
            XCTAssertFalse(timer.isValid)
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testEquality() {
        let scheduler = TimerScheduler.manual()
        let one = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in }
        let other = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in }
        XCTAssertEqual(one, one)
        XCTAssertNotEqual(one, other)
        let hash = one.hashValue
        var timers: Set = [one, other, one]
        XCTAssertEqual(timers.count, 2)
        one.invalidate()
        XCTAssertEqual(one.hashValue, hash)
        XCTAssertEqual(timers.remove(one), one)
    }

    /* field report: 32 */
    // covers: life.free
    func testExecutorsOfTheMainRunLoopShareWhatWakesIt() {
        let made = LoopWaker.made
        for _ in 0..<100 {
            let timer = WeakTimer.every(.seconds(3600), on: .runLoop(.main, mode: .common)) {}
            timer.invalidate()
            let scheduled = ScheduledTimer(timeInterval: 3600, repeats: true) { _ in }
            RunLoop.main.add(scheduled, forMode: .common)
            scheduled.invalidate()
        }
        XCTAssertLessThanOrEqual(LoopWaker.made, made + 1)
    }

    /// What wakes a loop leaves it with the last timer: a loop with nothing left ends, as after a timer of Foundation.
    func testALoopEndsAfterItsLastTimer() {
        for _ in 0..<20 {
            let done = Counter(), ticks = Counter()
            Thread.detachNewThread {
                RunLoop.current.add(ScheduledTimer(timeInterval: 0.001, repeats: false) { _ in ticks.increment() }, forMode: .default)
                RunLoop.current.run()
                done.increment()
            }
            eventually { done.value == 1 }
            XCTAssertEqual(ticks.value, 1)
        }
    }

    func testLoopsThatHaveGoneAreForgotten() {
        let before = LoopWaker.count
        for _ in 0..<300 {
            let done = Counter()
            Thread.detachNewThread {
                WeakTimer.after(.seconds(3600), on: .runLoop(.current)) {}.invalidate()
                done.increment()
            }
            eventually { done.value == 1 }
        }
        XCTAssertLessThan(LoopWaker.count, before + 200)
    }
}
