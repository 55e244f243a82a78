import CPlatform

extension UnsafeMutablePointer where Pointee == Wheel {
    /// Moves all timers whose deadline is not after `now` to the end of `ready`, in order of deadline and arming.
    ///
    /// Goes from one occupied slot to the next, whatever lies between. A slot above the lowest level is spread over the levels
    /// below when its time comes; each timer is spread at most eight times in its life.
    ///
    /// A slot of a million timers would be spread for tens of milliseconds, so no more than `limit` are moved in one call: false
    /// says that the caller should call again, after letting others have the lock.
    func collect(now: UInt64, into ready: inout TimerList, limit: UInt32 = .max) -> Bool {
        var left = limit
        if pointee.spreading != 0, !spread(pointee.spreading &- 1, &left) { return false }
        // A clock that was set back by less than anybody noticed leaves the wheel ahead: the present slot is looked through all the same.
        let until = max(now >> pointee.shift, pointee.current)
        while true {
            let (level, slot) = earliestSlot()
            let start = level < Wheel.levels ? start(level, slot) : .never
            if pointee.ahead.level != 0, pointee.ahead.start <= start {
                // Its block was spread before its time; what has come to the slot since is spread now.
                if pointee.ahead.start > until { break }
                let place = enterBlock()
                if bucket(place).pointee.first == 0 { continue }
                pointee.spreading = place &+ 1
                if !spread(place, &left) { return false }
                continue
            }
            if level == Wheel.levels || start > until { break }
            if start > pointee.current { pointee.current = start }
            let place = row(level) << 6 | slot
            if takeInOrder(place, end: start &+ (1 << UInt64(level &* 6)), now: now, &left, into: &ready) {
                if level == 0, start == until { break }
            } else if level > 0 {
                // What is started now for the time of the slot goes below it; what is still in the slot comes first all the same.
                pointee.spreading = place &+ 1
                if !spread(place, &left) { return false }
            } else {
                take(detach(place), now: now, into: &ready)
                // The present slot may keep timers that are due later in this tick.
                if start == until { break }
            }
        }
        pointee.current = until
        return true
    }

    /// The occupied slot that comes first in time; the level is beyond all when there is none.
    @inline(__always)
    private func earliestSlot() -> (level: Int, slot: Int) {
        var level = 0
        while level < Wheel.levels {
            let word = occupied[row(level)]
            if word != 0 { return (level, word.trailingZeroBitCount) }
            level &+= 1
        }
        return (level, 0)
    }

    /// Files up to `left` timers of a slot anew, and takes them off `left`. Whether that was all.
    private func spread(_ place: Int, _ left: inout UInt32) -> Bool {
        left &-= drain(place, left) { index, timer, timers in fileAnew(index, timer, timers) }
        if occupied[place >> 6] >> UInt64(place & 63) & 1 != 0 { return false }
        pointee.spreading = 0
        return true
    }

    /// Takes a slot whose timers are in order or in the opposite order: those that repeat mostly are, and what is due of them needs be neither
    /// spread nor sorted. The rest is filed anew. Not a slot with one that was moved beyond its `end`, whose turn comes later.
    private func takeInOrder(_ place: Int, end: UInt64, now: UInt64, _ left: inout UInt32, into ready: inout TimerList) -> Bool {
        let timers = Timers.access
        let bucket = bucket(place).pointee
        if bucket.count > left { return false }
        let first = timers.at(bucket.first &- 1), last = timers.at(bucket.last &- 1)
        let isForwards = ListSort.inOrder(first, last)
        var timer = isForwards ? first : last
        while true {
            if timer.pointee.deadline >> pointee.shift >= end { return false }
            let link = isForwards ? timer.pointee.next : timer.pointee.prev
            if link == 0 { break }
            let next = timers.at(link &- 1)
            if !ListSort.inOrder(timer, next) { return false }
            timer = next
        }
        left &-= bucket.count
        _ = detach(place)
        var link = isForwards ? bucket.first : bucket.last
        while link != 0 {
            let index = link &- 1
            let timer = timers.at(index)
            link = isForwards ? timer.pointee.next : timer.pointee.prev
            if timer.pointee.deadline <= now {
                ready.append(index, timer, timers)
                timer.place = Place.ready
            } else {
                fileAnew(index, timer, timers)
            }
        }
        return true
    }

    /// Takes what is due out of the list of the present slot and files the rest, which is due later in this tick or was moved to
    /// a later one: that one's turn may come in this very collection, but after what else is due before it.
    private func take(_ list: UInt32, now: UInt64, into ready: inout TimerList) {
        let timers = Timers.access
        var due: UInt32 = 0
        var rest = list
        repeat {
            let index = rest &- 1
            let timer = timers.at(index)
            rest = timer.pointee.next
            if rest != 0 { wtmp_prefetch(timers.at(rest &- 1)) }
            if timer.pointee.deadline <= now, timer.pointee.deadline >> pointee.shift <= pointee.current {
                timer.pointee.next = due
                due = index &+ 1
            } else {
                fileAnew(index, timer, timers)
            }
        } while rest != 0
        var sorted = ListSort.sort(due)
        while sorted != 0 {
            let index = sorted &- 1
            let timer = timers.at(index)
            sorted = timer.pointee.next
            ready.append(index, timer, timers)
            timer.place = Place.ready
        }
    }

    /// The moment at which the owner must look again; `never` when there is nothing.
    ///
    /// Slots come in time order and no timer of a slot must be looked at before the slot starts, so the search ends at the first
    /// slot that starts after the best so far. A stale slot that could decide is looked through: what was moved to later is
    /// filed where it belongs now, so that nobody wakes for it.
    func nextWake() -> UInt64 {
        if pointee.spreading != 0 { return 0 }
        var best = reckonAhead()
        var level = 0
        while level < Wheel.levels {
            let row = row(level)
            var seen: UInt64 = 0
            while true {
                let word = occupied[row] & ~seen
                if word == 0 { break }
                let slot = word.trailingZeroBitCount
                seen |= (1 << UInt64(slot)) | ((1 << UInt64(slot)) &- 1)
                let start = start(level, slot)
                // A present slot may hold what is long due; its start says nothing then.
                if start > pointee.current, start << pointee.shift >= best { return best }
                let bucket = bucket(row << 6 | slot)
                if bucket.pointee.isStale, bucket.pointee.earliestWake < best { refresh(row << 6 | slot) }
                if bucket.pointee.first != 0, bucket.pointee.earliestWake < best { best = bucket.pointee.earliestWake }
            }
            level &+= 1
        }
        return best
    }

    /// Files a stale slot's timers anew, unless there are so many that an idle wake-up is the lesser evil.
    private func refresh(_ place: Int) {
        if bucket(place).pointee.count > 4096 { return }
        let timers = Timers.access
        var rest = detach(place)
        while rest != 0 {
            let index = rest &- 1
            let timer = timers.at(index)
            rest = timer.pointee.next
            fileAnew(index, timer, timers)
        }
    }

    /// Takes every timer out, gives each to `body` to adjust, and files it again from a wheel that stands at `now`.
    ///
    /// For a clock that was set: the only way in which the wheel goes back. Costs a step for each timer.
    func rewind(to now: UInt64, _ body: (TimerPointer) -> Void) {
        var all: UInt32 = 0
        var row = 0
        while row < Wheel.rows {
            while occupied[row] != 0 {
                var rest = detach(row << 6 | occupied[row].trailingZeroBitCount)
                while rest != 0 {
                    let timer = Timers.at(rest &- 1)
                    let next = timer.pointee.next
                    timer.pointee.next = all
                    all = rest
                    rest = next
                }
            }
            row &+= 1
        }
        pointee.current = now >> pointee.shift
        pointee.spreading = 0
        pointee.ahead.forget()
        while all != 0 {
            let index = all &- 1
            let timer = Timers.at(index)
            all = timer.pointee.next
            body(timer)
            fileAnew(index, timer, Timers.access)
        }
    }
}
