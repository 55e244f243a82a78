import CPlatform
import CWeakTimer

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Serves everything that is due: fires, hooks that wait for this thread, and each due timer once, in order of deadline.
    ///
    /// The caller drives the scheduler and holds the lock, and holds it again on return. `limit` 0 is no limit; what it leaves stays
    /// ready for the next pass. False in a forked child.
    ///
    /// Fires come first, all that are pending, so that their timers are back in the wheel when what is due is collected; in a further pass of the same
    /// call none. `moments` are the times to collect by, the clocks' own if they are not given.
    func pass(
        limit: UInt64, ran: inout UInt64, frame: FramePointer, moments: (UInt64, UInt64, UInt64)? = nil, isFurther: Bool = false
    ) -> Bool {
        guard noticeClockJump() else { return false }
        var monotonic: UInt64 = 0
        var fires: UInt64 = 0
        if !isFurther, !pointee.fires.isEmpty { fires = pointee.firesPending }
        if fires == 0 { monotonic = collectDue(moments) } else { monotonic = readClock() }
        if !isFurther, pointee.drive == .host { quietHost(frame) }
        var isToCollect = fires != 0
        while true {
            if !pointee.hookList.isEmpty {
                guard runListedHook(frame) else { return false }
                continue
            }
            if pointee.state != .up || (limit != 0 && ran >= limit) { return true }
            if frame.pointee.isLate {
                // Other user code than callbacks has taken its time.
                frame.pointee.isLate = false
                monotonic = readClock()
            }
            let index: UInt32
            let fired = fires != 0 && !pointee.fires.isEmpty
            if fired {
                fires &-= 1
                index = pointee.fires.first &- 1
            } else if fires != 0 || isToCollect {
                fires = 0
                isToCollect = false
                monotonic = collectDue(moments)
                if pointee.drive == .host { quietHost(frame) }
                continue
            } else if let next = nextReady() {
                index = next
            } else {
                return true
            }
            let timer = Timers.at(index)
            if !fired, timer.bits & Self.notPlain == 0 {
                guard runPlain(limit, &ran, &monotonic, frame) else { return false }
                continue
            }
            if !fired, timer.bits & Self.simpleMask == Self.simple {
                guard let hasTaken = runRepeating(limit, &ran, &monotonic, frame) else { return false }
                if hasTaken { continue }
            }
            unlist(timer)
            if fired { takeFire(timer) }
            let clock = timer.clock
            let now = clock == 0 && pointee.drive != .manual ? monotonic : self.now(clock)
            if !fired, now < timer.pointee.deadline {
                // The calendar was set back since the collection.
                refileIfIdle(index, timer, timer.record)
                continue
            }
            if let record = timer.record, record.pointee.executorID != 0 {
                guard handOver(index, timer, record, fired: fired, at: now, &ran) else { return false }
                frame.pointee.isLate = true
                pointee.lock.giveWayIfWanted()
            } else {
                frame.pointee.kind = .tick
                guard perform(index, timer, fired: fired, at: now, &monotonic, frame) else { return false }
                noteReading(frame)
                if frame.pointee.isTick { ran &+= 1 }
            }
        }
    }

    /// Reads each clock that has timers and moves what is due to the ready lists. Gives a reading of the system's monotonic clock.
    private func collectDue(_ moments: (UInt64, UInt64, UInt64)?) -> UInt64 {
        let monotonic = readClock()
        if let moments {
            pointee.passNow = moments
        } else {
            pointee.passNow.0 = pointee.drive == .manual ? pointee.manualNow : monotonic
            if pointee.wheels.1 != nil { pointee.passNow.1 = now(1) }
            if pointee.wheels.2 != nil { pointee.passNow.2 = now(2) }
        }
        if !pointee.fires.isEmpty { returnDueFires() }
        if let wheel = pointee.wheels.0 { collect(wheel, 0, pointee.passNow.0) }
        if let wheel = pointee.wheels.1 { collect(wheel, 1, pointee.passNow.1) }
        if let wheel = pointee.wheels.2 { collect(wheel, 2, pointee.passNow.2) }
        return monotonic
    }

    /// Collects from one wheel, letting others have the lock between portions of about 50 us.
    @inline(__always)
    private func collect(_ wheel: WheelPointer, _ clock: Int, _ now: UInt64) {
        while true {
            settleWheel()
            if withReady(clock, { wheel.collect(now: now, into: &$0, limit: 1024) }) { return }
            pointee.lock.giveWay()
        }
    }

    /// The ready timer that goes first: on one clock by deadline, across clocks by lateness, ties in arming order.
    @inline(__always)
    private func nextReady() -> UInt32? {
        if pointee.ready.1.isEmpty, pointee.ready.2.isEmpty {
            return pointee.ready.0.isEmpty ? nil : pointee.ready.0.first &- 1
        }
        var best: UInt32?
        var lateness: UInt64 = 0
        var sequence: UInt64 = 0
        var clock = 0
        while clock < 3 {
            let first = withReady(clock) { $0.first }
            if first != 0 {
                let timer = Timers.at(first &- 1)
                let now = clock == 0 ? pointee.passNow.0 : clock == 1 ? pointee.passNow.1 : pointee.passNow.2
                let late = now.saturatingSubtract(timer.pointee.deadline)
                if best == nil || late > lateness || (late == lateness && timer.armed < sequence) {
                    best = first &- 1
                    lateness = late
                    sequence = timer.armed
                }
            }
            clock &+= 1
        }
        return best
    }

    /// Runs one release hook that asked for the scheduler's own thread.
    func runListedHook(_ frame: FramePointer) -> Bool {
        frame.pointee.isLate = true
        let index = pointee.hookList.first &- 1
        let timer = Timers.at(index)
        pointee.hookList.remove(timer)
        timer.place = Place.none
        frame.pointee.kind = .hook
        frame.pointee.timer = index &+ 1
        link(frame)
        let plan = hookPlan(index, timer)
        pointee.holds &+= 1
        pointee.lock.unlock()
        frame.push()
        plan.release?(plan.releaseContext)
        if frame.isInherited { return false }
        frame.pop()
        pointee.lock.lock()
        unlink(frame)
        retire(index, timer, plan.binding, isHeld: true)
        if frame.isInherited { return false }
        pointee.lock.lock()
        pointee.holds &-= 1
        return true
    }

    /// Whether something is left over from a pass or waits for one.
    var hasWork: Bool {
        !pointee.ready.0.isEmpty || !pointee.ready.1.isEmpty || !pointee.ready.2.isEmpty || !pointee.fires.isEmpty
            || !pointee.hookList.isEmpty
    }

    // Fires.

    /// Puts a timer with undelivered fires into the list of fires. It must be in no other. The caller holds the lock.
    func enlistFire(_ index: UInt32, _ timer: TimerPointer) {
        pointee.fires.append(index, timer)
        timer.place = Place.fire
        requestWakeNow()
    }

    /// Files those anew that are due as well: a fire takes nobody's turn, it is delivered after the tick.
    private func returnDueFires() {
        var link = pointee.fires.first
        while link != 0 {
            let index = link &- 1
            let timer = Timers.at(index)
            link = timer.pointee.next
            let clock = timer.clock
            let now = clock == 0 ? pointee.passNow.0 : clock == 1 ? pointee.passNow.1 : pointee.passNow.2
            if timer.has(TimerBits.armed), !timer.has(TimerBits.paused), timer.pointee.deadline <= now {
                unlistSeldom(timer)
                file(index, timer)
            }
        }
    }

    /// Takes one of the fires of a timer that is about to deliver it.
    private func takeFire(_ timer: TimerPointer) {
        pointee.firesPending &-= 1
        if let record = timer.record {
            if record.pointee.fires > 1 {
                record.pointee.fires &-= 1
                return
            }
            record.pointee.fires = 0
        }
        timer.clear(TimerBits.fire)
    }

    // Waking.

    /// Spreads up to `limit` timers of what will be due, if it is time for that as `reckonWake` saw it. The caller holds the lock, which others
    /// may have meanwhile.
    func spreadAhead(_ limit: UInt32) -> Bool {
        guard let wheel = pointee.wheels.0, wheel.pointee.ahead.due != .never else { return false }
        let now = SystemClock.monotonic()
        if wheel.pointee.ahead.due > now { return false }
        settleWheel()
        wheel.spreadAhead(now: now, limit: limit)
        pointee.lock.giveWay()
        return true
    }

    /// Works out when to wake next, clock by clock. The caller holds the lock.
    func reckonWake() {
        reckonWheels()
        if !hasWork { return }
        pointee.wakeAt.0 = 0
        pointee.wheels.0?.pointee.ahead.due = .never
    }

    /// What a pass has taken up keeps a host's descriptor readable no longer. The caller holds the lock, which is free meanwhile.
    private func quietHost(_ frame: FramePointer) {
        if !hasWork { return }
        reckonWheels()
        pointee.lock.unlock()
        armHost()
        pointee.lock.lock()
        frame.pointee.isLate = true
    }

    private func reckonWheels() {
        settleWheel()
        pointee.wakeAt.0 = pointee.wheels.0?.nextWake() ?? .never
        pointee.wakeAt.1 = pointee.wheels.1?.nextWake() ?? .never
        pointee.wakeAt.2 = pointee.wheels.2?.nextWake() ?? .never
    }
}
