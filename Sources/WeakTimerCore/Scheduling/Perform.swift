import CPlatform
import CWeakTimer

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Runs one tick of a timer that is in no list, and brings it to its end or files it again.
    ///
    /// The caller holds the lock, and holds it again on return; in between it is free. `now` is a current reading of the timer's
    /// own clock. `monotonic` is one of the system's monotonic clock, also under manual time, since what a callback costs is real; it is one
    /// of when the callback has returned. `held` is the strong pointer of a weak timer if it has been locked already. False when the process was
    /// forked inside and this is the child: nothing may be touched, and the lock is not held.
    @inline(never)
    func perform(
        _ index: UInt32, _ timer: TimerPointer, fired: Bool, at now: UInt64, _ monotonic: inout UInt64,
        _ frame: FramePointer, planned: PlannedTick? = nil, held: UnsafeMutableRawPointer? = nil
    ) -> Bool {
        let record = timer.record
        frame.pointee.timer = index &+ 1
        frame.pointee.began = monotonic
        frame.pointee.isReported = false
        frame.pointee.isTick = false
        frame.pointee.isFired = fired
        link(frame)
        timer.set(TimerBits.running)
        if let record, record.isConcurrent { record.pointee.runningCount &+= 1 }
        frame.push()
        var now = now
        var strong = held
        if held == nil, let record, record.pointee.flags & RecordFlags.weak != 0 {
            frame.pointee.scheduled = fired ? now : timer.pointee.deadline
            guard let outcome = lockWeak(timer, record, frame, fired: fired) else { return false }
            switch outcome {
            case .gone, .moved:
                frame.pop()
                finish(index, timer, record, frame, outcome == .gone)
                return !frame.isInherited
            case .held(let pointer): strong = pointer
            }
            if timer.clock == Int(ClockID.wall) { now = self.now(timer.clock) }
        }
        var values = planned ?? (fired ? reckonFired(timer, at: now) : reckon(timer, at: now))
        if planned == nil { countTowardsLimit(timer, &values) }
        frame.pointee.isTick = true
        frame.pointee.scheduled = values.scheduled
        frame.pointee.lateness = countTick(timer, values, at: now)
        var tick = wtm_tick(
            size: UInt32(MemoryLayout<wtm_tick>.size), flags: fired ? UInt32(WTM_TICK_FIRED) : 0,
            clock: UInt32(timer.clock), reserved: 0, scheduled_ns: values.scheduled, now_ns: now, next_ns: values.next,
            target: strong, ordinal: values.ordinal, missed: values.missed)
        if timer.has(TimerBits.bound) {
            tick.target = Targets.at(Bindings.at(timer.bindingIndex).pointee.target).pointee.context
        }
        let callback = timer.callback
        let context = callbackContext(timer)
        let id = Timers.id(index, timer)
        let unlock = record?.pointee.weakUnlock
        unlockWatched()

        callback(wtm_timer(id: id), &tick, context)
        if frame.isInherited { return false }
        if let strong, let unlock {
            unlock(strong)
            if frame.isInherited { return false }
        }
        frame.pop()
        let began = monotonic
        frame.pointee.counter = wtmp_counter()
        monotonic = SystemClock.monotonic()
        let took = monotonic.saturatingSubtract(began)
        pointee.lock.lock()
        if pointee.slowCallback != 0, took >= pointee.slowCallback {
            guard tellSlow(timer, frame, took) else { return false }
        }
        pointee.stats.callback.add(took)
        if frame.pointee.lateness > pointee.stats.maxLateness { pointee.stats.maxLateness = frame.pointee.lateness }
        if took > pointee.stats.maxCallback { pointee.stats.maxCallback = took }
        if let record = timer.record, took > record.pointee.maxCallback { record.pointee.maxCallback = took }
        finish(index, timer, timer.record, frame, false)
        return !frame.isInherited
    }

    enum WeakOutcome: Equatable {
        /// The object is gone.
        case gone
        /// The timer was ended, moved or paused while the object was looked up.
        case moved
        case held(UnsafeMutableRawPointer)
    }

    /// Turns the weak reference into a strong one, with the lock released meanwhile. Nil in a forked child.
    ///
    /// `lock` is part of the callback: what the tick says of the time is as of before it. Only a calendar that was set back meanwhile counts.
    func lockWeak(_ timer: TimerPointer, _ record: RecordPointer, _ frame: FramePointer, fired: Bool) -> WeakOutcome? {
        let context = timer.pointee.context
        let armed = timer.armed
        let lock = record.pointee.weakLock.unsafelyUnwrapped
        let unlock = record.pointee.weakUnlock
        unlockWatched()
        let strong = lock(context)
        if frame.isInherited { return nil }
        pointee.lock.lock()
        guard let strong else {
            frame.pointee.isLate = true
            return .gone
        }
        let stands =
            !timer.has(TimerBits.ended)
            && (fired || timer.armed == armed && !timer.has(TimerBits.paused) && !wasSetBack(timer))
        if stands { return .held(strong) }
        pointee.lock.unlock()
        unlock?(strong)
        if frame.isInherited { return nil }
        pointee.lock.lock()
        frame.pointee.isLate = true
        return .moved
    }

    /// Whether the calendar was set back to before the timer's deadline, which had come.
    @inline(__always)
    private func wasSetBack(_ timer: TimerPointer) -> Bool {
        timer.clock == Int(ClockID.wall) && isEarly(timer)
    }

    @inline(never)
    private func isEarly(_ timer: TimerPointer) -> Bool { now(timer.clock) < timer.pointee.deadline }

    /// After a callback: ends the timer, runs its hooks, or files it again. The caller holds the lock, and holds it again on return.
    @inline(never)
    func finish(
        _ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer?, _ frame: FramePointer, _ targetGone: Bool
    ) {
        if let record {
            if let carrier = frame.pointee.carrier {
                frame.pointee.carrier = nil
                carrier.pointee.phase = .none
                handOverDone(carrier)
                record.pointee.outstanding &-= 1
            }
            if record.isConcurrent { record.pointee.runningCount &-= 1 }
            if record.pointee.runningCount == 0 { timer.clear(TimerBits.running) }
        } else {
            timer.clear(TimerBits.running)
        }
        if !timer.has(TimerBits.ended) {
            if targetGone {
                endAfterCallback(index, timer, WTM_REASON_TARGET_GONE, frame)
                return
            }
            let isOver =
                timer.has(TimerBits.last)
                || !timer.has(TimerBits.armed) && !timer.has(TimerBits.repeating) && !timer.has(TimerBits.keep)
            if isOver {
                if timer.has(TimerBits.running) || timer.has(TimerBits.queued) {
                    unlink(frame)
                } else {
                    endAfterCallback(index, timer, WTM_REASON_COMPLETED, frame)
                }
                return
            }
            unlink(frame)
            refileIfIdle(index, timer, record)
            return
        }
        if timer.has(TimerBits.running) {
            unlink(frame)
            return
        }
        runHooksOfRunner(index, timer, frame)
    }

    @inline(never)
    private func endAfterCallback(_ index: UInt32, _ timer: TimerPointer, _ reason: wtm_reason, _ frame: FramePointer) {
        switch end(index, timer, reason, frame.pointee.thread) {
        case .owned: runHooksOfRunner(index, timer, frame)
        case .running: unlink(frame)
        case .done:
            unlink(frame)
        }
    }

    /// The hooks of a timer that ended during its callback, on the thread that ran it.
    @inline(never)
    private func runHooksOfRunner(_ index: UInt32, _ timer: TimerPointer, _ frame: FramePointer) {
        frame.pointee.kind = .hook
        var plan = hookPlan(index, timer)
        timer.hookThread = frame.pointee.thread
        // The callback ran where the timer's executor runs things, so the release hook may run here, too.
        plan.onExecutor = plan.onExecutor && frame.pointee.executor != timer.record?.pointee.executor
        pointee.holds &+= 1
        pointee.lock.unlock()
        frame.push()
        finishHooks(index, timer, plan, frame, isHeld: true)
        if frame.isInherited { return }
        pointee.lock.lock()
        pointee.holds &-= 1
    }

    /// Puts a timer that has no tick under way where it belongs: with the fires, in the wheel, or nowhere. Holds the lock.
    @inline(never)
    func refileIfIdle(_ index: UInt32, _ timer: TimerPointer, _ record: RecordPointer?) {
        if let record, record.pointee.outstanding >= outstandingLimit(record) { return }
        if timer.place != Place.none { return }
        if timer.has(TimerBits.running), !(record?.isConcurrent ?? false) { return }
        if timer.has(TimerBits.fire) {
            enlistFire(index, timer)
            return
        }
        if timer.has(TimerBits.armed), !timer.has(TimerBits.paused) { file(index, timer) }
    }

    /// How many ticks of a timer may be handed over at once.
    func outstandingLimit(_ record: RecordPointer) -> UInt32 {
        if !record.isConcurrent { return 1 }
        var count: UInt32 = 0
        var next: RecordPointer? = record
        while let r = next {
            count &+= 1
            next = r.pointee.nextSpare
        }
        return count
    }

    /// Files an armed timer in its wheel and lowers the moment of the next wake-up. The caller holds the lock.
    @inline(__always)
    func file(_ index: UInt32, _ timer: TimerPointer) {
        let clock = timer.clock
        let wake = wheel(clock).unsafelyUnwrapped.insert(index, timer)
        lowerWake(clock, wake, for: timer)
    }
}
