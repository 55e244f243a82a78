import WeakTimers
import XCTest

/// Bodies that note their tick, and then are suspended until the test lets them go on.
final class Bodies: Sendable {
    let begun = Record<Tick>()
    let over = Counter()
    private let suspended = Locked<[CheckedContinuation<Void, Never>]>([])

    var areSuspended: Int { suspended.withLock { $0.count } }

    func run(_ tick: Tick) async {
        begun.append(tick)
        await withCheckedContinuation { continuation in suspended.withLock { $0.append(continuation) } }
        over.increment()
    }

    func goOn() {
        let continuations = suspended.withLock { suspended in
            defer { suspended = [] }
            return suspended
        }
        for continuation in continuations { continuation.resume() }
    }
}

/// A timer whose first body is suspended.
struct Suspended {
    let test: XCTestCase
    let scheduler: TimerScheduler
    let timer: WeakTimer
    let bodies: Bodies
    let deaths: Counter

    /// Lets the body go on to its end, and waits for that.
    func finish() async {
        let over = bodies.over.value + bodies.areSuspended
        bodies.goOn()
        await test.settled { bodies.over.value == over }
    }

    /// Waits until so many bodies have begun and the last one is suspended. What was fired comes with an advance.
    func begins(_ count: Int, file: StaticString = #filePath, line: UInt = #line) async {
        await test.settled("body \(count) never began", file: file, line: line) {
            scheduler.advance(by: .zero)
            return bodies.begun.all.count == count && bodies.areSuspended == 1 && timer.info?.state != .running
        }
    }

    /// Gives whatever would come wrongly the time to come.
    func expect(_ count: Int, file: StaticString = #filePath, line: UInt = #line) async {
        for _ in 0..<100 { await Task.yield() }
        XCTAssertEqual(bodies.begun.all.count, count, "bodies begun", file: file, line: line)
    }
}

extension XCTestCase {
    /// Starts a timer of one second for an object, an actor and a main-actor class, has its first body suspended, and drops the
    /// target when `scenario` asks for it.
    func onEachKindOfTarget(
        _ change: (inout WeakTimer.Options) -> Void = { _ in }, _ scenario: (Suspended, _ drop: () -> Void) async throws -> Void
    ) async throws {
        var options = WeakTimer.Options.every(.seconds(1))
        change(&options)
        try await suspend(Object.init, scenario) { object, bodies, payload, scheduler in
            try WeakTimer.start(options, target: object, scheduler: scheduler) { _, tick in
                payload.touch()
                await bodies.run(tick)
            }
        }
        try await suspend(Worker.init, scenario) { worker, bodies, payload, scheduler in
            try WeakTimer.start(options, target: worker, scheduler: scheduler) { worker, tick in
                worker.assertIsolated()
                payload.touch()
                await bodies.run(tick)
                worker.assertIsolated()
            }
        }
        try await suspend(Screen.init, scenario) { screen, bodies, payload, scheduler in
            try await Self.start(options, on: screen, bodies, payload, scheduler)
        }
    }

    private func suspend<Target: AnyObject>(
        _ make: (Counter) -> Target, _ scenario: (Suspended, _ drop: () -> Void) async throws -> Void,
        _ start: (Target, Bodies, Payload, TimerScheduler) async throws -> WeakTimer
    ) async throws {
        let deaths = Counter()
        let released = Counter()
        let scheduler = TimerScheduler.manual()
        let bodies = Bodies()
        var target: Target? = make(deaths)
        let timer = try await start(target!, bodies, Payload(released), scheduler)
        let suspended = Suspended(test: self, scheduler: scheduler, timer: timer, bodies: bodies, deaths: deaths)
        scheduler.advance(by: .seconds(1))
        await suspended.begins(1)
        try await scenario(suspended) { target = nil }
        timer.invalidate()
        bodies.goOn()
        target = nil
        await settled("the target or the body lives on") { deaths.value == 1 && released.value == 1 }
    }

    @MainActor private static func start(
        _ options: WeakTimer.Options, on screen: Screen, _ bodies: Bodies, _ payload: Payload, _ scheduler: TimerScheduler
    ) throws -> WeakTimer {
        try WeakTimer.start(options, target: screen, scheduler: scheduler) { screen, tick in
            MainActor.assertIsolated()
            payload.touch()
            await bodies.run(tick)
            MainActor.assertIsolated()
        }
    }
}

private final class Object: Sendable {
    private let deaths: Counter
    init(_ deaths: Counter) { self.deaths = deaths }
    deinit { deaths.increment() }
}

private actor Worker {
    private let deaths: Counter
    init(_ deaths: Counter) { self.deaths = deaths }
    deinit { deaths.increment() }
}

@MainActor private final class Screen {
    private let deaths: Counter
    nonisolated init(_ deaths: Counter) { self.deaths = deaths }
    deinit { deaths.increment() }
}
