import CPlatform
import CWeakTimer
import Synchronization

/// A live timer as a walk remembers it.
struct Visited {
    var created: UInt64
    var id: UInt64
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The body of `wtm_scheduler_for_each`. The caller holds the lock, which is released.
    ///
    /// Notes the handles of all live timers, a chunk at a time, sorts them by creation, and then looks each up again just before
    /// its turn. So the visitor may do what it likes, and the lock is never held for long.
    func forEach(_ visit: wtm_visit_fn, _ context: UnsafeMutableRawPointer?) -> wtm_status {
        if pointee.state != .up { return unlocked(WTM_ERR_SHUT_DOWN) }
        let id = pointee.id, until = pointee.sequence
        let room = Int(truncatingIfNeeded: pointee.stats.live &+ pointee.zombies)
        if room == 0 { return unlocked(WTM_OK) }
        pointee.lock.unlock()
        guard let raw = Memory.allocate(room &* MemoryLayout<Visited>.stride) else { return WTM_ERR_SYSTEM }
        let list = raw.bindMemory(to: Visited.self, capacity: room)
        defer { CPlatform.free(raw) }
        let count = gather(list, room, id, until)
        heapSort(list, count)
        var frame = Frame(.visit)
        frame.scheduler = self
        return withUnsafeMutablePointer(to: &frame) { frame in
            frame.push()
            var i = 0
            while i < count {
                if let (scheduler, timer) = Self.locked(timer: list[i].id) {
                    if timer.has(TimerBits.ended) {
                        scheduler.pointee.lock.unlock()
                    } else {
                        var info = scheduler.info(Handle.index(list[i].id), timer)
                        scheduler.pointee.lock.unlock()
                        let goesOn = visit(wtm_timer(id: list[i].id), &info, context)
                        if frame.isInherited { return WTM_ERR_GONE }
                        if !goesOn { break }
                    }
                }
                i &+= 1
            }
            frame.pop()
            return WTM_OK
        }
    }

    private func gather(_ list: UnsafeMutablePointer<Visited>, _ room: Int, _ id: UInt64, _ until: UInt64) -> Int {
        var count = 0
        pointee.lock.lock()
        var chunk = pointee.id == id ? pointee.chunks : 0
        while chunk != 0 {
            let base = (chunk &- 1) << Timers.shift
            var i: UInt32 = 0
            while i < Timers.perChunk, count < room {
                let timer = Timers.at(base &+ i)
                if timer.has(Handle.inUse), !timer.has(TimerBits.ended), timer.created <= until {
                    list[count] = Visited(created: timer.created, id: Timers.id(base &+ i, timer))
                    count &+= 1
                }
                i &+= 1
            }
            let next = Timers.chunk(chunk &- 1).pointee.next
            pointee.lock.unlock()
            pointee.lock.lock()
            chunk = pointee.id == id ? next : 0
        }
        pointee.lock.unlock()
        return count
    }

    /// In place, without memory or recursion (Williams, 1964).
    private func heapSort(_ list: UnsafeMutablePointer<Visited>, _ count: Int) {
        func sift(_ start: Int, _ end: Int) {
            var root = start
            while root &* 2 &+ 1 < end {
                var child = root &* 2 &+ 1
                if child &+ 1 < end, list[child].created < list[child &+ 1].created { child &+= 1 }
                if list[root].created >= list[child].created { return }
                let kept = list[root]
                list[root] = list[child]
                list[child] = kept
                root = child
            }
        }
        var start = count / 2
        while start > 0 {
            start &-= 1
            sift(start, count)
        }
        var end = count
        while end > 1 {
            end &-= 1
            let kept = list[0]
            list[0] = list[end]
            list[end] = kept
            sift(0, end)
        }
    }
}
