import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// What `fireDate` reads, and what setting it does. Time is manual; dates are real, and are compared with what was read before and after.
final class FireDateTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private func repeating(_ interval: TimeInterval = 100) -> ScheduledTimer {
        .scheduledTimer(withTimeInterval: interval, repeats: true, scheduler: scheduler) { _ in }
    }

    /// Runs `body` and sees that what it answers lies between its begin and its end.
    private func assertNow(_ body: () -> Date, file: StaticString = #filePath, line: UInt = #line) {
        let before = Date()
        let date = body()
        XCTAssertGreaterThanOrEqual(date, before, file: file, line: line)
        XCTAssertLessThanOrEqual(date, Date(), file: file, line: line)
    }

    private func waitUntil(_ date: Date) {
        while Date() < date {}
    }

    func testItReadsTheSameUntilATickComes() {
        let timer = repeating()
        let date = timer.fireDate
        for _ in 0..<1000 { XCTAssertEqual(timer.fireDate, date) }
        scheduler.advance(by: .seconds(100))
        let second = timer.fireDate
        XCTAssertNotEqual(second, date)
        for _ in 0..<1000 { XCTAssertEqual(timer.fireDate, second) }
        timer.invalidate()
    }

    func testItReadsWhatWasSet() {
        let timer = repeating()
        for date in [Date(timeIntervalSinceNow: 50.123_456), Date(timeIntervalSinceNow: -5), .distantFuture, .distantPast] {
            timer.fireDate = date
            XCTAssertEqual(timer.fireDate, date)
            XCTAssertEqual(timer.fireDate, date)
        }
        timer.invalidate()
    }

    func testAfterTheEndItIsWhenItFiredLast() {
        let timer = repeating()
        assertNow {
            scheduler.advance(by: .seconds(600))
            timer.invalidate()
            return timer.fireDate
        }
        let once = ScheduledTimer.scheduledTimer(withTimeInterval: 100, repeats: false, scheduler: scheduler) { _ in }
        assertNow {
            once.fire()
            XCTAssertFalse(once.isValid)
            return once.fireDate
        }
        let due = ScheduledTimer.scheduledTimer(withTimeInterval: 100, repeats: false, scheduler: scheduler) { _ in }
        assertNow {
            scheduler.advance(by: .seconds(100))
            return due.fireDate
        }
    }

    func testATimerThatEndsUnfiredKeepsItsDate() {
        let timer = repeating()
        let date = timer.fireDate
        timer.invalidate()
        XCTAssertEqual(timer.fireDate, date)
    }

    func testInTheCallbackOfAOneShotItIsNow() {
        let seen = Locked<Date?>(nil)
        ScheduledTimer.scheduledTimer(withTimeInterval: 100, repeats: false, scheduler: scheduler) { timer in
            seen.withLock { $0 = timer.fireDate }
        }
        assertNow {
            scheduler.advance(by: .seconds(100))
            return seen.withLock { $0! }
        }
    }

    func testAfterTheEndNothingMovesIt() {
        let timer = repeating()
        timer.tolerance = 5
        scheduler.advance(by: .seconds(100))
        timer.invalidate()
        let date = timer.fireDate
        timer.fireDate = Date(timeIntervalSinceNow: 1000)
        timer.schedule()
        timer.fire()
        timer.tolerance = 7
        XCTAssertEqual(timer.fireDate, date)
        XCTAssertEqual(timer.tolerance, 5)

        let waiting = ScheduledTimer(timeInterval: 100, repeats: true, scheduler: scheduler) { _ in }
        let planned = waiting.fireDate
        waiting.invalidate()
        waiting.fireDate = .distantFuture
        waiting.schedule()
        XCTAssertEqual(waiting.fireDate, planned)
    }

    func testADateThatWasSetBeforeItIsScheduledStands() {
        let date = Date(timeIntervalSinceNow: 1000)
        let timer = ScheduledTimer(timeInterval: 100, repeats: true, scheduler: scheduler) { _ in }
        timer.fireDate = date
        XCTAssertEqual(timer.fireDate, date)
        waitUntil(Date(timeIntervalSinceNow: 0.005))
        let most = date.timeIntervalSinceNow
        timer.schedule()
        let least = date.timeIntervalSinceNow
        XCTAssertEqual(timer.fireDate, date)
        let next = TimeInterval(timer.timer.nextFire!.nanoseconds) / 1e9
        XCTAssertGreaterThanOrEqual(next, least - 1e-6)
        XCTAssertLessThanOrEqual(next, most + 1e-6)
    }

    func testADateThatHasPassedWhenItIsScheduledMeansAtOnce() {
        let ticks = Counter()
        let date = Date(timeIntervalSinceNow: 0.001)
        let timer = ScheduledTimer(timeInterval: 100, repeats: true, scheduler: scheduler) { _ in ticks.increment() }
        timer.fireDate = date
        waitUntil(date)
        scheduler.advance(by: .seconds(40))
        XCTAssertEqual(ticks.value, 0)
        timer.schedule()
        scheduler.advance(by: .zero)
        XCTAssertEqual(ticks.value, 1)
        scheduler.advance(by: .seconds(100))
        XCTAssertEqual(ticks.value, 2)
    }

    func testAFireDateAtTheStart() {
        let ticks = Counter()
        let date = Date(timeIntervalSinceNow: 1000)
        let timer = ScheduledTimer(fire: date, interval: 10, repeats: true, scheduler: scheduler) { _ in ticks.increment() }
        let queued = ScheduledTimer(fire: date, interval: 0, repeats: false, dispatchQueue: nil, scheduler: scheduler) { _ in
            ticks.increment()
        }
        XCTAssertEqual(timer.fireDate, date)
        XCTAssertEqual(queued.fireDate, date)
        XCTAssertEqual(timer.timeInterval, 10)
        timer.schedule()
        queued.schedule()
        scheduler.advance(by: .seconds(date.timeIntervalSinceNow) + .seconds(1))
        XCTAssertEqual(ticks.value, 2)
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(ticks.value, 3)
        XCTAssertFalse(queued.isValid)
    }

    func testATimerWhoseOwnTimerIsPaused() {
        let timer = repeating()
        XCTAssertLessThan(timer.fireDate, .distantFuture)
        timer.timer.pause()
        XCTAssertEqual(timer.fireDate, .distantFuture)
        timer.timer.resume()
        XCTAssertLessThan(timer.fireDate, .distantFuture)
        timer.invalidate()
    }

    func testAPausedTimersDateIsDistantAlsoIfOneWasSet() {
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 3600, repeats: true) { _ in }
        timer.fireDate = Date(timeIntervalSinceNow: 100)
        timer.timer.pause()
        XCTAssertEqual(timer.fireDate, .distantFuture)
        timer.timer.resume()
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 100, accuracy: 60)
        timer.invalidate()
        let later = ScheduledTimer(fire: Date(timeIntervalSinceNow: 200), interval: 3600, repeats: true) { _ in }
        XCTAssertEqual(later.fireDate.timeIntervalSinceNow, 200, accuracy: 60)
        later.schedule()
        later.timer.pause()
        XCTAssertEqual(later.fireDate, .distantFuture)
        later.invalidate()
    }
}
