import WeakTimers
import XCTest

/// The forms for actors, the main actor and what belongs to them, in all three ways to start a timer.
final class IsolatedFormsTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private actor Account {
        var total = 0
        func add(_ amount: Int) { total += amount }
        func settle() async { total += 1 }
    }

    func testActors() async throws {
        let account = Account()
        let options = WeakTimer.Options.every(.seconds(1))
        let timers = [
            WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { account, tick in account.add(1) },
            WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { account in account.add(1) },
            WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { account, tick in await account.settle() },
            WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { account in await account.settle() },
            WeakTimer.every(.seconds(1), target: account, scheduler: scheduler, action: Account.settle),
            WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { account, tick in account.add(1) },
            WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { account in account.add(1) },
            WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { account, tick in await account.settle() },
            WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { account in await account.settle() },
            try WeakTimer.start(options, target: account, scheduler: scheduler) { account, tick in account.add(1) },
            try WeakTimer.start(options, target: account, scheduler: scheduler) { account in account.add(1) },
            try WeakTimer.start(options, target: account, scheduler: scheduler) { account, tick in await account.settle() },
            try WeakTimer.start(options, target: account, scheduler: scheduler) { account in await account.settle() },
        ]
        scheduler.advance(by: .seconds(1))
        await settled { await account.total == timers.count }
    }

    func testBodiesThatSuspend() async throws {
        let model = Model()
        let options = WeakTimer.Options.after(.seconds(1))
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model, tick in await model.load() }
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model in await model.load() }
        WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { model, tick in await model.load() }
        WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { model in await model.load() }
        try WeakTimer.start(options, target: model, scheduler: scheduler) { model, tick in await model.load() }
        try WeakTimer.start(options, target: model, scheduler: scheduler) { model in await model.load() }
        scheduler.advance(by: .seconds(1))
        await settled { model.ticks.value == 6 }
    }

    @MainActor func testWhatBelongsToTheMainActor() throws {
        let confined = Confined()
        let view = ViewModel()
        let options = WeakTimer.Options.after(.seconds(1))
        WeakTimer.after(.seconds(1), target: confined, scheduler: scheduler) { confined, tick in confined.ticks += 1 }
        WeakTimer.after(.seconds(1), target: confined, scheduler: scheduler, action: Confined.refresh)
        WeakTimer.after(.seconds(1), target: confined, scheduler: scheduler, action: Confined.note)
        WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler, action: Confined.refresh)
        try WeakTimer.start(options, target: confined, scheduler: scheduler) { confined, tick in confined.ticks += 1 }
        try WeakTimer.start(options, target: confined, scheduler: scheduler) { confined in confined.ticks += 1 }
        try WeakTimer.start(options, target: confined, scheduler: scheduler, action: Confined.refresh)
        try WeakTimer.start(options, target: confined, scheduler: scheduler, action: Confined.note)
        try WeakTimer.start(options, target: view, scheduler: scheduler) { view, tick in view.ticks += 1 }
        try WeakTimer.start(options, target: view, scheduler: scheduler, action: ViewModel.refresh)
        try WeakTimer.start(options, scheduler: scheduler) { @MainActor in view.ticks += 1 }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(confined.ticks, 8)
        XCTAssertEqual(view.ticks, 3)
    }

    // The test itself is on the main thread, though not on the main actor as far as the compiler knows.
    func testAnAdvanceOnTheMainThreadRunsWhatBelongsThere() {
        let view = ViewModel()
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.refresh)
        WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { @MainActor view in view.refresh() }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(MainActor.assumeIsolated { view.ticks }, 6)
    }

    // A method of a main-actor class is called there, wherever the timer was started.
    func testAMainActorMethodFromElsewhere() async {
        let view = ViewModel()
        let timer = WeakTimer.every(.milliseconds(1), target: view, action: ViewModel.refresh)
        let other = WeakTimer.every(.milliseconds(1), target: view) { @MainActor view in view.refresh() }
        await settled { await view.ticks >= 4 }
        timer.invalidate()
        other.invalidate()
    }
}
