import CPlatform

/// Timers that have ended and are still linked.
///
/// To take a timer out of its list writes to its two neighbours, which of a million timers are seldom in the caches. So a timer that
/// ends is only noted. Whenever sixteen have been, the wheel asks for the neighbours of the newer eight, all at once, and takes out the
/// older eight, whose neighbours have come meanwhile: the calls overlap what each would wait for. What is put off is settled before
/// anybody goes through a list.
extension UnsafeMutablePointer where Pointee == Wheel {
    private var half: Int { Wheel.deferredMost / 2 }

    /// Notes a filed timer to be taken out. Its place stays in its bits until then. Whether there is no room for another, and the older half
    /// has to be taken out.
    @inline(__always)
    func unlinkLater(_ timer: TimerPointer) -> Bool {
        let count = pointee.deferredCount
        deferred[count] = timer
        pointee.deferredCount = count &+ 1
        return count &+ 1 == Wheel.deferredMost
    }

    /// Asks for what the newer half needs. Gives how many the older are.
    @inline(__always)
    func fetchNewer() -> Int {
        let timers = Timers.access
        var i = half
        while i < Wheel.deferredMost {
            let timer = deferred[i]
            timers.prefetch(timer.pointee.next)
            timers.prefetch(timer.pointee.prev)
            i &+= 1
        }
        return half
    }

    /// Takes out the oldest `count`, and gives each to `body`.
    @inline(__always)
    func unlinkDeferred(_ count: Int, _ body: (TimerPointer) -> Void) {
        let timers = Timers.access
        var i = 0
        while i < count {
            let timer = deferred[i]
            unlink(timer, Int(timer.bits & TimerBits.bucketMask), timers)
            body(timer)
            i &+= 1
        }
    }

    /// The newer half are the older now.
    @inline(__always)
    func turnDeferred() {
        var i = 0
        while i < half {
            deferred[i] = deferred[half &+ i]
            i &+= 1
        }
        pointee.deferredCount = half
    }
}
