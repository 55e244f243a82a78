import WeakTimers
import XCTest

/// Bodies that suspend.
final class AsyncBodyTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    /// Lets bodies wait until the test says go.
    private actor Gate {
        private var waiters: [CheckedContinuation<Void, Never>] = []
        var entered = 0

        func pass() async {
            entered += 1
            await withCheckedContinuation { waiters.append($0) }
        }

        func open() {
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    // covers: time.serial time.missed
    func testBodiesOfOneTimerDoNotOverlap() async {
        let model = Model()
        let gate = Gate()
        let ticks = Record<Tick>()
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model, tick in
            ticks.append(tick)
            await gate.pass()
        }
        scheduler.advance(by: .seconds(4))
        await settled { await gate.entered == 1 }
        XCTAssertEqual(ticks.all.map(\.ordinal), [1])
        await gate.open()
        await settled { await gate.entered == 2 }
        // What came meanwhile is one tick, which says so.
        XCTAssertEqual(ticks.all.map(\.ordinal), [1, 4])
        XCTAssertEqual(ticks.all.map(\.missed), [0, 2])
        await gate.open()
    }

    func testBurstDeliversEachTick() async {
        let model = Model()
        let ticks = Record<Int>()
        let gate = Gate()
        WeakTimer.every(.seconds(1), target: model, missed: .burst, scheduler: scheduler) { _, tick in
            ticks.append(tick.ordinal)
            if tick.ordinal == 1 { await gate.pass() }
        }
        scheduler.advance(by: .seconds(4))
        await settled { await gate.entered == 1 }
        await gate.open()
        // One came while the body was suspended; what has been due since then comes with an advance, as manual time has it.
        await settled {
            scheduler.advance(by: .zero)
            return ticks.all == [1, 2, 3, 4]
        }
    }

    func testAStopForgetsTheTicksThatWait() async {
        let model = Model()
        let gate = Gate()
        let timer = WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model in
            await gate.pass()
            model.ticks.increment()
        }
        scheduler.advance(by: .seconds(3))
        await settled { await gate.entered == 1 }
        timer.invalidate()
        await gate.open()
        await settled { model.ticks.value == 1 }
        for _ in 0..<100 { await Task.yield() }
        let entered = await gate.entered
        XCTAssertEqual(entered, 1)
    }

    // A body that is always busy must not keep its target alive between two bodies.
    func testASlowBodyDoesNotKeepItsTargetAlive() async {
        let deaths = Counter()
        let gate = Gate()
        var model: Model? = Model(deaths: deaths)
        WeakTimer.every(.seconds(1), target: model!, scheduler: scheduler) { _ in await gate.pass() }
        scheduler.advance(by: .seconds(3))
        await settled { await gate.entered == 1 }
        model = nil
        XCTAssertEqual(deaths.value, 0)
        await gate.open()
        await settled { deaths.value == 1 }
        let entered = await gate.entered
        XCTAssertEqual(entered, 1)
    }

    @MainActor func testAnAsyncBodyOnTheMainActor() async {
        let view = ViewModel()
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { view in
            MainActor.assertIsolated()
            await view.load()
            MainActor.assertIsolated()
        }
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.load)
        // The first part runs inside the advance, since this is the main actor.
        scheduler.advance(by: .seconds(1))
        await settled { view.ticks == 2 }
    }

    func testAnAsyncMethod() async {
        let model = Model()
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler, action: Model.load)
        WeakTimer.after(.seconds(1), target: model, scheduler: scheduler, action: Model.load)
        scheduler.advance(by: .seconds(1))
        await settled { model.ticks.value == 2 }
    }

    /// One without an actor, too, begins inside the engine's callback: what has been stopped begins no more, and holds nothing.
    // covers: stop.none-after stop.wait
    func testAStoppedTimersBodyWithoutAnActorBeginsNoMore() async throws {
        let scheduler = try TimerScheduler()
        var stopped: [(Counter, Int)] = []
        let released = Counter()
        for round in 0..<600 {
            let begun = Counter(), model = Model()
            let payload = Payload(released)
            let timer = WeakTimer.every(.microseconds(50), target: model, scheduler: scheduler) { (_: Model) async in
                begun.increment()
                payload.touch()
            }
            while begun.value < 2 { await Task.yield() }
            if round % 2 == 0 {
                if timer.invalidate() == .stopped { stopped.append((begun, begun.value)) }
            } else if timer.invalidateAndWait() == .stopped {
                stopped.append((begun, begun.value))
            }
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
        scheduler.shutdown()
        for _ in 0..<100 { await Task.yield() }
        for (begun, then) in stopped { XCTAssertEqual(begun.value, then) }
        XCTAssertGreaterThan(stopped.count, 0)
    }
}
