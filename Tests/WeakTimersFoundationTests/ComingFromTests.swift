import Dispatch
import Foundation
import WeakTimers
import WeakTimersFoundation
import XCTest

/// One test for each row of docs/coming-from.md. The numbers in the names are the rows'.
final class ComingFromTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let deaths = Counter()

    // MARK: - A weak intermediary for Timer

    func test1_1_AWeakTargetAndASelector() {
        var model: Model? = Model(deaths: deaths)
        let ticks = model!.ticks
        ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model!, action: Model.tick, userInfo: nil, repeats: true, scheduler: scheduler)
        scheduler.advance(by: .seconds(2))
        model = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func test1_2_UserInfo() {
        let player = Player()
        ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: player, action: Player.step, userInfo: ["key": 1], repeats: true, scheduler: scheduler)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(player.seen.first as? [String: Int], ["key": 1])
    }

    func test1_3_OnceOrAgainAndAgain() {
        let model = Model()
        ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model, action: Model.tick, userInfo: nil, repeats: false, scheduler: scheduler)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(model.ticks.value, 1)
    }

    func test1_4_StoppingInsideTheCallback() {
        let ticks = Counter()
        ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { timer in
            if ticks.increment() == 2 { timer.invalidate() }
        }
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(ticks.value, 2)
    }

    func test1_5_TheBlockForm() {
        let ticks = Counter()
        ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { _ in ticks.increment() }
        scheduler.advance(by: .seconds(3))
        XCTAssertEqual(ticks.value, 3)
    }

    @MainActor func test1_6_TheDisplayLink() {
        var model: Model? = Model(deaths: deaths)
        let ticks = model!.ticks
        let link = FrameTimer(rate: FrameRate(60), target: model!, scheduler: scheduler) { model, link in
            XCTAssertLessThan(link.timestamp, link.targetTimestamp)
            model.tick()
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 59)
        link.isPaused = true
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 59)
        model = nil
        XCTAssertEqual(deaths.value, 1)
    }

    // MARK: - A weak forwarding proxy

    func test2_1_AProxyInPlaceOfTheObject() {
        var model: Model? = Model(deaths: deaths)
        let proxy = WeakProxy(model!)
        XCTAssertEqual(proxy.ticks?.value, 0)
        proxy.perform(Model.tick)
        XCTAssertEqual(model?.ticks.value, 1)
        model = nil
        XCTAssertEqual(deaths.value, 1)
        XCTAssertNil(proxy.ticks)
    }

    func test2_2_EqualityAndAHashThatStayTheSame() {
        var model: Model? = Model()
        let proxy = WeakProxy(model!)
        let twin = WeakProxy(model!)
        let hash = proxy.hashValue
        model = nil
        XCTAssertEqual(proxy, twin)
        XCTAssertEqual(proxy.hashValue, hash)
    }

    func test2_3_DescriptionAndKind() {
        let model = Model()
        let proxy = WeakProxy(model)
        XCTAssertEqual("\(proxy)", "\(model)")
        XCTAssertTrue(proxy.isKind(of: Model.self))
    }

    func test2_4_AWeakPropertyForAnExtension() {
        let model = Model()
        var other: Model? = Model()
        model.companion = other
        XCTAssertTrue(model.companion === other)
        other = nil
        XCTAssertNil(model.companion)
    }

    // MARK: - A Swift wrapper class

    func test3_1_FireDate() {
        let ticks = Counter()
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 100, repeats: true, scheduler: scheduler) { _ in
            ticks.increment()
        }
        timer.fireDate = Date(timeIntervalSinceNow: 5)
        XCTAssertEqual(timer.fireDate.timeIntervalSinceNow, 5, accuracy: 1)
        scheduler.advance(by: .seconds(6))
        XCTAssertEqual(ticks.value, 1)
        timer.invalidate()
    }

    func test3_2_FireAndInvalidate() {
        let ticks = Counter()
        let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 100, repeats: true, scheduler: scheduler) { _ in
            ticks.increment()
        }
        timer.fire()
        XCTAssertEqual(ticks.value, 1)
        timer.invalidate()
        timer.invalidate()
        XCTAssertFalse(timer.isValid)
    }

    func test3_3_StopsInDeinit() {
        let ticks = Counter()
        var timer: ScheduledTimer? = ScheduledTimer(timeInterval: 1, repeats: true, scheduler: scheduler) { _ in
            ticks.increment()
        }
        timer?.schedule()
        scheduler.advance(by: .seconds(2))
        timer = nil
        scheduler.advance(by: .seconds(2))
        XCTAssertEqual(ticks.value, 2)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func test3_4_OnARunLoop() {
        let ticks = Counter()
        let made = [
            ScheduledTimer(fire: Date(timeIntervalSinceNow: 0.001), interval: 3600, repeats: true) { _ in ticks.increment() },
            ScheduledTimer(timeInterval: 0.001, repeats: false) { _ in ticks.increment() },
        ]
        for timer in made { RunLoop.main.add(timer, forMode: .common) }
        eventually { ticks.value == 2 }
        made[0].invalidate()
    }

    func test3_5_EqualityByIdentity() {
        let timers = (0..<2).map { _ in
            ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { _ in }
        }
        XCTAssertEqual(timers[0], timers[0])
        XCTAssertNotEqual(timers[0], timers[1])
        XCTAssertEqual(Set(timers + timers).count, 2)
        for timer in timers { timer.invalidate() }
    }

    // MARK: - A named timer that releases itself

    func test4_1_ANameABlockAWeakTargetAndALogLine() {
        let lines = Counter()
        scheduler.log = { _, message in if message.contains("refresh feed") { lines.increment() } }
        var model: Model? = Model(deaths: deaths)
        ScheduledTimer.scheduledTimer(
            timeInterval: 1, target: model!, action: { model in model.tick() }, repeats: true, name: "refresh feed",
            scheduler: scheduler)
        XCTAssertEqual(scheduler.timers(named: "refresh feed").count, 1)
        model = nil
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(lines.value, 1)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    /* field report: 37 */
    func test4_2_StartingItAgainUnderTheSameName() {
        let model = Model()
        for _ in 0..<3 {
            for old in scheduler.timers(named: "refresh feed") { old.invalidate() }
            ScheduledTimer.scheduledTimer(
                timeInterval: 1, target: model, action: Model.tick, userInfo: nil, repeats: true, name: "refresh feed",
                scheduler: scheduler)
        }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(model.ticks.value, 1)
    }

    // MARK: - A thread-safe queue timer

    func test5_1_AQueue() {
        let queue = DispatchQueue(label: "private")
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 0.001, target: model, action: Model.tick, userInfo: nil, repeats: true, dispatchQueue: queue)
        eventually { model.ticks.value >= 2 }
        timer.invalidate()
    }

    func test5_2_UnscheduledThenScheduled() {
        let model = Model()
        let timer = ScheduledTimer(
            timeInterval: 1, target: model, action: Model.tick, userInfo: nil, repeats: true, dispatchQueue: nil,
            scheduler: scheduler)
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(model.ticks.value, 0)
        timer.schedule()
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(model.ticks.value, 1)
    }

    /* field report: 47 */
    func test5_3_InvalidatedBeforeItWasScheduled() {
        let timer = ScheduledTimer(
            timeInterval: 1, target: Model(), action: Model.tick, userInfo: nil, repeats: true, dispatchQueue: nil,
            scheduler: scheduler)
        timer.invalidate()
        timer.schedule()
        XCTAssertFalse(timer.isValid)
    }

    func test5_4_ToleranceMovesNoPhase() {
        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 10, target: model, action: Model.tick, userInfo: nil, repeats: true, scheduler: scheduler)
        scheduler.advance(by: .seconds(9))
        timer.tolerance = 3
        timer.tolerance = 0
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(model.ticks.value, 1)
    }

    func test5_5_TheTargetDropsTheTimerInsideTheCallback() {
        final class Owner {
            var timer: ScheduledTimer?
            let ticks = Counter()
            func tick() {
                timer = nil
                ticks.increment()
            }
        }
        let owner = Owner()
        owner.timer = ScheduledTimer(
            timeInterval: 1, target: owner, action: Owner.tick, userInfo: nil, repeats: true, dispatchQueue: nil,
            scheduler: scheduler)
        owner.timer?.schedule()
        scheduler.advance(by: .seconds(5))
        XCTAssertEqual(owner.ticks.value, 1)
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    /* field report: 43, 46, 51 */
    func test5_6_InvalidateFromAnyThread() {
        for _ in 0..<50 {
            let timer = ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { _ in }
            let wins = Counter()
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                if timer.invalidate() == .stopped { wins.increment() }
            }
            XCTAssertEqual(wins.value, 1)
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }
}

extension Model {
    private static let companions = WeakProperty<Model, Model>()

    var companion: Model? {
        get { Self.companions[self] }
        set { Self.companions[self] = newValue }
    }
}
