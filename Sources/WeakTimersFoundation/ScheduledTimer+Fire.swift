import Foundation
public import WeakTimers

extension ScheduledTimer {
    /// Calls back once more, outside the schedule; a timer that does not repeat has thereby fired, and ends unless the callback arms it again.
    ///
    /// Where the timer calls back, on the main thread or its run loop's, this calls before it returns, as Foundation's does; anywhere else the
    /// call comes as soon as possible where the timer calls. Of a call that this makes itself the underlying `timer` knows nothing: it is not
    /// counted in its `info`, and its `invalidateAndWait` does not wait for it. The timer's own `invalidate()` answers `stillRunning`
    /// meanwhile, and what it holds is given back when the call has returned. `timer.fire()` never calls before it returns.
    public func fire() {
        // Elsewhere the target is not touched: to let it go might be to destroy it there.
        guard isHere else {
            timer.fire()
            return
        }
        let target = target
        // A target that has died: the engine finds out, and says so.
        guard target != nil || !hasTarget else {
            timer.fire()
            return
        }
        guard let call = beginCall() else { return }
        call(target, self)
        endCall()
    }

    /// Ends it: when this returns no callback starts any more. What it held is given back, at once or after the callback that runs.
    ///
    /// May be called again, before `schedule()`, and from any thread.
    ///
    /// - Returns: `stillRunning` if a callback is running, this one's own included. Of all that end one timer, exactly one gets something
    ///   other than `alreadyEnded`.
    @discardableResult
    public func invalidate() -> StopResult {
        let timer = timer
        let result = timer.invalidate()
        return state.withLock { state -> StopResult? in
            if result == .alreadyEnded, !state.isMoving {
                // Meanwhile another has taken its place.
                return state.timer == timer ? .alreadyEnded : nil
            }
            if state.isEndClaimed { return .alreadyEnded }
            state.isEndClaimed = true
            return result == .stillRunning || state.calls > 0 ? .stillRunning : .stopped
        } ?? invalidate()
    }

    private var isHere: Bool { state.withLock { $0.place }.isHere }

    private func beginCall() -> Call? {
        state.withLock { state in
            guard state.isValid, let call = state.call else { return nil }
            state.calls += 1
            state.dates.tick(isLast: !repeats, isFired: true)
            if !repeats {
                // Its only tick is this one, unless the callback says otherwise.
                state.isRearmed = false
                state.timer.nextFire = .never
            }
            return call
        }
    }

    private func endCall() {
        let isOver = state.withLock { state in
            state.calls -= 1
            return !repeats && !state.isRearmed && state.timer.nextFire == nil
        }
        if isOver { invalidate() }
        giveBack()
    }

    /// A tick of the engine.
    func deliver(_ target: AnyObject?, _ tick: Tick) {
        let call = state.withLock { state -> Call? in
            // The first may come before the start has returned.
            if state.timer == .none { state.timer = tick.timer }
            guard let call = state.call else { return nil }
            state.dates.tick(isLast: !repeats, isFired: tick.isFired)
            return call
        }
        call?(target, self)
    }

    /// The engine's timer has ended, or there never was one.
    func ended(_ timer: WeakTimer? = nil) {
        state.withLock { state in
            // Another takes or has taken its place.
            if let timer, state.isMoving || state.timer != timer && state.timer != .none { return }
            state.hasEnded = true
        }
        giveBack()
    }

    /// Gives back what it held, if it has ended and `fire()` is not calling.
    func giveBack() {
        // Released after the lock: what is given back may run code that comes here.
        let held = state.withLock { state -> (Call?, Any?)? in
            guard state.hasEnded, state.calls == 0 else { return nil }
            defer {
                state.call = nil
                state.userInfo = nil
            }
            return (state.call, state.userInfo)
        }
        withExtendedLifetime(held) {}
    }
}
