import CPlatform
import CWeakTimer

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The general way of `wtm_timer_invalidate`. The caller holds the lock, which is released. Never waits for user code, but runs the
    /// hooks of an idle timer.
    @inline(never)
    func invalidateAny(_ index: UInt32, _ timer: TimerPointer) -> wtm_status {
        if let status = invalidateOwning(index, timer) { return status }
        if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
        switch end(index, timer, WTM_REASON_INVALIDATED, nil) {
        case .done:
            if pointee.state == .up {
                // Nobody waits for a timer that was idle and had no hooks: whoever ended it is done with it.
                pointee.lock.unlock()
            } else {
                unlockAndSettle()
            }
            return WTM_OK
        case .running:
            pointee.lock.unlock()
            return WTM_RUNNING
        case .owned:
            invalidateOwned(index, timer)
            return WTM_OK
        }
    }

    @inline(never)
    private func invalidateOwned(_ index: UInt32, _ timer: TimerPointer) {
        var frame = Frame(.hook)
        frame.timer = index &+ 1
        timer.hookThread = frame.thread
        withUnsafeMutablePointer(to: &frame) { frame in
            link(frame)
            let plan = hookPlan(index, timer)
            pointee.lock.unlock()
            frame.push()
            finishHooks(index, timer, plan, frame, isHeld: false)
        }
    }
}
