import CPlatform

/// Timers that have ended and are still linked.
///
/// To take a timer out of its list writes to its two neighbours, which of a million timers are seldom in the caches. So the wheel only
/// asks for them, and takes out the timer that was ended eight calls before, whose neighbours have come meanwhile: the calls overlap
/// what each would wait for. What is put off is settled before anybody goes through a list.
extension UnsafeMutablePointer where Pointee == Wheel {
    /// Puts off to take a filed timer out. Its place stays in its bits until then. Gives the timer that is out now, with its bits.
    @inline(__always)
    func unlinkLater(_ timer: TimerPointer) -> (timer: TimerPointer, bits: UInt64)? {
        let turn = pointee.turn
        pointee.turn = (turn &+ 1) & (Wheel.deferredMost &- 1)
        let timers = Timers.access
        timers.prefetch(timer.pointee.next)
        timers.prefetch(timer.pointee.prev)
        let old = deferred[turn]
        deferred[turn] = timer
        guard let old else { return nil }
        let bits = old.bits
        unlink(old, Int(bits & TimerBits.bucketMask), timers)
        return (old, bits)
    }

    /// Takes out what was put off, and gives each to `body`.
    func settle(_ body: (TimerPointer) -> Void) {
        var turn = 0
        while turn < Wheel.deferredMost {
            if let old = deferred[turn] {
                deferred[turn] = nil
                unlink(old, Int(old.bits & TimerBits.bucketMask))
                body(old)
            }
            turn &+= 1
        }
    }
}
