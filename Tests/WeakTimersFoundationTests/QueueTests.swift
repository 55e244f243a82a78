import Dispatch
import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// Where callbacks come. In real time, since queues are not under manual time; every wait is for an event.
final class QueueTests: XCTestCase {
    private let queue = DispatchQueue(label: "queue")

    func testADispatchQueue() {
        let ticks = Counter()
        let timer = WeakTimer.every(.milliseconds(1), on: .queue(queue)) { [queue] in
            dispatchPrecondition(condition: .onQueue(queue))
            ticks.increment()
        }
        eventually { ticks.value >= 3 }
        XCTAssertNotEqual(timer.invalidate(), .alreadyEnded)
        timer.invalidateAndWait()
        let before = ticks.value
        queue.sync {}
        XCTAssertEqual(ticks.value, before)
    }

    func testASendableTargetOnAQueue() {
        final class Free: Sendable { let ticks = Counter() }
        let free = Free()
        let executor = TimerExecutor.queue(queue)
        let timers = [
            WeakTimer.every(.milliseconds(1), target: free, on: .queue(queue)) { free, _ in free.ticks.increment() },
            WeakTimer.every(.milliseconds(1), target: free, on: .queue(queue)) { [queue] free in
                dispatchPrecondition(condition: .onQueue(queue))
                free.ticks.increment()
            },
            WeakTimer.every(.milliseconds(1), target: free, on: executor) { free in free.ticks.increment() },
        ]
        eventually { timers.allSatisfy { $0.info!.ticks > 2 } }
        for timer in timers { timer.invalidate() }
    }

    func testTheMainQueue() {
        let ticks = Counter()
        let timer = WeakTimer.every(.milliseconds(1), on: .queue(.main)) {
            XCTAssertTrue(Thread.isMainThread)
            ticks.increment()
        }
        eventually { ticks.value >= 3 }
        timer.invalidate()
    }

    func testARunLoop() {
        let ticks = Counter()
        let timer = WeakTimer.every(.milliseconds(1), on: .runLoop(.main)) {
            XCTAssertTrue(Thread.isMainThread)
            ticks.increment()
        }
        eventually { ticks.value >= 3 }
        timer.invalidate()
    }

    // A run loop that sleeps must be woken. A thread of its own has nothing else that would.
    func testARunLoopThatSleeps() {
        let loop = Locked<RunLoopBox?>(nil)
        let ticks = Counter()
        Thread.detachNewThread {
            loop.withLock { $0 = RunLoopBox(RunLoop.current) }
            while ticks.value == 0 { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        eventually { loop.withLock { $0 != nil } }
        let thread = loop.withLock { $0! }
        let asked = Date()
        let ran = Locked<Date?>(nil)
        WeakTimer.after(.milliseconds(20), on: .runLoop(thread.loop)) {
            ran.withLock { $0 = Date() }
            ticks.increment()
        }
        eventually { ticks.value == 1 }
        XCTAssertLessThan(ran.withLock { $0! }.timeIntervalSince(asked), 10)
    }

    func testAClassThatIsNotSendableOnItsQueue() {
        let model = Model()
        let timers = [
            WeakTimer.every(.milliseconds(1), target: model, on: .queue(queue)) { model, _ in model.tick() },
            WeakTimer.every(.milliseconds(1), target: model, on: .queue(queue)) { model in model.tick() },
            WeakTimer.every(.milliseconds(1), target: model, on: .queue(queue), action: Model.tick),
            WeakTimer.after(.milliseconds(1), target: model, on: .queue(queue)) { model, _ in model.tick() },
            WeakTimer.after(.milliseconds(1), target: model, on: .queue(queue)) { model in model.tick() },
            WeakTimer.after(.milliseconds(1), target: model, on: .queue(queue), action: Model.tick),
            WeakTimer.every(.milliseconds(1), target: model, on: .queue(queue), action: Model.note),
            WeakTimer.after(.milliseconds(1), target: model, on: .queue(queue), action: Model.note),
        ]
        eventually { timers.allSatisfy { ($0.info?.ticks ?? 1) > 0 } }
        for timer in timers { timer.invalidate() }
        queue.sync {}
        XCTAssertGreaterThanOrEqual(model.ticks.value, 8)
    }

    func testAScheduledTimerOnAQueue() {
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 0.001, target: model, action: Model.tick, userInfo: nil, repeats: true, tolerance: 0.0001,
            dispatchQueue: queue, name: "queued")
        let blocks = Counter()
        ScheduledTimer.scheduledTimer(withTimeInterval: 0.001, repeats: true, dispatchQueue: queue) { [queue] timer in
            dispatchPrecondition(condition: .onQueue(queue))
            if blocks.increment() == 3 { timer.invalidate() }
        }
        eventually { model.ticks.value >= 3 && blocks.value == 3 }
        timer.invalidate()
    }

    func testAScheduledTimerMadeOnTheMainThreadCallsThere() {
        let ticks = Counter()
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in
            XCTAssertTrue(Thread.isMainThread)
            ticks.increment()
        }
        eventually { ticks.value >= 3 }
        timer.invalidate()
    }

    /* field report: 42 */
    func testAScheduledTimerMadeOnAThreadWithoutARunLoopTicks() {
        let ticks = Counter()
        Thread.detachNewThread {
            ScheduledTimer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
                if ticks.increment() == 3 { timer.invalidate() }
            }
        }
        eventually { ticks.value == 3 }
    }

    // The first tick may come before the call that makes the timer has returned.
    func testATimerThatEndsItselfAtItsFirstTick() {
        for _ in 0..<500 {
            let ticks = Counter()
            let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 0, repeats: true, dispatchQueue: queue) { timer in
                ticks.increment()
                timer.invalidate()
            }
            eventually { ticks.value > 0 && !timer.isValid }
            queue.sync {}
            XCTAssertEqual(ticks.value, 1)
        }
    }

    @MainActor func testABlockWrittenOnTheMainActor() async {
        var ticks = 0
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in
            MainActor.assertIsolated()
            ticks += 1
        }
        while ticks < 3 { await Task.yield() }
        timer.invalidate()
    }

    @MainActor func testAMethodOfAMainActorClass() async {
        @MainActor final class Controller {
            var ticks = 0
            func step() { ticks += 1 }
            func step2(_ timer: ScheduledTimer) {
                MainActor.assertIsolated()
                ticks += 1
            }
        }
        let controller = Controller()
        let timers = [
            ScheduledTimer.scheduledTimer(
                timeInterval: 0.001, target: controller, action: Controller.step, userInfo: nil, repeats: true),
            ScheduledTimer.scheduledTimer(
                timeInterval: 0.001, target: controller, action: Controller.step2, userInfo: nil, repeats: true,
                dispatchQueue: queue),
            ScheduledTimer.scheduledTimer(
                timeInterval: 0.001, target: controller, action: { controller in controller.step() }, repeats: true),
        ]
        while controller.ticks < 9 { await Task.yield() }
        for timer in timers { timer.invalidate() }
    }

    func testDatesAndInstants() {
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        let instant = TimerClock.Instant(date)
        XCTAssertEqual(instant.nanoseconds, 1_700_000_000_500_000_000)
        XCTAssertEqual(instant.date, date)
        XCTAssertEqual(TimerClock.Instant(.distantPast), .zero)
        XCTAssertEqual(TimerClock.Instant.never.date, .distantFuture)
        let options = WeakTimer.Options.at(date)
        XCTAssertEqual(options.clock.kind, .wall)
        XCTAssertEqual(options.deadline, instant)
    }
}

private struct RunLoopBox: @unchecked Sendable {
    let loop: RunLoop
    init(_ loop: RunLoop) { self.loop = loop }
}
