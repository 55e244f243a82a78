import WeakTimers
import XCTest

/// Where bodies run: on the actor to which they are isolated.
final class IsolationTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    @MainActor func testTheMainActorsOwnClass() {
        let view = ViewModel()
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { view, tick in view.ticks += 1 }
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { view in view.ticks += 1 }
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { @MainActor view in view.ticks += 1 }
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.refresh)
        WeakTimer.after(.seconds(1), target: view, scheduler: scheduler) { view in view.refresh() }
        WeakTimer.after(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.refresh)
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(view.ticks, 10)
    }

    @MainActor func testAClassThatIsNotSendableOnTheMainActor() {
        let confined = Confined()
        WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler) { confined, tick in confined.ticks += 1 }
        WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler) { confined in confined.ticks += 1 }
        WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler, action: Confined.note)
        WeakTimer.after(.seconds(1), target: confined, scheduler: scheduler) { $0.refresh() }
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(confined.ticks, 2 + 2 + 3 + 1)
    }

    @MainActor func testAPlainClosureOnTheMainActor() {
        var ticks = 0
        WeakTimer.every(.seconds(1), scheduler: scheduler) { @MainActor in
            MainActor.assertIsolated()
            ticks += 1
        }
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(ticks, 2)
    }

    // The tick comes on another thread; the body must not run before the main thread has time for it.
    @MainActor func testATickFromAnotherThreadComesToTheMainThread() async {
        let view = ViewModel()
        let timer = WeakTimer.every(.milliseconds(1), target: view) { view in
            MainActor.assertIsolated()
            view.ticks += 1
        }
        await settled { view.ticks >= 3 }
        timer.invalidate()
    }

    // covers: stop.none-after
    @MainActor func testAfterAStopNoQueuedTickRuns() async {
        let view = ViewModel()
        let timer = WeakTimer.every(.milliseconds(1), target: view, missed: .burst) { view in view.ticks += 1 }
        // The main thread does not let go, so that ticks queue up behind it.
        eventually { timer.info?.state == .queued }
        XCTAssertEqual(timer.invalidate(), .stopped)
        for _ in 0..<100 { await Task.yield() }
        XCTAssertEqual(view.ticks, 0)
    }

    // covers: time.serial
    func testAnActorsBodyIsIsolatedToIt() async {
        actor Account {
            var total = 0
            func add(_ amount: Int) { total += amount }
            func settle() async { total += 100 }
        }
        let account = Account()
        WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { account, tick in account.add(tick.ordinal) }
        scheduler.advance(by: .seconds(1))
        await settled { await account.total == 1 }
        WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { account in account.total += 10 }
        scheduler.advance(by: .seconds(1))
        await settled { await account.total == 13 }
        WeakTimer.after(.zero, target: account, scheduler: scheduler) { account in await account.settle() }
        WeakTimer.after(.zero, target: account, scheduler: scheduler, action: Account.settle)
        scheduler.advance(by: .zero)
        await settled { await account.total == 213 }
    }

    // A closure that captures the actor on which it was written runs there, whatever its target is.
    func testAClosureWrittenOnAnActorRunsThere() async {
        actor Tally {
            var total = 0
            func start(for model: Model, on scheduler: TimerScheduler) -> WeakTimer {
                WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model, tick in
                    self.total += tick.ordinal
                    model.refresh()
                }
            }
        }
        let tally = Tally()
        let model = Model()
        let timer = await tally.start(for: model, on: scheduler)
        scheduler.advance(by: .seconds(1))
        await settled { await tally.total == 1 }
        scheduler.advance(by: .seconds(1))
        await settled { await tally.total == 3 }
        XCTAssertEqual(model.ticks.value, 2)
        timer.invalidate()
    }

    func testTheActorIsNotKeptAlive() async {
        actor Worker {
            let deaths: Counter
            init(_ deaths: Counter) { self.deaths = deaths }
            deinit { deaths.increment() }
            func work() {}
        }
        let deaths = Counter()
        var worker: Worker? = Worker(deaths)
        let timer = WeakTimer.every(.seconds(1), target: worker!, scheduler: scheduler) { worker in worker.work() }
        worker = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(2))
        await settled { !timer.isValid }
        XCTAssertEqual(scheduler.statistics.ended[.targetGone], 1)
    }

    func testAnObjectConfinedToAnActorDoesNotKeepItAlive() async {
        actor Owner {
            let confined = Confined()
            let deaths: Counter
            var ticks: Int { confined.ticks }
            init(_ deaths: Counter) { self.deaths = deaths }
            deinit { deaths.increment() }
            func start(on scheduler: TimerScheduler) -> WeakTimer {
                WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler) { confined, _ in confined.ticks += 1 }
            }
        }
        let deaths = Counter()
        var owner: Owner? = Owner(deaths)
        let timer = await owner!.start(on: scheduler)
        scheduler.advance(by: .seconds(1))
        await settled { await owner!.ticks == 1 }
        owner = nil
        await settled { deaths.value == 1 }
        scheduler.advance(by: .seconds(1))
        await settled { !timer.isValid }
    }
}
