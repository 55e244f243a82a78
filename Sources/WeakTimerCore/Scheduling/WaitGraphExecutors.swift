import CWeakTimer

/// The part of the search that goes through executors and whole schedulers.
extension WaitGraph.Search {
    mutating func schedulerCanEnd(_ scheduler: SchedulerPointer, _ id: UInt64) -> Bool {
        if !framesCanGoOn(scheduler, timer: nil) { return false }
        if !driverCanGoOn(scheduler) { return false }
        if !handedOverCanEnd(scheduler) { return false }
        // Ended timers whose hooks a thread owes that is busy elsewhere.
        var cursor: UInt32 = 0
        while true {
            scheduler.pointee.lock.lock()
            let isOver = scheduler.pointee.id != id || scheduler.pointee.zombies == 0
            let found = isOver ? nil : scheduler.nextOwedTimer(&cursor)
            let thread = found?.hookThread
            scheduler.pointee.lock.unlock()
            guard found != nil else { return true }
            if !canGoOn(thread) { return false }
        }
    }

    /// The pools' and serial queues' work for a scheduler.
    @inline(never)
    mutating func handedOverCanEnd(_ scheduler: SchedulerPointer) -> Bool {
        if !framesCanGoOn(scheduler, timer: nil, onExecutorsOnly: true) { return false }
        var last: UInt64 = 0
        while true {
            // The executors in order of their handles, each once.
            scheduler.pointee.lock.lock()
            var next = UInt64.max
            var record = scheduler.pointee.handed
            while let r = record {
                let id = r.pointee.executorID
                if r.pointee.phase == .queued, id > last, id < next { next = id }
                record = r.pointee.nextHanded
            }
            scheduler.pointee.lock.unlock()
            if next == .max { return true }
            if !executorCanWork(next) { return false }
            last = next
        }
    }

    /// Whether something queued at an executor will be begun.
    @inline(never)
    mutating func executorCanWork(_ id: UInt64) -> Bool {
        guard let executor = Executors.find(id) else { return true }
        executor.lockWhatever()
        if executor.pointee.id != id || executor.pointee.state != .up {
            // What is left in the queue of one that goes down is for the thread that takes it down.
            let drainer = executor.pointee.id == id ? executor.pointee.drainer : nil
            executor.unlock()
            return canGoOn(drainer)
        }
        let kind = executor.pointee.kind
        let isBusy = executor.pointee.runnerCount != 0
        let isFree = kind == .pool && executor.pointee.runnerCount < executor.pointee.threads
        let poolID = executor.pointee.poolID
        executor.unlock()
        switch kind {
        // Nobody can say where a custom executor runs its work.
        case .custom: return true
        case .serial: return isBusy ? runnersCanGoOn(executor, all: true) : executorCanWork(poolID)
        case .pool: return isFree || runnersCanGoOn(executor, all: false)
        }
    }

    /// An executor's shutdown waits for all that is inside it.
    mutating func executorCanEnd(_ executor: ExecutorPointer, _ id: UInt64) -> Bool {
        runnersCanGoOn(executor, all: true)
    }

    @inline(never)
    private mutating func runnersCanGoOn(_ executor: ExecutorPointer, all: Bool) -> Bool {
        var i = 0
        while true {
            executor.lockWhatever()
            var runner = executor.pointee.runners
            var skip = i
            while let r = runner, skip != 0 {
                runner = r.pointee.next
                skip -= 1
            }
            let thread = runner?.pointee.thread
            executor.unlock()
            if runner == nil { return all }
            let can = canGoOn(thread)
            if all, !can { return false }
            if !all, can { return true }
            i += 1
        }
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == TimerSlot {
    /// The executor that has the timer's release hook in its queue; 0 for none.
    var queuedHookExecutor: UInt64 {
        guard let record, record.pointee.flags & RecordFlags.hookQueued != 0, record.pointee.phase == .queued else { return 0 }
        return record.pointee.executorID
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The next ended timer, from the cursor on, whose hooks some thread owes. The caller holds the lock.
    func nextOwedTimer(_ cursor: inout UInt32) -> TimerPointer? {
        var position: UInt32 = 0
        var chunk = pointee.chunks
        while chunk != 0 {
            let base = (chunk &- 1) << Timers.shift
            var i: UInt32 = 0
            while i < Timers.perChunk {
                if position >= cursor {
                    let timer = Timers.at(base &+ i)
                    if timer.has(Handle.inUse), timer.has(TimerBits.ended), !timer.has(TimerBits.running),
                        timer.place != Place.hooks, timer.queuedHookExecutor == 0, timer.hookThread != nil
                    {
                        cursor = position &+ 1
                        return timer
                    }
                }
                position &+= 1
                i &+= 1
            }
            chunk = Timers.chunk(chunk &- 1).pointee.next
        }
        cursor = position
        return nil
    }
}
