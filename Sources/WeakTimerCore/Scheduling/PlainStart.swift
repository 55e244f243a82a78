import CPlatform
import CWeakTimer
import Synchronization

/// What the first deadline of a plain one-shot counts from: the clock's own beginning, a reading of it, or now.
enum PlainOrigin { case zero, reading, now }

/// The short ways for plain one-shots: those with no record and no target, on the monotonic clock. They are what servers have a million of.
///
/// Each does exactly what the general way does, or declines and leaves everything as it was.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Starts a plain one-shot. False: take the general way.
    ///
    /// `release` is the bits of the hook.
    @inline(__always)
    static func startPlain(
        _ id: UInt64, fn: UInt, context: UnsafeMutableRawPointer?, release: UInt, first: UInt64,
        from origin: PlainOrigin, _ reading: UInt64, tolerance: UInt32, _ out: UnsafeMutablePointer<wtm_timer>?
    ) -> Bool {
        let id = id == 0 ? Schedulers.knownDefault : id
        guard Handle.isKind(id, .scheduler), let slot = Schedulers.table.slot(Handle.index(id)) else { return false }
        let scheduler = slot.assumingMemoryBound(to: Scheduler.self)
        // Looked at before the lock is taken, so that nobody waits for it.
        var reading = reading
        var isCounter = false
        if origin == .now {
            isCounter = scheduler.hasCounterTime
            reading = isCounter ? wtmp_counter() : SystemClock.monotonic()
        }
        scheduler.pointee.lock.lock()
        guard Schedulers.table.isSlot(slot, id), scheduler.pointee.isPlain, let (index, timer) = scheduler.takeFree() else {
            scheduler.pointee.lock.unlock()
            return false
        }
        let sequence = scheduler.nextSequence()
        scheduler.pointee.stats.created &+= 1
        let deadline =
            origin == .zero ? first : scheduler.plainNow(reading, isCounter: isCounter).saturatingAdd(first)
        timer.pointee.fn = fn
        timer.pointee.context = context
        timer.pointee.aux = release
        timer.pointee.deadline = deadline
        timer.pointee.period = UInt64(tolerance) << 32 | sequence & 0xffff_ffff
        timer.pointee.sequence = sequence & 0xffff_ffff_ffff | (sequence >> 32) << 48
        let generation = max(timer.bits >> Handle.stateBits, 1)
        out?.pointee = wtm_timer(id: Handle.make(.timer, index: index, generation: generation))
        var bits = generation << Handle.stateBits | Handle.inUse | TimerBits.armed
        if deadline != .never {
            var wake = deadline
            if tolerance != 0 {
                let tolerance = ToleranceCode.decode(tolerance)
                wake = Slack.end(deadline, tolerance, isLoose: true)
                if SystemClock.isLoose(tolerance) { bits |= TimerBits.loose }
            }
            let wheel = scheduler.pointee.wheels.0.unsafelyUnwrapped
            let place = wheel.place(deadline)
            wheel.link(index, timer, place, wake, Timers.access)
            bits |= Place.wheel | UInt64(place)
            // The bits are still those of a free slot: all that the timer's tolerance needs.
            if wake < scheduler.pointee.wakeAt.0 { scheduler.lowerWakeSeldom(0, wake, timer) }
        }
        // Release pairs with the acquire in `Timers.find`.
        timer.pointee.head.store(bits, ordering: .releasing)
        let wake = scheduler.pointee.wakeRequest
        scheduler.pointee.wakeRequest = false
        scheduler.pointee.lock.unlock()
        if wake { scheduler.wakeSleeper() }
        return true
    }

    /// The scheduler's time, by a `reading` of the clock or of the processor's counter. The caller holds the lock.
    @inline(__always)
    private func plainNow(_ reading: UInt64, isCounter: Bool) -> UInt64 {
        if pointee.drive == .manual { return pointee.manualNow }
        return isCounter ? counterNow(at: reading) : reading
    }

    /// Whether a timer of these `bits` is a plain one-shot without a hook that lies in the wheel.
    @inline(__always)
    func isPlainWaiting(_ timer: TimerPointer, _ bits: UInt64) -> Bool {
        bits & Self.notWaiting == Place.wheel && timer.pointee.aux == 0 && pointee.state == .up
    }

    /// What tells that a timer is a plain one-shot that lies in the wheel: these must be that place.
    @inline(__always)
    static var notWaiting: UInt64 {
        TimerBits.full | TimerBits.bound | TimerBits.running | TimerBits.ended | TimerBits.fire | TimerBits.clockMask | TimerBits.placeMask
    }

    /// Invalidates a timer that `isPlainWaiting`. The caller holds the lock, which is released. WTM_OK.
    @inline(__always)
    func invalidatePlain(_ index: UInt32, _ timer: TimerPointer, _ bits: UInt64) -> wtm_status {
        pointee.stats.ended.2 &+= 1
        // Free, but for its links, which are somebody's neighbours.
        let place = bits & (TimerBits.placeMask | TimerBits.bucketMask)
        timer.pointee.head.store((bits >> Handle.stateBits &+ 1) << Handle.stateBits | place, ordering: .releasing)
        timer.pointee.period = UInt64(index)
        if pointee.wheels.0.unsafelyUnwrapped.unlinkLater(timer) { return unlinkOlder() }
        return unlocked(WTM_OK)
    }

    @inline(never)
    private func unlinkOlder() -> wtm_status {
        let wheel = pointee.wheels.0.unsafelyUnwrapped
        putUnlinked(wheel, wheel.fetchNewer())
        wheel.turnDeferred()
        // Where timers are ended before they fall due, nobody else learns the counter's rate.
        if pointee.stats.ended.2 & 1023 < 8, !hasCounterTime, pointee.drive != .manual { _ = readCounterClock() }
        return unlocked(WTM_OK)
    }

    /// Takes out of the wheel what has ended, before somebody goes through it or looks for free slots. The caller holds the lock.
    @inline(never)
    func settleWheel() {
        guard let wheel = pointee.wheels.0, wheel.pointee.deferredCount != 0 else { return }
        putUnlinked(wheel, wheel.pointee.deferredCount)
        wheel.pointee.deferredCount = 0
    }

    /// Takes the oldest `count` that have ended out of the wheel, and their slots back: `putFree` for many.
    @inline(never)
    private func putUnlinked(_ wheel: WheelPointer, _ count: Int) {
        var first = pointee.freeSlot, second = pointee.secondFreeSlot
        wheel.unlinkDeferred(count) { timer in
            if timer.bits >> Handle.stateBits < Handle.generationMask {
                timer.pointee.next = UInt32(truncatingIfNeeded: timer.pointee.period)
                timer.farFree = second
                second = first
                first = timer
            }
        }
        pointee.freeSlot = first
        pointee.secondFreeSlot = second
    }

    /// Frees a live timer that has nothing to run and is in no list. The caller holds the lock.
    @inline(__always)
    func freePlain(_ index: UInt32, _ timer: TimerPointer, _ bits: UInt64) {
        let generation = bits >> Handle.stateBits &+ 1
        timer.pointee.head.store(generation << Handle.stateBits, ordering: .releasing)
        if generation < Handle.generationMask {
            putFree(index, timer)
        }
    }
}
