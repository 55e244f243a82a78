import Dispatch
import WeakTimers
import WeakTimersFoundation
import XCTest

/// Every form of an action compiles in every way to make a timer, and calls. A closure of several statements is looked into only after its
/// overload has been chosen, so the choice must not depend on what it says.
final class ActionFormsTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()
    private let queue = DispatchQueue(label: "forms")

    func testRunningTimers() {
        let player = Player()
        let timers: [ScheduledTimer] = [
            .scheduledTimer(timeInterval: 1, target: player, action: Player.tick, repeats: true, scheduler: scheduler),
            .scheduledTimer(timeInterval: 1, target: player, action: Player.step, repeats: true, scheduler: scheduler),
            .scheduledTimer(timeInterval: 1, target: player, action: { $0.tick() }, repeats: true, scheduler: scheduler),
            .scheduledTimer(
                timeInterval: 1, target: player, action: { player in player.tick() }, userInfo: nil, repeats: true, scheduler: scheduler),
            .scheduledTimer(
                timeInterval: 1, target: player,
                action: { player in
                    player.tick()
                    player.ticks.increment()
                }, userInfo: nil, repeats: true, scheduler: scheduler),
            .scheduledTimer(
                timeInterval: 1, target: player,
                action: { (player: Player) -> Void in
                    player.tick()
                    player.ticks.increment()
                }, repeats: true, scheduler: scheduler),
        ]
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(player.ticks.value, 8)
        for timer in timers { timer.invalidate() }
    }

    func testUnscheduledTimers() {
        let player = Player()
        let timers = [
            ScheduledTimer(timeInterval: 1, target: player, action: Player.tick, repeats: true, scheduler: scheduler),
            ScheduledTimer(timeInterval: 1, target: player, action: Player.step, userInfo: nil, repeats: true, scheduler: scheduler),
            ScheduledTimer(timeInterval: 1, target: player, action: { $0.tick() }, repeats: true, scheduler: scheduler),
            ScheduledTimer(
                timeInterval: 1, target: player,
                action: { player in
                    player.tick()
                    player.ticks.increment()
                }, userInfo: nil, repeats: true, scheduler: scheduler),
        ]
        for timer in timers { timer.schedule() }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(player.ticks.value, 5)
        for timer in timers { timer.invalidate() }
    }

    func testOnAQueue() {
        let player = Player()
        let timers: [ScheduledTimer] = [
            .scheduledTimer(
                timeInterval: 0.001, target: player, action: Player.tick, userInfo: nil, repeats: false, dispatchQueue: queue),
            .scheduledTimer(
                timeInterval: 0.001, target: player, action: Player.step, userInfo: nil, repeats: false, dispatchQueue: queue),
            .scheduledTimer(
                timeInterval: 0.001, target: player, action: { $0.tick() }, userInfo: nil, repeats: false, dispatchQueue: queue),
            .scheduledTimer(
                timeInterval: 0.001, target: player,
                action: { [queue] player in
                    dispatchPrecondition(condition: .onQueue(queue))
                    player.tick()
                }, userInfo: nil, repeats: false, dispatchQueue: queue),
            ScheduledTimer(timeInterval: 0.001, target: player, action: Player.tick, repeats: false, dispatchQueue: queue),
            ScheduledTimer(timeInterval: 0.001, target: player, action: Player.step, repeats: false, dispatchQueue: queue),
            ScheduledTimer(timeInterval: 0.001, target: player, action: { $0.tick() }, repeats: false, dispatchQueue: queue),
            ScheduledTimer(
                timeInterval: 0.001, target: player,
                action: { player in
                    player.tick()
                    player.ticks.increment()
                }, userInfo: nil, repeats: false, dispatchQueue: queue),
        ]
        for timer in timers { timer.schedule() }
        eventually { player.ticks.value == 9 }
    }

    @MainActor func testOnTheMainActor() async {
        @MainActor final class Controller {
            var ticks = 0
            func step() { ticks += 1 }
            func note(_ timer: ScheduledTimer) { ticks += 1 }
        }
        let controller = Controller()
        let timers: [ScheduledTimer] = [
            .scheduledTimer(timeInterval: 1, target: controller, action: Controller.step, repeats: true, scheduler: scheduler),
            .scheduledTimer(timeInterval: 1, target: controller, action: Controller.note, repeats: true, scheduler: scheduler),
            .scheduledTimer(
                timeInterval: 1, target: controller,
                action: { controller in
                    MainActor.assertIsolated()
                    controller.step()
                    controller.ticks += 1
                }, userInfo: nil, repeats: true, scheduler: scheduler),
            ScheduledTimer(
                timeInterval: 1, target: controller,
                action: { controller in
                    controller.step()
                    controller.ticks += 1
                }, repeats: true, scheduler: scheduler),
        ]
        timers[3].schedule()
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(controller.ticks, 6)
        for timer in timers { timer.invalidate() }
    }

    func testTimersOfAQueueOrARunLoop() {
        final class Free: Sendable { let ticks = Counter() }
        let free = Free()
        let player = Player()
        let timers = [
            WeakTimer.every(.milliseconds(1), target: player, on: .queue(queue)) { player in
                player.tick()
                player.ticks.increment()
            },
            WeakTimer.every(.milliseconds(1), target: player, on: .queue(queue)) { player, tick in
                player.tick()
                player.note(tick)
            },
            WeakTimer.every(.milliseconds(1), target: free, on: .queue(queue)) { free in
                free.ticks.increment()
                free.ticks.increment()
            },
            WeakTimer.every(.milliseconds(1), target: free, on: .runLoop(.main)) { free, tick in
                free.ticks.increment()
                free.ticks.increment(by: tick.ordinal)
            },
            WeakTimer.every(.milliseconds(1), on: .queue(queue)) {
                free.ticks.increment()
                free.ticks.increment()
            },
            WeakTimer.after(.milliseconds(1), target: player, on: .queue(queue)) { player in
                player.tick()
                player.ticks.increment()
            },
        ]
        eventually { timers.allSatisfy { ($0.info?.ticks ?? 1) > 0 } }
        for timer in timers { timer.invalidate() }
    }

    @MainActor func testBlocks() {
        let ticks = Counter()
        let timers = [
            ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, scheduler: scheduler) { timer in
                ticks.increment()
                XCTAssertTrue(timer.isValid)
            },
            ScheduledTimer.scheduledTimer(withTimeInterval: 1, repeats: true, dispatchQueue: nil, scheduler: scheduler) { timer in
                ticks.increment()
                XCTAssertTrue(timer.isValid)
            },
            ScheduledTimer(fire: Date(), interval: 100, repeats: true, scheduler: scheduler) { timer in
                ticks.increment()
                XCTAssertTrue(timer.isValid)
            },
            ScheduledTimer(fire: Date(), interval: 100, repeats: true, dispatchQueue: .main, scheduler: scheduler) { timer in
                ticks.increment()
                XCTAssertTrue(timer.isValid)
            },
        ]
        for timer in timers { timer.schedule() }
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(ticks.value, 4)
        for timer in timers { timer.invalidate() }
    }
}
