import CPlatform
import CWeakTimer
import Synchronization

/// What a thread sleeps for. On the stack of that thread; known to others through its `ThreadRecord`.
struct Wait {
    var what: What

    enum What {
        /// An ended timer's last callback and hooks.
        case timer(SchedulerPointer, UInt32, UInt64)
        /// A dead target's hook.
        case target(TargetPointer, UInt64)
        /// A scheduler's shutdown.
        case scheduler(SchedulerPointer, UInt64)
        /// An executor's shutdown.
        case executor(ExecutorPointer, UInt64)
        /// Another thread's `advance`.
        case turn(SchedulerPointer, UInt64)
        /// The pools' share of an `advance`.
        case handedOver(SchedulerPointer)
    }

    /// The monotonic instant of a time limit that begins now.
    static func deadline(_ timeout: UInt64) -> UInt64 {
        timeout == .never ? .never : timeout == 0 ? 0 : SystemClock.monotonic().saturatingAdd(timeout)
    }

    /// Sleeps until it is over, unless that could come about only by threads that wait for this one. No lock is held.
    ///
    /// `event` is signalled whenever it may be over; a slow beat besides looks for cycles that were closed by something else than
    /// a wait.
    @inline(never)
    static func until(_ what: What, _ deadline: UInt64, _ event: borrowing EventCount) -> wtm_status {
        event.enter()
        defer { event.leave() }
        let cancelState = wtmp_cancel_off()
        defer { wtmp_cancel_restore(cancelState) }
        let thread = CurrentThread.record()
        var wait = Wait(what: what)
        return withUnsafeMutablePointer(to: &wait) { wait in
            while true {
                let ticket = event.ticket
                if what.isOver { return WTM_OK }
                WaitGraph.lock.lock()
                if let thread, !WaitGraph.canEnd(what, for: thread) {
                    WaitGraph.lock.unlock()
                    return what.isOver ? WTM_OK : WTM_ERR_WOULD_DEADLOCK
                }
                if deadline == 0 {
                    WaitGraph.lock.unlock()
                    return WTM_ERR_TIMED_OUT
                }
                thread?.pointee.wait = wait
                WaitGraph.lock.unlock()
                let now = SystemClock.monotonic()
                event.sleep(ticket, until: min(deadline, now.saturatingAdd(100_000_000)))
                WaitGraph.lock.lock()
                thread?.pointee.wait = nil
                WaitGraph.lock.unlock()
                if deadline != .never, SystemClock.monotonic() >= deadline {
                    return what.isOver ? WTM_OK : WTM_ERR_TIMED_OUT
                }
            }
        }
    }
}

extension Wait.What {
    /// A wait of whoever drives a scheduler: others may wait for it though it is in no callback.
    var isByDriver: Bool {
        if case .handedOver = self { return true }
        return false
    }

    /// Whether there is nothing to wait for any more. Looked at under the lock under which it comes about, as `EventCount` demands.
    @inline(never)
    var isOver: Bool {
        switch self {
        case .timer(let scheduler, let index, let id):
            scheduler.pointee.lock.lock()
            defer { scheduler.pointee.lock.unlock() }
            return !Timers.isCurrent(Timers.at(index), id)
        case .target(let target, let id):
            target.pointee.lock.lock()
            defer { target.pointee.lock.unlock() }
            return Targets.find(id) == nil
        case .scheduler(let scheduler, let id):
            scheduler.pointee.lock.lock()
            defer { scheduler.pointee.lock.unlock() }
            return Schedulers.find(id) == nil
        case .executor(let executor, let id):
            executor.lockWhatever()
            defer { executor.unlock() }
            return Executors.find(id) == nil
        case .turn(let scheduler, let id):
            scheduler.pointee.lock.lock()
            defer { scheduler.pointee.lock.unlock() }
            return !scheduler.pointee.isDriven || scheduler.pointee.id != id
        case .handedOver(let scheduler):
            scheduler.pointee.lock.lock()
            defer { scheduler.pointee.lock.unlock() }
            return scheduler.pointee.handedOver == 0
        }
    }
}
