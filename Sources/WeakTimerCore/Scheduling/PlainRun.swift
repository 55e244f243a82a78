import CWeakTimer

/// The short way through a pass: plain one-shots that are due one after the other.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// What a ready timer must not have to take the short way: anything but the monotonic clock and a callback.
    @inline(__always)
    static var notPlain: UInt64 {
        TimerBits.full | TimerBits.bound | TimerBits.keep | TimerBits.clockMask | TimerBits.repeating
    }

    /// Runs the plain one-shots at the head of the ready list on the scheduler's own thread, up to the first that is not plain or the
    /// `limit` of the pass. The lock is held, and again on return. False in a forked child.
    @inline(never)
    func runPlain(_ limit: UInt64, _ ran: inout UInt64, _ monotonic: inout UInt64, _ frame: FramePointer) -> Bool {
        beginShortRun(frame)
        let timers = Timers.access
        let isManual = pointee.drive == .manual
        let isAlone = isMonotonicAlone
        let slow = slowLimit
        var (watch, good) = takeWatch(monotonic, slow: slow)
        var isServed = false
        var tick = wtm_tick()
        tick.size = UInt32(MemoryLayout<wtm_tick>.size)
        tick.ordinal = 1
        tick.next_ns = .never
        while mayRun(limit, ran, isAlone: isAlone, isServed: isServed) {
            isServed = true
            let index = pointee.ready.0.first &- 1
            let timer = timers.at(index)
            let bits = timer.bits
            if bits & Self.notPlain != 0 { break }
            takeFirst(timer, timers, fetchesRecord: false)
            timer.bits = bits & ~(TimerBits.armed | TimerBits.placeMask) | TimerBits.running
            let now = isManual ? pointee.manualNow : monotonic
            let due = timer.pointee.deadline
            enter(frame, index, watch)
            _ = countShort(frame, due: due, at: now, &ran)
            tick.scheduled_ns = due
            tick.now_ns = now
            let callback = timer.callback
            let context = timer.pointee.context
            let id = Handle.make(.timer, index: index, generation: bits >> Handle.stateBits)
            guard let took = callUnlocked(timer, frame, &monotonic, &watch, slow: slow, good: good, { callback(wtm_timer(id: id), &tick, context) })
            else { return false }
            let after = timer.bits
            let mask = TimerBits.full | TimerBits.ended | TimerBits.armed | TimerBits.fire
            if after & mask == 0 {
                pointee.stats.ended.1 &+= 1
                if timer.pointee.aux == 0 {
                    freePlain(index, timer, after)
                    continue
                }
                guard completeOwning(index, timer, after, frame) else { return false }
                // What the hook took is not the next callback's.
                _ = watch.lap(&monotonic, good: good)
                continue
            }
            if let record = timer.record, took > record.pointee.maxCallback { record.pointee.maxCallback = took }
            guard finishShort(index, timer, frame, &monotonic, &watch) else { return false }
        }
        endShortRun(frame, watch)
        return true
    }
}
