import CWeakTimer
import Synchronization

/// What a timer needs beyond its slot: repetition, hooks, an executor, a name, statistics. Made on demand.
///
/// Records live in a slot table of their own, so that the number which a custom executor is given (`Work`) can be checked
/// at any time. All fields but `seq` and `owner` are guarded by the scheduler's lock.
struct TimerRecord: ~Copyable {
    var nextFree: UInt32
    var flags: UInt32
    let head: Atomic<UInt64>

    // What every tick touches: one cache line, with the first field of the grid.
    var ordinal: UInt64
    var ticks: UInt64
    var tolerance: UInt64
    var maxLateness: UInt64
    var maxCallback: UInt64
    var grid: Grid
    var missed: UInt64
    var executor: ExecutorPointer?
    var limit: UInt64
    var limited: UInt64
    var weakLock: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)?
    var weakUnlock: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

    // What few ticks touch.
    var dropped: UInt64
    var fires: UInt64
    var executorID: UInt64
    var release: wtm_release_fn?
    var ended: wtm_ended_fn?
    var created: UInt64
    var reason: UInt32
    var binding: UInt32
    /// Ticks handed over and not finished, running ones included; and how many of them run, for concurrent timers (others have `TimerBits.running`).
    var outstanding: UInt32
    var runningCount: UInt32
    var index: UInt32

    // The hand-over to an executor.
    var node: QueueNode
    var phase: Phase
    /// Which hand-over of this record is current; a tick that carries an older number is void.
    var seq: UInt64
    /// The scheduler of the current hand-over, for `run` to lock.
    let owner: Atomic<UnsafeMutableRawPointer?>
    var timer: TimerPointer?
    var timerIndex: UInt32
    /// Concurrent timers: the values of the tick, fixed when it was handed over; and further records to hand over with.
    var planned: PlannedTick
    var nextSpare: RecordPointer?
    /// The list of what pools and serial queues have of the scheduler.
    var nextHanded: RecordPointer?
    var prevHanded: RecordPointer?

    var name: TimerName
}

/// Up to 47 bytes and a zero, in memory order.
typealias TimerName = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

/// How far a record's hand-over has come.
enum Phase { case none, queued, running }

typealias RecordPointer = UnsafeMutablePointer<TimerRecord>

enum RecordFlags {
    static let concurrent: UInt32 = 1
    static let releaseOnExecutor: UInt32 = 2
    /// A wall timer that has ticked since its grid was laid: after a step back it goes on with it.
    static let ticked: UInt32 = 4
    /// The hooks have been handed to an executor.
    static let hookQueued: UInt32 = 8
    /// The rate is in `grid`; the slot's interval is the rounded one.
    static let rational: UInt32 = 16
    /// No executor, limit, rate or overlap: a tick needs no more than the grid.
    static let simple: UInt32 = 64
    /// It has weak operations.
    static let weak: UInt32 = 128
    /// The hand-over under way counts in the scheduler's `handedOver`.
    static let counted: UInt32 = 32
}

/// The values of one tick.
struct PlannedTick {
    var scheduled: UInt64 = 0
    var next: UInt64 = 0
    var ordinal: UInt64 = 0
    var missed: UInt64 = 0
    var earliest: UInt64 = 0
    var fired = false
}

enum Records {
    enum Layout: SlotLayout {
        static var kind: Handle.Kind { .internalRecord }
        /// Whole cache lines.
        static var slotBytes: Int { (MemoryLayout<TimerRecord>.stride &+ 63) & ~63 }
        static var chunkShift: UInt32 { 8 }
        static var chunksShift: UInt32 { 20 }
    }
    static let table = SlotTable<Layout>()

    static func allocate() -> RecordPointer? {
        guard let (index, slot) = table.allocate() else { return nil }
        _ = table.publish(index, slot)
        let record = slot.assumingMemoryBound(to: TimerRecord.self)
        record.reset(index)
        return record
    }

    static func free(_ record: RecordPointer) {
        let slot = UnsafeMutableRawPointer(record)
        record.pointee.owner.store(nil, ordering: .relaxed)
        table.retire(slot)
        table.recycle(record.pointee.index, slot)
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == TimerRecord {
    /// Everything but the head and `seq`, which lives on for as long as the memory does.
    fileprivate func reset(_ index: UInt32) {
        pointee.flags = 0
        pointee.ordinal = 0
        pointee.ticks = 0
        pointee.missed = 0
        pointee.tolerance = 0
        pointee.maxLateness = 0
        pointee.maxCallback = 0
        pointee.grid = Grid()
        pointee.executor = nil
        pointee.limit = 0
        pointee.limited = 0
        pointee.weakLock = nil
        pointee.weakUnlock = nil
        pointee.dropped = 0
        pointee.fires = 0
        pointee.executorID = 0
        pointee.release = nil
        pointee.ended = nil
        pointee.created = 0
        pointee.reason = 0
        pointee.binding = 0
        pointee.outstanding = 0
        pointee.runningCount = 0
        pointee.phase = .none
        pointee.index = index
        pointee.node = QueueNode()
        pointee.timer = nil
        pointee.timerIndex = 0
        pointee.planned = PlannedTick()
        pointee.nextSpare = nil
        pointee.nextHanded = nil
        pointee.prevHanded = nil
        pointee.name = (0, 0, 0, 0, 0, 0)
    }

    /// Lays the grid from a deadline that the user has set, which like a first one waits for its date.
    @inline(__always)
    func layAnew(from deadline: UInt64) {
        pointee.grid.lay(from: deadline)
        pointee.flags &= ~RecordFlags.ticked
    }

    var isConcurrent: Bool { pointee.flags & RecordFlags.concurrent != 0 }
    /// The first of a concurrent timer's ticks that are queued and not fired ones.
    var queuedTick: PlannedTick? {
        if !isConcurrent { return nil }
        var first: PlannedTick?
        var next: RecordPointer? = self
        while let r = next {
            if r.pointee.phase == .queued, !r.pointee.planned.fired, first == nil || r.pointee.planned.ordinal < first!.ordinal {
                first = r.pointee.planned
            }
            next = r.pointee.nextSpare
        }
        return first
    }
}
