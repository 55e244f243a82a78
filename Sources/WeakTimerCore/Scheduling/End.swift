import CPlatform
import CWeakTimer
import Synchronization

/// What remains to be done for a timer that has just been ended.
enum EndOutcome {
    /// It had nothing to run and is gone.
    case done
    /// The caller must call `runHooks`.
    case owned
    /// A callback is running; its thread will run the hooks.
    case running
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The timer that a handle names with its scheduler's lock held, unless it has been freed.
    @inline(__always)
    static func locked(timer id: UInt64) -> (SchedulerPointer, TimerPointer)? {
        guard let (timer, owner) = Timers.find(id) else { return nil }
        owner.pointee.lock.lock()
        if Timers.isCurrent(timer, id) { return (owner, timer) }
        owner.pointee.lock.unlock()
        return nil
    }

    /// Takes a timer out of whatever list it is in. The caller holds the lock.
    @inline(__always)
    func unlist(_ timer: TimerPointer) {
        switch timer.place {
        case Place.none: break
        case Place.wheel: wheel(timer.clock).unsafelyUnwrapped.remove(timer)
        case Place.ready:
            withReady(timer.clock) { $0.remove(timer) }
            timer.place = Place.none
        case Place.fire:
            pointee.fires.remove(timer)
            timer.place = Place.none
        default: break
        }
    }

    /// The same, out of line: for what is done seldom.
    @inline(never)
    func unlistSeldom(_ timer: TimerPointer) { unlist(timer) }

    /// Ends a timer that has not ended. The caller holds the lock. No callback of it starts from here on.
    @inline(never)
    func end(_ index: UInt32, _ timer: TimerPointer, _ reason: wtm_reason, _ thread: ThreadPointer?) -> EndOutcome {
        unlist(timer)
        if timer.has(TimerBits.queued), let record = timer.record { voidQueued(timer, record, scheduledOnly: false) }
        if timer.has(TimerBits.fire) { pointee.firesPending &-= max(timer.record?.pointee.fires ?? 1, 1) }
        timer.bits = timer.bits & ~(TimerBits.armed | TimerBits.fire) | TimerBits.ended
        pointee.zombies &+= 1
        countEnd(reason)
        if let record = timer.record {
            record.pointee.reason = reason.rawValue
            if timer.has(TimerBits.running) { return .running }
            if record.pointee.release == nil, record.pointee.ended == nil, !timer.has(TimerBits.bound) {
                free(index, timer)
                return .done
            }
        } else {
            if timer.has(TimerBits.running) { return .running }
            if timer.pointee.aux == 0, !timer.has(TimerBits.bound) {
                free(index, timer)
                return .done
            }
        }
        timer.hookThread = thread
        return .owned
    }

    private func countEnd(_ reason: wtm_reason) {
        switch reason {
        case WTM_REASON_COMPLETED: pointee.stats.ended.1.count()
        case WTM_REASON_INVALIDATED: pointee.stats.ended.2.count()
        case WTM_REASON_TARGET_GONE: pointee.stats.ended.3.count()
        case WTM_REASON_SHUTDOWN: pointee.stats.ended.4.count()
        default: pointee.stats.ended.0.count()
        }
    }

    /// Gives an ended timer's slot and record back: its handle names nothing from here on. The caller holds the lock.
    func free(_ index: UInt32, _ timer: TimerPointer) {
        var record = timer.record
        while let r = record {
            record = r.pointee.nextSpare
            Records.free(r)
        }
        let generation = timer.bits >> Handle.stateBits
        timer.pointee.head.store((generation &+ 1) << Handle.stateBits, ordering: .releasing)
        pointee.zombies &-= 1
        if generation &+ 1 < Handle.generationMask {
            putFree(index, timer)
        }
    }

    /// Takes back the ticks that an executor has not begun. The caller holds the lock.
    ///
    /// A concurrent timer's queued ticks have taken their places on the grid and in the limit already: they are given back, and the
    /// deadline of the first of them is the answer.
    @inline(never)
    @discardableResult
    func voidQueued(_ timer: TimerPointer, _ record: RecordPointer, scheduledOnly: Bool) -> UInt64? {
        var remains = false
        var first: PlannedTick?
        var next: RecordPointer? = record
        while let r = next {
            next = r.pointee.nextSpare
            guard r.pointee.phase == .queued, r.pointee.node.work == .tick else { continue }
            if scheduledOnly, r.pointee.planned.fired {
                remains = true
                continue
            }
            if record.isConcurrent, !r.pointee.planned.fired {
                if first == nil || r.pointee.planned.ordinal < first!.ordinal { first = r.pointee.planned }
                giveBackLimit(timer, record)
            }
            takeBack(r)
            record.pointee.outstanding &-= 1
        }
        if !remains { timer.clear(TimerBits.queued) }
        guard let first else { return nil }
        record.pointee.ordinal = first.ordinal &- first.missed &- 1
        timer.set(TimerBits.armed)
        return first.earliest
    }

    /// Puts a concurrent timer back to a tick that was handed over and is not to run yet.
    func giveBack(_ tick: PlannedTick, _ timer: TimerPointer, _ record: RecordPointer) {
        giveBackLimit(timer, record)
        record.pointee.ordinal = min(record.pointee.ordinal, tick.ordinal &- tick.missed &- 1)
        if !timer.has(TimerBits.armed) || tick.earliest < timer.pointee.deadline {
            timer.pointee.deadline = tick.earliest
            record.pointee.grid.lay(from: tick.earliest)
        }
        timer.set(TimerBits.armed)
    }

    /// A tick of a concurrent timer that was counted when it was handed over will not run.
    func giveBackLimit(_ timer: TimerPointer, _ record: RecordPointer) {
        if record.pointee.limit == 0 || record.pointee.limited == 0 { return }
        record.pointee.limited &-= 1
        timer.clear(TimerBits.last)
        if timer.has(TimerBits.repeating) { timer.set(TimerBits.armed) }
    }

    /// Makes a hand-over void: it leaves the executor's queue, or is found void by whoever has taken it already.
    @inline(never)
    func takeBack(_ record: RecordPointer) {
        if let executor = record.pointee.executor {
            executor.lockWhatever()
            if record.pointee.node.state == .queued { executor.pullBack(record) }
            record.pointee.node.state = .free
            record.pointee.seq &+= 1
            executor.unlock()
        }
        record.pointee.phase = .none
        handOverDone(record)
    }

    /// A hand-over to a pool or a serial queue, which `advance` waits for.
    func handOverBegun(_ record: RecordPointer) {
        record.pointee.flags |= RecordFlags.counted
        record.pointee.prevHanded = nil
        record.pointee.nextHanded = pointee.handed
        pointee.handed?.pointee.prevHanded = record
        pointee.handed = record
        pointee.handedOver &+= 1
    }

    /// It is over, or void.
    func handOverDone(_ record: RecordPointer) {
        if record.pointee.flags & RecordFlags.counted == 0 { return }
        record.pointee.flags &= ~RecordFlags.counted
        let next = record.pointee.nextHanded, prev = record.pointee.prevHanded
        if let prev { prev.pointee.nextHanded = next } else { pointee.handed = next }
        next?.pointee.prevHanded = prev
        pointee.handedOver &-= 1
        // An `advance` may wait for it. Nobody waits as a rule, and then this is a load.
        if pointee.handedOver == 0 { pointee.event.signal() }
    }
}
