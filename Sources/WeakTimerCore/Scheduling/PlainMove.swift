import CWeakTimer

/// The short ways of moving for one-shots in the wheel that have no record. The caller holds the lock.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Whether a timer of these `bits` may take them. `others` are bits that it must not have either.
    @inline(__always)
    func isPlainMovable(_ bits: UInt64, but others: UInt64 = 0) -> Bool {
        // One whose fire waits for its turn is in the wheel for a moment only, and may have to leave it again.
        let mask = others | TimerBits.full | TimerBits.running | TimerBits.ended | TimerBits.paused | TimerBits.fire | TimerBits.placeMask
        return bits & mask == Place.wheel
    }

    /// To later: two stores, and its slot is looked through when it comes up. False: `deadline` is earlier, and nothing was done.
    @inline(__always)
    func moveLater(_ timer: TimerPointer, _ bits: UInt64, to deadline: UInt64) -> Bool {
        if deadline < timer.pointee.deadline { return false }
        timer.pointee.deadline = deadline
        timer.armed = nextSequence()
        wheel(timer.clock).unsafelyUnwrapped.bucket(Int(bits & TimerBits.bucketMask)).pointee.tally |= Bucket.stale
        return true
    }

    /// To earlier: into another slot. The lock is released. WTM_OK.
    @inline(never)
    func moveEarlier(_ index: UInt32, _ timer: TimerPointer, to deadline: UInt64) -> wtm_status {
        let wheel = wheel(timer.clock).unsafelyUnwrapped
        wheel.remove(timer)
        timer.pointee.deadline = deadline
        timer.armed = nextSequence()
        lowerWake(timer.clock, wheel.insert(index, timer), for: timer)
        return settleMove()
    }
}
