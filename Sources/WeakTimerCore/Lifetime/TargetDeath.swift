import CWeakTimer
import Synchronization

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Target {
    /// Ends all timers bound to the target, and runs the hooks of those that are not running. The caller holds the lock,
    /// which is released.
    ///
    /// First all are ended under the target's lock, so that none can start a callback once this returns. Then, with no lock held,
    /// those of the idle ones are freed that have nothing to run, so that a hook which waits for one of them finds it gone; then the
    /// others' hooks run here, in order of binding. Those of running ones run where they are running.
    func endTimers(_ reason: wtm_reason) {
        let thread = CurrentThread.record()
        let epoch = Process.epoch
        var mine: UInt32 = 0
        var lastMine: UInt32 = 0
        var link = pointee.first
        while link != 0 {
            let current = link &- 1
            let binding = Bindings.at(current)
            link = binding.pointee.next
            guard let (scheduler, timer) = binding.lockedTimer(current) else { continue }
            let index = binding.pointee.timer
            if !timer.has(TimerBits.ended), scheduler.end(index, timer, reason, thread) == .owned {
                // The links of an ended timer are free: chain those whose hooks are ours to run.
                timer.pointee.next = 0
                if lastMine == 0 { mine = index &+ 1 } else { Timers.at(lastMine &- 1).pointee.next = index &+ 1 }
                lastMine = index &+ 1
            }
            scheduler.pointee.lock.unlock()
        }
        pointee.lock.unlock()
        var withHooks: UInt32 = 0
        lastMine = 0
        while mine != 0 {
            let index = mine &- 1
            let timer = Timers.at(index)
            mine = timer.pointee.next
            timer.pointee.next = 0
            if timer.endsQuietly {
                Timers.owner(index).runHooks(index, timer, isHeld: false)
                continue
            }
            if lastMine == 0 { withHooks = index &+ 1 } else { Timers.at(lastMine &- 1).pointee.next = index &+ 1 }
            lastMine = index &+ 1
        }
        while withHooks != 0 {
            let index = withHooks &- 1
            let timer = Timers.at(index)
            withHooks = timer.pointee.next
            timer.pointee.next = 0
            Timers.owner(index).runHooks(index, timer, isHeld: false)
            if Process.epoch != epoch { return }
        }
    }

    /// The death of the target: ends its timers, and runs its hook when no timer of it is left. The caller holds the lock,
    /// which is released.
    func die() {
        pointee.strong = 0
        setBit(TargetBits.dead)
        let epoch = Process.epoch
        // Held like a bound timer, so that the hook cannot run before this loop is through.
        pointee.bound &+= 1
        endTimers(WTM_REASON_TARGET_GONE)
        if Process.epoch != epoch { return }
        pointee.lock.lock()
        pointee.bound &-= 1
        if takeHook() { runHook() }
    }

    /// Whether the target is dead and nothing is bound to it, so that the caller, and nobody else, must run the hook. It holds the lock, which is
    /// released.
    @inline(never)
    private func takeHook() -> Bool {
        let head = pointee.head.load(ordering: .relaxed)
        let isMine = head & (TargetBits.dead | TargetBits.hookStarted) == TargetBits.dead && pointee.bound == 0
        if isMine {
            setBit(TargetBits.hookStarted)
            pointee.hookThread = CurrentThread.record()
        }
        pointee.lock.unlock()
        return isMine
    }

    /// Runs the hook for whoever took it. No lock is held.
    ///
    /// `scheduler` is one that the caller holds: while the hook runs, a wait for it must find this thread in it, and in the work of `executor`.
    @inline(never)
    func runHook(in scheduler: SchedulerPointer? = nil, on executor: ExecutorPointer? = nil) {
        var frame = Frame(.targetHook)
        frame.target = self
        frame.executor = executor
        let release = pointee.release, context = pointee.context
        let inherited = withUnsafeMutablePointer(to: &frame) { frame in
            if let scheduler {
                scheduler.pointee.lock.lock()
                scheduler.link(frame)
                scheduler.pointee.lock.unlock()
            }
            frame.push()
            release?(context)
            if frame.isInherited { return true }
            frame.pop()
            if let scheduler {
                scheduler.pointee.lock.lock()
                scheduler.unlink(frame)
                scheduler.pointee.lock.unlock()
            }
            return false
        }
        if inherited { return }
        pointee.lock.lock()
        pointee.hookThread = nil
        let slot = UnsafeMutableRawPointer(self), index = pointee.index
        Targets.table.retire(slot)
        pointee.lock.unlock()
        pointee.event.signal()
        Targets.table.recycle(index, slot)
    }

    /// A timer of the target has been brought to its end: whether the caller must run the hook. It holds the lock, which is released.
    @inline(never)
    func unbind(_ index: UInt32) -> Bool {
        unlink(Bindings.at(index))
        Bindings.free(index)
        return takeHook()
    }
}
