import WeakTimers
import XCTest

/// A start allocates at most twice: the context of the closure, and what stands behind the timer.
final class AllocationTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let options = WeakTimer.Options.after(.seconds(1))

    private actor Account {
        var total = 0
        func add(_ amount: Int) { total += amount }
        func settle() async { total += 1 }
        func settle(_ amount: Int) async { total += amount }

        /// Closures that are isolated to this actor, since they were written on it.
        func startOnItself(for model: Model, on scheduler: TimerScheduler) throws {
            let amount = Amount()
            try expect { WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { _ in self.add(amount.value) } }
            try expect { WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { _, _ in self.add(amount.value) } }
            try expect { WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { _ in await self.settle(amount.value) } }
        }
    }

    func testActors() throws {
        let account = Account()
        let amount = Amount()
        let scheduler = scheduler
        try expect { WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { $0.add(amount.value) } }
        try expect { WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { $0.add($1.missed + amount.value) } }
        try expect { WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { $0.add(amount.value) } }
        try expect { WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { $0.add($1.missed + amount.value) } }
        try expect { try WeakTimer.start(options, target: account, scheduler: scheduler) { $0.add(amount.value) } }
        try expect { try WeakTimer.start(options, target: account, scheduler: scheduler) { $0.add($1.missed + amount.value) } }
    }

    func testAsyncBodiesOfActors() throws {
        let account = Account()
        let amount = Amount()
        let scheduler = scheduler
        try expect { WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { await $0.settle(amount.value) } }
        try expect { WeakTimer.every(.seconds(1), target: account, scheduler: scheduler) { await $0.settle($1.missed + amount.value) } }
        try expect { WeakTimer.every(.seconds(1), target: account, scheduler: scheduler, action: Account.settle) }
        try expect { WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { await $0.settle(amount.value) } }
        try expect { WeakTimer.after(.seconds(1), target: account, scheduler: scheduler) { await $0.settle($1.missed + amount.value) } }
        try expect { WeakTimer.after(.seconds(1), target: account, scheduler: scheduler, action: Account.settle) }
        try expect { try WeakTimer.start(options, target: account, scheduler: scheduler) { await $0.settle(amount.value) } }
        try expect { try WeakTimer.start(options, target: account, scheduler: scheduler) { await $0.settle($1.missed + amount.value) } }
    }

    func testClosuresWrittenOnAnActor() async throws {
        try await Account().startOnItself(for: Model(), on: scheduler)
    }

    func testObjects() throws {
        let model = Model()
        let amount = Amount()
        let scheduler = scheduler
        try expect { WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { _ in amount.increment() } }
        try expect { WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { amount.increment(by: $1.missed) } }
        try expect { WeakTimer.every(.seconds(1), target: model, on: .inline, scheduler: scheduler) { _ in amount.increment() } }
        try expect { WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model in await model.load(amount.value) } }
        try expect { WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { model, _ in await model.load(amount.value) } }
        try expect { try WeakTimer.start(options, target: model, scheduler: scheduler) { model, _ in await model.load(amount.value) } }
        try expect(methods) { WeakTimer.every(.seconds(1), target: model, scheduler: scheduler, action: Model.refresh) }
        try expect(methods) { WeakTimer.every(.seconds(1), target: model, scheduler: scheduler, action: Model.note) }
        try expect(methods) { WeakTimer.every(.seconds(1), target: model, scheduler: scheduler, action: Model.load) }
        try expect(methods) { try WeakTimer.start(options, target: model, scheduler: scheduler, action: Model.refresh) }
        try expect { WeakTimer.every(.seconds(1), scheduler: scheduler) { amount.increment() } }
        try expect { WeakTimer.every(.seconds(1), scheduler: scheduler) { amount.increment(by: $0.missed) } }
    }

    @MainActor func testOnTheMainActor() throws {
        let view = ViewModel()
        let confined = Confined()
        let amount = Amount()
        let scheduler = scheduler
        try expect { WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { view in view.ticks += amount.value } }
        try expect { WeakTimer.every(.seconds(1), target: view, scheduler: scheduler) { view, _ in view.ticks += amount.value } }
        try expect { WeakTimer.after(.seconds(1), target: view, scheduler: scheduler) { view in await view.load(amount.value) } }
        try expect(methods) { WeakTimer.every(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.refresh) }
        try expect(methods) { WeakTimer.every(.seconds(1), target: view, scheduler: scheduler, action: ViewModel.load) }
        try expect { WeakTimer.every(.seconds(1), scheduler: scheduler) { @MainActor in view.ticks += amount.value } }
        try expect { WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler) { $0.ticks += amount.value } }
        try expect { WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler) { $0.ticks += $1.missed + amount.value } }
        try expect { WeakTimer.after(.seconds(1), target: confined, scheduler: scheduler) { $0.ticks += amount.value } }
        try expect { try WeakTimer.start(options, target: confined, scheduler: scheduler) { $0.ticks += amount.value } }
        try expect { WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler, action: Confined.refresh) }
        try expect { WeakTimer.every(.seconds(1), target: confined, scheduler: scheduler, action: Confined.note) }
    }
}

extension Model {
    fileprivate func load(_ amount: Int) async { ticks.increment(by: amount) }
}

extension ViewModel {
    fileprivate func load(_ amount: Int) async { ticks += amount }
}

/// Two references, since a closure that captures a single one needs no context of its own.
private struct Amount: Sendable {
    private let counts = (Counter(), Counter())
    var value: Int { counts.0.value + counts.1.value }
    func increment(by amount: Int = 1) {
        counts.0.increment(by: amount)
        counts.1.increment()
    }
}

/// A start asks an unbound method for its isolation, and the method that it binds for this is one object more if nothing is optimised.
#if DEBUG
    private let methods = 3
#else
    private let methods = 2
#endif

/// Starts once for what is made at the first use and kept, and then counts.
private func expect(
    _ most: Int = 2, _ start: () throws -> WeakTimer, file: StaticString = #filePath, line: UInt = #line
) throws {
    try start().invalidate()
    guard let count = try AllocationCount.of({ try start().invalidate() }) else {
        throw XCTSkip("this runtime's allocations cannot be counted")
    }
    XCTAssertLessThanOrEqual(count, most, file: file, line: line)
}
