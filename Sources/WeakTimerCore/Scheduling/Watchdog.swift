import CPlatform
import CWeakTimer
import Synchronization

/// The state of a scheduler's watchdog; guarded by the scheduler's lock.
struct Watchdog {
    var thread = pthread_t()
    var isRunning = false
    /// It sleeps without a time limit: whoever begins a callback wakes it.
    var isAsleep = false
}

/// A second thread of a scheduler that has `slow_callback_ns` and a log, since the first may be the one that is stuck. It tells of a
/// callback that runs too long while it runs. When no callback has run for a while it sleeps and costs nothing.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Starts the watchdog if there is something to watch for. The caller holds the lock. False: the system refuses the thread.
    func startWatchdog() -> Bool {
        let isWanted =
            pointee.drive == .thread && pointee.slowCallback != 0 && pointee.hooks.log != nil
            && pointee.hooks.logLevel <= WTM_LOG_WARNING.rawValue
        if !isWanted { return true }
        if Faults.strikes(.thread) { return false }
        // Nobody waits for it before it runs.
        pointee.watchdogPark.store(Parking.starting, ordering: .relaxed)
        let body: wtmp_thread_fn = { raw in
            raw.unsafelyUnwrapped.assumingMemoryBound(to: Scheduler.self).runWatchdog()
            return nil
        }
        let result = wtmp_thread_start(&pointee.watchdog.thread, body, UnsafeMutableRawPointer(self), 0)
        if result != 0 { return false }
        pointee.watchdog.isRunning = true
        return true
    }

    /// Waits until the watchdog has begun, as `awaitThread` does for the scheduler's own thread. No lock is held.
    func awaitWatchdog() {
        while pointee.watchdogPark.load(ordering: .acquiring) == Parking.starting {
            _ = wtmp_futex_wait(futexAddress(pointee.watchdogPark), Parking.starting, .never)
        }
    }

    /// For the scheduler's own thread, at its end. No lock is held.
    func joinWatchdog() {
        wakeWatchdog()
        wtmp_thread_join(pointee.watchdog.thread)
    }

    private func wakeWatchdog() {
        pointee.watchdogPark.wrappingAdd(1, ordering: .releasing)
        wtmp_futex_wake(futexAddress(pointee.watchdogPark), 1)
    }

    /// Gives the lock back for a callback that begins, and sees to it that somebody watches it.
    @inline(__always)
    func unlockWatched() {
        let wakes = pointee.watchdog.isAsleep
        if wakes { pointee.watchdog.isAsleep = false }
        pointee.lock.unlock()
        if wakes { wakeWatchdog() }
    }

    /// Tells of a slow callback that has returned, unless that has been told. Holds the lock. False in a forked child.
    func tellSlow(_ timer: TimerPointer, _ frame: FramePointer, _ took: UInt64) -> Bool {
        if frame.pointee.isReported || pointee.hooks.log == nil { return true }
        frame.pointee.isReported = true
        frame.pointee.isLate = true
        let name = timer.record?.pointee.name ?? (0, 0, 0, 0, 0, 0)
        pointee.lock.unlock()
        logSlowCallback(name, took, stillRuns: false)
        if frame.isInherited { return false }
        pointee.lock.lock()
        return true
    }

    private func runWatchdog() {
        let epoch = Process.epoch
        nameThread(pointee.name)
        wakeWatchdog()  // whoever waits for this thread to begin
        var isQuiet = false
        pointee.lock.lock()
        while pointee.state == .up {
            let now = SystemClock.monotonic()
            var next = now.saturatingAdd(pointee.slowCallback)
            if let frame = firstUnreported() {
                isQuiet = false
                let due = frame.pointee.began.saturatingAdd(pointee.slowCallback)
                if due <= now {
                    frame.pointee.isReported = true
                    let timer = Timers.at(frame.pointee.timer &- 1)
                    let name = timer.record?.pointee.name ?? (0, 0, 0, 0, 0, 0)
                    let took = now &- frame.pointee.began
                    pointee.lock.unlock()
                    logSlowCallback(name, took, stillRuns: true)
                    if Process.epoch != epoch { return }
                    pointee.lock.lock()
                    continue
                }
                next = due
            } else if isQuiet {
                pointee.watchdog.isAsleep = true
                next = .never
            } else {
                isQuiet = true
            }
            let ticket = pointee.watchdogPark.load(ordering: .relaxed)
            pointee.lock.unlock()
            _ = wtmp_futex_wait(futexAddress(pointee.watchdogPark), ticket, next)
            pointee.lock.lock()
        }
        pointee.lock.unlock()
    }

    /// Of the callbacks that run and have not been told of, the one that began first. The caller holds the lock.
    private func firstUnreported() -> FramePointer? {
        var first: FramePointer?
        var frame = pointee.frames
        while let f = frame {
            if f.pointee.kind == .tick, f.pointee.timer != 0, !f.pointee.isReported,
                first == nil || f.pointee.began < first.unsafelyUnwrapped.pointee.began
            {
                first = f
            }
            frame = f.pointee.next
        }
        return first
    }
}
