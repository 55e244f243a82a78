import CWeakTimer

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The body of `wtm_timer_set_interval` and its two halves: what is nil stays as it is, a rate included. The caller holds the lock,
    /// which is released.
    func setInterval(_ index: UInt32, _ timer: TimerPointer, _ interval: UInt64?, _ tolerance: UInt64?) -> wtm_status {
        if timer.has(TimerBits.ended) { return unlocked(WTM_ERR_GONE) }
        let tolerance = tolerance ?? timer.tolerance
        let needsRecord = interval ?? 0 != 0 || ToleranceCode.encode(tolerance) == nil
        if needsRecord, !makeFull(index, timer) { return unlocked(WTM_ERR_SYSTEM) }
        let isFiled = timer.place == Place.wheel
        if isFiled { unlistSeldom(timer) }
        if let interval {
            if interval != 0 {
                makeRepeat(index, timer, interval)
            } else {
                makeLast(timer)
            }
        }
        if let record = timer.record {
            record.pointee.tolerance = timer.has(TimerBits.repeating) ? min(tolerance, timer.pointee.period / 2) : tolerance
        } else {
            let code = UInt64(ToleranceCode.encode(tolerance) ?? 0)
            timer.pointee.period = timer.pointee.period & 0xffff_ffff | code << 32
        }
        if isFiled { refileIfIdle(index, timer, timer.record) }
        let wake = takeWakeRequest()
        pointee.lock.unlock()
        if wake { wakeSleeper() }
        return WTM_OK
    }

    /// The next deadline stands, and the grid goes on from it; a one-shot in its own callback goes on one interval after its tick.
    private func makeRepeat(_ index: UInt32, _ timer: TimerPointer, _ interval: UInt64) {
        guard let record = timer.record else { return }
        let wasRepeating = timer.has(TimerBits.repeating)
        record.pointee.grid.numerator = 0
        record.pointee.grid.denominator = 0
        timer.pointee.period = interval
        timer.set(TimerBits.repeating)
        let frame = timer.has(TimerBits.running) ? runningFrame(index) : nil
        let tick = record.queuedTick?.scheduled ?? frame?.pointee.scheduled
        if !timer.has(TimerBits.armed), let tick, !wasRepeating, !timer.has(TimerBits.last) {
            let next = tick.saturatingAdd(interval)
            timer.pointee.deadline = timer.has(TimerBits.paused) ? next.saturatingSubtract(now(timer.clock)) : next
            timer.clear(TimerBits.pausedAbsolute)
            timer.set(TimerBits.armed)
            timer.armed = nextSequence()
            if let frame, frame.pointee.isTick, !frame.pointee.isFired { record.pointee.flags |= RecordFlags.ticked }
        }
        record.pointee.grid.lay(from: timer.pointee.deadline)
    }

    private func makeLast(_ timer: TimerPointer) {
        timer.clear(TimerBits.repeating)
        guard let record = timer.record else { return }
        record.pointee.grid.numerator = 0
        record.pointee.grid.denominator = 0
        timer.pointee.period = 0
    }

    /// The frame of the tick that runs.
    func runningFrame(_ index: UInt32) -> FramePointer? {
        var frame = pointee.frames
        while let f = frame {
            if f.pointee.timer == index &+ 1, f.pointee.kind == .tick { return f }
            frame = f.pointee.next
        }
        return nil
    }
}
