/// Telling the sleeper that it must wake earlier. The caller holds the lock.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Notes that the sleeper must wake at `wake` of the clock, if that is earlier than it will by itself. The caller holds the lock.
    @inline(__always)
    func lowerWake(_ clock: Int, _ wake: UInt64) {
        switch clock {
        case 0:
            if wake >= pointee.wakeAt.0 { return }
            pointee.wakeAt.0 = wake
        case 1:
            if wake >= pointee.wakeAt.1 { return }
            pointee.wakeAt.1 = wake
        default:
            if wake >= pointee.wakeAt.2 { return }
            pointee.wakeAt.2 = wake
        }
        if pointee.isParked { pointee.wakeRequest = true }
    }

    @inline(__always) func requestWakeNow() { lowerWake(0, 0) }

    func lowerWakeToNow() -> Bool {
        requestWakeNow()
        return takeWakeRequest()
    }

    @inline(__always)
    func takeWakeRequest() -> Bool {
        let request = pointee.wakeRequest
        pointee.wakeRequest = false
        return request
    }

    /// The same for a timer that has been filed, and is to be looked at by `wake`.
    @inline(__always)
    func lowerWake(_ clock: Int, _ wake: UInt64, for timer: TimerPointer) {
        if wake < moment(clock) { lowerWakeSeldom(clock, wake, timer) }
    }

    @inline(__always)
    private func moment(_ clock: Int) -> UInt64 { clock == 0 ? pointee.wakeAt.0 : clock == 1 ? pointee.wakeAt.1 : pointee.wakeAt.2 }

    /// The same for one for which the sleeper would wake too late. A timer with a window shares wake-ups also with those that are started after it.
    ///
    /// A thread that sleeps until some moment of the window need not be woken, though it is one later than the thread would choose by itself. One that must be woken
    /// sleeps again until early in the window: were a thousand such timers started in the order of falling deadlines, each would have to wake it
    /// to move the end of a sleep that lasts as long as a window can wait.
    @inline(never)
    func lowerWakeSeldom(_ clock: Int, _ wake: UInt64, _ timer: TimerPointer) {
        let tolerance = timer.tolerance
        if tolerance == 0 || !pointee.isParked || pointee.drive != .thread { return lowerWake(clock, wake) }
        // Slack.end keeps an eighth back, and for a coarse reading a sixteenth and what that may have used up.
        if moment(clock) <= wake.saturatingAdd(tolerance / 32) { return }
        let early = min(wake, timer.pointee.deadline.saturatingAdd(tolerance / 16 &* 3))
        switch clock {
        case 0: pointee.soon.0 = min(pointee.soon.0, early)
        case 1: pointee.soon.1 = min(pointee.soon.1, early)
        default: pointee.soon.2 = min(pointee.soon.2, early)
        }
        lowerWake(clock, early)
    }

    /// Before the thread sleeps: until the early moments for which it was woken, if they are still to come.
    @inline(__always)
    func expectStarts() {
        if min(pointee.soon.0, pointee.soon.1, pointee.soon.2) != .never { sleepLess() }
    }

    @inline(never)
    private func sleepLess() {
        if pointee.soon.0 <= now(0) { pointee.soon.0 = .never }
        if pointee.soon.1 != .never, pointee.soon.1 <= now(1) { pointee.soon.1 = .never }
        if pointee.soon.2 != .never, pointee.soon.2 <= now(2) { pointee.soon.2 = .never }
        pointee.wakeAt.0 = min(pointee.wakeAt.0, pointee.soon.0)
        pointee.wakeAt.1 = min(pointee.wakeAt.1, pointee.soon.1)
        pointee.wakeAt.2 = min(pointee.wakeAt.2, pointee.soon.2)
    }
}
