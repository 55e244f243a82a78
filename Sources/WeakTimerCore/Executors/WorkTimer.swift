#if !hasFeature(Embedded)
    /// For the Swift layer, whose executors serve many timers each: the timer whose tick a number stands for that a custom
    /// executor was given; 0 if the tick has begun, was taken back or dropped, or if it is no tick. Safe with any number at any time.
    @_silgen_name("weaktimer_timer_of_queued_tick")
    public func timer(ofQueuedTick work: UInt64) -> UInt64 {
        let index = UInt32(truncatingIfNeeded: work & Handle.indexMask)
        guard Process.prepare(), let slot = Records.table.slot(index) else { return 0 }
        let record = slot.assumingMemoryBound(to: TimerRecord.self)
        guard let raw = record.pointee.owner.load(ordering: .acquiring) else { return 0 }
        let scheduler = raw.assumingMemoryBound(to: Scheduler.self)
        scheduler.pointee.lock.lock()
        defer { scheduler.pointee.lock.unlock() }
        guard record.pointee.owner.load(ordering: .relaxed) == raw, record.pointee.phase == .queued,
            WorkNumber.matches(work, record.pointee.seq), record.pointee.node.work == .tick,
            let timer = record.pointee.timer
        else { return 0 }
        return Timers.id(record.pointee.timerIndex, timer)
    }
#endif
