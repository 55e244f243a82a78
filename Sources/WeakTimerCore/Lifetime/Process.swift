import CPlatform
import CWeakTimer
import Synchronization

/// What happens once a process, and in a forked child.
enum Process {
    private static let epochWord = Atomic<UInt32>(0)
    private static let state = Atomic<UInt32>(0)
    private static let preparation = Lock()
    /// Held while descriptors are made or closed and while the process forks, so that a child knows all that it must close.
    static let forkGuard = Lock()

    /// How many forks lie between this process and the one that loaded the library.
    @inline(__always) static var epoch: UInt32 { epochWord.load(ordering: .relaxed) }

    /// Makes the process-wide state at first use. False, and nothing is changed, when the system refuses.
    @inline(__always)
    static func prepare() -> Bool {
        state.load(ordering: .acquiring) == 1 || prepareSlowly()
    }

    @inline(never)
    private static func prepareSlowly() -> Bool {
        preparation.lock()
        defer { preparation.unlock() }
        if state.load(ordering: .relaxed) == 1 { return true }
        if !Timers.isPrepared && !Timers.prepare() { return false }
        if state.load(ordering: .relaxed) == 0 {
            guard CurrentThread.prepare() else { return false }
            state.store(2, ordering: .relaxed)
        }
        guard wtmp_atfork({ Process.forkGuard.lock() }, { Process.forkGuard.unlock() }, { Process.becomeChild() }) == 0
        else { return false }
        wtmp_process_barrier_prepare()
        SystemClock.coarseLag = 2 &* wtmp_clock_resolution_ns(SystemClock.linuxMonotonicCoarse)
        #if !WTM_FAULTS
            CounterClock.isAvailable = wtmp_counter_is_steady()
        #endif
        // Release pairs with the acquire in `prepare`.
        state.store(1, ordering: .releasing)
        return true
    }

    /// In the child only the thread that forked exists. Locks may be held by threads that are gone, so nothing old is touched:
    /// descriptors are closed (the parent's stay open), all tables forget what they held, and the library begins afresh.
    private static func becomeChild() {
        epochWord.wrappingAdd(1, ordering: .relaxed)
        forkGuard.abandon()
        preparation.abandon()
        Schedulers.closeDescriptors()
        Timers.abandon()
        Records.table.abandon()
        Bindings.table.abandon()
        Targets.table.abandon()
        Schedulers.table.abandon()
        Schedulers.forgetDefault()
        Executors.table.abandon()
        WaitGraph.lock.abandon()
        CurrentThread.forget()
    }
}
