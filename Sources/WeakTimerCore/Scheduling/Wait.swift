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
        case turn(SchedulerPointer)
        /// The pools' share of an `advance`.
        case handedOver(SchedulerPointer)
    }

    /// The monotonic instant of a time limit that begins now.
    static func deadline(_ timeout: UInt64) -> UInt64 {
        timeout == .never ? .never : timeout == 0 ? 0 : SystemClock.monotonic().saturatingAdd(timeout)
    }

    /// Sleeps until `isDone`, unless that could come about only by threads that wait for this one. No lock is held.
    ///
    /// `isDone` takes the locks it needs. `event` is signalled whenever its answer may have changed; a slow beat besides looks for
    /// cycles that were closed by something else than a wait.
    static func until(
        _ what: What, _ deadline: UInt64, _ event: borrowing EventCount, _ isDone: () -> Bool
    ) -> wtm_status {
        event.enter()
        defer { event.leave() }
        let cancelState = wtmp_cancel_off()
        defer { wtmp_cancel_restore(cancelState) }
        let thread = CurrentThread.record()
        var wait = Wait(what: what)
        return withUnsafeMutablePointer(to: &wait) { wait in
            while true {
                let ticket = event.ticket
                if isDone() { return WTM_OK }
                WaitGraph.lock.lock()
                if let thread, !WaitGraph.canEnd(wait.pointee.what, for: thread) {
                    WaitGraph.lock.unlock()
                    return isDone() ? WTM_OK : WTM_ERR_WOULD_DEADLOCK
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
                    return isDone() ? WTM_OK : WTM_ERR_TIMED_OUT
                }
            }
        }
    }

    static func forTimer(_ scheduler: SchedulerPointer, _ timer: TimerPointer, _ id: UInt64, _ deadline: UInt64) -> wtm_status {
        until(.timer(scheduler, Handle.index(id), id), deadline, scheduler.pointee.event) {
            !Timers.isCurrent(timer, id)
        }
    }

    static func forTurn(_ scheduler: SchedulerPointer, _ id: UInt64) -> wtm_status {
        until(.turn(scheduler), .never, scheduler.pointee.event) {
            scheduler.pointee.lock.lock()
            defer { scheduler.pointee.lock.unlock() }
            return !scheduler.pointee.isDriven || scheduler.pointee.id != id
        }
    }

    static func forHandedOver(_ scheduler: SchedulerPointer) -> wtm_status {
        until(.handedOver(scheduler), .never, scheduler.pointee.event) {
            scheduler.pointee.lock.lock()
            defer { scheduler.pointee.lock.unlock() }
            return scheduler.pointee.handedOver == 0
        }
    }
}
