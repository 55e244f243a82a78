import CPlatform
import CWeakTimer
import Synchronization

/// Where callbacks run, when not on the scheduler's own thread.
struct Executor: ~Copyable {
    var nextFree: UInt32
    var index: UInt32
    let head: Atomic<UInt64>
    /// Guards everything below, of a pool and of the serial queues over it. Taken after a scheduler's lock.
    let ownLock: Lock
    /// The executor whose `ownLock` is meant: itself, or the pool of a serial queue.
    let lockOwner: Atomic<UnsafeMutableRawPointer?>
    var kind: Kind
    var state: State
    var id: UInt64
    var epoch: UInt32

    /// Ticks and hooks handed over and not begun (pool: also serial queues that have work).
    var queue: NodeQueue
    /// The thread that drops what is queued and runs the hooks among it, for a shutdown.
    var drainer: ThreadPointer?
    /// Stays of threads in work of this executor, and in its `submit`.
    var runners: UnsafeMutablePointer<Runner>?
    var runnerCount: UInt32
    let event: EventCount
    /// What keeps the slot: the life until shutdown, the shutdown itself, threads, stays.
    var holds: UInt32

    // Pool.
    var threads: UInt32
    /// The threads that nobody has joined or detached; memory of its own.
    var unjoined: UnsafeMutablePointer<pthread_t>?
    var unjoinedCount: UInt32
    /// A shutdown will join the threads.
    var hasJoiner: Bool
    var idle: UInt32
    /// Idle threads sleep while this number stands still.
    let wakeups: Atomic<UInt32>
    /// How many threads have not said yet that they are there.
    let starting: Atomic<UInt32>
    var name: (UInt64, UInt64)

    // Serial queue.
    var pool: ExecutorPointer?
    var poolID: UInt64
    var node: QueueNode
    /// The serial queue has a node in its pool or a thread at work.
    var isActive: Bool

    // Custom.
    var submit: (@convention(c) (UnsafeMutableRawPointer?, @convention(c) (UInt64) -> Void, UInt64) -> Bool)?
    var context: UnsafeMutableRawPointer?
    var release: wtm_release_fn?

    enum Kind { case pool, serial, custom }
    enum State { case up, goingDown, down }
}

typealias ExecutorPointer = UnsafeMutablePointer<Executor>

/// A stay of a thread in an executor's work; on that thread's stack.
struct Runner {
    var thread: ThreadPointer?
    var next: UnsafeMutablePointer<Runner>?
    var prev: UnsafeMutablePointer<Runner>?
}

enum Executors {
    enum Layout: SlotLayout {
        static var kind: Handle.Kind { .executor }
        static var slotBytes: Int { MemoryLayout<Executor>.stride }
        static var chunkShift: UInt32 { 5 }
        static var chunksShift: UInt32 { 15 }
    }
    static let table = SlotTable<Layout>()

    static func find(_ id: UInt64) -> ExecutorPointer? {
        table.find(id)?.assumingMemoryBound(to: Executor.self)
    }

    static func make(_ kind: Executor.Kind, over pool: ExecutorPointer? = nil) -> Result<ExecutorPointer, Timers.Refusal> {
        guard let (index, slot) = table.allocate() else { return .failure(table.isExhausted ? .limit : .memory) }
        let executor = slot.assumingMemoryBound(to: Executor.self)
        let owner = UnsafeMutableRawPointer(pool ?? executor)
        executor.lockWhatever(orTake: owner)
        executor.pointee.index = index
        executor.pointee.kind = kind
        executor.pointee.state = .up
        executor.pointee.epoch = Process.epoch
        executor.pointee.queue = NodeQueue()
        executor.pointee.runners = nil
        executor.pointee.runnerCount = 0
        executor.pointee.holds = 1
        executor.pointee.threads = 0
        executor.pointee.unjoined = nil
        executor.pointee.unjoinedCount = 0
        executor.pointee.hasJoiner = false
        executor.pointee.drainer = nil
        executor.pointee.idle = 0
        executor.pointee.name = (0, 0)
        executor.pointee.id = 0
        executor.pointee.pool = pool
        executor.pointee.poolID = pool?.pointee.id ?? 0
        executor.pointee.node = QueueNode()
        executor.pointee.isActive = false
        executor.pointee.submit = nil
        executor.pointee.context = nil
        executor.pointee.release = nil
        executor.unlock()
        return .success(executor)
    }

    static func publish(_ executor: ExecutorPointer) -> UInt64 {
        executor.lock()
        let id = table.publish(executor.pointee.index, UnsafeMutableRawPointer(executor))
        executor.pointee.id = id
        executor.unlock()
        return id
    }

    /// The executor that a handle names, up and with its lock held, or why not.
    static func locked(_ id: UInt64) -> Result<ExecutorPointer, Gone> {
        guard let executor = find(id) else { return .failure(.gone) }
        executor.lockWhatever()
        if executor.pointee.id == id, find(id) != nil {
            if executor.pointee.state == .up { return .success(executor) }
            executor.unlock()
            return .failure(.goingDown)
        }
        executor.unlock()
        return .failure(.gone)
    }

    enum Gone: Error { case gone, goingDown }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Executor {
    /// The executor whose lock is meant; itself in a fresh slot.
    @inline(__always)
    private var shared: ExecutorPointer {
        pointee.lockOwner.load(ordering: .acquiring)?.assumingMemoryBound(to: Executor.self) ?? self
    }

    /// For an executor that the caller keeps from ending.
    func lock() { shared.pointee.ownLock.lock() }
    func unlock() { shared.pointee.ownLock.unlock() }

    /// For a slot that may be given to another executor meanwhile: takes the lock that is right once it is held.
    func lockWhatever() {
        while true {
            let lock = shared
            lock.pointee.ownLock.lock()
            if shared == lock { return }
            lock.pointee.ownLock.unlock()
        }
    }

    /// Passes a fresh slot from its old lock to its new one, which is held on return.
    fileprivate func lockWhatever(orTake owner: UnsafeMutableRawPointer) {
        lockWhatever()
        let old = shared
        pointee.id = 0
        pointee.lockOwner.store(owner, ordering: .releasing)
        old.pointee.ownLock.unlock()
        lockWhatever()
    }

    /// Whether work may be handed over. The caller holds the lock.
    func accepts(_ id: UInt64) -> Bool {
        guard pointee.id == id, pointee.state == .up else { return false }
        guard let pool = pointee.pool else { return true }
        return pool.pointee.id == pointee.poolID && pool.pointee.state == .up
    }

    func nodePointer() -> QueueNodePointer {
        withUnsafeMutablePointer(to: &pointee.node) { $0 }
    }

    // Stays. The caller holds the lock.

    func enter(_ runner: UnsafeMutablePointer<Runner>) {
        runner.pointee.prev = nil
        runner.pointee.next = pointee.runners
        pointee.runners?.pointee.prev = runner
        pointee.runners = runner
        pointee.runnerCount &+= 1
        pointee.holds &+= 1
    }

    func leave(_ runner: UnsafeMutablePointer<Runner>) {
        if let prev = runner.pointee.prev { prev.pointee.next = runner.pointee.next } else { pointee.runners = runner.pointee.next }
        runner.pointee.next?.pointee.prev = runner.pointee.prev
        pointee.runnerCount &-= 1
    }

    /// Gives a hold up. The caller holds the lock, which is released. The last one, after a shutdown, ends the executor.
    @inline(never)
    func letGo() {
        pointee.holds &-= 1
        if pointee.holds != 0 {
            unlock()
            pointee.event.signal()
            return
        }
        pointee.state = .down
        let release = pointee.release, context = pointee.context
        // The release hook is inside the executor, too: a wait of its own for the shutdown could never end.
        var runner = Runner(thread: release == nil ? nil : CurrentThread.record(), next: nil, prev: nil)
        withUnsafeMutablePointer(to: &runner) {
            pointee.runners = release == nil ? nil : $0
            unlock()
            end(release, context)
        }
    }

    /// Calls the release hook and gives the slot back. No lock is held.
    private func end(_ release: wtm_release_fn?, _ context: UnsafeMutableRawPointer?) {
        if let release {
            var frame = Frame(.executor)
            frame.executor = self
            let inherited = withUnsafeMutablePointer(to: &frame) { frame in
                frame.push()
                release(context)
                frame.pop()
                return frame.isInherited
            }
            if inherited { return }
        }
        lock()
        pointee.runners = nil
        let slot = UnsafeMutableRawPointer(self), index = pointee.index
        let list = pointee.unjoined
        pointee.unjoined = nil
        Executors.table.retire(slot)
        unlock()
        CPlatform.free(list)
        pointee.event.signal()
        Executors.table.recycle(index, slot)
    }
}
