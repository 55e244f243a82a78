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
        if executor.pointee.kind == .pool {
            executor.pointee.idle = 0
            executor.pointee.wakeups.wrappingAdd(1, ordering: .releasing)
        }
        drain(executor)
        if Process.epoch != epoch { return WTM_ERR_GONE }
        if executor.pointee.kind == .serial, executor.pointee.node.state == .queued, let pool = executor.pointee.pool {
            pool.pointee.queue.remove(executor.nodePointer())
            executor.pointee.isActive = false
        }
        let isPool = executor.pointee.kind == .pool
        executor.letGo()
        if Process.epoch != epoch { return WTM_ERR_GONE }
        if isPool { wtmp_futex_wake(futexAddress(executor.pointee.wakeups), Int32.max) }
        return waitForEnd(executor, id, deadline)
    }

    private static func waitForEnd(_ executor: ExecutorPointer, _ id: UInt64, _ deadline: UInt64) -> wtm_status {
        Wait.until(.executor(executor, id), deadline, executor.pointee.event) { find(id) == nil }
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
