internal import CWeakTimer

extension WeakTimer {
    /// Ends the timer: when this returns, no callback of it starts any more. It never waits for user code.
    ///
    /// The closure and what it captures are given back before this returns, unless a last callback is running: then right after that.
    @discardableResult
    public func invalidate() -> StopResult {
        StopResult(wtm_timer_invalidate(handle))
    }

    /// Ends the timer and waits until its last callback has returned and what it held has been given back.
    ///
    /// - Parameter timeout: How long to wait at most, in real time; nil waits for ever, zero asks without waiting.
    /// - Returns: `wouldDeadlock` at once from inside the timer's own callback, or if the wait would close a circle of callbacks
    ///   that wait for each other. The timer has ended in every case.
    @discardableResult
    public func invalidateAndWait(timeout: Duration? = nil) -> WaitResult {
        WaitResult(wtm_timer_invalidate_and_wait(handle, timeout.map(Nanoseconds.from) ?? Nanoseconds.never))
    }

    /// Whether the timer has not ended. During the callback of a one-shot it still is valid.
    public var isValid: Bool { wtm_timer_is_valid(handle) }

    /// Delivers one extra tick as soon as possible, where the timer's callbacks run, and leaves the schedule alone; never inside this
    /// call. A one-shot is thereby completed. Under manual time the next advance delivers it.
    ///
    /// - Returns: False if the timer had ended.
    @discardableResult
    public func fire() -> Bool { wtm_timer_fire(handle) == WTM_OK }

    /// Moves the next tick to `delay` from now; a repeating timer goes on from there. A tick that was due does not start any more.
    ///
    /// On a paused timer the delay counts from `resume()`. In its own callback a one-shot is thereby armed again.
    ///
    /// - Parameter delay: Less than zero is zero; more than 64 bits of nanoseconds is never.
    /// - Returns: False if the timer had ended, or has reached its limit.
    @discardableResult
    public func reschedule(after delay: Duration) -> Bool {
        wtm_timer_reschedule(handle, Nanoseconds.from(delay)) == WTM_OK
    }

    /// Holds the timer; the time that remains until its next tick is kept. Pausing twice is pausing once. While it is held it does not end
    /// by its target's death.
    ///
    /// - Returns: False if the timer had ended.
    @discardableResult
    public func pause() -> Bool { wtm_timer_pause(handle) == WTM_OK }

    /// Lets a paused timer go on with the time that remained. It does nothing to one that is not paused.
    ///
    /// - Returns: False if the timer had ended.
    @discardableResult
    public func resume() -> Bool { wtm_timer_resume(handle) == WTM_OK }

    /// Hands the timer to a scope, which ends it in its own deinit.
    ///
    /// - Returns: The timer.
    @discardableResult
    public func store(in scope: TimerScope) -> WeakTimer {
        scope.insert(self)
        return self
    }
}
