public import Foundation
import WeakTimers

extension RunLoop {
    /// Starts a timer that came from `init`, as `schedule()` does, and keeps it: from now on it runs whether or not anybody else holds it, until
    /// it is invalidated, its target dies or, if it does not repeat, it has fired.
    ///
    /// It calls on this run loop's thread, while the loop runs in that mode, unless it was given a `dispatchQueue` or its code belongs to an
    /// actor: then it calls there all the same. A target that is not `Sendable` must belong to this thread.
    ///
    /// The loop must run: the main one does not any more in a program for Linux whose `main` is async and has been suspended.
    ///
    /// A timer that runs already, or has ended, stays as it is. One from `scheduledTimer(…)` needs no run loop. Where it calls on the
    /// main thread, it does so by way of the main queue, which the main run loop serves in the common modes, and not from inside a callback that came that
    /// way itself; for a mode of your own, or for a run loop that runs inside a callback, make it by `init` and add it.
    ///
    /// - Parameters:
    ///   - timer: The timer. Its `timer`, the one behind it, becomes another; a `timer.fire()` that is still to come is lost.
    ///   - mode: The mode in which the callbacks come; `.common` for all usual ones.
    public func add(_ timer: ScheduledTimer, forMode mode: RunLoop.Mode) { timer.schedule(on: self, mode) }
}

extension ScheduledTimer {
    /// The engine's timer has its executor and its owner for life, so another takes its place.
    func schedule(on loop: RunLoop, _ mode: RunLoop.Mode) {
        let claimed = state.withLock { state -> (State, Waiting)? in
            guard let waiting = state.waiting, state.timer.isValid else { return nil }
            state.waiting = nil
            return (state, waiting)
        }
        guard let (was, waiting) = claimed else { return }
        let place = was.place.isGiven ? was.place : Place(loop, mode)
        let plan = Plan(
            interval, repeats: repeats, tolerance: was.tolerance, userInfo: nil, name: waiting.name, place: place, clock: clock)
        guard let new = try? launch(plan, isOwned: false, isPaused: true) else {
            invalidate()
            return
        }
        state.withLock { $0.isMoving = true }
        let wasAlive = was.timer.invalidate() != .alreadyEnded
        let goesOn = state.withLock { state in
            state.isMoving = false
            guard wasAlive, !state.isEndClaimed else {
                state.hasEnded = true
                return false
            }
            state.timer = new
            state.place = place
            new.tolerance = Duration(timeInterval: state.tolerance, "a tolerance")
            begin(&state)
            return true
        }
        if goesOn {
            // Its end may have come before it was known here.
            if !new.isValid { ended(new) }
            return
        }
        new.invalidate()
        giveBack()
    }
}
