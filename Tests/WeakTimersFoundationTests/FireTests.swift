import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// `fire()` on the thread where the timer calls: what it does itself, past the engine, is as if the engine had done it.
final class FireTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private func timer(repeats: Bool, _ block: @escaping @Sendable (ScheduledTimer) -> Void) -> ScheduledTimer {
        .scheduledTimer(withTimeInterval: 10, repeats: repeats, dispatchQueue: nil, scheduler: scheduler, block: block)
    }

    // covers: stop.nonblocking
    func testAnInvalidateMeanwhileSaysThatItRuns() {
        let answers = Locked<[StopResult]>([])
        for repeats in [false, true] {
            let timer = timer(repeats: repeats) { timer in
                onAnotherThread {
                    let answer = timer.invalidate()
                    answers.withLock { $0.append(answer) }
                }
                XCTAssertFalse(timer.isValid)
                XCTAssertEqual(timer.invalidate(), .alreadyEnded)
            }
            timer.fire()
            XCTAssertEqual(timer.invalidate(), .alreadyEnded)
        }
        XCTAssertEqual(answers.withLock { $0 }, [.stillRunning, .stillRunning])
    }

    /// The target belongs to the main thread; whoever fires elsewhere must not be the last to hold it.
    // covers: life.weak
    func testAFireFromElsewhereNeverDestroysTheTarget() {
        final class Owned {
            let elsewhere: Counter
            init(_ elsewhere: Counter) { self.elsewhere = elsewhere }
            deinit { if !Thread.isMainThread { elsewhere.increment() } }
            func step(_ timer: ScheduledTimer) {}
        }
        let elsewhere = Counter(), isOver = Locked(false), ended = Counter()
        let current = Locked<ScheduledTimer?>(nil)
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) { current.withLock { $0 }?.fire() }
            ended.increment()
        }
        for _ in 0..<3_000 {
            let owned = Owned(elsewhere)
            let timer = ScheduledTimer.scheduledTimer(timeInterval: 3600, target: owned, action: Owned.step, userInfo: nil, repeats: true)
            let former = current.withLock { current in
                defer { current = timer }
                return current
            }
            former?.invalidate()
        }
        isOver.withLock { $0 = true }
        eventually { ended.value == 1 }
        current.withLock { $0 }?.invalidate()
        XCTAssertEqual(elsewhere.value, 0)
    }

    func testItsOwnInvalidateSaysThatItRuns() {
        let answer = Locked<StopResult?>(nil)
        timer(repeats: true) { timer in answer.withLock { $0 = timer.invalidate() } }.fire()
        XCTAssertEqual(answer.withLock { $0 }, .stillRunning)
    }

    func testWhatItHoldsIsGivenBackAfterTheCall() {
        let player = Player()
        let ticks = player.ticks
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 10, target: player,
            action: { player in
                player.timer!.invalidate()
                player.timer!.fire()
                player.step(player.timer!)
            }, userInfo: "song", repeats: true, scheduler: scheduler)
        player.timer = timer
        timer.fire()
        XCTAssertEqual(ticks.value, 1)
        XCTAssertEqual(player.seen.first as? String, "song")
        XCTAssertNil(timer.userInfo)
    }

    func testAOneShotIsArmedAgainInItsCallback() {
        let ticks = Counter()
        let timer = timer(repeats: false) { timer in
            XCTAssertTrue(timer.isValid)
            if ticks.increment() < 3 { timer.fireDate = Date(timeIntervalSinceNow: 5) }
        }
        timer.fire()
        XCTAssertTrue(timer.isValid)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertTrue(timer.isValid)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 3)
        XCTAssertFalse(timer.isValid)
        scheduler.advance(by: .seconds(100))
        XCTAssertEqual(ticks.value, 3)
    }

    func testAOneShotArmedThroughTheTimerBehindIt() {
        let ticks = Counter()
        let timer = timer(repeats: false) { timer in
            if ticks.increment() == 1 { timer.timer.reschedule(after: .seconds(1)) }
        }
        timer.fire()
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertFalse(timer.isValid)
    }

    func testAOneShotMovedToNeverInItsCallbackWaits() {
        let ticks = Counter()
        let timer = timer(repeats: false) { timer in
            ticks.increment()
            timer.fireDate = .distantFuture
        }
        timer.fire()
        XCTAssertTrue(timer.isValid)
        XCTAssertEqual(timer.fireDate, .distantFuture)
        timer.invalidate()
    }

    func testACallInsideACall() {
        let ticks = Counter()
        let timer = timer(repeats: false) { timer in if ticks.increment() < 4 { timer.fire() } }
        timer.fire()
        XCTAssertEqual(ticks.value, 4)
        XCTAssertFalse(timer.isValid)
        scheduler.advance(by: .seconds(100))
        XCTAssertEqual(ticks.value, 4)
    }

    func testAOneShotThatWaitsToBeScheduled() {
        let ticks = Counter()
        let timer = ScheduledTimer(timeInterval: 10, repeats: false, scheduler: scheduler) { timer in
            if ticks.increment() == 1 { timer.fireDate = Date(timeIntervalSinceNow: 5) }
        }
        timer.fire()
        XCTAssertTrue(timer.isValid)
        scheduler.advance(by: .seconds(100))
        XCTAssertEqual(ticks.value, 1)
        timer.schedule()
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertFalse(timer.isValid)
    }

    func testADeadTargetIsFoundWhenItIsFired() {
        for repeats in [false, true] {
            var model: Model? = Model()
            let timer = ScheduledTimer.scheduledTimer(
                timeInterval: 10, target: model!, action: Model.tick, repeats: repeats, scheduler: scheduler)
            model = nil
            timer.fire()
            scheduler.advance(by: .zero)
            XCTAssertFalse(timer.isValid)
        }
    }

    // Of all that end a timer at most one is told so; the one-shot that fires may be its own end.
    func testARaceOfAFireAndInvalidates() {
        for round in 0..<500 {
            let ticks = Counter()
            let ends = Counter()
            let others = Counter()
            let timer = timer(repeats: round % 2 == 0) { _ in ticks.increment() }
            for _ in 0..<2 {
                DispatchQueue.global().async {
                    if timer.invalidate() != .alreadyEnded { ends.increment() }
                    others.increment()
                }
            }
            timer.fire()
            eventually { others.value == 2 }
            XCTAssertFalse(timer.isValid)
            XCTAssertLessThanOrEqual(ticks.value, 1)
            XCTAssertLessThanOrEqual(ends.value, 1)
            if round % 2 == 0 { XCTAssertEqual(ends.value, 1) }
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testTheMainQueueIsTheMainThread() {
        let ticks = Counter()
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 10, repeats: true, dispatchQueue: .main, scheduler: scheduler) { _ in
            ticks.increment()
        }
        timer.fire()
        XCTAssertEqual(ticks.value, 1)
        timer.invalidate()
    }
}

private func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    done.wait()
}
