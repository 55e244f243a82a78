import CPlatform
import CWeakTimer
import Synchronization

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Gives the lock back, and ends the scheduler when it shuts down and nothing keeps it any more.
    @inline(__always)
    func unlockAndSettle() {
        if pointee.state == .shuttingDown, pointee.holds == 0, pointee.stats.live == 0, pointee.zombies == 0 {
            settle()
            return
        }
        pointee.lock.unlock()
        pointee.event.signal()
    }

    /// The end: the options' release hook, then the memory. The caller holds the lock, which is released.
    @inline(never)
    private func settle() {
        pointee.state = .down
        pointee.lock.unlock()
        // Whoever waits for the last timer need not wait for the hook below.
        pointee.event.signal()
        closeDescriptors()
        if let release = pointee.hooks.release {
            var frame = Frame(.scheduler)
            let goesOn = withUnsafeMutablePointer(to: &frame) { frame in
                pointee.lock.lock()
                link(frame)
                pointee.lock.unlock()
                frame.push()
                release(pointee.hooks.context)
                if frame.isInherited { return false }
                frame.pop()
                pointee.lock.lock()
                unlink(frame)
                pointee.lock.unlock()
                return true
            }
            if !goesOn { return }
        }
        pointee.lock.lock()
        settleWheel()
        var chunk = pointee.chunks
        pointee.chunks = 0
        pointee.freeSlot = nil
        pointee.secondFreeSlot = nil
        pointee.bump = 0
        pointee.bumpEnd = 0
        let slot = UnsafeMutableRawPointer(self), index = pointee.index
        Schedulers.table.retire(slot)
        pointee.id = 0
        pointee.lock.unlock()
        while chunk != 0 {
            let next = Timers.chunk(chunk &- 1).pointee.next
            Timers.giveBack(chunk: chunk &- 1)
            chunk = next
        }
        pointee.event.signal()
        Schedulers.table.recycle(index, slot)
    }

    /// The body of `wtm_scheduler_shutdown`. The caller holds the lock, which is released.
    func shutDown(_ timeout: UInt64) -> wtm_status {
        let id = pointee.id
        let deadline = Wait.deadline(timeout)
        let isFirst = pointee.state == .up
        if isFirst {
            pointee.state = .shuttingDown
            pointee.isPlain = false
            pointee.holds &+= 1
            let joins = pointee.hasThread && !isInside(self)
            if joins { pointee.hasJoiner = true }
            let thread = pointee.thread
            pointee.lock.unlock()
            wakeForShutdown()
            let epoch = Process.epoch
            endAll()
            if Process.epoch != epoch { return WTM_ERR_GONE }
            pointee.lock.lock()
            pointee.holds &-= 1
            unlockAndSettle()
            if Process.epoch != epoch { return WTM_ERR_GONE }
            let status = waitForEnd(id, deadline)
            if joins { join(thread, id, ended: status == WTM_OK) }
            return status
        }
        pointee.lock.unlock()
        let status = waitForEnd(id, deadline)
        return status == WTM_OK ? WTM_ERR_SHUT_DOWN : status
    }

    private func waitForEnd(_ id: UInt64, _ deadline: UInt64) -> wtm_status {
        Wait.until(.scheduler(self, id), deadline, pointee.event)
    }

    /// Joins the scheduler's thread, or leaves that to the thread itself when the wait was given up.
    private func join(_ thread: pthread_t, _ id: UInt64, ended: Bool) {
        if !ended {
            pointee.lock.lock()
            if pointee.id == id, pointee.hasThread {
                pointee.hasJoiner = false
                pointee.lock.unlock()
                return
            }
            pointee.lock.unlock()
        }
        let cancelState = wtmp_cancel_off()
        wtmp_thread_join(thread)
        wtmp_cancel_restore(cancelState)
    }

    private func wakeForShutdown() {
        pointee.lock.lock()
        requestWakeNow()
        let wake = takeWakeRequest()
        pointee.lock.unlock()
        if wake || pointee.drive == .host { wakeSleeper() }
        pointee.event.signal()
    }

    /// Ends every timer and runs the hooks of those that are idle, here.
    private func endAll() {
        let thread = CurrentThread.record()
        let epoch = Process.epoch
        pointee.lock.lock()
        pointee.drainer = thread
        var chunk = pointee.chunks
        while chunk != 0 {
            let base = (chunk &- 1) << Timers.shift
            var i: UInt32 = 0
            while i < Timers.perChunk {
                let index = base &+ i
                let timer = Timers.at(index)
                i &+= 1
                if !timer.has(Handle.inUse) || timer.has(TimerBits.ended) { continue }
                if end(index, timer, WTM_REASON_SHUTDOWN, thread) == .owned {
                    pointee.lock.unlock()
                    runHooks(index, timer, isHeld: true)
                    if Process.epoch != epoch { return }
                    pointee.lock.lock()
                }
            }
            chunk = Timers.chunk(chunk &- 1).pointee.next
        }
        // What waits for the scheduler's own thread has none to wait for when the host drives.
        while !pointee.hookList.isEmpty {
            let index = pointee.hookList.first &- 1
            let timer = Timers.at(index)
            pointee.hookList.remove(timer)
            timer.place = Place.none
            timer.hookThread = thread
            pointee.lock.unlock()
            runReleaseHook(index, timer)
            if Process.epoch != epoch { return }
            pointee.lock.lock()
        }
        pointee.drainer = nil
        pointee.lock.unlock()
    }

    /// Runs the release hook alone: `ended` has been called before.
    func runReleaseHook(_ index: UInt32, _ timer: TimerPointer) {
        inHookFrame(index, timer) { plan, frame in
            plan.release?(plan.releaseContext)
            if frame.isInherited { return }
            frame.pop()
            pointee.lock.lock()
            unlink(frame)
            if let record = timer.record { handOverDone(record) }
            retire(index, timer, plan.binding, isHeld: true)
        }
    }
}
