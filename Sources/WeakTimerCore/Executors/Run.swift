import CPlatform
import CWeakTimer
import Synchronization

extension Executors {
    /// The function that a custom executor is given. Safe with any number at any time.
    static let runWork: @convention(c) (UInt64) -> Void = { Executors.run(work: $0) }

    /// The hand-over that a number stands for, if it is still queued, with its scheduler's lock held.
    private static func locked(work: UInt64) -> (SchedulerPointer, RecordPointer)? {
        let index = UInt32(truncatingIfNeeded: work & Handle.indexMask)
        guard Process.prepare(), let slot = Records.table.slot(index) else { return nil }
        let record = slot.assumingMemoryBound(to: TimerRecord.self)
        guard let raw = record.pointee.owner.load(ordering: .acquiring) else { return nil }
        let scheduler = raw.assumingMemoryBound(to: Scheduler.self)
        scheduler.pointee.lock.lock()
        if record.pointee.owner.load(ordering: .relaxed) == raw, record.pointee.phase == .queued,
            WorkNumber.matches(work, record.pointee.seq)
        {
            return (scheduler, record)
        }
        scheduler.pointee.lock.unlock()
        return nil
    }

    /// The timer whose queued tick the number stands for; 0 for a hook, and for what does not stand any more.
    static func timer(ofWork work: UInt64) -> UInt64 {
        guard let (scheduler, record) = locked(work: work) else { return 0 }
        defer { scheduler.pointee.lock.unlock() }
        guard record.pointee.node.work == .tick, let timer = record.pointee.timer else { return 0 }
        return Timers.id(record.pointee.timerIndex, timer)
    }

    /// Runs a piece of work by its number: once, if it still stands.
    static func run(work: UInt64) {
        guard let (scheduler, record) = locked(work: work) else { return }
        guard let executor = record.pointee.executor else {
            scheduler.pointee.lock.unlock()
            return
        }
        executor.lockWhatever()
        let isOurs =
            executor.pointee.id == record.pointee.executorID && executor.pointee.kind == .custom
            && record.pointee.node.state == .queued
        if !isOurs {
            executor.unlock()
            scheduler.pointee.lock.unlock()
            return
        }
        executor.pointee.queue.remove(record.nodePointer())
        record.pointee.node.state = .taken
        var runner = Runner(thread: CurrentThread.record(), next: nil, prev: nil)
        let epoch = Process.epoch
        withUnsafeMutablePointer(to: &runner) { runner in
            executor.enter(runner)
            executor.unlock()
            scheduler.runTaken(record, on: executor)
            if Process.epoch != epoch { return }
            executor.lock()
            executor.leave(runner)
            executor.letGo()
        }
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Runs what a thread has taken out of an executor's queue, if it is still current. No lock is held.
    func run(_ record: RecordPointer, _ seq: UInt64, on executor: ExecutorPointer) {
        pointee.lock.lock()
        let stands =
            record.pointee.owner.load(ordering: .relaxed) == UnsafeMutableRawPointer(self)
            && record.pointee.seq == seq && record.pointee.phase == .queued
        if !stands {
            pointee.lock.unlock()
            return
        }
        runTaken(record, on: executor)
    }

    /// Runs a hand-over that is current. The caller holds the lock, which is released.
    fileprivate func runTaken(_ carrier: RecordPointer, on executor: ExecutorPointer) {
        guard let timer = carrier.pointee.timer, let record = timer.record else {
            pointee.lock.unlock()
            return
        }
        let index = carrier.pointee.timerIndex
        carrier.pointee.phase = .running
        carrier.pointee.node.state = .free
        carrier.pointee.seq &+= 1
        pointee.holds &+= 1
        // `advance` waits until the hooks have run, too.
        let counts: UInt64 = carrier.pointee.flags & RecordFlags.counted != 0 ? 1 : 0
        pointee.handedOver &+= counts
        var frame = Frame(carrier.pointee.node.work == .hook ? .hook : .tick)
        frame.executor = executor
        let goesOn = withUnsafeMutablePointer(to: &frame) { frame in
            carrier.pointee.node.work == .hook
                ? runQueuedHook(index, timer, carrier, frame) : runTick(index, timer, record, carrier, frame)
        }
        if !goesOn { return }
        pointee.holds &-= 1
        pointee.handedOver &-= counts
        let wake = takeWakeRequest()
        unlockAndSettle()
        if wake { wakeSleeper() }
    }

    private func runQueuedHook(_ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer, _ frame: FramePointer) -> Bool {
        frame.pointee.timer = index &+ 1
        link(frame)
        let plan = hookPlan(index, timer)
        pointee.lock.unlock()
        frame.push()
        plan.release?(plan.releaseContext)
        if frame.isInherited { return false }
        frame.pop()
        pointee.lock.lock()
        unlink(frame)
        handOverDone(record)
        pointee.holds &+= 1
        retire(index, timer, plan.binding, isHeld: true, on: frame.pointee.executor)
        if frame.isInherited { return false }
        pointee.lock.lock()
        pointee.holds &-= 1
        return true
    }

    private func runTick(
        _ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer, _ carrier: RecordPointer, _ frame: FramePointer
    ) -> Bool {
        var queued = false
        var next: RecordPointer? = record
        while let r = next {
            if r.pointee.phase == .queued { queued = true }
            next = r.pointee.nextSpare
        }
        if !queued { timer.clear(TimerBits.queued) }
        var monotonic = SystemClock.monotonic()
        let now = pointee.drive != .manual && timer.clock == 0 ? monotonic : self.now(timer.clock)
        var planned = carrier.pointee.planned
        if planned.fired {
            planned.scheduled = now
            planned.earliest = now
        } else if now < (record.isConcurrent ? planned.scheduled : timer.pointee.deadline) {
            // The calendar was set back since the tick was handed over: its date is still to come.
            if record.isConcurrent { giveBack(planned, timer, record) }
            carrier.pointee.phase = .none
            record.pointee.outstanding &-= 1
            handOverDone(carrier)
            refileIfIdle(index, timer, record)
            return true
        }
        frame.pointee.carrier = carrier
        return perform(
            index, timer, fired: planned.fired, at: now, &monotonic, frame, planned: record.isConcurrent ? planned : nil)
    }
}
