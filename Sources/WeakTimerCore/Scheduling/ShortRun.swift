import CPlatform
import CWeakTimer

/// What the two short ways through a pass have in common (`PlainRun.swift`, `RepeatRun.swift`): `perform` for the common cases.
///
/// The lock is held at the beginning and at the end of each of these; it is free during a callback. The frame stays linked and on its thread's
/// chain from the first callback to the last, since nobody sees it between two. All are inlined: a million calls a tick is what they are for.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    @inline(__always)
    func beginShortRun(_ frame: FramePointer) {
        frame.pointee.kind = .tick
        frame.pointee.isFired = false
        frame.pointee.isTick = true
        link(frame)
        frame.push()
    }

    /// Reads the system's monotonic clock, for what callbacks cost. The caller drives the scheduler and holds the lock.
    func readClock() -> UInt64 {
        let now = readCounterClock()
        pointee.passMark = pointee.counterClock.mark
        return now
    }

    /// Takes over the reading of the clock that `perform` made, if it made one.
    @inline(never)
    func noteReading(_ frame: FramePointer) {
        if frame.pointee.counter == 0 { return }
        pointee.passMark = frame.pointee.counter
        frame.pointee.counter = 0
    }

    /// The stopwatch for a run of callbacks, of which the first begins now; `monotonic` is the last reading. And for how many counts a reading is
    /// good for another callback: for none where callbacks as short as that are reported.
    @inline(__always)
    func takeWatch(_ monotonic: UInt64, slow: UInt64) -> (Stopwatch, good: UInt64) {
        let watch = Stopwatch(mark: pointee.passMark, scale: pointee.counterClock.scale, monotonic)
        return (watch, slow < 2_000 ? 0 : pointee.counterClock.microsecond)
    }

    @inline(__always)
    func endShortRun(_ frame: FramePointer, _ watch: Stopwatch) {
        pointee.passMark = watch.mark
        frame.pop()
        unlink(frame)
    }

    /// Whether the first ready timer may be looked at. With other clocks' timers due (not `isAlone`) each turn is the pass's to give; only a
    /// collection adds to those lists.
    @inline(__always)
    func mayRun(_ limit: UInt64, _ ran: UInt64, isAlone: Bool, isServed: Bool) -> Bool {
        pointee.ready.0.first != 0 && (isAlone || !isServed) && (limit == 0 || ran < limit) && pointee.hookList.isEmpty && pointee.state == .up
    }

    @inline(__always)
    var isMonotonicAlone: Bool { pointee.ready.1.isEmpty && pointee.ready.2.isEmpty }

    /// No duration is this long where none is reported.
    @inline(__always)
    var slowLimit: UInt64 { pointee.slowCallback == 0 ? .never : pointee.slowCallback }

    /// Takes the timer that is first off the ready list. The record of the next, if it has one, comes from memory meanwhile.
    @inline(__always)
    func takeFirst(_ timer: TimerPointer, _ timers: Timers.Access, fetchesRecord: Bool) {
        let link = timer.pointee.next
        pointee.ready.0.first = link
        if link == 0 {
            pointee.ready.0.last = 0
            return
        }
        let following = timers.at(link &- 1)
        following.pointee.prev = 0
        // Any address will do for a prefetch, should it have none.
        if fetchesRecord { wtmp_prefetch(UnsafeRawPointer(bitPattern: following.pointee.aux)) }
    }

    /// Tells the frame which callback begins.
    @inline(__always)
    func enter(_ frame: FramePointer, _ index: UInt32, _ watch: Stopwatch) {
        frame.pointee.timer = index &+ 1
        frame.pointee.began = watch.began
        frame.pointee.isReported = false
    }

    /// Counts a tick that is about to run, and gives its lateness.
    @inline(__always)
    func countShort(_ frame: FramePointer, due: UInt64, at now: UInt64, _ ran: inout UInt64) -> UInt64 {
        let lateness = now.saturatingSubtract(due)
        // Sixty-four bits of single steps never come round.
        pointee.stats.ticks &+= 1
        pointee.stats.lateness.add(lateness)
        if lateness > pointee.stats.maxLateness { pointee.stats.maxLateness = lateness }
        ran &+= 1
        frame.pointee.scheduled = due
        frame.pointee.lateness = lateness
        return lateness
    }

    /// Calls `body` with the lock free, reads the clock unless the last reading is still good (for `good` counts), and counts how long it took: nil
    /// in a forked child.
    @inline(__always)
    func callUnlocked(
        _ timer: TimerPointer, _ frame: FramePointer, _ monotonic: inout UInt64, _ watch: inout Stopwatch, slow: UInt64, good: UInt64,
        _ body: () -> Void
    ) -> UInt64? {
        unlockWatched()
        body()
        if frame.isInherited { return nil }
        let took = watch.lap(&monotonic, good: good)
        pointee.lock.lock()
        if took >= slow {
            guard tellSlow(timer, frame, took) else { return nil }
            monotonic = watch.read()
            frame.pointee.isLate = false
        }
        pointee.stats.callback.add(took)
        if took > pointee.stats.maxCallback { pointee.stats.maxCallback = took }
        return took
    }

    /// The long way after a callback, for a timer that has ended or was moved, paused or fired meanwhile. False in a forked child.
    @inline(never)
    func finishShort(
        _ index: UInt32, _ timer: TimerPointer, _ frame: FramePointer, _ monotonic: inout UInt64, _ watch: inout Stopwatch,
        targetGone: Bool = false
    ) -> Bool {
        frame.pop()
        finish(index, timer, timer.record, frame, targetGone)
        if frame.isInherited { return false }
        beginShortRun(frame)
        if frame.pointee.isLate {
            // Hooks have taken their time.
            frame.pointee.isLate = false
            monotonic = watch.read()
        }
        return true
    }
}
