import CPlatform
import Synchronization

/// Lets threads sleep until "something about this object changed", at no cost to an object nobody waits for.
///
/// The protocol: a waiter calls `enter`, takes a `ticket`, looks under the lock that guards the object's state whether it still has to wait, and
/// sleeps after it has given the lock back; whoever changes the state does so under the same lock and calls `signal` afterwards. If the
/// waiter has had the lock before, it has entered by then, so `signal` sees it; if after, it sees the change. A look without the lock
/// would not do: giving a lock back is a plain store, and so the waiters may be looked for while the change is still on its way to memory.
/// `Tests/spin/event.pml` is a model of it.
struct EventCount: ~Copyable {
    private let waiters = Atomic<UInt32>(0)
    private let epoch = Atomic<UInt32>(0)

    func enter() { waiters.wrappingAdd(1, ordering: .sequentiallyConsistent) }
    func leave() { waiters.wrappingSubtract(1, ordering: .sequentiallyConsistent) }

    var ticket: UInt32 { epoch.load(ordering: .acquiring) }

    /// Sleeps until a signal after `ticket`, or until the monotonic instant. May return early.
    func sleep(_ ticket: UInt32, until deadline: UInt64) {
        _ = wtmp_futex_wait(futexAddress(epoch), ticket, deadline)
    }

    @inline(__always)
    func signal() {
        if waiters.load(ordering: .sequentiallyConsistent) != 0 { wakeAll() }
    }

    @inline(never)
    private func wakeAll() {
        epoch.wrappingAdd(1, ordering: .releasing)
        wtmp_futex_wake(futexAddress(epoch), Int32.max)
    }
}
