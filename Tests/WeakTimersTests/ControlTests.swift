import Foundation
import WeakTimers
import XCTest

/// Stopping, moving, pausing and firing.
final class ControlTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let ticks = Record<TimerClock.Instant>()

    private func every(_ interval: Duration, tolerance: Duration = .zero) -> WeakTimer {
        WeakTimer.every(interval, tolerance: tolerance, scheduler: scheduler) { [ticks] tick in ticks.append(tick.now) }
    }

    private var seconds: [Int] { ticks.all.map { Int($0.nanoseconds / 1_000_000_000) } }

    func testAHandleIsEightBytes() {
        XCTAssertEqual(MemoryLayout<WeakTimer>.size, 8)
        let timer = every(.seconds(1))
        XCTAssertEqual(Set([timer, timer, .none]).count, 2)
    }

    /* field report: 43, 50, 74 */
    // covers: stop.nonblocking stop.sticky
    func testAStoppedTimerAnswersThatItHasEnded() {
        let timer = every(.seconds(1))
        XCTAssertTrue(timer.isValid)
        XCTAssertEqual(timer.invalidate(), .stopped)
        XCTAssertEqual(timer.invalidate(), .alreadyEnded)
        XCTAssertEqual(timer.invalidateAndWait(), .alreadyEnded)
        XCTAssertFalse(timer.isValid)
        XCTAssertFalse(timer.fire())
        XCTAssertFalse(timer.reschedule(after: .zero))
        XCTAssertFalse(timer.pause())
        XCTAssertFalse(timer.resume())
        XCTAssertFalse(timer.setInterval(.seconds(1), tolerance: .zero))
        XCTAssertNil(timer.nextFire)
        XCTAssertNil(timer.interval)
        XCTAssertNil(timer.info)
        XCTAssertEqual(timer.tolerance, .zero)
        timer.nextFire = .zero
        timer.interval = .seconds(1)
        timer.tolerance = .seconds(1)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.all, [])
        XCTAssertFalse(WeakTimer.none.isValid)
        XCTAssertEqual(WeakTimer.none.invalidate(), .alreadyEnded)
    }

    /* field report: 37 */
    func testAReplacedTimerEndsBeforeTheNewOneStarts() throws {
        var timer: WeakTimer?
        var plain = WeakTimer.none
        for _ in 0..<3 {
            let (old, oldPlain) = (timer, plain)
            let new = WeakTimer.replace(&timer) {
                XCTAssertFalse(old?.isValid ?? false)
                return every(.seconds(1))
            }
            XCTAssertEqual(timer, new)
            XCTAssertTrue(new.isValid)
            WeakTimer.replace(&plain) {
                XCTAssertFalse(oldPlain.isValid)
                return every(.seconds(1))
            }
            XCTAssertTrue(plain.isValid)
        }
        XCTAssertEqual(scheduler.timers.count, 2)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(seconds, [1, 1])
    }

    /* field report: 39 */
    // covers: life.failed
    func testOneThatCannotBeReplacedHasEndedAllTheSame() throws {
        var timer: WeakTimer? = every(.seconds(1))
        var plain = every(.seconds(1))
        let old = [timer, plain]
        let wrong = WeakTimer.Options(interval: .zero)
        func start() throws(TimerError) -> WeakTimer { try WeakTimer.start(wrong, scheduler: scheduler) { XCTFail("never started") } }
        do {
            try WeakTimer.replace(&timer, with: start)
            XCTFail("an interval of zero")
        } catch {
            let refused: TimerError = error
            XCTAssertEqual(refused, .invalid)
        }
        XCTAssertThrowsError(try WeakTimer.replace(&plain, with: start))
        XCTAssertNil(timer)
        XCTAssertEqual(plain, .none)
        XCTAssertEqual(old.map { $0?.isValid }, [false, false])
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testOneOfManyThreadsStopsATimer() {
        for _ in 0..<100 {
            let timer = every(.seconds(1))
            let wins = Counter()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                if timer.invalidate() == .stopped { wins.increment() }
            }
            XCTAssertEqual(wins.value, 1)
        }
    }

    /* field report: 19, 23, 41 */
    // covers: stop.self stop.wait
    func testWaitingForOneself() {
        let results = Record<WaitResult>()
        let timer = WeakTimer.every(.seconds(1), scheduler: scheduler) { tick in
            results.append(tick.timer.invalidateAndWait())
        }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(results.all, [.wouldDeadlock])
        XCTAssertFalse(timer.isValid)
    }

    // covers: stop.timeout
    func testAWaitThatRunsOut() {
        let isRunning = Counter()
        let mayReturn = Counter()
        let timer = WeakTimer.after(.zero, on: .pool(threads: 1)) {
            isRunning.increment()
            while mayReturn.value == 0 { sched_yield() }
        }
        eventually { isRunning.value == 1 }
        XCTAssertEqual(timer.invalidateAndWait(timeout: .zero), .timedOut)
        mayReturn.increment()
        XCTAssertEqual(timer.invalidateAndWait(), .alreadyEnded)
    }

    func testMovingTheNextTick() {
        let timer = every(.seconds(10))
        XCTAssertTrue(timer.reschedule(after: .seconds(3)))
        XCTAssertEqual(timer.nextFire, .zero.advanced(by: .seconds(3)))
        scheduler.advance(by: .seconds(13))
        XCTAssertEqual(seconds, [3, 13])
        timer.nextFire = scheduler.now.advanced(by: .seconds(1))
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(seconds, [3, 13, 14])
        timer.nextFire = .never
        XCTAssertNil(timer.nextFire)
        scheduler.advance(by: .seconds(1000))
        XCTAssertEqual(seconds, [3, 13, 14])
    }

    // covers: time.pause
    func testPauseKeepsWhatRemains() {
        let timer = every(.seconds(10))
        scheduler.advance(by: .seconds(7))
        XCTAssertTrue(timer.pause())
        XCTAssertTrue(timer.pause())
        XCTAssertNil(timer.nextFire)
        XCTAssertEqual(timer.info?.state, .paused)
        scheduler.advance(by: .seconds(100))
        XCTAssertTrue(timer.resume())
        XCTAssertTrue(timer.resume())
        scheduler.advance(by: .seconds(13))
        XCTAssertEqual(seconds, [110, 120])
        timer.nextFire = nil
        XCTAssertEqual(timer.info?.state, .paused)
    }

    // covers: time.fire
    func testFireIsExtra() {
        let fired = Record<Bool>()
        let timer = WeakTimer.every(.seconds(10), scheduler: scheduler) { tick in fired.append(tick.isFired) }
        scheduler.advance(by: .seconds(5))
        XCTAssertTrue(timer.fire())
        XCTAssertEqual(fired.all, [])
        scheduler.advance(by: .zero)
        XCTAssertEqual(fired.all, [true])
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(fired.all, [true, false])

        let once = WeakTimer.after(.seconds(10), scheduler: scheduler) {}
        once.fire()
        scheduler.advance(by: .zero)
        XCTAssertFalse(once.isValid)
    }

    // covers: time.tolerance
    func testToleranceMovesNoPhase() {
        let timer = every(.seconds(10))
        scheduler.advance(by: .seconds(3))
        timer.tolerance = .seconds(1)
        XCTAssertEqual(timer.tolerance, .seconds(1))
        XCTAssertEqual(timer.interval, .seconds(10))
        XCTAssertEqual(timer.nextFire, .zero.advanced(by: .seconds(10)))
        timer.tolerance = .seconds(100)
        XCTAssertEqual(timer.tolerance, .seconds(5))
        timer.tolerance = .zero
        scheduler.advance(by: .seconds(17))
        XCTAssertEqual(seconds, [10, 20])
    }

    func testToleranceLeavesARateAlone() throws {
        let timer = try WeakTimer.start(.rate(FrameRate(3)), scheduler: scheduler) { [ticks] tick in ticks.append(tick.scheduled) }
        scheduler.advance(by: .milliseconds(100))
        timer.tolerance = .milliseconds(1)
        timer.tolerance = .zero
        scheduler.advance(by: .milliseconds(1900))
        // The first deadline is rounded up, and the grid is laid from there: a rounded interval would be one nanosecond late each time.
        XCTAssertEqual(ticks.all.map(\.nanoseconds), [333_333_334, 666_666_668, 1_000_000_001, 1_333_333_334, 1_666_666_668])
    }

    func testAnIntervalKeepsTheTolerance() {
        let timer = every(.seconds(10), tolerance: .seconds(3))
        timer.interval = .seconds(8)
        XCTAssertEqual(timer.tolerance, .seconds(3))
        timer.interval = .seconds(2)
        XCTAssertEqual(timer.tolerance, .seconds(1))
        timer.interval = .seconds(10)
        XCTAssertEqual(timer.tolerance, .seconds(1))
    }

    // Each of two threads sets one of the two, and finds what it has set.
    func testIntervalAndToleranceFromTwoThreads() {
        let timer = every(.seconds(1000))
        DispatchQueue.concurrentPerform(iterations: 2) { which in
            for step in 1...2000 {
                let value = Duration.milliseconds(step)
                if which == 0 {
                    timer.interval = .seconds(1000) + value
                    XCTAssertEqual(timer.interval, .seconds(1000) + value)
                } else {
                    timer.tolerance = value
                    XCTAssertEqual(timer.tolerance, value)
                }
            }
        }
    }

    func testTheIntervalCanBeChanged() {
        let timer = every(.seconds(10))
        timer.interval = .seconds(2)
        XCTAssertEqual(timer.interval, .seconds(2))
        scheduler.advance(by: .seconds(14))
        XCTAssertEqual(seconds, [10, 12, 14])
        timer.interval = nil
        XCTAssertNil(timer.interval)
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(seconds, [10, 12, 14, 16])
        XCTAssertFalse(timer.isValid)

        let once = WeakTimer.after(.seconds(1), scheduler: scheduler) {}
        XCTAssertNil(once.interval)
        once.setInterval(.seconds(1), tolerance: .milliseconds(1))
        XCTAssertEqual(once.interval, .seconds(1))
        XCTAssertEqual(once.tolerance, .milliseconds(1))
        once.invalidate()
    }

    func testInfo() throws {
        let timer = WeakTimer.every(.seconds(10), missed: .delay, name: "poll", scheduler: scheduler) {}
        scheduler.advance(by: .seconds(20))
        let info = try XCTUnwrap(timer.info)
        XCTAssertEqual(info.timer, timer)
        XCTAssertEqual(info.name, "poll")
        XCTAssertEqual(info.state, .armed)
        XCTAssertEqual(info.clock, .monotonic)
        XCTAssertEqual(info.missedTicks, .delay)
        XCTAssertEqual(info.next, .zero.advanced(by: .seconds(30)))
        XCTAssertEqual(info.interval, .seconds(10))
        XCTAssertEqual(info.ticks, 2)
        XCTAssertEqual(info.missed, 0)
        XCTAssertEqual(info.dropped, 0)
        XCTAssertEqual(info.maxLateness, .zero)
        XCTAssertEqual("\(timer)", "WeakTimer(poll, armed)")
        timer.invalidate()
        XCTAssertEqual("\(timer)", "WeakTimer(ended)")
    }

    func testAOneShotArmsItselfAgain() {
        let count = Counter()
        let timer = WeakTimer.after(.seconds(1), scheduler: scheduler) { (tick: Tick) in
            XCTAssertTrue(tick.timer.isValid)
            if count.increment() < 3 { tick.timer.reschedule(after: .seconds(2)) }
        }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(count.value, 3)
        XCTAssertFalse(timer.isValid)
    }
}
