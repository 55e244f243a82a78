import Dispatch
import WeakTimersFoundation

final class Controller: @unchecked Sendable {
    let done = DispatchSemaphore(value: 0)
    func refresh(_ timer: ScheduledTimer) { done.signal() }
}

let controller = Controller()
let timer = ScheduledTimer.scheduledTimer(
    timeInterval: 0.001, target: controller, action: Controller.refresh, repeats: true,
    dispatchQueue: DispatchQueue(label: "consumer"))
precondition(controller.done.wait(timeout: .now() + 30) == .success, "the timer ticks")
timer.invalidate()
precondition(!timer.isValid, "an invalidated timer is not valid")
print("Swift consumer of WeakTimersFoundation")
