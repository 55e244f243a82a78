import CPlatform
import CWeakTimer
import Synchronization

/// What a timer is to be, checked and complete.
struct TimerSpec {
    var fn: UInt = 0
    var context: UnsafeMutableRawPointer?
    var release: wtm_release_fn?
    var ended: wtm_ended_fn?
    var target: UInt64 = 0
    var weakLock: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?
    var weakUnlock: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    var executorID: UInt64 = 0
    var concurrency: UInt32 = 1
    var clock: UInt32 = 0
    var policy: UInt32 = 0
    /// The deadline, or the delay from `now`.
    var first: UInt64 = 0
    /// A reading of the clock, for a delay; not used under manual time.
    var now: UInt64 = 0
    var isAbsolute = false
    var interval: UInt64 = 0
    var rate: (numerator: UInt32, denominator: UInt32) = (0, 0)
    var tolerance: UInt64 = 0
    var limit: UInt64 = 0
    var isPaused = false
    var keeps = false
    var releasesOnExecutor = false
    var name: UnsafePointer<CChar>?

    /// Whether the timer must have a record.
    @inline(__always)
    var isFull: Bool {
        interval != 0 || ended != nil || weakLock != nil || executorID != 0 || limit != 0 || keeps || releasesOnExecutor
            || name != nil || ToleranceCode.encode(tolerance) == nil
    }

    /// The tolerance in effect: of a repeating timer at most half its interval.
    @inline(__always)
    var effectiveTolerance: UInt64 { interval == 0 ? tolerance : min(tolerance, interval / 2) }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Starts a timer on the scheduler of the handle. `out` is written before the timer can tick.
    static func start(_ scheduler: UInt64, _ spec: TimerSpec, _ out: UnsafeMutablePointer<wtm_timer>?) -> wtm_status {
        // What can be made before any lock is taken.
        var record: RecordPointer?
        var binding: (index: UInt32, binding: BindingPointer)?
        if spec.isFull {
            record = makeRecords(spec)
            if record == nil { return WTM_ERR_SYSTEM }
        }
        if spec.target != 0 {
            binding = Bindings.allocate()
            if binding == nil {
                freeRecords(record)
                return WTM_ERR_SYSTEM
            }
        }
        let status = start(scheduler, spec, record, binding, out)
        if status != WTM_OK {
            freeRecords(record)
            if let binding { Bindings.free(binding.index) }
        }
        return status
    }

    private static func start(
        _ scheduler: UInt64, _ spec: TimerSpec, _ record: RecordPointer?,
        _ binding: (index: UInt32, binding: BindingPointer)?, _ out: UnsafeMutablePointer<wtm_timer>?
    ) -> wtm_status {
        while true {
            let id = scheduler == 0 ? Schedulers.default : scheduler
            if id == 0 { return WTM_ERR_SYSTEM }
            let status = attempt(id, spec, record, binding, out)
            switch status {
            case .settled(WTM_ERR_GONE) where scheduler == 0 && Schedulers.find(id) == nil: continue
            case .settled(let status): return status
            case .lacking:
                let status = provide(id, spec)
                if status != WTM_OK { return status }
            }
        }
    }

    private enum Attempt {
        case settled(wtm_status)
        /// Something must be made first that cannot be made under the locks.
        case lacking
    }

    /// Starts the timer if everything is at hand. Takes the target's lock, then the scheduler's.
    @inline(__always)
    private static func attempt(
        _ id: UInt64, _ spec: TimerSpec, _ record: RecordPointer?, _ binding: (index: UInt32, binding: BindingPointer)?,
        _ out: UnsafeMutablePointer<wtm_timer>?
    ) -> Attempt {
        var target: TargetPointer?
        if spec.target != 0 {
            target = Targets.locked(spec.target)
            guard let target else {
                return .settled(Targets.table.wasGivenOut(spec.target) ? WTM_ERR_TARGET_GONE : WTM_ERR_GONE)
            }
            if target.isDead {
                target.pointee.lock.unlock()
                return .settled(WTM_ERR_TARGET_GONE)
            }
        }
        defer { target?.pointee.lock.unlock() }
        guard case .success(let scheduler) = Schedulers.locked(id) else { return .settled(WTM_ERR_GONE) }
        if scheduler.pointee.state != .up { return .settled(scheduler.unlocked(WTM_ERR_SHUT_DOWN)) }
        if scheduler.pointee.maxTimers != 0, scheduler.pointee.stats.live >= scheduler.pointee.maxTimers {
            return .settled(scheduler.unlocked(WTM_ERR_LIMIT))
        }
        guard spec.clock == 0 || scheduler.hasClock(Int(spec.clock)), let (index, timer) = scheduler.takeFree() else {
            scheduler.pointee.lock.unlock()
            return .lacking
        }
        scheduler.fill(index, timer, spec, record, binding)
        if let target, let binding { target.link(binding.index, binding.binding) }
        out?.pointee = wtm_timer(id: Timers.id(index, timer))
        scheduler.arm(index, timer, spec)
        let wake = scheduler.takeWakeRequest()
        scheduler.pointee.lock.unlock()
        if wake { scheduler.wakeSleeper() }
        return .settled(WTM_OK)
    }

    func hasClock(_ clock: Int) -> Bool {
        if clock == 0 { return true }
        if wheel(clock) == nil { return false }
        if pointee.drive == .manual { return true }
        if pointee.drive == .thread, !pointee.usesDescriptors { return false }
        let descriptor =
            clock == 1
            ? pointee.descriptors.boottime.load(ordering: .acquiring) : pointee.descriptors.wall.load(ordering: .acquiring)
        return descriptor != 0
    }

    /// Makes what a start lacks: the wheel and the descriptors of a clock, or more timers. No lock is held.
    private static func provide(_ id: UInt64, _ spec: TimerSpec) -> wtm_status {
        guard case .success(let scheduler) = Schedulers.locked(id) else { return WTM_ERR_GONE }
        if scheduler.pointee.state != .up { return scheduler.unlocked(WTM_ERR_SHUT_DOWN) }
        scheduler.pointee.holds &+= 1
        let isMade = scheduler.hasClock(Int(spec.clock)) || scheduler.prepareWheel(Int(spec.clock))
        scheduler.settleWheel()
        let needsTimers = scheduler.pointee.freeSlot == nil && scheduler.pointee.bump == scheduler.pointee.bumpEnd
        let isGrowing = scheduler.pointee.chunks != 0
        scheduler.pointee.lock.unlock()
        var status = isMade && (spec.clock == 0 || scheduler.prepareClock(Int(spec.clock))) ? WTM_OK : WTM_ERR_SYSTEM
        var chunk: UInt32?
        if status == WTM_OK, needsTimers {
            switch Timers.acquireChunk(for: UnsafeMutableRawPointer(scheduler), isGrowing: isGrowing) {
            case .failure(let refusal): status = StatusError(refusal).status
            case .success(let index): chunk = index
            }
        }
        scheduler.pointee.lock.lock()
        if status == WTM_OK, spec.clock != 0, scheduler.pointee.drive == .thread { scheduler.pointee.usesDescriptors = true }
        if let chunk { scheduler.adopt(chunk) }
        scheduler.pointee.holds &-= 1
        scheduler.unlockAndSettle()
        return status
    }

    /// Takes a chunk of free timers over. What is left of the one before joins the free list.
    private func adopt(_ chunk: UInt32) {
        while pointee.bump != pointee.bumpEnd {
            putFree(pointee.bump, Timers.at(pointee.bump))
            pointee.bump &+= 1
        }
        Timers.chunk(chunk).pointee.next = pointee.chunks
        pointee.chunks = chunk &+ 1
        pointee.bump = chunk << Timers.shift
        pointee.bumpEnd = pointee.bump &+ Timers.perChunk
    }
}
