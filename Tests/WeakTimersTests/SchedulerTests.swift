import Foundation
import WeakTimers
import XCTest

final class SchedulerTests: XCTestCase {
    // covers: time.manual time.order
    func testAnAdvanceRunsEachTickAtItsOwnTime() {
        let scheduler = TimerScheduler.manual()
        let order = Record<String>()
        WeakTimer.every(.seconds(2), scheduler: scheduler) { tick in
            order.append("a\(tick.now.nanoseconds / 1_000_000_000)")
            XCTAssertEqual(scheduler.now, tick.now)
        }
        WeakTimer.every(.seconds(3), scheduler: scheduler) { tick in order.append("b\(tick.now.nanoseconds / 1_000_000_000)") }
        XCTAssertEqual(scheduler.advance(by: .seconds(6)), 5)
        XCTAssertEqual(order.all, ["a2", "b3", "a4", "b6", "a6"])
        XCTAssertEqual(scheduler.now, .zero.advanced(by: .seconds(6)))
        XCTAssertEqual(scheduler.nextDelay, .seconds(2))
    }

    func testAnAdvanceOfHalfAPeriodRunsNothing() {
        let scheduler = TimerScheduler.manual()
        let ticks = Counter()
        WeakTimer.after(.seconds(1), scheduler: scheduler) { ticks.increment() }
        XCTAssertEqual(scheduler.advance(by: .milliseconds(999)), 0)
        XCTAssertEqual(scheduler.advance(by: .milliseconds(1)), 1)
        XCTAssertNil(scheduler.nextDelay)
    }

    /* field report: 37, 92 */
    func testTheListOfTimers() {
        let scheduler = TimerScheduler.manual()
        let first = WeakTimer.every(.seconds(1), name: "poll", scheduler: scheduler) {}
        let second = WeakTimer.every(.seconds(1), name: "poll", scheduler: scheduler) {}
        let third = WeakTimer.after(.seconds(1), scheduler: scheduler) {}
        XCTAssertEqual(scheduler.timers, [first, second, third])
        XCTAssertEqual(scheduler.timers(named: "poll"), [first, second])
        XCTAssertEqual(scheduler.snapshots.map(\.name), ["poll", "poll", ""])
        first.invalidate()
        XCTAssertEqual(scheduler.timers, [second, third])
    }

    func testStatisticsBalance() {
        let scheduler = TimerScheduler.manual()
        var model: Model? = Model()
        WeakTimer.every(.seconds(1), target: model!, scheduler: scheduler, action: Model.refresh)
        WeakTimer.after(.seconds(1), scheduler: scheduler) {}
        WeakTimer.every(.seconds(5), scheduler: scheduler) {}
        WeakTimer.every(.seconds(5), scheduler: scheduler) {}.invalidate()
        scheduler.advance(by: .seconds(1))
        model = nil
        scheduler.advance(by: .seconds(1))
        let statistics = scheduler.statistics
        XCTAssertEqual(statistics.live, 1)
        XCTAssertEqual(statistics.created, 4)
        XCTAssertEqual(statistics.ticks, 2)
        XCTAssertEqual(statistics.ended, [.completed: 1, .invalidated: 1, .targetGone: 1, .shutDown: 0])
        XCTAssertEqual(statistics.created, statistics.live + statistics.ended.values.reduce(0, +))
        XCTAssertEqual(statistics.lateness.count, 32)
        XCTAssertEqual(statistics.lateness[0], 2)
        XCTAssertEqual(statistics.callbacks.reduce(0, +), 2)
        XCTAssertEqual(statistics.missed, 0)
        XCTAssertEqual(statistics.dropped, 0)
        XCTAssertEqual(statistics.maxLateness, .zero)
        scheduler.shutdown()
        XCTAssertEqual(scheduler.statistics.created, 0)
    }

    // covers: stop.shutdown
    func testAShutdown() throws {
        let scheduler = try TimerScheduler(name: "short")
        let ended = Record<EndReason>()
        var options = WeakTimer.Options.every(.milliseconds(1))
        options.onEnd = { _, reason in ended.append(reason) }
        let timer = try WeakTimer.start(options, scheduler: scheduler) {}
        XCTAssertEqual(scheduler.shutdown(), .stopped)
        XCTAssertEqual(ended.all, [.shutDown])
        XCTAssertFalse(timer.isValid)
        XCTAssertEqual(scheduler.shutdown(timeout: .zero), .alreadyEnded)
        XCTAssertEqual(scheduler.now, .zero)
    }

    func testAShutdownFromItsOwnCallback() throws {
        let scheduler = TimerScheduler.manual()
        let results = Record<WaitResult>()
        WeakTimer.every(.seconds(1), scheduler: scheduler) { results.append(scheduler.shutdown()) }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(results.all, [.wouldDeadlock])
    }

    func testASchedulerThatIsGivenUpInsideItsOwnCallback() throws {
        let holder = Locked<TimerScheduler?>(try TimerScheduler(name: "given up"))
        let ran = Counter()
        WeakTimer.every(.milliseconds(1), scheduler: holder.withLock { $0! }) {
            _ = holder.withLock { held -> TimerScheduler? in
                defer { held = nil }
                return held
            }
            ran.increment()
        }
        eventually { ran.value > 0 }
    }

    // covers: time.clocks
    func testTheCalendarIsSet() throws {
        let jumps = Record<Duration>()
        let scheduler = try TimerScheduler(drive: .manual, onClockJump: { jumps.append($0) })
        let ticks = Record<TimerClock.Instant>()
        WeakTimer.after(.seconds(10), clock: .wall, scheduler: scheduler) { (tick: Tick) in ticks.append(tick.now) }
        WeakTimer.after(.seconds(10), scheduler: scheduler) { (tick: Tick) in ticks.append(tick.now) }
        let day = TimerClock.Instant.zero.advanced(by: .seconds(86_400))
        scheduler.setWall(day)
        XCTAssertEqual(jumps.all, [.seconds(86_400)])
        XCTAssertEqual(TimerClock(.wall, scheduler: scheduler).now, day)
        scheduler.advance(by: .zero)
        XCTAssertEqual(ticks.all, [day])
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(ticks.all.last, .zero.advanced(by: .seconds(10)))
    }

    func testAHostDrivesIt() throws {
        let scheduler = try TimerScheduler(drive: .host)
        let ticks = Counter()
        XCTAssertNotNil(scheduler.fileDescriptor)
        XCTAssertNil(scheduler.nextDelay)
        WeakTimer.after(.zero, scheduler: scheduler) { ticks.increment() }
        WeakTimer.after(.zero, scheduler: scheduler) { ticks.increment() }
        XCTAssertEqual(scheduler.runDue(maxTicks: 0), 0)
        XCTAssertEqual(scheduler.runDue(maxTicks: -1), 0)
        XCTAssertEqual(scheduler.runDue(maxTicks: 1), 1)
        XCTAssertEqual(scheduler.runDue(), 1)
        XCTAssertEqual(ticks.value, 2)
        XCTAssertNil(TimerScheduler.manual().fileDescriptor)
    }

    /* field report: 22, 28, 92 */
    // covers: life.unlocked
    func testTheLogNamesATimerWhoseTargetDied() throws {
        let lines = Record<String>()
        let scheduler = try TimerScheduler(drive: .manual)
        scheduler.log = { level, message in
            XCTAssertEqual(level, .info)
            // The library may be called from here.
            lines.append(message + " (\(scheduler.timers.count) live)")
        }
        var model: Model? = Model()
        WeakTimer.every(.seconds(1), target: model!, name: "poll", scheduler: scheduler, action: Model.refresh)
        WeakTimer.every(.seconds(1), target: model!, scheduler: scheduler, action: Model.refresh)
        model = nil
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(lines.all.count, 1)
        XCTAssertTrue(lines.all.first?.contains("poll") ?? false, "\(lines.all)")
        scheduler.log = nil
    }

    func testTheSharedSchedulersLog() {
        let lines = Record<String>()
        TimerScheduler.shared.log = { _, message in lines.append(message) }
        defer { TimerScheduler.shared.log = nil }
        var model: Model? = Model()
        WeakTimer.every(.milliseconds(1), target: model!, name: "shared poll", action: Model.refresh)
        model = nil
        eventually { lines.all.contains { $0.contains("shared poll") } }
    }

    func testAThreadThatStarts() throws {
        let starts = Counter()
        let scheduler = try TimerScheduler(name: "named", onThreadStart: { starts.increment() })
        let ran = Counter()
        WeakTimer.after(.zero, scheduler: scheduler) { ran.increment(by: starts.value) }
        eventually { ran.value == 1 }
        scheduler.shutdown()
    }

    func testWhatNobodyCanMake() {
        XCTAssertThrowsError(try TimerScheduler(maxTimers: 0))
        XCTAssertThrowsError(try TimerScheduler(threadStackBytes: Int.max))
    }

    // covers: life.unlocked
    func testAHandlerThatIsReplacedIsGivenBackOutsideTheLock() {
        final class Reader: Sendable {
            let scheduler: TimerScheduler, reads: Counter
            init(_ scheduler: TimerScheduler, _ reads: Counter) { (self.scheduler, self.reads) = (scheduler, reads) }
            deinit { if scheduler.log == nil { reads.increment() } }
            func touch() {}
        }
        let scheduler = TimerScheduler.manual(), reads = Counter()
        func install() {
            let reader = Reader(scheduler, reads)
            scheduler.log = { _, _ in reader.touch() }
        }
        install()
        scheduler.log = nil
        XCTAssertEqual(reads.value, 1)
    }

    func testALongNameIsFoundByWhatIsKeptOfIt() {
        let scheduler = TimerScheduler.manual()
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\u{200D}\u{1F466}"
        for name in [String(repeating: "x", count: 69), family + family + family, "a\0b", "short", ""] {
            let timers = (0..<3).map { _ in WeakTimer.every(.seconds(1), name: name, scheduler: scheduler) {} }
            XCTAssertEqual(scheduler.timers(named: name), timers, name)
            for timer in timers { timer.invalidate() }
            XCTAssertEqual(scheduler.timers(named: name), [])
        }
    }
}
