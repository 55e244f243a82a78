import CPlatform
import CWeakTimer

/// What is left to be called for an ended timer, read out under the lock.
struct HookPlan {
    var id: UInt64
    var ended: wtm_ended_fn?
    var endedContext: UnsafeMutableRawPointer?
    var release: wtm_release_fn?
    var releaseContext: UnsafeMutableRawPointer?
    var reason: wtm_reason
    /// Index plus one; 0 for none.
    var binding: UInt32
    var onExecutor: Bool
    var name: TimerName
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The context that a timer's callbacks get: its own, or else its target's. The caller holds the lock.
    @inline(__always)
    func callbackContext(_ timer: TimerPointer) -> UnsafeMutableRawPointer? {
        if let own = timer.pointee.context { return own }
        if !timer.has(TimerBits.bound) { return nil }
        return Targets.at(Bindings.at(timer.bindingIndex).pointee.target).pointee.context
    }

    @inline(never)
    func hookPlan(_ index: UInt32, _ timer: TimerPointer) -> HookPlan {
        let record = timer.record
        return HookPlan(
            id: Timers.id(index, timer),
            ended: record?.pointee.ended,
            endedContext: record?.pointee.ended == nil ? nil : callbackContext(timer),
            release: timer.release,
            releaseContext: timer.pointee.context,
            reason: wtm_reason(rawValue: record?.pointee.reason ?? WTM_REASON_NONE.rawValue),
            binding: timer.has(TimerBits.bound) ? timer.bindingIndex &+ 1 : 0,
            onExecutor: (record?.pointee.flags ?? 0) & RecordFlags.releaseOnExecutor != 0,
            name: record?.pointee.name ?? (0, 0, 0, 0, 0, 0))
    }

    /// Runs the hooks of an ended, idle timer whose hooks the caller owns. No lock is held.
    @inline(never)
    func runHooks(_ index: UInt32, _ timer: TimerPointer, isHeld: Bool) {
        inHookFrame(index, timer) { plan, frame in finishHooks(index, timer, plan, frame, isHeld: isHeld) }
    }

    /// Calls `body` with what is to be called and a frame for it, linked and pushed. No lock is held.
    @inline(__always)
    func inHookFrame(_ index: UInt32, _ timer: TimerPointer, _ body: (HookPlan, FramePointer) -> Void) {
        var frame = Frame(.hook)
        frame.timer = index &+ 1
        withUnsafeMutablePointer(to: &frame) { frame in
            pointee.lock.lock()
            link(frame)
            let plan = hookPlan(index, timer)
            pointee.lock.unlock()
            frame.push()
            body(plan, frame)
        }
    }

    /// Calls `ended`, then the release hook (or hands it over), then frees the timer and lets go of its target. The frame is linked
    /// and pushed; on return it is neither, and late if something was called. No lock is held.
    ///
    /// `isHeld`: the caller keeps the scheduler from ending meanwhile, so a target's hook that runs here must be seen as a stay in it.
    @inline(never)
    func finishHooks(
        _ index: UInt32, _ timer: TimerPointer, _ plan: HookPlan, _ frame: FramePointer, isHeld: Bool
    ) {
        if plan.reason == WTM_REASON_TARGET_GONE, plan.name.0 & 0xff != 0 {
            logTargetDeath(plan.name)
            frame.pointee.isLate = true
            if frame.isInherited { return }
        }
        if plan.ended != nil || plan.release != nil { frame.pointee.isLate = true }
        if let ended = plan.ended {
            ended(wtm_timer(id: plan.id), plan.reason, plan.endedContext)
            if frame.isInherited { return }
        }
        if let release = plan.release {
            if plan.onExecutor, handOverHook(index, timer, frame) { return }
            if frame.isInherited { return }
            release(plan.releaseContext)
            if frame.isInherited { return }
        }
        frame.pop()
        pointee.lock.lock()
        unlink(frame)
        if retire(index, timer, plan.binding, isHeld: isHeld, on: frame.pointee.executor) { frame.pointee.isLate = true }
    }

    /// Frees a timer whose hooks have run: whether its target's hook has run, too. The caller holds the lock, which is released. `executor` is the
    /// one whose work this is.
    ///
    /// Whoever waited for the timer may release its target next, and the target's hook must run there: so the handle must not be stale before the
    /// target knows. A target's lock is taken before a scheduler's, hence the detour; until the timer is freed its scheduler cannot end.
    @inline(never)
    @discardableResult
    func retire(_ index: UInt32, _ timer: TimerPointer, _ binding: UInt32, isHeld: Bool, on executor: ExecutorPointer? = nil) -> Bool {
        if binding == 0 {
            free(index, timer)
            unlockAndSettle()
            return false
        }
        pointee.lock.unlock()
        let target = Targets.at(Bindings.at(binding &- 1).pointee.target)
        target.pointee.lock.lock()
        pointee.lock.lock()
        free(index, timer)
        let isLast = target.unbind(binding &- 1)
        let epoch = Process.epoch
        unlockAndSettle()
        // The scheduler's own hook may have forked: a child has no target.
        if Process.epoch != epoch { return false }
        if isLast { target.runHook(in: isHeld ? self : nil, on: executor) }
        target.pointee.event.signal()
        return isLast
    }
}
