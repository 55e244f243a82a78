import CWeakTimer

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Works out the values of the tick that is due, takes its place on the grid and moves the timer on to the next. The caller holds
    /// the lock, and the timer is in no list.
    func reckon(_ timer: TimerPointer, at now: UInt64) -> PlannedTick {
        var tick = PlannedTick()
        let due = timer.pointee.deadline
        tick.earliest = due
        tick.scheduled = due
        guard timer.has(TimerBits.repeating), let record = timer.record else {
            timer.clear(TimerBits.armed)
            tick.next = .never
            if let record = timer.record {
                record.pointee.ordinal.count()
                tick.ordinal = record.pointee.ordinal
            } else {
                tick.ordinal = 1
            }
            return tick
        }
        let interval = timer.pointee.period
        let k = record.pointee.grid.index
        var next: UInt64
        switch timer.policy {
        case WTM_MISSED_COALESCE.rawValue:
            next = following(due, record, interval)
            if next <= now {
                let last = max(k, record.pointee.grid.lastPoint(notAfter: now, interval))
                tick.missed = last &- k
                tick.scheduled = record.pointee.grid.deadline(last, interval)
                record.pointee.grid.index = last.saturatingAdd(1)
                next = record.pointee.grid.deadline(record.pointee.grid.index, interval)
            } else {
                record.pointee.grid.index = k.saturatingAdd(1)
            }
        case WTM_MISSED_DELAY.rawValue:
            next = following(due, record, interval)
            record.pointee.grid.index = k.saturatingAdd(1)
            if next <= now {
                next = now.saturatingAdd(interval)
                record.pointee.grid.lay(from: next)
            }
        default:
            next = following(due, record, interval)
            record.pointee.grid.index = k.saturatingAdd(1)
        }
        record.pointee.ordinal = record.pointee.ordinal.saturatingAdd(tick.missed.saturatingAdd(1))
        tick.ordinal = record.pointee.ordinal
        tick.next = next
        timer.pointee.deadline = next
        timer.armed = nextSequence()
        record.pointee.flags |= RecordFlags.ticked
        return tick
    }

    @inline(__always)
    private func following(_ due: UInt64, _ record: RecordPointer, _ interval: UInt64) -> UInt64 {
        if record.pointee.grid.isRational {
            return record.pointee.grid.deadline(record.pointee.grid.index.saturatingAdd(1), interval)
        }
        return due.saturatingAdd(interval)
    }

    /// The values of a fired tick, which leaves the grid alone.
    func reckonFired(_ timer: TimerPointer, at now: UInt64) -> PlannedTick {
        var tick = PlannedTick()
        tick.fired = true
        tick.scheduled = now
        tick.earliest = now
        tick.ordinal = timer.record?.pointee.ordinal ?? 0
        // A fired one-shot has thereby had its tick.
        if !timer.has(TimerBits.repeating), !timer.has(TimerBits.keep) { timer.clear(TimerBits.armed) }
        let isScheduled = timer.has(TimerBits.armed) && !timer.has(TimerBits.paused)
        tick.next = isScheduled ? timer.pointee.deadline : .never
        return tick
    }

    /// Counts a callback against the limit. The tick that reaches it is the last.
    func countTowardsLimit(_ timer: TimerPointer, _ tick: inout PlannedTick) {
        guard let record = timer.record, record.pointee.limit != 0, !tick.fired else { return }
        record.pointee.limited.count()
        if record.pointee.limited >= record.pointee.limit {
            timer.set(TimerBits.last)
            timer.clear(TimerBits.armed)
            tick.next = .never
        }
    }

    /// Counts a tick that is about to run.
    @inline(__always)
    func countTick(_ timer: TimerPointer, _ tick: PlannedTick, at now: UInt64) -> UInt64 {
        pointee.stats.ticks.count()
        let lateness = now.saturatingSubtract(tick.earliest)
        if !tick.fired {
            pointee.stats.lateness.add(lateness)
            if lateness > pointee.stats.maxLateness { pointee.stats.maxLateness = lateness }
            if tick.missed != 0 { pointee.stats.missed.count(tick.missed) }
        }
        if let record = timer.record {
            record.pointee.ticks.count()
            if !tick.fired {
                record.pointee.missed.count(tick.missed)
                if lateness > record.pointee.maxLateness { record.pointee.maxLateness = lateness }
            }
        }
        return lateness
    }
}
