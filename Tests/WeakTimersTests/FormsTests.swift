import WeakTimers
import XCTest

/// Every form of starting a timer, each of which must be found by the compiler without help, and tick.
final class FormsTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    // covers: life.weak time.manual
    func testBodiesWithATarget() {
        let model = Model()
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model, tick in model.ticks.increment() }
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { model in model.ticks.increment() }
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler) { $0.refresh() }
        WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { model, tick in model.note(tick) }
        WeakTimer.after(.seconds(1), target: model, scheduler: scheduler) { model in model.refresh() }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(model.ticks.value, 11)
    }

    func testBodiesWithoutATarget() {
        let ticks = Counter()
        WeakTimer.every(.seconds(1), scheduler: scheduler) { tick in ticks.increment(by: tick.ordinal) }
        WeakTimer.every(.seconds(1), scheduler: scheduler) { ticks.increment() }
        WeakTimer.after(.seconds(1), scheduler: scheduler) { (tick: Tick) in ticks.increment() }
        WeakTimer.after(.seconds(1), scheduler: scheduler) { ticks.increment() }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(ticks.value, 6 + 3 + 2)
    }

    func testUnboundMethods() {
        let model = Model()
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler, action: Model.refresh)
        WeakTimer.every(.seconds(1), target: model, scheduler: scheduler, action: Model.note)
        WeakTimer.after(.seconds(1), target: model, scheduler: scheduler, action: Model.note)
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(model.ticks.value, 3 + 6 + 1)
    }

    func testEveryParameterTogether() {
        let model = Model()
        let ticks = Record<Tick>()
        let timer = WeakTimer.every(
            .seconds(1), target: model, tolerance: .milliseconds(100), missed: .burst, limit: 2, immediate: true,
            clock: .boottime, name: "all", on: .inline, scheduler: scheduler
        ) { _, tick in ticks.append(tick) }
        XCTAssertEqual(timer.info?.name, "all")
        XCTAssertEqual(timer.info?.clock, .boottime)
        XCTAssertEqual(timer.info?.missedTicks, .burst)
        XCTAssertEqual(timer.tolerance, .milliseconds(100))
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(ticks.all.map(\.ordinal), [1, 2])
        XCTAssertEqual(ticks.all.first?.scheduled, .zero)
        XCTAssertFalse(timer.isValid)

        let once = WeakTimer.after(
            .seconds(1), target: model, tolerance: .milliseconds(100), clock: .wall, name: "once", on: .inline,
            scheduler: scheduler
        ) { _, tick in ticks.append(tick) }
        XCTAssertEqual(once.info?.clock, .wall)
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(ticks.all.count, 3)
    }

    func testATickTellsItsTimes() {
        let ticks = Record<Tick>()
        WeakTimer.every(.seconds(2), scheduler: scheduler) { tick in ticks.append(tick) }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.all.map(\.scheduled.nanoseconds), [2_000_000_000, 4_000_000_000])
        XCTAssertEqual(ticks.all.map(\.now), ticks.all.map(\.scheduled))
        XCTAssertEqual(ticks.all.map(\.next.nanoseconds), [4_000_000_000, 6_000_000_000])
        XCTAssertEqual(ticks.all.map(\.missed), [0, 0])
        XCTAssertEqual(ticks.all.map(\.isFired), [false, false])
        XCTAssertEqual(ticks.all.map(\.lateness), [.zero, .zero])
    }

    func testTheFullForms() throws {
        let model = Model()
        let ended = Record<EndReason>()
        var options = WeakTimer.Options.every(.seconds(1))
        options.limit = 2
        options.onEnd = { _, reason in ended.append(reason) }
        try WeakTimer.start(options, target: model, scheduler: scheduler) { model, tick in model.refresh() }
        try WeakTimer.start(options, target: model, scheduler: scheduler) { model in model.refresh() }
        try WeakTimer.start(options, target: model, on: .inline, scheduler: scheduler) { model, tick in model.refresh() }
        try WeakTimer.start(options, target: model, scheduler: scheduler, action: Model.note)
        try WeakTimer.start(options, scheduler: scheduler) { tick in model.refresh() }
        try WeakTimer.start(options, on: .inline, scheduler: scheduler) { model.refresh() }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(model.ticks.value, 2 + 2 + 2 + 3 + 2 + 2)
        XCTAssertEqual(ended.all, Array(repeating: .completed, count: 6))
    }

    func testASharedSchedulerTicksInRealTime() {
        let model = Model()
        let before = TimerClock.monotonic.now
        let ticks = Record<Tick>()
        WeakTimer.every(.milliseconds(1), target: model, limit: 3) { _, tick in ticks.append(tick) }
        eventually { ticks.all.count == 3 }
        for tick in ticks.all { XCTAssertGreaterThanOrEqual(tick.now, tick.scheduled) }
        XCTAssertGreaterThanOrEqual(ticks.all[0].scheduled, before.advanced(by: .milliseconds(1)))
    }
}
