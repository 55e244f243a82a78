import CPlatform
import CWeakTimer
import Synchronization

extension Executors {
    static func createSerial(_ poolID: UInt64) -> Result<UInt64, StatusError> {
        guard Process.prepare() else { return .failure(StatusError(WTM_ERR_SYSTEM)) }
        let pool: ExecutorPointer
        switch locked(poolID) {
        case .success(let found): pool = found
        case .failure(.gone): return .failure(StatusError(WTM_ERR_GONE))
        case .failure(.goingDown): return .failure(StatusError(WTM_ERR_SHUT_DOWN))
        }
        let isPool = pool.pointee.kind == .pool
        pool.unlock()
        if !isPool { return .failure(StatusError(WTM_ERR_INVALID)) }
        switch make(.serial, over: pool) {
        case .success(let made):
            made.pointee.poolID = poolID
            return .success(publish(made))
        case .failure(let refusal): return .failure(StatusError(refusal))
        }
    }

    /// Takes an executor down: what is queued is dropped, what runs is waited for.
    static func shutDown(_ id: UInt64, _ timeout: UInt64) -> wtm_status {
        let deadline = Wait.deadline(timeout)
        guard let executor = find(id) else { return WTM_ERR_GONE }
        executor.lockWhatever()
        guard executor.pointee.id == id, find(id) != nil else {
            executor.unlock()
            return WTM_ERR_GONE
        }
        if executor.pointee.state != .up {
            executor.unlock()
            let status = waitForEnd(executor, id, deadline)
            return status == WTM_OK ? WTM_ERR_SHUT_DOWN : status
        }
        executor.pointee.state = .goingDown
        let epoch = Process.epoch
        // A thread of the pool cannot join itself.
        executor.pointee.hasJoiner = !executor.isEntered
        var threads = Joinable()
        if executor.pointee.kind == .pool {
            executor.pointee.idle = 0
            executor.pointee.wakeups.wrappingAdd(1, ordering: .releasing)
        }
        // Hooks that the drain runs are inside the executor: a wait of theirs for this shutdown could never end.
        var runner = Runner(thread: CurrentThread.record(), next: nil, prev: nil)
        withUnsafeMutablePointer(to: &runner) { runner in
            executor.enter(runner)
            executor.pointee.drainer = runner.pointee.thread
            drain(executor)
            if Process.epoch != epoch { return }
            executor.pointee.drainer = nil
            executor.leave(runner)
            executor.pointee.holds &-= 1
        }
        if Process.epoch != epoch { return WTM_ERR_GONE }
        if executor.pointee.kind == .serial, executor.pointee.node.state == .queued, let pool = executor.pointee.pool {
            pool.pointee.queue.remove(executor.nodePointer())
            executor.pointee.isActive = false
        }
        let isPool = executor.pointee.kind == .pool
        if executor.pointee.hasJoiner { threads.take(executor) }
        executor.letGo()
        if Process.epoch != epoch { return WTM_ERR_GONE }
        if isPool { wtmp_futex_wake(futexAddress(executor.pointee.wakeups), Int32.max) }
        let status = waitForEnd(executor, id, deadline)
        threads.finish(joins: status == WTM_OK)
        return status
    }

    private static func waitForEnd(_ executor: ExecutorPointer, _ id: UInt64, _ deadline: UInt64) -> wtm_status {
        Wait.until(.executor(executor, id), deadline, executor.pointee.event)
    }

    /// Drops all ticks in the queue, and runs all hooks. The lock is held, and again on return.
    private static func drain(_ executor: ExecutorPointer) {
        let epoch = Process.epoch
        while let node = takeQueued(executor) {
            guard let record = node.pointee.record, let raw = record.pointee.owner.load(ordering: .acquiring) else { continue }
            node.pointee.state = .taken
            let seq = record.pointee.seq
            executor.unlock()
            raw.assumingMemoryBound(to: Scheduler.self).drop(record, seq)
            if Process.epoch != epoch { return }
            executor.lock()
        }
    }

    /// The next tick or hook: of a pool also one of its serial queues', which go down with it.
    private static func takeQueued(_ executor: ExecutorPointer) -> QueueNodePointer? {
        while let node = executor.pointee.queue.first {
            guard let serial = node.pointee.serial else { return executor.pointee.queue.takeFirst() }
            if let inner = serial.pointee.queue.takeFirst() { return inner }
            executor.pointee.queue.remove(node)
            serial.pointee.isActive = false
        }
        return nil
    }
}

/// The threads of a pool that goes down, in the hands of the one who joins them.
private struct Joinable {
    private var list: UnsafeMutablePointer<pthread_t>?
    private var count = 0

    /// The caller holds the pool's lock.
    mutating func take(_ pool: ExecutorPointer) {
        list = pool.pointee.unjoined
        count = Int(pool.pointee.unjoinedCount)
        pool.pointee.unjoined = nil
        pool.pointee.unjoinedCount = 0
    }

    /// Joins the threads, which have nothing left to do; or, when the wait was given up, lets each end by itself.
    func finish(joins: Bool) {
        guard let list else { return }
        let cancelState = wtmp_cancel_off()
        var i = 0
        while i < count {
            if joins { wtmp_thread_join(list[i]) } else { wtmp_thread_detach(list[i]) }
            i &+= 1
        }
        wtmp_cancel_restore(cancelState)
        free(list)
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Executor {
    /// Whether the calling thread is in work of the executor, or of a serial queue over it. The caller holds the lock.
    fileprivate var isEntered: Bool {
        let thread = CurrentThread.record()
        var runner = pointee.runners
        while let r = runner {
            if r.pointee.thread == thread { return true }
            runner = r.pointee.next
        }
        return false
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Drops what an executor that goes down had queued. No lock is held.
    func drop(_ carrier: RecordPointer, _ seq: UInt64) {
        pointee.lock.lock()
        guard carrier.pointee.owner.load(ordering: .relaxed) == UnsafeMutableRawPointer(self), carrier.pointee.seq == seq,
            carrier.pointee.phase == .queued, let timer = carrier.pointee.timer, let record = timer.record
        else {
            pointee.lock.unlock()
            return
        }
        let index = carrier.pointee.timerIndex
        let epoch = Process.epoch
        pointee.holds &+= 1
        if carrier.pointee.node.work == .hook {
            carrier.pointee.phase = .none
            carrier.pointee.seq &+= 1
            carrier.pointee.node.state = .free
            timer.hookThread = CurrentThread.record()
            pointee.lock.unlock()
            runReleaseHook(index, timer)
            if Process.epoch != epoch { return }
            pointee.lock.lock()
        } else {
            dropQueued(index, timer, record, carrier, at: now(timer.clock))
            if Process.epoch != epoch { return }
        }
        pointee.holds &-= 1
        let wake = takeWakeRequest()
        unlockAndSettle()
        if wake { wakeSleeper() }
    }
}
