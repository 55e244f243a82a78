import WeakTimers

final class Model: Sendable {
    let refreshed: @Sendable () -> Void
    init(refreshed: @escaping @Sendable () -> Void) { self.refreshed = refreshed }
    func refresh() { refreshed() }
}

final class Counter: @unchecked Sendable {
    var value = 0
}

let scheduler = TimerScheduler.manual()
let counter = Counter()
var model: Model? = Model { counter.value += 1 }
let timer = WeakTimer.every(.milliseconds(10), target: model!, scheduler: scheduler) { (model: Model) in model.refresh() }
scheduler.advance(by: .milliseconds(50))
precondition(counter.value == 5, "five ticks in fifty milliseconds, not \(counter.value)")
model = nil
scheduler.advance(by: .milliseconds(10))
precondition(counter.value == 5 && !timer.isValid, "the timer ends with its target")
print("Swift consumer of WeakTimers")
