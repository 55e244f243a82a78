import CPlatform
import Synchronization

/// One slot of the wheel: a list of timers.
struct Bucket {
    /// The first timer and the last, index plus one; `last` says nothing when there is none.
    var first: UInt32
    var last: UInt32
    /// The earliest moment at which one of these timers must be looked at.
    var earliestWake: UInt64
    /// Twice the number of timers; odd when the bucket is stale.
    var tally: UInt32

    /// A timer was removed or moved since `earliestWake` was reckoned, so that may be too early. Never too late.
    @inline(__always) var isStale: Bool { tally & Self.stale != 0 }
    @inline(__always) var count: UInt32 { tally >> 1 }

    static let stale: UInt32 = 1
    static let one: UInt32 = 2
}

/// A hierarchical timing wheel (Varghese and Lauck, 1987): 64 slots a level, an occupancy word a level, levels for 64 bits.
///
/// Times are absolute. A timer is filed at the level of the highest group of six bits in which its tick differs from the
/// current one, so all slots of a level come before all of the next, and an empty stretch of any length costs nothing. The wheel is
/// pure: it reads no clock and takes no lock. Its order is that of exact deadlines; a slot remembers the earliest end of a
/// tolerance window in it, which is when its owner must wake.
///
/// Lives in memory of its own, behind `WheelPointer`.
struct Wheel {
    static let levels = 9
    static let slots = 64
    /// The levels that exist twice, so that a slot of a higher level can be spread before its time (see Ahead.swift).
    static let doubled = 7
    /// Words of occupancy, and rows of slots: a number below 16 stands for a level in one of its two banks.
    static let rows = levels + doubled
    static var bytes: Int { MemoryLayout<Wheel>.stride &+ bucketOffset &+ rows &* slots &* MemoryLayout<Bucket>.stride }
    /// How many timers may have ended and still be linked (see Deferred.swift).
    static let deferredMost = 16
    fileprivate static var rowBytes: Int { 16 }
    fileprivate static var deferredOffset: Int { rowBytes &+ rows &* 8 }
    fileprivate static var bucketOffset: Int { deferredOffset &+ deferredMost &* 8 }

    /// The tick that the wheel has come to. Grows only (but see `rewind`).
    var current: UInt64
    /// log2 of the nanoseconds of a tick.
    var shift: UInt64
    /// The slot that is being spread over the levels below, plus one; 0 for none.
    var spreading: Int
    /// How many of `deferred` there are.
    var deferredCount = 0
    var ahead = Ahead()
}

extension Wheel {
    /// The highest group of six bits in which two ticks differ; they must.
    @inline(__always)
    static func level(_ tick: UInt64, from current: UInt64) -> Int {
        let highest = 63 &- (tick ^ current).leadingZeroBitCount
        return (highest &* 43) >> 8  // highest / 6, exact below 64
    }
}

typealias WheelPointer = UnsafeMutablePointer<Wheel>

extension UnsafeMutablePointer where Pointee == Wheel {
    /// Makes an empty wheel in `Wheel.bytes` of memory.
    static func make(in memory: UnsafeMutableRawPointer, shift: UInt64 = 10) -> WheelPointer {
        let wheel = memory.bindMemory(to: Wheel.self, capacity: 1)
        wheel.initialize(to: Wheel(current: 0, shift: shift, spreading: 0))
        var row = 0
        while row < Wheel.rows {
            wheel.occupied[row] = 0
            row &+= 1
        }
        row = 0
        while row < Wheel.levels {
            wheel.rowOf[row] = UInt8(truncatingIfNeeded: row < Wheel.doubled ? row : row &+ Wheel.doubled)
            row &+= 1
        }
        return wheel
    }

    /// Makes an empty wheel begin anew.
    func reset() {
        pointee.current = 0
        pointee.spreading = 0
        pointee.ahead.forget()
    }

    /// The row that each level uses at present.
    @inline(__always)
    var rowOf: UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(self + 1).assumingMemoryBound(to: UInt8.self)
    }

    @inline(__always) func row(_ level: Int) -> Int { Int(rowOf[level]) }

    /// A word a row: which slots have timers.
    @inline(__always)
    var occupied: UnsafeMutablePointer<UInt64> {
        (UnsafeMutableRawPointer(self + 1) + Wheel.rowBytes).assumingMemoryBound(to: UInt64.self)
    }

    /// The timers that have ended and are still linked.
    @inline(__always)
    var deferred: UnsafeMutablePointer<TimerPointer> {
        (UnsafeMutableRawPointer(self + 1) + Wheel.deferredOffset).assumingMemoryBound(to: TimerPointer.self)
    }

    @inline(__always)
    func bucket(_ place: Int) -> UnsafeMutablePointer<Bucket> {
        (UnsafeMutableRawPointer(self + 1) + Wheel.bucketOffset).assumingMemoryBound(to: Bucket.self) + place
    }

    /// Row and slot (row × 64 + slot) for a deadline. What is past is filed with the present.
    @inline(__always)
    func place(_ deadline: UInt64) -> Int {
        let tick = deadline >> pointee.shift, current = pointee.current
        if tick <= current { return row(0) << 6 | Int(current & 63) }
        let level = Wheel.level(tick, from: current)
        return row(level) << 6 | Int(tick >> UInt64(level &* 6) & 63)
    }

    /// The first tick of a slot that is not in the past.
    @inline(__always)
    func start(_ level: Int, _ slot: Int) -> UInt64 {
        let below = UInt64(level &* 6)
        let above = below &+ 6
        let block = above >= 64 ? 0 : (pointee.current >> above) << above
        return block | UInt64(slot) << below
    }

    /// Files a timer by its deadline. Gives the moment at which it must be looked at; `never` for one that is not filed.
    @inline(__always)
    func insert(_ index: UInt32, _ timer: TimerPointer) -> UInt64 {
        insert(index, timer, Timers.access)
    }

    @inline(__always)
    func insert(_ index: UInt32, _ timer: TimerPointer, _ timers: Timers.Access) -> UInt64 {
        let deadline = timer.pointee.deadline
        let bits = timer.bits & ~(TimerBits.placeMask | TimerBits.bucketMask)
        if deadline == .never {
            timer.bits = bits
            return .never
        }
        let isExact = bits & TimerBits.full == 0 && timer.pointee.period >> 32 == 0
        let wake = isExact ? deadline : timer.wake
        let place = place(deadline)
        link(index, timer, place, wake, timers)
        timer.bits = bits | Place.wheel | UInt64(place)
        return wake
    }

    /// The same for a timer that has been filed before: one copy of the code for all that walk through slots.
    @inline(never)
    func fileAnew(_ index: UInt32, _ timer: TimerPointer, _ timers: Timers.Access) {
        _ = insert(index, timer, timers)
    }

    /// Puts a timer into a slot; its bits are the caller's to write.
    @inline(__always)
    func link(_ index: UInt32, _ timer: TimerPointer, _ place: Int, _ wake: UInt64, _ timers: Timers.Access) {
        let bucket = bucket(place)
        let first = bucket.pointee.first
        timer.pointee.prev = 0
        timer.pointee.next = first
        if first == 0 {
            occupied[place >> 6] |= 1 << UInt64(place & 63)
            bucket.pointee.earliestWake = wake
            bucket.pointee.tally = Bucket.one
            bucket.pointee.last = index &+ 1
        } else {
            timers.at(first &- 1).pointee.prev = index &+ 1
            bucket.pointee.tally &+= Bucket.one
            if wake < bucket.pointee.earliestWake { bucket.pointee.earliestWake = wake }
        }
        bucket.pointee.first = index &+ 1
    }

    /// Takes a filed timer out. The slot's earliest wake may now be too early, which costs a look at most.
    @inline(__always)
    func remove(_ timer: TimerPointer) {
        let bits = timer.bits
        unlink(timer, Int(bits & TimerBits.bucketMask))
        timer.pointee.next = 0
        timer.pointee.prev = 0
        timer.bits = bits & ~TimerBits.placeMask
    }

    /// Takes a timer out of its slot; its links and bits are the caller's to write.
    @inline(__always)
    func unlink(_ timer: TimerPointer, _ place: Int, _ timers: Timers.Access = Timers.access) {
        let next = timer.pointee.next, prev = timer.pointee.prev
        let bucket = bucket(place)
        bucket.pointee.tally = (bucket.pointee.tally &- Bucket.one) | Bucket.stale
        if next != 0 { timers.at(next &- 1).pointee.prev = prev } else { bucket.pointee.last = prev }
        if prev != 0 {
            timers.at(prev &- 1).pointee.next = next
        } else {
            bucket.pointee.first = next
            if next == 0 { occupied[place >> 6] &= ~(1 << UInt64(place & 63)) }
        }
    }

    /// Moves a filed timer, whose deadline has been changed from `old`. A later one stays where it is until its slot comes up:
    /// pushing an I/O timeout back is one store.
    @inline(__always)
    func refile(_ index: UInt32, _ timer: TimerPointer, from old: UInt64) -> UInt64 {
        if timer.pointee.deadline >= old {
            bucket(Int(timer.bits & TimerBits.bucketMask)).pointee.tally |= Bucket.stale
            return timer.wake
        }
        remove(timer)
        return insert(index, timer)
    }

    /// Empties a slot and gives its list.
    @inline(__always)
    func detach(_ place: Int) -> UInt32 {
        let first = bucket(place).pointee.first
        bucket(place).pointee.first = 0
        occupied[place >> 6] &= ~(1 << UInt64(place & 63))
        return first
    }

    /// Gives up to `limit` timers of a slot to `file`, which puts each into another slot. How many.
    ///
    /// Goes through the list from both ends: a list leads through memory at random, and so two timers are fetched at a time.
    @inline(__always)
    func drain(_ place: Int, _ limit: UInt32, _ file: (UInt32, TimerPointer, Timers.Access) -> Void) -> UInt32 {
        let timers = Timers.access
        let bucket = bucket(place)
        let all = bucket.pointee.count
        let count = min(all, limit)
        var front = bucket.pointee.first, back = bucket.pointee.last
        var left = count
        while left != 0 {
            let first = front &- 1
            let timer = timers.at(first)
            if left == 1 {
                front = timer.pointee.next
                file(first, timer, timers)
                break
            }
            let last = back &- 1
            let other = timers.at(last)
            front = timer.pointee.next
            back = other.pointee.prev
            if left > 2 {
                wtmp_prefetch(timers.at(front &- 1))
                wtmp_prefetch(timers.at(back &- 1))
            }
            file(first, timer, timers)
            file(last, other, timers)
            left &-= 2
        }
        if count == all {
            _ = detach(place)
        } else {
            timers.at(front &- 1).pointee.prev = 0
            timers.at(back &- 1).pointee.next = 0
            bucket.pointee.first = front
            bucket.pointee.last = back
            bucket.pointee.tally &-= count &* Bucket.one
        }
        return count
    }

    var isEmpty: Bool {
        var row = 0
        while row < Wheel.rows {
            if occupied[row] != 0 { return false }
            row &+= 1
        }
        return true
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == TimerSlot {
    /// The latest moment to wake for the timer's deadline.
    @inline(__always)
    var wake: UInt64 { tolerance == 0 ? pointee.deadline : endOfWindow() }

    /// The deadline of a one-shot may have been reckoned by a coarse clock, also when it has been made to repeat.
    @inline(never)
    private func endOfWindow() -> UInt64 {
        Slack.wake(pointee.deadline, tolerance, isLoose: !has(TimerBits.repeating) || record?.pointee.ordinal == 0)
    }
}
