import CWeakTimer
import Synchronization

/// Answers whether a wait can end without the thread that would begin it.
///
/// The graph has threads, and what they wait for. A wait needs all threads that are inside the thing waited for, and, for what is queued, one of
/// its executor's. It can end if each of these can go on: if it does not wait, or waits for what can end. That is a least fixed
/// point, so what is met again on its own path counts as stuck. Only waits come here, never ticks.
///
/// Every wait is entered under `lock`, so of the waits that close a cycle the last one sees all others. Lock order: this one, then target,
/// scheduler, executor.
enum WaitGraph {
    static let lock = Lock()

    static func canEnd(_ what: Wait.What, for caller: ThreadPointer) -> Bool {
        // A thread that is in no callback and drives nothing is waited for by nobody.
        if caller.pointee.frame == nil, !what.isByDriver { return true }
        var search = Search(caller: caller)
        if search.canEnd(what) { return true }
        // Stuck, but by the caller? A cycle of others, closed by something else than a wait, is theirs to find at their next beat.
        search.callerIsFree = true
        search.budget = 100_000
        if !search.canEnd(what) { return true }
        // The two searches saw different moments, and threads that do not wait go on meanwhile. What is a deadlock is one still.
        search.callerIsFree = false
        search.budget = 100_000
        return search.canEnd(what)
    }

    struct Search {
        let caller: ThreadPointer
        var callerIsFree = false
        /// Bounds the work; a graph that needs more is taken to be sound.
        var budget = 100_000

        @inline(never)
        mutating func canGoOn(_ thread: ThreadPointer?) -> Bool {
            guard let thread else { return true }
            if thread == caller { return callerIsFree }
            guard let wait = thread.pointee.wait else { return true }
            if thread.pointee.isOnPath { return false }
            budget -= 1
            if budget < 0 { return true }
            thread.pointee.isOnPath = true
            defer { thread.pointee.isOnPath = false }
            return canEnd(wait.pointee.what)
        }

        @inline(never)
        mutating func canEnd(_ what: Wait.What) -> Bool {
            switch what {
            case .timer(let scheduler, let index, let id): return timerCanEnd(scheduler, index, id)
            case .target(let target, let id): return targetCanEnd(target, id)
            case .scheduler(let scheduler, let id): return schedulerCanEnd(scheduler, id)
            case .executor(let executor, let id): return executorCanEnd(executor, id)
            case .turn(let scheduler, _): return driverCanGoOn(scheduler)
            case .handedOver(let scheduler): return handedOverCanEnd(scheduler)
            }
        }

        // A thread list may change between two looks; whoever changes it is not waiting, and signals what it changed.

        @inline(never)
        mutating func framesCanGoOn(_ scheduler: SchedulerPointer, timer: UInt32?, onExecutorsOnly: Bool = false) -> Bool {
            var i = 0
            while true {
                scheduler.pointee.lock.lock()
                var frame = scheduler.pointee.frames
                var skip = i
                while let f = frame {
                    let counts = (timer == nil || f.pointee.timer == timer!) && (!onExecutorsOnly || f.pointee.executor != nil)
                    if counts {
                        if skip == 0 { break }
                        skip -= 1
                    }
                    frame = f.pointee.next
                }
                let thread = frame?.pointee.thread
                scheduler.pointee.lock.unlock()
                if frame == nil { return true }
                if !canGoOn(thread) { return false }
                i += 1
            }
        }

        @inline(never)
        mutating func timerCanEnd(_ scheduler: SchedulerPointer, _ index: UInt32, _ id: UInt64) -> Bool {
            if !framesCanGoOn(scheduler, timer: index &+ 1) { return false }
            scheduler.pointee.lock.lock()
            let timer = Timers.at(index)
            if !Timers.isCurrent(timer, id) || !timer.has(TimerBits.ended) || timer.has(TimerBits.running) {
                scheduler.pointee.lock.unlock()
                return true
            }
            let thread = timer.hookThread
            let onDriver = timer.place == Place.hooks
            let executor = timer.queuedHookExecutor
            scheduler.pointee.lock.unlock()
            if thread != nil { return canGoOn(thread) }
            if onDriver { return listedHooksCanRun(scheduler) }
            return executor == 0 || executorCanWork(executor)
        }

        mutating func targetCanEnd(_ target: TargetPointer, _ id: UInt64) -> Bool {
            target.pointee.lock.lock()
            if Targets.find(id) == nil {
                target.pointee.lock.unlock()
                return true
            }
            let hookThread = target.pointee.hookThread
            var i = target.pointee.bound
            target.pointee.lock.unlock()
            if !canGoOn(hookThread) { return false }
            while i != 0 {
                i &-= 1
                guard let (scheduler, index, timerID) = boundTimer(target, id, i) else { continue }
                if !timerCanEnd(scheduler, index, timerID) { return false }
            }
            return true
        }

        /// The i-th timer bound to the target, if it is still there.
        private func boundTimer(_ target: TargetPointer, _ id: UInt64, _ i: UInt64) -> (SchedulerPointer, UInt32, UInt64)? {
            target.pointee.lock.lock()
            defer { target.pointee.lock.unlock() }
            guard Targets.find(id) != nil else { return nil }
            var skip = i
            var link = target.pointee.first
            while link != 0, skip != 0 {
                link = Bindings.at(link &- 1).pointee.next
                skip &-= 1
            }
            guard link != 0 else { return nil }
            let binding = Bindings.at(link &- 1)
            guard let (scheduler, timer) = binding.lockedTimer(link &- 1) else { return nil }
            defer { scheduler.pointee.lock.unlock() }
            return (scheduler, binding.pointee.timer, Timers.id(binding.pointee.timer, timer))
        }

        /// The hooks in a scheduler's list are run by whoever drives it, or by its shutdown.
        private mutating func listedHooksCanRun(_ scheduler: SchedulerPointer) -> Bool {
            scheduler.pointee.lock.lock()
            let driver = scheduler.pointee.isDriven ? scheduler.pointee.driver : nil
            let drainer = scheduler.pointee.drainer
            scheduler.pointee.lock.unlock()
            guard let drainer else { return canGoOn(driver) }
            return canGoOn(drainer) || driver != nil && canGoOn(driver)
        }

        @inline(never)
        mutating func driverCanGoOn(_ scheduler: SchedulerPointer) -> Bool {
            scheduler.pointee.lock.lock()
            let driver = scheduler.pointee.isDriven ? scheduler.pointee.driver : nil
            scheduler.pointee.lock.unlock()
            return canGoOn(driver)
        }
    }
}
