import CWeakTimer

/// The short way through a pass for repeating timers: an integer interval on the monotonic clock, no executor of their own and no limit. They may
/// have a target, bound or weak, and be late, unless that moves their grid.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The bits that tell such a timer, and what they must be. `RecordFlags.simple` tells the rest.
    @inline(__always)
    static var simpleMask: UInt64 {
        TimerBits.full | TimerBits.repeating | TimerBits.clockMask | TimerBits.fire | TimerBits.queued
    }
    @inline(__always)
    static var simple: UInt64 { TimerBits.full | TimerBits.repeating }

    /// Runs the timers of that kind at the head of the ready list, up to the first that is another: whether it took any. The lock is held, and again on return. Nil in a forked child.
    @inline(never)
    func runRepeating(_ limit: UInt64, _ ran: inout UInt64, _ monotonic: inout UInt64, _ frame: FramePointer) -> Bool? {
        beginShortRun(frame)
        let timers = Timers.access
        let isManual = pointee.drive == .manual
        let isAlone = isMonotonicAlone
        let slow = slowLimit
        var (watch, good) = takeWatch(monotonic, slow: slow)
        var isServed = false
        var tick = wtm_tick()
        tick.size = UInt32(MemoryLayout<wtm_tick>.size)
        while mayRun(limit, ran, isAlone: isAlone, isServed: isServed) {
            let index = pointee.ready.0.first &- 1
            let timer = timers.at(index)
            let bits = timer.bits
            if bits & TimerBits.full == 0 { break }
            let record = RecordPointer(bitPattern: timer.pointee.aux).unsafelyUnwrapped
            let now = isManual ? pointee.manualNow : monotonic
            guard let first = step(timer, record, bits, now) else { break }
            var (next, missed) = first
            isServed = true
            takeFirst(timer, timers, fetchesRecord: true)
            timer.bits = bits & ~TimerBits.placeMask | TimerBits.running
            enter(frame, index, watch)
            var strong: UnsafeMutableRawPointer?
            if record.pointee.flags & RecordFlags.weak != 0 {
                guard let outcome = lockWeak(timer, record, frame, fired: false) else { return nil }
                guard case .held(let pointer) = outcome else {
                    guard finishShort(index, timer, frame, &monotonic, &watch, targetGone: outcome == .gone) else { return nil }
                    continue
                }
                strong = pointer
                guard let second = step(timer, record, timer.bits & ~TimerBits.fire, now) else {
                    // Its interval was set meanwhile.
                    endShortRun(frame, watch)
                    guard perform(index, timer, fired: false, at: now, &monotonic, frame, held: strong) else { return nil }
                    noteReading(frame)
                    ran &+= 1
                    return true
                }
                (next, missed) = second
            }
            let due = timer.pointee.deadline
            timer.pointee.deadline = next
            timer.armed = nextSequence()
            record.pointee.grid.index &+= missed &+ 1
            record.pointee.ordinal = record.pointee.ordinal.saturatingAdd(missed &+ 1)
            record.pointee.ticks &+= 1
            let lateness = countShort(frame, due: due, at: now, &ran)
            if lateness > record.pointee.maxLateness { record.pointee.maxLateness = lateness }
            tick.scheduled_ns = due
            tick.missed = missed
            if missed != 0 {
                tick.scheduled_ns = next &- timer.pointee.period
                frame.pointee.scheduled = tick.scheduled_ns
                record.pointee.missed.count(missed)
                pointee.stats.missed.count(missed)
            }
            tick.now_ns = now
            tick.next_ns = next
            tick.ordinal = record.pointee.ordinal
            tick.target = strong
            let callback = timer.callback
            var context = timer.pointee.context
            if bits & TimerBits.bound != 0 {
                tick.target = Targets.at(Bindings.at(record.pointee.binding).pointee.target).pointee.context
                if context == nil { context = tick.target }
            }
            let unlock = strong == nil ? nil : record.pointee.weakUnlock
            let id = Handle.make(.timer, index: index, generation: bits >> Handle.stateBits)
            let took = callUnlocked(timer, frame, &monotonic, &watch, slow: slow, good: good) {
                callback(wtm_timer(id: id), &tick, context)
                if let unlock, !frame.isInherited { unlock(strong) }
            }
            guard let took else { return nil }
            if took > record.pointee.maxCallback { record.pointee.maxCallback = took }
            let after = timer.bits
            let mask = Self.simple | TimerBits.ended | TimerBits.paused | TimerBits.fire | TimerBits.armed | TimerBits.last
            if after & mask == Self.simple | TimerBits.armed {
                timer.bits = after & ~TimerBits.running
                file(index, timer)
                continue
            }
            guard finishShort(index, timer, frame, &monotonic, &watch) else { return nil }
        }
        endShortRun(frame, watch)
        return isServed
    }

    /// The tick after the one that is due, and how many ideal ticks the one stands for beyond itself, for a timer that may take the short way.
    ///
    /// Late ticks may, too: if they took longer than others, a thread that has once fallen behind would never catch up.
    @inline(__always)
    private func step(_ timer: TimerPointer, _ record: RecordPointer, _ bits: UInt64, _ now: UInt64) -> (next: UInt64, missed: UInt64)? {
        if bits & Self.simpleMask != Self.simple || record.pointee.flags & RecordFlags.simple == 0 { return nil }
        let (next, isBeyond) = timer.pointee.deadline.addingReportingOverflow(timer.pointee.period)
        if isBeyond || next == .never { return nil }
        return next > now ? (next, 0) : lateStep(timer, next, now)
    }

    /// The same where that tick is due as well: the same as `reckon` says. Nil at the end of time, and where the grid moves.
    @inline(never)
    private func lateStep(_ timer: TimerPointer, _ next: UInt64, _ now: UInt64) -> (next: UInt64, missed: UInt64)? {
        let interval = timer.pointee.period
        if timer.policy == WTM_MISSED_BURST.rawValue { return (next, 0) }
        if timer.policy != WTM_MISSED_COALESCE.rawValue || interval == 0 { return nil }
        let missed = (now &- timer.pointee.deadline) / interval
        let (following, isBeyond) = next.addingReportingOverflow(missed &* interval)
        return isBeyond || following == .never ? nil : (following, missed)
    }
}
