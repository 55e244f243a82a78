import CPlatform
import Synchronization

/// Lets threads sleep until "something about this object changed", at no cost to an object nobody waits for.
///
/// The protocol, under the lock that guards the object's state: a waiter calls `enter`, checks its condition, takes the
/// `ticket` and unlocks before it sleeps; whoever changes the state does so under the same lock and calls `signal` after
/// unlocking. A waiter that checked too early has entered before the change was made, so `signal` sees it.
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
