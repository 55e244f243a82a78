public import Foundation
import WeakTimers

extension ScheduledTimer {
    /// When it fires next. Setting it moves the next tick, and those after it of a repeating timer; a date that has passed means at once,
    /// `.distantFuture` never. In its own callback a timer that does not repeat is thereby armed again.
    ///
    /// It reads what was set, or what followed from the interval, and the same again until a tick comes or the timer is moved. Only if the
    /// calendar is set meanwhile, or the machine is suspended, it is reckoned anew: the timer counts the time that remains, not dates.
    ///
    /// Before `schedule()` it is the date that was set, or one interval after the timer was made. While `timer` is paused it is
    /// `.distantFuture`. In the callback of a timer that does not repeat, and after the end of every other, it is when it called back last; for
    /// one that ended without, when it would have. After the end, setting it does nothing.
    public var fireDate: Date {
        get {
            state.withLock { state in
                if let next = state.timer.nextFire { return state.dates.read(next, on: clock) }
                if state.waiting == nil, state.timer.info?.state == .paused { return .distantFuture }
                return state.isValid ? state.dates.idle : state.dates.final
            }
        }
        set {
            let delay = Duration(timeInterval: newValue.timeIntervalSinceNow, "a fire date")
            state.withLock { state in
                let instant = clock.now.advanced(by: delay)
                state.timer.nextFire = instant
                guard state.isValid else { return }
                state.dates.set(newValue, instant, on: clock)
                state.isRearmed = true
            }
        }
    }

    /// Starts a timer that came from `init`. It fires at the `fireDate` that was set, at once if that has passed; if none was set, its first
    /// interval begins now. Again, or after the end, it does nothing.
    public func schedule() {
        state.withLock { state in
            guard state.waiting != nil, state.timer.isValid else { return }
            begin(&state)
        }
    }

    func begin(_ state: inout State) {
        state.waiting = nil
        if state.dates.isSet {
            let date = state.dates.date
            let delay = Duration(timeInterval: date.timeIntervalSinceNow, "a fire date")
            let instant = clock.now.advanced(by: delay)
            state.timer.nextFire = instant
            state.dates.set(date, instant, on: clock)
        } else {
            state.dates.begin(interval)
        }
        state.timer.resume()
    }
}
