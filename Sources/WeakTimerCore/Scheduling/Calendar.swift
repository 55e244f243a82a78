import CPlatform
import CWeakTimer
import Synchronization

/// Wall time minus boottime, bracketed by two readings; wraps.
struct CalendarOffset {
    var low: UInt64
    var high: UInt64
    var middle: UInt64 { low &+ (high &- low) / 2 }

    static func read() -> CalendarOffset {
        let before = SystemClock.read(ClockID.boottime)
        let wall = SystemClock.read(ClockID.wall)
        let after = SystemClock.read(ClockID.boottime)
        return CalendarOffset(low: wall &- after, high: wall &- before)
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// What is less than this, either way, is not told from the noise of reading two clocks. Deadlines do not depend on it.
    private static var noise: Int64 { 1_000_000 }

    /// Looks whether the calendar was stepped since the last pass. Holds the lock, which is released for the hook. False in a forked child.
    func noticeClockJump() -> Bool {
        // A recycled scheduler may have the wheel of the one before; the descriptor is made with the first wall timer of its own.
        if pointee.wheels.2 == nil || pointee.descriptors.wall.load(ordering: .relaxed) == 0 { return true }
        let offset = CalendarOffset.read()
        let known = pointee.wallOffset
        let below = Int64(bitPattern: known &- offset.low), above = Int64(bitPattern: offset.high &- known)
        if below >= -Self.noise, above >= -Self.noise { return true }
        pointee.wallOffset = offset.middle
        let delta = Int64(bitPattern: offset.middle &- known)
        calendarStepped(by: delta)
        return tellClockJump(delta)
    }

    /// The body of `wtm_scheduler_set_wall`. The caller holds the lock, which is released.
    func setWall(_ time: UInt64) -> wtm_status {
        if pointee.drive != .manual { return unlocked(WTM_ERR_UNSUPPORTED) }
        if pointee.state != .up { return unlocked(WTM_ERR_SHUT_DOWN) }
        let before = now(2)
        let time = min(time, .never &- 1)
        pointee.wallBase = time
        pointee.wallSetAt = pointee.manualNow
        if time == before { return unlocked(WTM_OK) }
        let delta: Int64 =
            time > before
            ? Int64(clamping: time &- before) : 0 &- Int64(clamping: before &- time)
        calendarStepped(by: delta)
        pointee.holds &+= 1
        guard tellClockJump(delta) else { return WTM_ERR_GONE }
        pointee.holds &-= 1
        unlockAndSettle()
        return WTM_OK
    }

    /// Files wall timers anew after a step back: those that wait for a date wait for it again, those that repeat and have ticked
    /// go on with their grid. After a step forwards the next pass finds what has become due. The caller holds the lock.
    private func calendarStepped(by delta: Int64) {
        guard delta < 0, let wheel = pointee.wheels.2 else { return }
        let now = now(2)
        // What is due all the same keeps its turn.
        while pointee.ready.2.last != 0 {
            let index = pointee.ready.2.last &- 1
            let timer = Timers.at(index)
            if timer.pointee.deadline <= now { break }
            unlistSeldom(timer)
            refileIfIdle(index, timer, timer.record)
        }
        wheel.rewind(to: now) { rejoinGrid($0, at: now) }
        // Those whose tick runs, or is queued, or that wait to be fired, are in no wheel. A step is rare enough to look at every slot.
        var chunk = pointee.chunks
        while chunk != 0 {
            let base = (chunk &- 1) << Timers.shift
            var i: UInt32 = 0
            while i < Timers.perChunk {
                let timer = Timers.at(base &+ i)
                i &+= 1
                let isOutside = timer.place == Place.none || timer.place == Place.fire
                guard timer.clock == 2, timer.has(Handle.inUse), !timer.has(TimerBits.ended) else { continue }
                if timer.place == Place.wheel, timer.has(TimerBits.fire), timer.pointee.deadline > now {
                    // A fire that waited for the timer's turn waits no longer.
                    unlistSeldom(timer)
                    refileIfIdle(base &+ i &- 1, timer, timer.record)
                }
                guard isOutside else { continue }
                let wasNever = timer.pointee.deadline == .never
                rejoinGrid(timer, at: now)
                // The end of time has come nearer.
                if wasNever, timer.pointee.deadline != .never { refileIfIdle(base &+ i &- 1, timer, timer.record) }
            }
            chunk = Timers.chunk(chunk &- 1).pointee.next
        }
    }

    @inline(never)
    private func rejoinGrid(_ timer: TimerPointer, at now: UInt64) {
        guard timer.has(TimerBits.repeating), timer.has(TimerBits.armed), !timer.has(TimerBits.paused),
            let record = timer.record, record.pointee.flags & RecordFlags.ticked != 0
        else { return }
        let interval = timer.pointee.period
        var grid = record.pointee.grid
        grid.reachBack(to: now, interval)
        let k = now < grid.base ? 0 : grid.lastPoint(notAfter: now, interval).saturatingAdd(1)
        let deadline = grid.deadline(k, interval)
        if deadline < timer.pointee.deadline {
            timer.pointee.deadline = deadline
            grid.index = k
            record.pointee.grid = grid
        }
    }

    /// Calls the hook and logs. Holds the lock, which is released meanwhile. False in a forked child.
    private func tellClockJump(_ delta: Int64) -> Bool {
        pointee.lock.unlock()
        let epoch = Process.epoch
        logClockJump(delta)
        if Process.epoch != epoch { return false }
        if let told = pointee.hooks.onClockJump {
            guard callHook({ told($0, delta) }) else { return false }
        }
        pointee.lock.lock()
        return true
    }
}
