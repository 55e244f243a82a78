import CPlatform
import Synchronization

/// The address of an atomic word, for the kernel.
///
/// Safe as long as the atomic lives in memory that is never moved: every caller keeps it behind an
/// `UnsafeMutablePointer` into type-stable memory, or in a global.
@inline(__always)
func futexAddress(_ word: borrowing Atomic<UInt32>) -> UnsafeMutablePointer<UInt32> {
    withUnsafePointer(to: word) {
        UnsafeMutableRawPointer(mutating: UnsafeRawPointer($0)).assumingMemoryBound(to: UInt32.self)
    }
}

/// A mutual exclusion lock: a word that says whether it is held, and a word that says whether somebody sleeps for it, which is the futex.
///
/// To give it back takes a store and a load, no atomic exchange, which halves the price of a pair. The store may still be under way
/// when the load looks for sleepers, so a sleeper does what is needed for both sides (asymmetric fences, as in Dice, Huang and Yang,
/// "Asymmetric Dekker Synchronization", 2001): it says that it wants to sleep, has the kernel put a barrier into all threads of the
/// process, and looks once more whether the lock is free. Either it sees the store, or the giver sees that it is wanted. `Tests/spin/lock.pml` is
/// a model of it, with the store buffers.
///
/// It must live at a stable address that is memory for ever: the giver looks for sleepers after others may have had the lock. It is
/// never held across user code or a free.
struct Lock: ~Copyable {
    /// 0 free, 1 held.
    fileprivate let word = Atomic<UInt32>(0)
    /// 1: somebody sleeps, or is about to. Whoever takes it back to 0 wakes one, who says it again before anything else.
    fileprivate let wanted = Atomic<UInt32>(0)

    @inline(__always)
    func lock() {
        if !lockShortly() { lockSlowly(address) }
    }

    /// Takes the lock if it is free, for a short way that otherwise leaves all to another function, as its last call: a short way that calls
    /// nobody in between saves no registers. It may fail where the lock is free.
    @inline(__always)
    func lockShortly() -> Bool {
        #if WTM_EXPLORE
            explorerYield()
        #endif
        // Acquire pairs with the release in `unlock`.
        return word.weakCompareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            .exchanged
    }

    @inline(__always)
    func unlock() {
        word.store(0, ordering: .releasing)
        wtmp_compiler_barrier()
        if wanted.load(ordering: .relaxed) != 0 { wakeOne(address) }
        #if WTM_EXPLORE
            explorerYield()
        #endif
    }

    /// For a holder that may go round for ever without a callback, during which it would let go: gives way when somebody sleeps.
    @inline(__always)
    func giveWayIfWanted() {
        if wanted.load(ordering: .relaxed) != 0 { giveWay() }
    }

    /// Lets others have the lock for a moment. A plain unlock and lock would take it again before a sleeper has woken.
    func giveWay() {
        let isWanted = wanted.load(ordering: .relaxed) != 0
        unlock()
        var spins = 0
        while isWanted, spins < 2000, word.load(ordering: .relaxed) == 0 {
            wtmp_cpu_relax()
            spins &+= 1
        }
        lock()
    }

    /// Takes the lock only when it is free.
    func tryLock() -> Bool {
        word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed).exchanged
    }

    /// In a forked child, where whoever held it does not exist.
    func abandon() {
        word.store(0, ordering: .relaxed)
        wanted.store(0, ordering: .relaxed)
    }

    /// For the slow ways, which are functions of their own, since a method would take a register from the short ones. Safe as long as the
    /// lock stays where it is, as it must.
    @inline(__always)
    private var address: UnsafePointer<Lock> { withUnsafePointer(to: self) { $0 } }
}

@inline(never)
private func wakeOne(_ lock: UnsafePointer<Lock>) {
    // A sleeper that is not in the kernel yet finds the 0 there and begins again.
    lock.pointee.wanted.store(0, ordering: .relaxed)
    wtmp_futex_wake(futexAddress(lock.pointee.wanted), 1)
}

@inline(never)
private func lockSlowly(_ lock: UnsafePointer<Lock>) {
    // About what a sleep and a wake-up cost, in ever longer pauses, so that the holder is not kept from the word.
    var pauses = 1
    var spins = 0
    while spins < 1000 {
        if lock.pointee.word.load(ordering: .relaxed) == 0, lock.pointee.tryLock() { return }
        var i = 0
        while i < pauses {
            wtmp_cpu_relax()
            i &+= 1
        }
        spins &+= pauses
        if pauses < 32 { pauses &*= 2 }
    }
    while true {
        lock.pointee.wanted.store(1, ordering: .relaxed)
        let isFenced = wtmp_process_barrier()
        // It stays wanted: whoever unlocks next wakes somebody, perhaps once too often, never too seldom.
        if lock.pointee.tryLock() { return }
        // Without the barrier the giver may have missed the sleeper, who therefore looks again before long.
        let limit = isFenced ? UInt64.never : SystemClock.monotonic().saturatingAdd(1_000_000)
        _ = wtmp_futex_wait(futexAddress(lock.pointee.wanted), 1, limit)
    }
}
