import CPlatform
import CWeakTimer
import Synchronization

/// The short way through a pass: plain one-shots that are due one after the other.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// What a ready timer must not have to take the short way: anything but the monotonic clock and a callback.
    @inline(__always)
    static var notPlain: UInt64 {
        TimerBits.full | TimerBits.bound | TimerBits.keep | TimerBits.clockMask | TimerBits.repeating
    }

    /// Runs the plain one-shots at the head of the ready list on the scheduler's own thread, up to the first that is not plain or the
    /// `limit` of the pass: `perform` for the common case.
    ///
    /// The lock is held, and again on return; it is free during each callback. The frame stays linked and on its thread's chain
    /// throughout, since nobody sees it between two callbacks. False in a forked child.
    @inline(never)
    func runPlain(_ limit: UInt64, _ ran: inout UInt64, _ monotonic: inout UInt64, _ frame: FramePointer) -> Bool {
        frame.pointee.kind = .tick
        frame.pointee.isFired = false
        link(frame)
        frame.push()
        let timers = Timers.access
        let isManual = pointee.drive == .manual
        // With other clocks' timers due each turn is the pass's to give; only a collection adds to those lists.
        let isAlone = pointee.ready.1.isEmpty && pointee.ready.2.isEmpty
        var isServed = false
        let slow = pointee.slowCallback == 0 ? .never : pointee.slowCallback
        var tick = wtm_tick()
        tick.size = UInt32(MemoryLayout<wtm_tick>.size)
        tick.ordinal = 1
        tick.next_ns = .never
        while pointee.ready.0.first != 0, isAlone || !isServed, limit == 0 || ran < limit, pointee.hookList.isEmpty, pointee.state == .up {
            isServed = true
            let index = pointee.ready.0.first &- 1
            let timer = timers.at(index)
            let bits = timer.bits
            if bits & Self.notPlain != 0 { break }
            let next = timer.pointee.next
            pointee.ready.0.first = next
            if next == 0 { pointee.ready.0.last = 0 } else { timers.at(next &- 1).pointee.prev = 0 }
            timer.bits = bits & ~(TimerBits.armed | TimerBits.placeMask) | TimerBits.running
            let now = isManual ? pointee.manualNow : monotonic
            let due = timer.pointee.deadline
            let lateness = now.saturatingSubtract(due)
            // Sixty-four bits of single steps never come round.
            pointee.stats.ticks &+= 1
            pointee.stats.lateness.add(lateness)
            if lateness > pointee.stats.maxLateness { pointee.stats.maxLateness = lateness }
            ran &+= 1
            frame.pointee.timer = index &+ 1
            frame.pointee.began = monotonic
            frame.pointee.isReported = false
            frame.pointee.scheduled = due
            frame.pointee.lateness = lateness
            tick.scheduled_ns = due
            tick.now_ns = now
            let callback = timer.callback
            let context = timer.pointee.context
            let id = Handle.make(.timer, index: index, generation: bits >> Handle.stateBits)
            unlockWatched()
            callback(wtm_timer(id: id), &tick, context)
            if frame.isInherited { return false }
            let began = monotonic
            monotonic = SystemClock.monotonic()
            let took = monotonic.saturatingSubtract(began)
            pointee.lock.lock()
            if took >= slow {
                guard tellSlow(timer, frame, took) else { return false }
                monotonic = SystemClock.monotonic()
                frame.pointee.isLate = false
            }
            pointee.stats.callback.add(took)
            if took > pointee.stats.maxCallback { pointee.stats.maxCallback = took }
            let after = timer.bits
            let mask = TimerBits.full | TimerBits.ended | TimerBits.armed | TimerBits.fire
            if after & mask == 0, timer.pointee.aux == 0 {
                pointee.stats.ended.1 &+= 1
                freePlain(index, timer, after)
                continue
            }
            if let record = timer.record, took > record.pointee.maxCallback { record.pointee.maxCallback = took }
            frame.pop()
            finish(index, timer, timer.record, frame, false)
            if frame.isInherited { return false }
            frame.pointee.kind = .tick
            link(frame)
            frame.push()
            if frame.pointee.isLate {
                frame.pointee.isLate = false
                monotonic = SystemClock.monotonic()
            }
        }
        frame.pop()
        unlink(frame)
        return true
    }
}
