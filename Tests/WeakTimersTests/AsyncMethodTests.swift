import WeakTimers
import XCTest

/// Unbound methods that suspend, of each kind of target, with the tick and without, by each way to start a timer.
final class AsyncMethodTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let repeating = WeakTimer.Options(interval: .seconds(1))

    private actor Account {
        var plain = 0
        var ordinals: [Int] = []

        func settle() async {
            await Task.yield()
            plain += 1
        }

        func note(_ tick: Tick) async {
            await Task.yield()
            ordinals.append(tick.ordinal)
        }
    }

    @MainActor private final class Screen {
        var plain = 0
        var ordinals: [Int] = []

        func load() async {
            await Task.yield()
            plain += 1
        }

        func note(_ tick: Tick) async {
            await Task.yield()
            MainActor.assertIsolated()
            ordinals.append(tick.ordinal)
        }
    }

    private final class Shared: Sendable {
        let plain = Counter()
        let ordinals = Record<Int>()

        func load() async {
            await Task.yield()
            plain.increment()
        }

        func note(_ tick: Tick) async {
            await Task.yield()
            ordinals.append(tick.ordinal)
        }
    }

    func testOfAnActor() async throws {
        let account = Account()
        WeakTimer.every(.seconds(1), target: account, scheduler: scheduler, action: Account.settle)
        WeakTimer.every(.seconds(1), target: account, scheduler: scheduler, action: Account.note)
        WeakTimer.after(.seconds(1), target: account, scheduler: scheduler, action: Account.settle)
        WeakTimer.after(.seconds(1), target: account, scheduler: scheduler, action: Account.note)
        try WeakTimer.start(repeating, target: account, scheduler: scheduler, action: Account.settle)
        try WeakTimer.start(repeating, target: account, scheduler: scheduler, action: Account.note)
        scheduler.advance(by: .seconds(1))
        await settled { await account.plain == 3 }
        await settled { await account.ordinals == [1, 1, 1] }
    }

    @MainActor func testOfTheMainActor() async throws {
        let screen = Screen()
        WeakTimer.every(.seconds(1), target: screen, scheduler: scheduler, action: Screen.load)
        WeakTimer.every(.seconds(1), target: screen, scheduler: scheduler, action: Screen.note)
        WeakTimer.after(.seconds(1), target: screen, scheduler: scheduler, action: Screen.load)
        WeakTimer.after(.seconds(1), target: screen, scheduler: scheduler, action: Screen.note)
        try WeakTimer.start(repeating, target: screen, scheduler: scheduler, action: Screen.load)
        try WeakTimer.start(repeating, target: screen, scheduler: scheduler, action: Screen.note)
        scheduler.advance(by: .seconds(1))
        await settled { screen.plain == 3 && screen.ordinals == [1, 1, 1] }
    }

    func testOfAnyClassThatIsSendable() async throws {
        let shared = Shared()
        WeakTimer.every(.seconds(1), target: shared, scheduler: scheduler, action: Shared.load)
        WeakTimer.every(.seconds(1), target: shared, scheduler: scheduler, action: Shared.note)
        WeakTimer.after(.seconds(1), target: shared, scheduler: scheduler, action: Shared.load)
        WeakTimer.after(.seconds(1), target: shared, scheduler: scheduler, action: Shared.note)
        try WeakTimer.start(repeating, target: shared, scheduler: scheduler, action: Shared.load)
        try WeakTimer.start(repeating, target: shared, scheduler: scheduler, action: Shared.note)
        scheduler.advance(by: .seconds(1))
        await settled { shared.plain.value == 3 && shared.ordinals.all == [1, 1, 1] }
    }

    // covers: life.weak
    func testTheTargetIsHeldWeakly() async throws {
        var account: Account? = Account()
        weak let seen = account
        WeakTimer.every(.seconds(1), target: account!, scheduler: scheduler, action: Account.note)
        try WeakTimer.start(repeating, target: account!, scheduler: scheduler, action: Account.settle)
        account = nil
        await settled { seen == nil }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(scheduler.statistics.live, 0)
    }
}
