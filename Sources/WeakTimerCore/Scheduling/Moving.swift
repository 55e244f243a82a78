import CPlatform
import CWeakTimer

/// Rescheduling, pausing and the like. Each takes the scheduler's lock held and gives it back; none needs memory, but for a one-shot
/// that is made to repeat.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Gives the timer a new next deadline, which lays its grid anew.
    @inline(__always)
    private func move(_ index: UInt32, _ timer: TimerPointer, to deadline: UInt64) -> wtm_status {
        let old = timer.pointee.deadline
        let bits = timer.bits
        timer.pointee.deadline = deadline
        timer.armed = nextSequence()
        if let record = timer.record {
            record.layAnew(from: deadline)
            if timer.has(TimerBits.queued) {
                voidQueued(timer, record, scheduledOnly: true)
            }
        } else if timer.has(TimerBits.running) {
            _ = makeFull(index, timer)
        }
        timer.set(TimerBits.armed)
        // One whose fire waits for its turn goes to the fires.
        if bits & (TimerBits.placeMask | TimerBits.fire) == Place.wheel, deadline != .never {
            lowerWake(timer.clock, wheel(timer.clock).unsafelyUnwrapped.refile(index, timer, from: old), for: timer)
            return settleMove()
        }
        let place = bits & TimerBits.placeMask
        if place == Place.wheel || place == Place.ready { unlistSeldom(timer) }
        refileIfIdle(index, timer, timer.record)
        return settleMove()
    }

    @inline(__always)
    func settleMove() -> wtm_status {
        let wake = takeWakeRequest()
        pointee.lock.unlock()
        if wake { wakeSleeper() }
        return WTM_OK
    }

    /// Whether the last callback that the limit allows has begun. One that is merely queued can be taken back.
    private func isLimitReached(_ timer: TimerPointer) -> Bool {
        timer.has(TimerBits.last) && !timer.has(TimerBits.queued)
    }

    /// `delay` from `now`, a current reading of the timer's clock.
    @inline(__always)
    func reschedule(_ index: UInt32, _ timer: TimerPointer, delay: UInt64, now: UInt64) -> wtm_status {
        if timer.has(TimerBits.ended | TimerBits.last | TimerBits.paused) {
            if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
            if isLimitReached(timer) { return unlocked(WTM_ERR_LIMIT) }
            if timer.has(TimerBits.paused) {
                timer.clear(TimerBits.pausedAbsolute)
                return movePaused(index, timer, delay)
            }
        }
        let now = pointee.drive == .manual ? self.now(timer.clock) : now
        return move(index, timer, to: now.saturatingAdd(delay))
    }

    func setNext(_ index: UInt32, _ timer: TimerPointer, _ deadline: UInt64) -> wtm_status {
        if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
        if isLimitReached(timer) { return unlocked(WTM_ERR_LIMIT) }
        if timer.has(TimerBits.paused) {
            timer.set(TimerBits.pausedAbsolute)
            return movePaused(index, timer, deadline)
        }
        return move(index, timer, to: deadline)
    }

    private func movePaused(_ index: UInt32, _ timer: TimerPointer, _ value: UInt64) -> wtm_status {
        timer.pointee.deadline = value
        timer.set(TimerBits.armed)
        if timer.has(TimerBits.running) { _ = makeFull(index, timer) }
        return unlocked(WTM_OK)
    }

    func pause(_ index: UInt32, _ timer: TimerPointer) -> wtm_status {
        if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
        if timer.has(TimerBits.paused) { return unlocked(WTM_OK) }
        if timer.place == Place.wheel || timer.place == Place.ready { unlistSeldom(timer) }
        if timer.has(TimerBits.queued), let record = timer.record,
            let first = voidQueued(timer, record, scheduledOnly: true)
        {
            timer.pointee.deadline = first
        }
        timer.set(TimerBits.paused)
        timer.clear(TimerBits.pausedAbsolute)
        let deadline = timer.pointee.deadline
        timer.pointee.deadline = deadline == .never ? .never : deadline.saturatingSubtract(now(timer.clock))
        // A fire that waited for the timer's turn is still to be delivered.
        refileIfIdle(index, timer, timer.record)
        return settleMove()
    }

    func resume(_ index: UInt32, _ timer: TimerPointer) -> wtm_status {
        if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
        if !timer.has(TimerBits.paused) { return unlocked(WTM_OK) }
        if !timer.has(TimerBits.pausedAbsolute), timer.pointee.deadline != .never {
            timer.pointee.deadline = now(timer.clock).saturatingAdd(timer.pointee.deadline)
        }
        timer.clear(TimerBits.paused | TimerBits.pausedAbsolute)
        timer.armed = nextSequence()
        timer.record?.layAnew(from: timer.pointee.deadline)
        refileIfIdle(index, timer, timer.record)
        return settleMove()
    }

    /// The next deadline, as `get_next` tells it. The caller holds the lock.
    func next(_ timer: TimerPointer) -> UInt64 {
        if timer.has(TimerBits.queued), !timer.has(TimerBits.paused), let queued = timer.record?.queuedTick {
            return queued.earliest
        }
        return timer.has(TimerBits.armed) && !timer.has(TimerBits.paused) ? timer.pointee.deadline : .never
    }

    func fire(_ index: UInt32, _ timer: TimerPointer) -> wtm_status {
        if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
        let isFirst = !timer.has(TimerBits.fire)
        if !isFirst { _ = makeFull(index, timer) }
        if let record = timer.record {
            if !isFirst, record.pointee.fires == 0 { record.pointee.fires = 1 }
            record.pointee.fires &+= 1
            pointee.firesPending &+= 1
        } else if isFirst {
            pointee.firesPending &+= 1
        }
        timer.set(TimerBits.fire)
        let place = timer.place
        // A ready timer has its turn first; a fire is delivered after it.
        if place == Place.fire || place == Place.ready { return unlocked(WTM_OK) }
        if place == Place.wheel { unlistSeldom(timer) }
        refileIfIdle(index, timer, timer.record)
        return settleMove()
    }

    /// Gives a timer a record; a plain one-shot in its own callback may go on to have a second tick, and counts from there on. Without memory it
    /// goes on without: only counts are lost.
    func makeFull(_ index: UInt32, _ timer: TimerPointer) -> Bool {
        if timer.has(TimerBits.full) { return true }
        guard let record = Records.allocate() else { return false }
        let tolerance = timer.tolerance, created = timer.created
        record.pointee.release = timer.release
        record.pointee.tolerance = tolerance
        record.pointee.created = created
        if timer.has(TimerBits.bound) { record.pointee.binding = timer.bindingIndex }
        timer.pointee.aux = UInt(bitPattern: record)
        timer.pointee.period = 0
        timer.set(TimerBits.full)
        if timer.has(TimerBits.running) {
            record.pointee.ticks = 1
            if let frame = runningFrame(index) {
                record.pointee.maxLateness = frame.pointee.lateness
                if !frame.pointee.isFired { record.pointee.ordinal = 1 }
            }
        }
        return true
    }
}
