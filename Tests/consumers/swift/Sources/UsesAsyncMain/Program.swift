import Dispatch
import Foundation
import WeakTimersFoundation

/// Not Sendable: it belongs to the main actor, where the timer is made.
final class Model {
    var ticks = 0

    func tick() {
        dispatchPrecondition(condition: .onQueue(.main))
        ticks += 1
    }
}

@MainActor final class Controller {
    var ticks = 0
    func refresh() { ticks += 1 }
}

/// After the first suspension the main actor's thread is not the one on which the program began.
@main struct Program {
    static func main() async throws {
        try await Task.sleep(for: .milliseconds(1))
        MainActor.assertIsolated()

        let controller = Controller()
        let method = ScheduledTimer.scheduledTimer(
            timeInterval: 1000, target: controller, action: Controller.refresh, userInfo: nil, repeats: true)
        method.fire()
        precondition(controller.ticks == 1, "on the main actor fire() calls before it returns")

        let model = Model()
        let timer = ScheduledTimer.scheduledTimer(
            timeInterval: 0.001, target: model, action: Model.tick, userInfo: nil, repeats: true)
        timer.fire()
        precondition(model.ticks == 1, "a timer made on the main actor is fired there")
        while model.ticks < 3 { await Task.yield() }
        timer.invalidate()
        print("Swift consumer with an async main")
    }
}
