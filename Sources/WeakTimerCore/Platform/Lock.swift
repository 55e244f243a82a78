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

/// A mutual exclusion lock of one futex word: 0 free, 1 held, 2 held and somebody sleeps.
///
/// It is Drepper's third mutex ("Futexes Are Tricky", 2011), with a short spin before the first sleep.
/// It must live at a stable address. It is never held across user code, a system call or a free.
struct Lock: ~Copyable {
    let word = Atomic<UInt32>(0)

    @inline(__always)
    func lock() {
        #if WTM_EXPLORE
            explorerYield()
        #endif
        // Acquire pairs with the release in `unlock`.
        if word.weakCompareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
            .exchanged
        {
            return
        }
        lockSlowly()
    }

    @inline(__always)
    func unlock() {
        if word.exchange(0, ordering: .releasing) == 2 {
            wtmp_futex_wake(futexAddress(word), 1)
        }
        #if WTM_EXPLORE
            explorerYield()
        #endif
    }

    /// For a holder that may go round for ever without a callback, during which it would let go: gives way when somebody sleeps.
    @inline(__always)
    func giveWayIfWanted() {
        if word.load(ordering: .relaxed) == 2 { giveWay() }
    }

    /// Lets others have the lock for a moment. A plain unlock and lock would take it again before a sleeper has woken.
    func giveWay() {
        let isWanted = word.load(ordering: .relaxed) == 2
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

    @inline(never)
    private func lockSlowly() {
        var spins = 0
        while spins < 100 {
            if word.load(ordering: .relaxed) == 0,
                word.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
                    .exchanged
            {
                return
            }
            wtmp_cpu_relax()
            spins &+= 1
        }
        // From here on the word says 2, so that whoever unlocks wakes somebody: perhaps once too often, never too seldom.
        while word.exchange(2, ordering: .acquiring) != 0 {
            _ = wtmp_futex_wait(futexAddress(word), 2, UInt64.max)
        }
    }
}
