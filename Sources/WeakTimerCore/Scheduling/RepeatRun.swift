import CPlatform
import CWeakTimer
import Synchronization

/// The short way through a pass for repeating timers that are on time: an integer interval on the monotonic clock, and nothing to their
/// record but a grid, counters, a name and hooks.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The bits that tell such a timer, and what they must be. `RecordFlags.simple` tells the rest.
    @inline(__always)
    static var simpleMask: UInt64 {
        TimerBits.full | TimerBits.repeating | TimerBits.bound | TimerBits.clockMask | TimerBits.fire | TimerBits.queued
    }
    @inline(__always)
    static var simple: UInt64 { TimerBits.full | TimerBits.repeating }

    /// Runs the timers of that kind at the head of the ready list, up to the first that is another or is so late that its next tick is due as well:
    /// `perform` for the common case. It may run none.
    ///
    /// The lock is held, and again on return; it is free during each callback. False in a forked child.
    @inline(never)
    func runRepeating(_ limit: UInt64, _ ran: inout UInt64, _ monotonic: inout UInt64, _ frame: FramePointer) -> Bool {
        frame.pointee.kind = .tick
        frame.pointee.isFired = false
        link(frame)
        frame.push()
        let timers = Timers.access
        let isManual = pointee.drive == .manual
        let isAlone = pointee.ready.1.isEmpty && pointee.ready.2.isEmpty
        var isServed = false
        let slow = pointee.slowCallback == 0 ? .never : pointee.slowCallback
        var tick = wtm_tick()
        tick.size = UInt32(MemoryLayout<wtm_tick>.size)
        while pointee.ready.0.first != 0, isAlone || !isServed, limit == 0 || ran < limit, pointee.hookList.isEmpty,
            pointee.state == .up
        {
            let index = pointee.ready.0.first &- 1
            let timer = timers.at(index)
            let bits = timer.bits
            if bits & Self.simpleMask != Self.simple { break }
            let record = RecordPointer(bitPattern: timer.pointee.aux).unsafelyUnwrapped
            if record.pointee.flags & RecordFlags.simple == 0 { break }
            let now = isManual ? pointee.manualNow : monotonic
            let due = timer.pointee.deadline
            let (next, isBeyond) = due.addingReportingOverflow(timer.pointee.period)
            if isBeyond || next <= now || next == .never { break }
            isServed = true
            let link = timer.pointee.next
            pointee.ready.0.first = link
            if link == 0 {
                pointee.ready.0.last = 0
            } else {
                let following = timers.at(link &- 1)
                following.pointee.prev = 0
                // Its record comes from memory meanwhile. Any address will do for a prefetch, should it have none.
                wtmp_prefetch(UnsafeRawPointer(bitPattern: following.pointee.aux))
            }
            timer.bits = bits & ~TimerBits.placeMask | TimerBits.running
            timer.pointee.deadline = next
            timer.armed = nextSequence()
            record.pointee.grid.index &+= 1
            record.pointee.ordinal = record.pointee.ordinal.saturatingAdd(1)
            record.pointee.ticks &+= 1
            let lateness = now.saturatingSubtract(due)
            pointee.stats.ticks &+= 1
            pointee.stats.lateness.add(lateness)
            if lateness > pointee.stats.maxLateness { pointee.stats.maxLateness = lateness }
            if lateness > record.pointee.maxLateness { record.pointee.maxLateness = lateness }
            ran &+= 1
            frame.pointee.timer = index &+ 1
            frame.pointee.began = monotonic
            frame.pointee.isReported = false
            frame.pointee.scheduled = due
            frame.pointee.lateness = lateness
            tick.scheduled_ns = due
            tick.now_ns = now
            tick.next_ns = next
            tick.ordinal = record.pointee.ordinal
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
            if took > record.pointee.maxCallback { record.pointee.maxCallback = took }
            let after = timer.bits
            let mask = Self.simple | TimerBits.ended | TimerBits.paused | TimerBits.fire | TimerBits.armed | TimerBits.last
            if after & mask == Self.simple | TimerBits.armed {
                timer.bits = after & ~TimerBits.running
                file(index, timer)
                continue
            }
            frame.pop()
            finish(index, timer, record, frame, false)
            if frame.isInherited { return false }
            frame.pointee.kind = .tick
            self.link(frame)
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
