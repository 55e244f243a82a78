import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

final class Player: Model {
    var timer: ScheduledTimer?
    var seen: [Any?] = []

    func step(_ timer: ScheduledTimer) {
        seen.append(timer.userInfo)
        ticks.increment()
    }
}

/// Under manual time on the main thread, where callbacks come inside the advance.
final class ScheduledTimerTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let deaths = Counter()

    func testAMethodWithoutTheTimer() {
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model, action: Model.tick, userInfo: nil, repeats: true, scheduler: scheduler)
        XCTAssertEqual(timer.timeInterval, 1)
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(model.ticks.value, 3)
        XCTAssertTrue(timer.isValid)
        timer.invalidate()
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(model.ticks.value, 3)
        XCTAssertFalse(timer.isValid)
    }

    func testAMethodWithTheTimerAndUserInfo() {
        let player = Player()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: player, action: Player.step, userInfo: "song", repeats: false, scheduler: scheduler)
        XCTAssertEqual(timer.userInfo as? String, "song")
        XCTAssertEqual(timer.timeInterval, 0)
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(player.seen.map { $0 as? String }, ["song"])
        XCTAssertFalse(timer.isValid)
        XCTAssertNil(timer.userInfo)
    }

    func testAClosure() {
        let model = Model()
        ScheduledTimer.scheduledTimer(timeInterval: 1, target: model, action: { $0.tick() }, repeats: true, scheduler: scheduler)
        ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model, action: { model in model.tick() }, repeats: true, dispatchQueue: nil,
            scheduler: scheduler)
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(model.ticks.value, 4)
    }

    func testABlock() {
        let ticks = Counter()
        ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { timer in
            if ticks.increment() == 3 { timer.invalidate() }
        }
        let once = Counter()
        ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: false, name: "once", scheduler: scheduler) { _ in
            once.increment()
        }
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(ticks.value, 3)
        XCTAssertEqual(once.value, 1)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    /* field report: 29, 31 */
    // covers: life.weak
    func testAnOwnerThatIsItsOwnTarget() {
        var player: Player? = Player(deaths: deaths)
        player!.timer = .scheduledTimer(
            timeInterval: 1, target: player!, action: Player.step, userInfo: nil, repeats: true, scheduler: scheduler)
        scheduler.advance(by: .seconds(2))
        player = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testATimerThatNobodyKeepsRunsWhileItsTargetLives() {
        var model: Model? = Model(deaths: deaths)
        let ticks = model!.ticks
        ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model!, action: Model.tick, userInfo: nil, repeats: true, scheduler: scheduler)
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(ticks.value, 3)
        model = nil
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(ticks.value, 3)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    /* field report: 44, 47 */
    func testATimerThatIsNotScheduledYet() {
        let model = Model()
        var timer: ScheduledTimer? = ScheduledTimer(
            timeInterval: 1, target: model, action: Model.tick, userInfo: "info", repeats: true, dispatchQueue: nil,
            scheduler: scheduler)
        XCTAssertTrue(timer!.isValid)
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(model.ticks.value, 0)
        timer!.schedule()
        timer!.schedule()
        scheduler.advance(by: .milliseconds(2500))
        XCTAssertEqual(model.ticks.value, 2)
        // It belongs to whoever holds it.
        timer = nil
        XCTAssertEqual(scheduler.statistics.live, 0)
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(model.ticks.value, 2)

        let never = ScheduledTimer(timeInterval: 1, target: model, action: Model.tick, repeats: true, scheduler: scheduler)
        XCTAssertEqual(never.invalidate(), .stopped)
        never.schedule()
        never.fire()
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(model.ticks.value, 2)
        do {
            _ = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in XCTFail("never scheduled") }
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testEveryFormOfAnUnscheduledTimer() {
        let player = Player()
        let ticks = player.ticks
        let timers = [
            ScheduledTimer(timeInterval: 1, target: player, action: Player.tick, repeats: true, scheduler: scheduler),
            ScheduledTimer(timeInterval: 1, target: player, action: Player.step, repeats: true, scheduler: scheduler),
            ScheduledTimer(timeInterval: 1, target: player, action: { $0.tick() }, repeats: true, scheduler: scheduler),
            ScheduledTimer(
                timeInterval: 1, target: player, action: { player in player.tick() }, repeats: true, dispatchQueue: nil,
                scheduler: scheduler),
            ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in ticks.increment() },
            ScheduledTimer(timeInterval: 1, repeats: true, dispatchQueue: nil, scheduler: scheduler) { _ in ticks.increment() },
        ]
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 0)
        for timer in timers { timer.schedule() }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 6)
        for timer in timers { timer.invalidate() }
    }

    func testASchedulerThatIsDown() {
        let model = Model()
        scheduler.shutdown()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model, action: Model.tick, userInfo: Death(deaths), repeats: true, scheduler: scheduler)
        XCTAssertFalse(timer.isValid)
        XCTAssertNil(timer.userInfo)
        XCTAssertEqual(deaths.value, 1)
    }

    func testATimerThatWaitsDoesNotKeepItsScheduler() {
        var scheduler: TimerScheduler? = .manual()
        let timer = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler!) { _ in }
        XCTAssertTrue(timer.isValid)
        scheduler = nil
        XCTAssertFalse(timer.isValid)
        RunLoop.main.add(timer, forMode: .default)
        XCTAssertFalse(timer.isValid)
    }

    func testFireOnTheMainThreadCallsAtOnce() {
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 10, target: model, action: Model.tick, userInfo: nil, repeats: true, scheduler: scheduler)
        timer.fire()
        XCTAssertEqual(model.ticks.value, 1)
        scheduler.advance(by: .seconds(10))
        XCTAssertEqual(model.ticks.value, 2)
        let once = ScheduledTimer.scheduledTimer(
            timeInterval: 10, target: model, action: Model.tick, userInfo: nil, repeats: false, scheduler: scheduler)
        once.fire()
        XCTAssertEqual(model.ticks.value, 3)
        XCTAssertFalse(once.isValid)
        once.fire()
        XCTAssertEqual(model.ticks.value, 3)
    }

    func testTheFireDate() {
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 100, target: model, action: Model.tick, userInfo: nil, repeats: true, scheduler: scheduler)
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 100, accuracy: 1)
        scheduler.advance(by: .seconds(40))
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 60, accuracy: 1)
        timer.fireDate = Date(timeIntervalSinceNow: 10)
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 10, accuracy: 1)
        scheduler.advance(by: .seconds(11))
        XCTAssertEqual(model.ticks.value, 1)
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 99, accuracy: 2)
        timer.fireDate = .distantFuture
        XCTAssertEqual(timer.fireDate, .distantFuture)
        scheduler.advance(by: .seconds(1_000_000))
        XCTAssertEqual(model.ticks.value, 1)
        timer.fireDate = .distantPast
        scheduler.advance(by: .zero)
        XCTAssertEqual(model.ticks.value, 2)
        timer.invalidate()
        timer.fireDate = Date()
        scheduler.advance(by: .seconds(1000))
        XCTAssertEqual(model.ticks.value, 2)
    }

    // A change of tolerance must not move the phase.
    func testTolerance() {
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 10, target: model, action: Model.tick, userInfo: nil, repeats: true, tolerance: 2,
            scheduler: scheduler)
        XCTAssertEqual(timer.tolerance, 2)
        scheduler.advance(by: .seconds(9))
        for tolerance in [0, 1, 5, 0.5] { timer.tolerance = tolerance }
        XCTAssertEqual(timer.timer.nextFire, .zero.advanced(by: .seconds(10)))
        timer.tolerance = 100
        XCTAssertEqual(timer.tolerance, 5)
        timer.tolerance = 0
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(model.ticks.value, 1)
    }

    func testIntervalsThatFoundationAllows() {
        let ticks = Counter()
        for interval in [0, -5.0] {
            let timer = ScheduledTimer.scheduledTimer(withTimeInterval: interval, repeats: true, scheduler: scheduler) { _ in
                ticks.increment()
            }
            XCTAssertEqual(timer.timeInterval, 0.0001)
            scheduler.advance(by: .milliseconds(1))
            XCTAssertEqual(ticks.value, 10)
            timer.invalidate()
            ticks.increment(by: -10)
        }
        let never = ScheduledTimer.scheduledTimer(withTimeInterval: .infinity, repeats: false, scheduler: scheduler) { _ in }
        scheduler.advance(by: .seconds(1_000_000_000))
        XCTAssertTrue(never.isValid)
        XCTAssertEqual(never.fireDate, .distantFuture)
        never.invalidate()
    }

    /* field report: 30 */
    // covers: life.release.once
    func testABlockIsGivenBackWhenTheTimerEnds() {
        let held = Counter()
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) {
            [death = Death(held)] _ in death.touch()
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(held.value, 0)
        timer.invalidate()
        // The timer object is still here; what it held is not.
        withExtendedLifetime(timer) { XCTAssertEqual(held.value, 1) }
    }

    func testUserInfoIsGivenBackWhenTheTimerEnds() {
        let held = Counter()
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model, action: Model.tick, userInfo: Death(held), repeats: true, scheduler: scheduler)
        XCTAssertEqual(held.value, 0)
        timer.invalidate()
        XCTAssertEqual(held.value, 1)
    }

    func testANamedTimerIsLogged() throws {
        let lines = Counter()
        let scheduler = try TimerScheduler(drive: .manual, log: { _, message in if message.contains("poll") { lines.increment() } })
        var model: Model? = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model!, action: Model.tick, userInfo: nil, repeats: true, name: "poll", scheduler: scheduler)
        XCTAssertEqual(scheduler.timers(named: "poll"), [timer.timer])
        model = nil
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(lines.value, 1)
    }
}

private final class Death: Sendable {
    private let count: Counter
    init(_ count: Counter) { self.count = count }
    deinit { count.increment() }
    func touch() {}
}
