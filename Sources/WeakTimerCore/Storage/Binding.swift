import CWeakTimer
import Synchronization

/// A timer's membership of its target's list, and the release hook of a bound timer that has no record.
///
/// The links are guarded by the target's lock, the rest is fixed while the timer lives. Bindings live in a
/// table of their own: 32 bytes, so that a bound timer costs 96 with its slot.
struct Binding: ~Copyable {
    /// The free list's link; in use, the next binding of the target plus one.
    var next: UInt32
    var prev: UInt32
    let head: Atomic<UInt64>
    var target: UInt32
    var timer: UInt32
    var release: wtm_release_fn?
}

typealias BindingPointer = UnsafeMutablePointer<Binding>

enum Bindings {
    enum Layout: SlotLayout {
        static var kind: Handle.Kind { .internalRecord }
        static var slotBytes: Int { MemoryLayout<Binding>.stride }
        static var chunkShift: UInt32 { 10 }
        static var chunksShift: UInt32 { 18 }
    }
    static let table = SlotTable<Layout>()

    @inline(__always)
    static func at(_ index: UInt32) -> BindingPointer {
        table.slot(index).unsafelyUnwrapped.assumingMemoryBound(to: Binding.self)
    }

    static func allocate() -> (index: UInt32, binding: BindingPointer)? {
        guard let (index, slot) = table.allocate() else { return nil }
        _ = table.publish(index, slot)
        return (index, slot.assumingMemoryBound(to: Binding.self))
    }

    static func free(_ index: UInt32) {
        let slot = UnsafeMutableRawPointer(at(index))
        table.retire(slot)
        table.recycle(index, slot)
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Binding {
    /// The timer of a linked binding with its scheduler's lock held; nil when the timer has been freed and only the binding is left.
    ///
    /// The caller holds the target's lock. A freed slot may serve another timer by now, of another scheduler even; but no other
    /// timer has this binding before it is unlinked, so comparing is enough.
    func lockedTimer(_ index: UInt32) -> (SchedulerPointer, TimerPointer)? {
        let chunk = Timers.chunk(pointee.timer >> Timers.shift)
        guard let raw = chunk.pointee.owner.load(ordering: .acquiring) else { return nil }
        let scheduler = raw.assumingMemoryBound(to: Scheduler.self)
        scheduler.pointee.lock.lock()
        let timer = Timers.at(pointee.timer)
        if chunk.pointee.owner.load(ordering: .relaxed) == raw, timer.has(Handle.inUse), timer.has(TimerBits.bound),
            timer.bindingIndex == index
        {
            return (scheduler, timer)
        }
        scheduler.pointee.lock.unlock()
        return nil
    }
}
