import CPlatform
import CWeakTimer
import Synchronization

/// What a chunk tells of the next move of one of its timers. 0: read the clock.
///
/// How to learn the time is decided before the lock is taken, and the answer lies in the timer (whose tolerance may allow a coarse reading) and in its
/// scheduler (whose counter may tell the time). Both come from memory, where a chunk's entry is at hand. So the chunk says what held for the last.
enum MoveHint {
    /// The scheduler's `CounterClock` was useful.
    static let counter: UInt64 = 1 << 8
    /// The last was a loose timer (`TimerBits.loose`). After so many others, each of which takes one off, the chunk is taken to have none.
    static let loose: UInt64 = 16
}

@_cdecl("wtm_timer_reschedule") @implementation
public func wtm_timer_reschedule(_ t: wtm_timer, _ delay_ns: UInt64) -> wtm_status {
    guard let (chunk, timer) = Timers.locate(t.id) else { return WTM_ERR_GONE }
    // Each way is a function of its own, so that this one saves no registers.
    let hint = chunk.pointee.moveHint.load(ordering: .relaxed)
    if hint == MoveHint.counter { return rescheduleByCounter(t.id, delay_ns, chunk, timer) }
    return hint == 0 ? rescheduleByClock(t.id, delay_ns, chunk, timer) : rescheduleLookingFirst(t.id, delay_ns, chunk, timer)
}

private typealias ChunkPointer = UnsafeMutablePointer<TimerChunk>

@inline(never)
private func rescheduleByCounter(_ id: UInt64, _ delay: UInt64, _ chunk: ChunkPointer, _ timer: TimerPointer) -> wtm_status {
    // Looking at the counter keeps the processor from looking ahead, so the timer is asked for before.
    wtmp_prefetch(timer)
    let counter = wtmp_counter()
    guard let owner = Timers.owner(timer, chunk, id) else { return WTM_ERR_GONE }
    return reschedule(id, delay, chunk, timer, owner) { _ in
        let now = owner.counterNow(at: counter)
        if !owner.hasCounterTime { chunk.pointee.moveHint.store(0, ordering: .relaxed) }
        return now
    }
}

@inline(never)
private func rescheduleByClock(_ id: UInt64, _ delay: UInt64, _ chunk: ChunkPointer, _ timer: TimerPointer) -> wtm_status {
    wtmp_prefetch(timer)
    let now = SystemClock.monotonic()
    guard let owner = Timers.owner(timer, chunk, id) else { return WTM_ERR_GONE }
    return reschedule(id, delay, chunk, timer, owner) { _ in
        // Where timers are only moved, nobody else learns the counter's rate.
        if owner.pointee.sequence & 1023 == 0 { _ = owner.readCounterClock() }
        if owner.hasCounterTime { chunk.pointee.moveHint.store(MoveHint.counter, ordering: .relaxed) }
        return now
    }
}

/// Reschedules a timer of a chunk in which some are loose: it looks at the timer before it chooses the clock. What it sees is a hint until the lock is held.
@inline(never)
private func rescheduleLookingFirst(_ id: UInt64, _ delay: UInt64, _ chunk: ChunkPointer, _ timer: TimerPointer) -> wtm_status {
    guard let owner = Timers.owner(timer, chunk, id) else { return WTM_ERR_GONE }
    if !timer.has(TimerBits.loose) { return rescheduleAmongLoose(id, delay, chunk, timer, owner) }
    return reschedule(id, delay, chunk, timer, owner) { bits in
        // While it runs, it may be made to repeat, and nobody would know how its deadline was reckoned.
        let isLoose = bits & (TimerBits.full | TimerBits.running) == 0 && SystemClock.isLoose(timer.tolerance)
        return isLoose ? SystemClock.monotonicRoundedUp(timer.tolerance) : SystemClock.monotonic()
    }
}

/// Reschedules one that is not loose, but was among such.
@inline(never)
private func rescheduleAmongLoose(
    _ id: UInt64, _ delay: UInt64, _ chunk: ChunkPointer, _ timer: TimerPointer, _ owner: SchedulerPointer
) -> wtm_status {
    let now = SystemClock.monotonic()
    return reschedule(id, delay, chunk, timer, owner) { _ in
        let left = chunk.pointee.moveHint.load(ordering: .relaxed) &- 1
        if left < MoveHint.loose { chunk.pointee.moveHint.store(left, ordering: .relaxed) }
        return now
    }
}

/// Takes the lock and moves the timer to `delay` after what `now` says, by the monotonic clock, when it is given the timer's bits.
@inline(__always)
private func reschedule(
    _ id: UInt64, _ delay: UInt64, _ chunk: ChunkPointer, _ timer: TimerPointer, _ owner: SchedulerPointer, _ now: (UInt64) -> UInt64
) -> wtm_status {
    owner.pointee.lock.lock()
    let bits = timer.bits
    if !Timers.isCurrent(bits, id) { return owner.unlocked(WTM_ERR_GONE) }
    let now = now(bits)
    if owner.pointee.drive != .manual, owner.isPlainMovable(bits, but: TimerBits.clockMask) {
        let deadline = now.saturatingAdd(delay)
        if !owner.moveLater(timer, bits, to: deadline) { return owner.moveEarlier(Handle.index(id), timer, to: deadline) }
        if bits & TimerBits.loose != 0 { chunk.pointee.moveHint.store(MoveHint.loose, ordering: .relaxed) }
        return owner.unlocked(WTM_OK)
    }
    return rescheduleAny(id, delay, now, timer, owner)
}

/// The caller holds the lock, which is released.
@inline(never)
private func rescheduleAny(
    _ id: UInt64, _ delay: UInt64, _ now: UInt64, _ timer: TimerPointer, _ owner: SchedulerPointer
) -> wtm_status {
    owner.reschedule(Handle.index(id), timer, delay: delay, now: timer.clock == 0 ? now : owner.now(timer.clock))
}
