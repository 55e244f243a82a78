import CWeakTimer

/// The short ways to the end of a plain one-shot that has a release hook: a context of its own, as nearly every timer of a C program has, and each
/// closure of a Swift program.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Calls the release hook of a plain one-shot that is in no list and has nothing to run any more, and frees the timer. The caller has counted
    /// its end, holds the lock, and holds it again on return. The frame is linked and pushed. False in a forked child.
    @inline(__always)
    func releasePlain(_ index: UInt32, _ timer: TimerPointer, _ bits: UInt64, _ frame: FramePointer) -> Bool {
        timer.bits = bits & ~(TimerBits.armed | TimerBits.running | TimerBits.placeMask) | TimerBits.ended
        pointee.zombies &+= 1
        let release = unsafeBitCast(timer.pointee.aux, to: wtm_release_fn.self)
        let context = timer.pointee.context
        timer.hookThread = frame.pointee.thread
        frame.pointee.kind = .hook
        pointee.lock.unlock()
        release(context)
        if frame.isInherited { return false }
        pointee.lock.lock()
        pointee.zombies &-= 1
        freePlain(index, timer, timer.bits)
        return true
    }

    /// The end of one whose callback has run in a pass. Not inlined: the others' callbacks would pay for it with registers. As for `releasePlain`.
    @inline(never)
    func completeOwning(_ index: UInt32, _ timer: TimerPointer, _ bits: UInt64, _ frame: FramePointer) -> Bool {
        guard releasePlain(index, timer, bits, frame) else { return false }
        frame.pointee.kind = .tick
        pointee.event.signal()
        return true
    }

    /// Whether a timer of these `bits`, which is none that `isPlainWaiting`, is one but for its hook.
    @inline(__always)
    private func isPlainOwning(_ timer: TimerPointer, _ bits: UInt64) -> Bool {
        bits & Self.notWaiting == Place.wheel && pointee.state == .up && timer.pointee.aux != 0
    }

    /// Invalidates a plain one-shot that waits in the wheel and has a hook; nil, and all is as before, for any other. The caller holds the lock, which is
    /// released.
    @inline(__always)
    func invalidateOwning(_ index: UInt32, _ timer: TimerPointer) -> wtm_status? {
        let bits = timer.bits
        guard isPlainOwning(timer, bits) else { return nil }
        // They come from memory while the frame is made.
        let timers = Timers.access
        timers.prefetch(timer.pointee.next)
        timers.prefetch(timer.pointee.prev)
        var frame = Frame(.hook)
        frame.timer = index &+ 1
        withUnsafeMutablePointer(to: &frame) { frame in
            pointee.wheels.0.unsafelyUnwrapped.remove(timer)
            pointee.stats.ended.2 &+= 1
            link(frame)
            frame.push()
            guard releasePlain(index, timer, bits, frame) else { return }
            frame.pop()
            unlink(frame)
            unlockAndSettle()
        }
        return WTM_OK
    }
}
