/// A list of timers through their own links, first to last. The caller holds the scheduler's lock.
struct TimerList {
    /// Index plus one; 0 for none.
    var first: UInt32 = 0
    var last: UInt32 = 0

    @inline(__always) var isEmpty: Bool { first == 0 }

    @inline(__always)
    mutating func append(_ index: UInt32, _ timer: TimerPointer) {
        append(index, timer, Timers.access)
    }

    @inline(__always)
    mutating func append(_ index: UInt32, _ timer: TimerPointer, _ timers: Timers.Access) {
        timer.pointee.next = 0
        timer.pointee.prev = last
        if last == 0 { first = index &+ 1 } else { timers.at(last &- 1).pointee.next = index &+ 1 }
        last = index &+ 1
    }

    @inline(__always)
    mutating func remove(_ timer: TimerPointer) {
        let next = timer.pointee.next, prev = timer.pointee.prev
        if prev == 0 { first = next } else { Timers.at(prev &- 1).pointee.next = next }
        if next == 0 { last = prev } else { Timers.at(next &- 1).pointee.prev = prev }
        timer.pointee.next = 0
        timer.pointee.prev = 0
    }
}
