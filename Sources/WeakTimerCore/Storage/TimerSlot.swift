import CPlatform
import CWeakTimer
import Synchronization

/// A timer: one cache line that holds all of a plain one-shot.
///
/// Fields but `head` are guarded by the lock of the scheduler that owns the slot's chunk. `head` is written under that lock
/// and may be read by anybody. What few timers have lives in a `TimerRecord`, what a target needs in a `Binding`.
struct TimerSlot: ~Copyable {
    /// Generation (33 bits) and `TimerBits` (31 bits).
    let head: Atomic<UInt64>
    /// The callback; once the timer has ended, the thread that owes its hooks.
    var fn: UInt
    var context: UnsafeMutableRawPointer?
    /// Plain: the bits of the release hook. Bound only: the index of the binding. Full: the address of the record.
    var aux: UInt
    /// The next ideal deadline; while paused the time that remains (or, `pausedAbsolute`, the deadline).
    var deadline: UInt64
    /// Repeating: the interval. One-shot without a record: tolerance code (high half) and the low half of `created`.
    var period: UInt64
    /// Links of the list that the timer is in (index + 1, 0 for none).
    var next: UInt32
    var prev: UInt32
    /// Arming order (low 48 bits); high bits of `created` of a timer without a record (high 16 bits).
    var sequence: UInt64
}

typealias TimerPointer = UnsafeMutablePointer<TimerSlot>

/// The state bits in a timer's head.
enum TimerBits {
    /// Where in the wheel: slot (6 bits) and level (4 bits).
    static let bucketMask: UInt64 = 0x3ff
    static let placeShift: UInt64 = 10
    static let placeMask: UInt64 = 7 << 10
    static let clockShift: UInt64 = 13
    static let clockMask: UInt64 = 3 << 13
    static let policyShift: UInt64 = 15
    static let policyMask: UInt64 = 3 << 15
    static let repeating: UInt64 = 1 << 17
    /// `aux` is the address of a record.
    static let full: UInt64 = 1 << 18
    /// The timer has a binding to a target.
    static let bound: UInt64 = 1 << 19
    static let paused: UInt64 = 1 << 20
    static let pausedAbsolute: UInt64 = 1 << 21
    /// Sticky: no callback starts any more.
    static let ended: UInt64 = 1 << 22
    /// A callback (or more, when concurrent) is running.
    static let running: UInt64 = 1 << 23
    /// A tick has been handed to an executor and has not started.
    static let queued: UInt64 = 1 << 24
    /// A one-shot that stays valid after its tick.
    static let keep: UInt64 = 1 << 25
    /// There is a next deadline.
    static let armed: UInt64 = 1 << 26
    /// At least one `fire` has not been delivered.
    static let fire: UInt64 = 1 << 27
    /// When it was started, its tolerance was one for which a coarse reading of the clock will do. A hint for moving it.
    static let loose: UInt64 = 1 << 28
    /// The tick limit is reached: what runs is the last callback.
    static let last: UInt64 = 1 << 29
}

/// Which list a timer is in.
enum Place {
    static let none: UInt64 = 0
    static let wheel: UInt64 = 1 << TimerBits.placeShift
    static let ready: UInt64 = 2 << TimerBits.placeShift
    static let fire: UInt64 = 3 << TimerBits.placeShift
    /// Ended; its hooks wait for the scheduler's own thread.
    static let hooks: UInt64 = 4 << TimerBits.placeShift
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == TimerSlot {
    /// The state, for whoever holds the scheduler's lock: a plain load and a plain store, never a read-modify-write.
    @inline(__always)
    var bits: UInt64 {
        get { pointee.head.load(ordering: .relaxed) }
        nonmutating set { pointee.head.store(newValue, ordering: .relaxed) }
    }

    @inline(__always) func has(_ bit: UInt64) -> Bool { bits & bit != 0 }
    @inline(__always) func set(_ bit: UInt64) { bits |= bit }
    @inline(__always) func clear(_ bit: UInt64) { bits &= ~bit }

    @inline(__always)
    var place: UInt64 {
        get { bits & TimerBits.placeMask }
        nonmutating set { bits = bits & ~TimerBits.placeMask | newValue }
    }

    @inline(__always) var clock: Int { Int(truncatingIfNeeded: bits >> TimerBits.clockShift & 3) }
    @inline(__always) var policy: UInt32 { UInt32(truncatingIfNeeded: bits >> TimerBits.policyShift & 3) }

    /// Arming order: of two timers with one deadline the lower goes first.
    @inline(__always)
    var armed: UInt64 {
        get { pointee.sequence & 0xffff_ffff_ffff }
        nonmutating set { pointee.sequence = pointee.sequence & ~0xffff_ffff_ffff | newValue & 0xffff_ffff_ffff }
    }

    @inline(__always)
    var record: RecordPointer? {
        has(TimerBits.full) ? RecordPointer(bitPattern: pointee.aux) : nil
    }

    /// The order of creation. A plain one-shot keeps it beside its tolerance.
    var created: UInt64 {
        if let record { return record.pointee.created }
        return (pointee.sequence >> 48) << 32 | pointee.period & 0xffff_ffff
    }

    @inline(__always)
    var tolerance: UInt64 {
        if has(TimerBits.full) { return record.unsafelyUnwrapped.pointee.tolerance }
        return ToleranceCode.decode(UInt32(truncatingIfNeeded: pointee.period >> 32))
    }

    /// The binding of a bound timer.
    @inline(__always)
    var bindingIndex: UInt32 {
        if let record { return record.pointee.binding }
        return UInt32(truncatingIfNeeded: pointee.aux)
    }

    /// The free slot after the next, in a free one.
    @inline(__always)
    var farFree: TimerPointer? {
        get { pointee.context?.assumingMemoryBound(to: TimerSlot.self) }
        nonmutating set { pointee.context = UnsafeMutableRawPointer(newValue) }
    }

    var callback: wtm_tick_fn { unsafeBitCast(pointee.fn, to: wtm_tick_fn.self) }

    /// The thread that will run the hooks of an ended, idle timer.
    var hookThread: ThreadPointer? {
        get { ThreadPointer(bitPattern: pointee.fn) }
        nonmutating set { pointee.fn = UInt(bitPattern: newValue) }
    }

    /// The release hook, wherever it is kept.
    var release: wtm_release_fn? {
        if let record { return record.pointee.release }
        if has(TimerBits.bound) { return Bindings.at(bindingIndex).pointee.release }
        return unsafeBitCast(pointee.aux, to: wtm_release_fn?.self)
    }

    /// The end of the timer calls nobody: neither a hook nor, for a named one, the log.
    var endsQuietly: Bool {
        if let record, record.pointee.ended != nil || record.pointee.name.0 & 0xff != 0 { return false }
        return release == nil
    }

    @inline(__always)
    var interval: UInt64 { has(TimerBits.repeating) ? pointee.period : 0 }
}

/// A tolerance in 32 bits: nanoseconds below 2^31, or whole milliseconds. Nearly all are one or the other.
enum ToleranceCode {
    private static let milliseconds: UInt32 = 1 << 31

    @inline(__always)
    static func encode(_ tolerance: UInt64) -> UInt32? {
        if tolerance < 1 << 31 { return UInt32(truncatingIfNeeded: tolerance) }
        if tolerance % 1_000_000 == 0, tolerance / 1_000_000 < 1 << 31 {
            return UInt32(truncatingIfNeeded: tolerance / 1_000_000) | milliseconds
        }
        return nil
    }

    @inline(__always)
    static func decode(_ code: UInt32) -> UInt64 {
        code & milliseconds == 0 ? UInt64(code) : UInt64(code & ~milliseconds) &* 1_000_000
    }
}
