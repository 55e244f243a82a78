import CPlatform
import CWeakTimer
import Synchronization

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Gives a due tick to the timer's executor. The caller holds the lock, and holds it again on return; a custom `submit` is
    /// called in between. The timer is in no list. False in a forked child.
    func handOver(_ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer, fired: Bool, at now: UInt64, _ ran: inout UInt64) -> Bool {
        var carrier = record
        if record.isConcurrent {
            while carrier.pointee.phase != .none, let next = carrier.pointee.nextSpare { carrier = next }
            var planned = fired ? reckonFired(timer, at: now) : reckon(timer, at: now)
            countTowardsLimit(timer, &planned)
            carrier.pointee.planned = planned
        } else {
            carrier.pointee.planned = PlannedTick()
            carrier.pointee.planned.fired = fired
        }
        carrier.pointee.executor = record.pointee.executor
        carrier.pointee.executorID = record.pointee.executorID
        carrier.pointee.timer = timer
        carrier.pointee.timerIndex = index
        carrier.pointee.owner.store(UnsafeMutableRawPointer(self), ordering: .releasing)
        carrier.pointee.phase = .queued
        record.pointee.outstanding &+= 1
        timer.set(TimerBits.queued)
        let epoch = Process.epoch
        let (outcome, wake) = enqueue(carrier, .tick)
        if Process.epoch != epoch { return false }
        if outcome == .refused {
            dropQueued(index, timer, record, carrier, at: now)
            return Process.epoch == epoch
        }
        ran &+= 1
        if outcome == .taken, record.isConcurrent { refileIfIdle(index, timer, record) }
        if let wake {
            pointee.lock.unlock()
            wake.wakeOne()
            pointee.lock.lock()
        }
        return true
    }

    enum Enqueued { case taken, refused, settled }

    /// Puts a hand-over into the executor's queue, or calls `submit`. The lock is held, and released for `submit` only.
    /// The second answer is a pool with a thread to wake once no lock is held. `settled`: the hand-over ran or was taken back inside `submit`.
    private func enqueue(_ record: RecordPointer, _ work: QueueNode.Work) -> (Enqueued, ExecutorPointer?) {
        guard case .success(let executor) = Executors.locked(record.pointee.executorID) else { return (.refused, nil) }
        guard executor.accepts(record.pointee.executorID) else {
            executor.unlock()
            return (.refused, nil)
        }
        let node = record.nodePointer()
        record.pointee.seq &+= 1
        let seq = record.pointee.seq
        node.pointee.record = record
        node.pointee.work = work
        switch executor.pointee.kind {
        case .pool, .serial:
            handOverBegun(record)
            let wake = executor.push(node)
            executor.unlock()
            return (.taken, wake)
        case .custom:
            executor.pointee.queue.append(node)
            return (callSubmit(executor, record, seq), nil)
        }
    }

    private func callSubmit(_ executor: ExecutorPointer, _ record: RecordPointer, _ seq: UInt64) -> Enqueued {
        let submit = executor.pointee.submit, context = executor.pointee.context
        var frame = Frame(.submit)
        var runner = Runner(thread: frame.thread, next: nil, prev: nil)
        frame.executor = executor
        let number = WorkNumber.make(record)
        return withUnsafeMutablePointer(to: &frame) { frame in
            withUnsafeMutablePointer(to: &runner) { runner in
                executor.enter(runner)
                executor.unlock()
                link(frame)
                pointee.holds &+= 1
                pointee.lock.unlock()
                frame.push()
                let accepted = submit?(context, Executors.runWork, number) ?? false
                if frame.isInherited { return .refused }
                frame.pop()
                executor.lock()
                executor.leave(runner)
                executor.letGo()
                if frame.isInherited { return .refused }
                pointee.lock.lock()
                pointee.holds &-= 1
                unlink(frame)
                // The record may be another timer's by now, of another scheduler, whose lock is not held: only its owner can be asked.
                let isOurs = record.pointee.owner.load(ordering: .relaxed) == UnsafeMutableRawPointer(self)
                let stands = isOurs && record.pointee.seq == seq && record.pointee.phase == .queued
                if !stands { return .settled }
                return accepted ? .taken : .refused
            }
        }
    }

    /// A tick that an executor refused or dropped: it takes its place on the grid, counts as dropped, and the timer goes on. Holds the lock,
    /// and again on return.
    func dropQueued(_ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer, _ carrier: RecordPointer, at now: UInt64) {
        var planned = carrier.pointee.planned
        let fired = planned.fired
        takeBack(carrier)
        record.pointee.outstanding &-= 1
        if !hasQueued(record) { timer.clear(TimerBits.queued) }
        if record.isConcurrent, !fired { giveBackLimit(timer, record) }
        if !record.isConcurrent { planned = fired ? reckonFired(timer, at: now) : reckon(timer, at: now) }
        // What it stood for beyond itself is missed, as it would be had it run.
        if planned.missed != 0 {
            record.pointee.missed.count(planned.missed)
            pointee.stats.missed.count(planned.missed)
        }
        record.pointee.dropped.count()
        pointee.stats.dropped.count()
        if pointee.hooks.log == nil {
            finishDropped(index, timer, record)
            return
        }
        // The timer stays where it is while the sink is told: in no list, with nothing handed over.
        let name = record.pointee.name, id = Timers.id(index, timer)
        let epoch = Process.epoch
        pointee.holds &+= 1
        pointee.lock.unlock()
        logRefused(name)
        if Process.epoch != epoch { return }
        pointee.lock.lock()
        pointee.holds &-= 1
        if Timers.isCurrent(timer, id), !timer.has(TimerBits.ended) { finishDropped(index, timer, record) }
    }

    private func hasQueued(_ record: RecordPointer) -> Bool {
        var next: RecordPointer? = record
        while let r = next {
            if r.pointee.phase == .queued { return true }
            next = r.pointee.nextSpare
        }
        return false
    }

    private func finishDropped(_ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer) {
        let isOver =
            timer.has(TimerBits.last)
            || !timer.has(TimerBits.armed) && !timer.has(TimerBits.repeating) && !timer.has(TimerBits.keep)
        if isOver, !timer.has(TimerBits.running), !timer.has(TimerBits.queued) {
            guard end(index, timer, WTM_REASON_COMPLETED, CurrentThread.record()) == .owned else { return }
            let epoch = Process.epoch
            pointee.holds &+= 1
            pointee.lock.unlock()
            runHooks(index, timer, isHeld: true)
            if Process.epoch != epoch { return }
            pointee.lock.lock()
            pointee.holds &-= 1
            return
        }
        refileIfIdle(index, timer, record)
    }

    /// Gives the release hook of an ended timer to its executor, or to the scheduler's own thread. The frame is linked and
    /// pushed; when the answer is true it is neither any more. No lock is held. False: the caller runs the hook.
    func handOverHook(_ index: UInt32, _ timer: TimerPointer, _ frame: FramePointer) -> Bool {
        guard let record = timer.record else { return false }
        pointee.lock.lock()
        if record.pointee.executorID == 0 {
            if pointee.state != .up && !pointee.hasThread {
                pointee.lock.unlock()
                return false
            }
            frame.pop()
            unlink(frame)
            timer.hookThread = nil
            timer.place = Place.hooks
            pointee.hookList.append(index, timer)
            let wake = lowerWakeToNow()
            pointee.lock.unlock()
            if wake { wakeSleeper() }
            return true
        }
        record.pointee.timer = timer
        record.pointee.timerIndex = index
        record.pointee.owner.store(UnsafeMutableRawPointer(self), ordering: .releasing)
        record.pointee.phase = .queued
        record.pointee.flags |= RecordFlags.hookQueued
        // Whoever runs the hook owns the timer; from here on it may be gone.
        timer.hookThread = nil
        frame.pop()
        unlink(frame)
        let (outcome, wake) = enqueue(record, .hook)
        switch outcome {
        case .taken, .settled:
            if frame.isInherited { return true }
            // The hook may have run inside `submit`, and have been the last thing that a shutdown waited for.
            unlockAndSettle()
            wake?.wakeOne()
            return true
        case .refused:
            if frame.isInherited { return true }
            takeBack(record)
            record.pointee.flags &= ~RecordFlags.hookQueued
            timer.hookThread = frame.pointee.thread
            link(frame)
            pointee.lock.unlock()
            frame.push()
            return false
        }
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == TimerRecord {
    func nodePointer() -> QueueNodePointer {
        withUnsafeMutablePointer(to: &pointee.node) { $0 }
    }
}
