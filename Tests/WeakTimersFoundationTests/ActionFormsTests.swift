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
}
