import CWeakTimer
import Synchronization

/// The weak thing: a counted lifetime token round the caller's pointer, with the list of the timers bound to it.
///
/// All fields but the head are guarded by `lock`. Lock order: target, then scheduler, then executor.
struct Target: ~Copyable {
    var nextFree: UInt32
    var index: UInt32
    let head: Atomic<UInt64>
    let lock: Lock
    var strong: UInt32
    var context: UnsafeMutableRawPointer?
    var release: wtm_release_fn?
    /// The bindings of all timers that have not been brought to their end, index plus one, in order of binding.
    var first: UInt32
    var last: UInt32
    /// How many bindings the list has.
    var bound: UInt64
    /// The thread that runs the hook, while it does.
    var hookThread: ThreadPointer?
    let event: EventCount
    var id: UInt64
}

typealias TargetPointer = UnsafeMutablePointer<Target>

enum TargetBits {
    /// The last strong reference has gone.
    static let dead: UInt64 = 1
    /// The hook has been started, or there is none left to start.
    static let hookStarted: UInt64 = 2
}

enum Targets {
    enum Layout: SlotLayout {
        static var kind: Handle.Kind { .target }
        static var slotBytes: Int { MemoryLayout<Target>.stride }
        static var chunkShift: UInt32 { 8 }
        static var chunksShift: UInt32 { 20 }
    }
    static let table = SlotTable<Layout>()

    static func find(_ id: UInt64) -> TargetPointer? {
        table.find(id)?.assumingMemoryBound(to: Target.self)
    }

    @inline(__always)
    static func at(_ index: UInt32) -> TargetPointer {
        table.slot(index).unsafelyUnwrapped.assumingMemoryBound(to: Target.self)
    }

    /// The target that a handle names, with its lock held; nil when it is not there.
    static func locked(_ id: UInt64) -> TargetPointer? {
        guard let target = find(id) else { return nil }
        target.pointee.lock.lock()
        if table.find(id) != nil { return target }
        target.pointee.lock.unlock()
        return nil
    }

    static func create(_ context: UnsafeMutableRawPointer?, _ release: wtm_release_fn?) -> Result<UInt64, Timers.Refusal> {
        guard let (index, slot) = table.allocate() else { return .failure(table.isExhausted ? .limit : .memory) }
        let target = slot.assumingMemoryBound(to: Target.self)
        target.pointee.lock.lock()
        target.pointee.index = index
        target.pointee.strong = 1
        target.pointee.context = context
        target.pointee.release = release
        target.pointee.first = 0
        target.pointee.last = 0
        target.pointee.bound = 0
        target.pointee.hookThread = nil
        let id = table.publish(index, slot)
        target.pointee.id = id
        target.pointee.lock.unlock()
        return .success(id)
    }

    static func isAlive(_ id: UInt64) -> Bool {
        guard let target = find(id) else { return false }
        let head = target.pointee.head.load(ordering: .acquiring)
        return head & ~(Handle.stateMask & ~(Handle.inUse | TargetBits.dead)) == Handle.head(id)
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Target {
    var isDead: Bool { pointee.head.load(ordering: .relaxed) & TargetBits.dead != 0 }

    func setBit(_ bit: UInt64) {
        pointee.head.store(pointee.head.load(ordering: .relaxed) | bit, ordering: .releasing)
    }

    // The list. The caller holds the lock.

    func link(_ index: UInt32, _ binding: BindingPointer) {
        binding.pointee.target = pointee.index
        binding.pointee.next = 0
        binding.pointee.prev = pointee.last
        if pointee.last == 0 { pointee.first = index &+ 1 } else { Bindings.at(pointee.last &- 1).pointee.next = index &+ 1 }
        pointee.last = index &+ 1
        pointee.bound &+= 1
    }

    func unlink(_ binding: BindingPointer) {
        let next = binding.pointee.next, prev = binding.pointee.prev
        if prev == 0 { pointee.first = next } else { Bindings.at(prev &- 1).pointee.next = next }
        if next == 0 { pointee.last = prev } else { Bindings.at(next &- 1).pointee.prev = prev }
        pointee.bound &-= 1
    }
}
