import CPlatform
import CWeakTimer

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The body of `wtm_scheduler_run_due`. The caller holds the lock, which is released.
    func runDue(_ limit: UInt32, _ out: inout UInt32) -> wtm_status {
        if pointee.drive != .host { return unlocked(WTM_ERR_UNSUPPORTED) }
        if pointee.state != .up { return unlocked(WTM_ERR_SHUT_DOWN) }
        if isInside(self) { return unlocked(WTM_ERR_WOULD_DEADLOCK) }
        if pointee.isDriven { return unlocked(WTM_OK) }
        var ran: UInt64 = 0
        var frame = Frame(.tick)
        beginDrive(frame.thread)
        pointee.isParked = false
        let goesOn = withUnsafeMutablePointer(to: &frame) { workOff(UInt64(limit), &ran, $0) }
        if !goesOn { return WTM_ERR_GONE }
        reckonWake()
        // A host's turn costs more than a look at what is due.
        if spreadAhead(8 &* Ahead.portion) { reckonWake() }
        let isUp = pointee.state == .up
        pointee.isParked = isUp
        pointee.wakeRequest = false
        if isUp {
            // The end of the drive keeps the descriptors until they are armed.
            pointee.isDriven = false
            pointee.driver = nil
            pointee.lock.unlock()
            armHost()
            pointee.lock.lock()
            pointee.holds &-= 1
            unlockAndSettle()
            out = UInt32(truncatingIfNeeded: min(ran, UInt64(UInt32.max)))
            return WTM_OK
        }
        endDrive()
        return WTM_ERR_SHUT_DOWN
    }

    /// Passes until all that was due at the beginning has been served: a timer in a burst has many turns. Holds the lock.
    private func workOff(_ limit: UInt64, _ ran: inout UInt64, _ frame: FramePointer) -> Bool {
        let moments = (now(0), pointee.wheels.1 == nil ? 0 : now(1), pointee.wheels.2 == nil ? 0 : now(2))
        guard pass(limit: limit, ran: &ran, frame: frame, moments: moments) else { return false }
        while pointee.state == .up, limit == 0 || ran < limit {
            let before = ran
            guard pass(limit: limit, ran: &ran, frame: frame, moments: moments, isFurther: true) else { return false }
            if ran == before { return true }
        }
        return true
    }

    /// The body of `wtm_scheduler_advance`. The caller holds the lock, which is released.
    func advance(by distance: UInt64, _ out: inout UInt64) -> wtm_status {
        if pointee.drive != .manual { return unlocked(WTM_ERR_UNSUPPORTED) }
        if pointee.state != .up { return unlocked(WTM_ERR_SHUT_DOWN) }
        if isInside(self) { return unlocked(WTM_ERR_WOULD_DEADLOCK) }
        while pointee.isDriven {
            let id = pointee.id
            pointee.lock.unlock()
            let status = Wait.until(.turn(self, id), .never, pointee.event)
            if status != WTM_OK { return status }
            pointee.lock.lock()
            if pointee.id != id || pointee.state != .up { return unlocked(WTM_ERR_SHUT_DOWN) }
        }
        var ran: UInt64 = 0
        var frame = Frame(.tick)
        beginDrive(frame.thread)
        let target = min(pointee.manualNow.saturatingAdd(distance), .never &- 1)
        let status = withUnsafeMutablePointer(to: &frame) { advance(to: target, &ran, $0) }
        if status == WTM_ERR_GONE { return status }
        endDrive()
        if status == WTM_OK { out = ran }
        return status
    }

    /// Goes from one moment at which something is due to the next. Holds the lock.
    private func advance(to target: UInt64, _ ran: inout UInt64, _ frame: FramePointer) -> wtm_status {
        while true {
            guard pass(limit: 0, ran: &ran, frame: frame) else { return WTM_ERR_GONE }
            if pointee.handedOver != 0 {
                pointee.lock.unlock()
                let status = Wait.until(.handedOver(self), .never, pointee.event)
                pointee.lock.lock()
                if status != WTM_OK { return status }
            }
            if pointee.state != .up { return WTM_ERR_SHUT_DOWN }
            if hasWork { continue }
            let wake = nextManualWake()
            if wake <= pointee.manualNow { continue }
            if wake > target, pointee.manualNow == target { return WTM_OK }
            pointee.manualNow = min(wake, target)
        }
    }

    /// When something is due next, on the manual monotonic clock.
    private func nextManualWake() -> UInt64 {
        reckonWake()
        let wall = pointee.wakeAt.2
        let fromWall = wall == .never ? .never : pointee.wallSetAt.saturatingAdd(wall.saturatingSubtract(pointee.wallBase))
        return min(pointee.wakeAt.0, pointee.wakeAt.1, fromWall)
    }

    private func beginDrive(_ thread: ThreadPointer?) {
        pointee.isDriven = true
        pointee.driver = thread
        pointee.holds &+= 1
        pointee.stats.wakeups.count()
    }

    private func endDrive() {
        pointee.isDriven = false
        pointee.driver = nil
        pointee.holds &-= 1
        unlockAndSettle()
    }

    @inline(__always)
    func unlocked(_ status: wtm_status) -> wtm_status {
        pointee.lock.unlock()
        return status
    }

    /// The body of `wtm_scheduler_next_delay`. The caller holds the lock, which is released.
    func nextDelay() -> UInt64 {
        if !pointee.isParked || pointee.drive == .manual { reckonWake() }
        let moments = pointee.wakeAt
        var delay = UInt64.never
        if moments.0 != .never { delay = moments.0.saturatingSubtract(moments.0 == 0 ? 0 : now(0)) }
        if moments.1 != .never { delay = min(delay, moments.1.saturatingSubtract(now(1))) }
        if moments.2 != .never { delay = min(delay, moments.2.saturatingSubtract(now(2))) }
        pointee.lock.unlock()
        return delay
    }
}
