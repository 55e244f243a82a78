import CPlatform
import CWeakTimer
import Synchronization

extension Executors {
    static let threadLimit: UInt32 = 1024

    /// Makes a pool and its threads. A failure leaves nothing behind.
    static func createPool(_ threads: UInt32, _ name: (UInt64, UInt64)) -> Result<UInt64, StatusError> {
        guard Process.prepare() else { return .failure(StatusError(WTM_ERR_SYSTEM)) }
        let pool: ExecutorPointer
        switch make(.pool) {
        case .success(let made): pool = made
        case .failure(let refusal): return .failure(StatusError(refusal))
        }
        let wanted = threads == 0 ? min(wtmp_cores(), threadLimit) : threads
        let list = Memory.allocate(Int(wanted) &* MemoryLayout<pthread_t>.stride)
        pool.pointee.unjoined = list?.bindMemory(to: pthread_t.self, capacity: Int(wanted))
        pool.pointee.name = name
        var started: UInt32 = 0
        while list != nil, started < wanted, startThread(pool) { started &+= 1 }
        // Whoever looks finds them named and with their signals blocked.
        while case let left = pool.pointee.starting.load(ordering: .acquiring), left != 0 {
            _ = wtmp_futex_wait(futexAddress(pool.pointee.starting), left, .never)
        }
        // Only now: nobody can shut it down, by a guessed handle, while it is being made.
        let id = publish(pool)
        if started == wanted { return .success(id) }
        _ = shutDown(id, .never)
        return .failure(StatusError(WTM_ERR_SYSTEM))
    }

    private static func startThread(_ pool: ExecutorPointer) -> Bool {
        if Faults.strikes(.thread) { return false }
        pool.lock()
        pool.pointee.holds &+= 1
        pool.pointee.threads &+= 1
        pool.unlock()
        let body: wtmp_thread_fn = { raw in
            raw.unsafelyUnwrapped.assumingMemoryBound(to: Executor.self).runThread()
            return nil
        }
        pool.pointee.starting.wrappingAdd(1, ordering: .relaxed)
        var thread = pthread_t()
        let isStarted = wtmp_thread_start(&thread, body, UnsafeMutableRawPointer(pool), 0) == 0
        pool.lock()
        if isStarted {
            pool.pointee.unjoined.unsafelyUnwrapped[Int(pool.pointee.unjoinedCount)] = thread
            pool.pointee.unjoinedCount &+= 1
            pool.unlock()
            return true
        }
        pool.pointee.starting.wrappingSubtract(1, ordering: .relaxed)
        pool.pointee.threads &-= 1
        pool.letGo()
        return false
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Executor {
    /// Appends a hand-over. The caller holds the lock. Gives the pool whose sleeping thread must be woken.
    func push(_ node: QueueNodePointer) -> ExecutorPointer? {
        pointee.queue.append(node)
        if pointee.kind == .pool { return announce() }
        guard let pool = pointee.pool, !pointee.isActive else { return nil }
        pointee.isActive = true
        pointee.node.serial = self
        pool.pointee.queue.append(nodePointer())
        return pool.announce()
    }

    /// Takes a hand-over out of the queue again. The caller holds the lock, and the node is queued here.
    func pullBack(_ record: RecordPointer) {
        pointee.queue.remove(record.nodePointer())
    }

    /// There is work: the caller, who holds the lock, wakes a thread afterwards if the answer is not nil.
    private func announce() -> ExecutorPointer? {
        if pointee.idle == 0 { return nil }
        pointee.idle &-= 1
        pointee.wakeups.wrappingAdd(1, ordering: .releasing)
        return self
    }

    func wakeOne() { wtmp_futex_wake(futexAddress(pointee.wakeups), 1) }

    /// The body of a pool's thread.
    fileprivate func runThread() {
        var runner = Runner(thread: CurrentThread.record(), next: nil, prev: nil)
        nameThread(pointee.name)
        pointee.starting.wrappingSubtract(1, ordering: .releasing)
        wtmp_futex_wake(futexAddress(pointee.starting), 1)
        withUnsafeMutablePointer(to: &runner) { runner in
            lock()
            while true {
                if let node = pointee.queue.takeFirst() {
                    if !runNode(node, runner) { return }
                    continue
                }
                if pointee.state != .up { break }
                let ticket = pointee.wakeups.load(ordering: .relaxed)
                pointee.idle &+= 1
                unlock()
                while pointee.wakeups.load(ordering: .acquiring) == ticket {
                    _ = wtmp_futex_wait(futexAddress(pointee.wakeups), ticket, .never)
                }
                lock()
            }
            pointee.threads &-= 1
            if !pointee.hasJoiner { detachSelf() }
            letGo()
        }
    }

    /// Nobody will join this thread. The caller holds the lock.
    private func detachSelf() {
        guard let list = pointee.unjoined else { return }
        let own = wtmp_thread_self()
        var i = 0
        while i < Int(pointee.unjoinedCount) {
            if list[i] == own {
                list[i] = list[Int(pointee.unjoinedCount) &- 1]
                pointee.unjoinedCount &-= 1
                wtmp_thread_detach(own)
                return
            }
            i &+= 1
        }
    }

    /// Runs what was taken out of the pool's queue. The lock is held, and again on return. False in a forked child.
    private func runNode(_ node: QueueNodePointer, _ runner: UnsafeMutablePointer<Runner>) -> Bool {
        let epoch = Process.epoch
        if let serial = node.pointee.serial {
            guard let inner = serial.pointee.queue.takeFirst() else {
                serial.pointee.isActive = false
                return true
            }
            var inside = Runner(thread: runner.pointee.thread, next: nil, prev: nil)
            return withUnsafeMutablePointer(to: &inside) { inside in
                serial.enter(inside)
                let goesOn = runRecord(inner, runner, serial)
                if !goesOn { return false }
                serial.leave(inside)
                if serial.pointee.queue.isEmpty {
                    serial.pointee.isActive = false
                } else {
                    pointee.queue.append(serial.nodePointer())
                }
                serial.letGo()
                if Process.epoch != epoch { return false }
                lock()
                return true
            }
        }
        return runRecord(node, runner, self)
    }

    private func runRecord(
        _ node: QueueNodePointer, _ runner: UnsafeMutablePointer<Runner>, _ executor: ExecutorPointer
    ) -> Bool {
        node.pointee.state = .taken
        guard let record = node.pointee.record,
            let raw = record.pointee.owner.load(ordering: .acquiring)
        else { return true }
        let seq = record.pointee.seq
        let epoch = Process.epoch
        let isUp = pointee.state == .up && executor.pointee.state == .up
        enter(runner)
        unlock()
        let scheduler = raw.assumingMemoryBound(to: Scheduler.self)
        if isUp { scheduler.run(record, seq, on: executor) } else { scheduler.drop(record, seq) }
        if Process.epoch != epoch { return false }
        lock()
        leave(runner)
        pointee.holds &-= 1
        pointee.event.signal()
        return true
    }
}
