import CPlatform

/// A slot of a higher level that is spread before its time.
///
/// A slot of seventeen seconds may hold hundreds of thousands of timers. To spread it when it comes up would keep whatever is due
/// then waiting, so the owner does it beforehand, a portion at a time, between other things: into the bank of the lower levels
/// that is not in use. When the slot's time comes these levels are empty (all that was in them is before it), and the banks
/// change places, which is one byte a level. What is filed into the slot meanwhile stays there for the next portion, or for then.
struct Ahead {
    /// The level of the slot; 0 for none.
    var level = 0
    /// The slot's first tick, and the earliest moment at which one of those spread must be looked at.
    var start: UInt64 = 0
    var wake: UInt64 = .never
    /// When the next portion is to be spread, as `nextWake` last reckoned.
    var due: UInt64 = .never
    /// How long a timer is reckoned to take, as a power of two in nanoseconds; 0 when nothing is to be spread before its time.
    var cost: UInt64 = 0

    /// A slot with no more timers than this is spread when its time comes.
    var many: UInt32 = 256
    /// How many of one that is begun are spread between two looks at what is due, and may be left for its time.
    static let portion: UInt32 = 64
    /// Sixteen microseconds a timer. A fetch from memory costs a hundredth of that; but to look up a page that was not used for a second has cost
    /// two on a virtual machine, and a timer that is spread six.
    static let usualCost: UInt64 = 14
    /// The lowest level whose slots are spread ahead: they last four milliseconds. Below, every pass spreads some.
    private static let lowest = 2

    fileprivate static var levels: Range<Int> { lowest..<Wheel.doubled &+ 1 }

    mutating func forget() {
        level = 0
        wake = .never
        due = .never
    }
}

extension UnsafeMutablePointer where Pointee == Wheel {
    /// Works out when the next portion is due; the earliest moment that concerns what is or shall be spread ahead.
    func reckonAhead() -> UInt64 {
        pointee.ahead.due = .never
        if pointee.ahead.cost == 0 { return pointee.ahead.wake }
        if pointee.ahead.level != 0 {
            // What is begun is done in one go: whether its timers are still due when they seemed to be shows only then.
            let begun = bucket(blockPlace()).pointee
            if begun.first != 0, begun.count > min(pointee.ahead.many, Ahead.portion) { pointee.ahead.due = 0 }
        } else {
            var level = Ahead.levels.lowerBound
            while level < Ahead.levels.upperBound {
                pointee.ahead.due = min(pointee.ahead.due, aheadDue(level))
                level &+= 1
            }
        }
        return min(pointee.ahead.due, pointee.ahead.wake)
    }

    /// When to begin with the first slot of a level; `never` if it has few timers, or none.
    private func aheadDue(_ level: Int) -> UInt64 {
        let row = row(level)
        let word = occupied[row]
        if word == 0 { return .never }
        let slot = word.trailingZeroBitCount
        let count = bucket(row << 6 | slot).pointee.count, start = start(level, slot)
        if count <= pointee.ahead.many || start <= pointee.current { return .never }
        // Not before the earliest of its timers: one that is due sooner may still come to the slot, in the last moment before it begins.
        // And, of seventeen seconds or more, not before the last slot of the level below has begun, which has to be spread itself. Shorter ones
        // have few timers in the slots below, if not so many that their memory is at hand.
        let lead = min(UInt64(count) << pointee.ahead.cost, 1 << (UInt64(max(level &- 1, 3)) &* 6 &+ pointee.shift))
        return (start << pointee.shift).saturatingSubtract(lead)
    }

    /// Spreads up to `limit` timers of the slot that is being spread ahead, or of one that it is time to begin with.
    ///
    /// Of those the highest goes first: it has the most timers, and lower ones come up too often to be waited for.
    func spreadAhead(now: UInt64, limit: UInt32) {
        if pointee.spreading != 0 { return }
        if pointee.ahead.level == 0 {
            var level = Ahead.levels.upperBound &- 1
            while aheadDue(level) > now {
                if level == Ahead.levels.lowerBound { return }
                level &-= 1
            }
            pointee.ahead.level = level
            pointee.ahead.start = start(level, occupied[row(level)].trailingZeroBitCount)
        }
        let place = blockPlace()
        if bucket(place).pointee.first == 0 { return }
        _ = drain(place, limit) { index, timer, timers in insertAhead(index, timer, timers) }
        // All were moved to later times: there is nothing to come to.
        if bucket(place).pointee.first == 0, pointee.ahead.wake == .never { pointee.ahead.forget() }
    }

    /// Files a timer of the slot that is spread ahead: by its distance from the slot's start, in the idle banks.
    private func insertAhead(_ index: UInt32, _ timer: TimerPointer, _ timers: Timers.Access) {
        let tick = timer.pointee.deadline >> pointee.shift, start = pointee.ahead.start
        let below = UInt64(pointee.ahead.level &* 6)
        if tick >> below != start >> below || timer.pointee.deadline == .never {
            // It was moved to a later time, or to none.
            fileAnew(index, timer, timers)
            return
        }
        let level = tick == start ? 0 : Wheel.level(tick, from: start)
        let idle = 2 &* level &+ Wheel.doubled &- row(level)
        let place = idle << 6 | Int(tick >> UInt64(level &* 6) & 63)
        let wake = timer.wake
        link(index, timer, place, wake, timers)
        timer.bits = timer.bits & ~(TimerBits.placeMask | TimerBits.bucketMask) | Place.wheel | UInt64(place)
        if wake < pointee.ahead.wake { pointee.ahead.wake = wake }
    }

    /// Comes to the block that was spread ahead: its timers are in their places at once. Gives the slot, which may have new ones.
    func enterBlock() -> Int {
        let place = blockPlace()
        pointee.current = pointee.ahead.start
        var level = 0
        while level < pointee.ahead.level {
            rowOf[level] = UInt8(truncatingIfNeeded: 2 &* level &+ Wheel.doubled &- row(level))
            level &+= 1
        }
        pointee.ahead.forget()
        return place
    }

    /// The slot whose block is being spread ahead.
    private func blockPlace() -> Int {
        let level = pointee.ahead.level
        return row(level) << 6 | Int(pointee.ahead.start >> UInt64(level &* 6) & 63)
    }
}
