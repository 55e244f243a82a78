import CPlatform
import Synchronization

/// The directory's entry for a chunk of 1,024 timers.
struct TimerChunk: ~Copyable {
    let base: Atomic<UnsafeMutableRawPointer?>
    /// The scheduler whose lock guards the chunk's timers.
    let owner: Atomic<UnsafeMutableRawPointer?>
    /// The owner's next chunk, plus one; when free, the next free chunk.
    var next: UInt32
    /// What the next move of a timer of the chunk may need: see `MoveHint`. (It also makes the entry 32 bytes, so that an index is a shift.)
    let moveHint: Atomic<UInt64>
}

/// All timers of the process, by index. A chunk belongs to one scheduler at a time, so a slot need not say whose it is.
enum Timers {
    static let shift: UInt32 = 10
    static let perChunk: UInt32 = 1 << shift
    private static let chunkLimit: UInt32 = 1 << 18

    nonisolated(unsafe) private static var chunks: UnsafeMutablePointer<TimerChunk>?
    private static let lock = Lock()
    nonisolated(unsafe) private static var usedChunks: UInt32 = 0
    nonisolated(unsafe) private static var freeChunk: UInt32 = 0

    /// Once, before any other use.
    static func prepare() -> Bool {
        let bytes = Int(chunkLimit) &* MemoryLayout<TimerChunk>.stride
        guard let raw = Memory.map(bytes) else { return false }
        chunks = raw.assumingMemoryBound(to: TimerChunk.self)
        return true
    }

    static var isPrepared: Bool { chunks != nil }

    @inline(__always)
    static func chunk(_ index: UInt32) -> UnsafeMutablePointer<TimerChunk> {
        chunks.unsafelyUnwrapped + Int(index)
    }

    /// The chunks' addresses, for a loop that would load them again and again.
    struct Access {
        fileprivate let chunks: UnsafeMutablePointer<TimerChunk>

        @inline(__always)
        func at(_ index: UInt32) -> TimerPointer {
            let base = (chunks + Int(index >> shift)).pointee.base.load(ordering: .relaxed)
            return base.unsafelyUnwrapped.assumingMemoryBound(to: TimerSlot.self) + Int(index & (perChunk &- 1))
        }

        /// Has the processor fetch the timer of a link. Any address will do for that, also the one of no timer.
        @inline(__always)
        func prefetch(_ link: UInt32) {
            let index = link &- 1
            let base = (chunks + Int(index >> shift & (chunkLimit &- 1))).pointee.base.load(ordering: .relaxed)
            let address = UInt(bitPattern: base) &+ UInt(index & (perChunk &- 1)) &* UInt(MemoryLayout<TimerSlot>.stride)
            wtmp_prefetch(UnsafeRawPointer(bitPattern: address))
        }
    }

    @inline(__always) static var access: Access { Access(chunks: chunks.unsafelyUnwrapped) }

    /// The timer of an index that is known to exist: one out of a list, or of a slot the caller owns.
    @inline(__always)
    static func at(_ index: UInt32) -> TimerPointer {
        let base = chunk(index >> shift).pointee.base.load(ordering: .relaxed)
        return base.unsafelyUnwrapped.assumingMemoryBound(to: TimerSlot.self) + Int(index & (perChunk &- 1))
    }

    /// The scheduler of a timer that is in use and cannot end meanwhile.
    @inline(__always)
    static func owner(_ index: UInt32) -> SchedulerPointer {
        chunk(index >> shift).pointee.owner.load(ordering: .acquiring).unsafelyUnwrapped
            .assumingMemoryBound(to: Scheduler.self)
    }

    /// The timer that a handle names, with the scheduler whose lock guards it, if the handle is current.
    ///
    /// The answer is a hint until it is checked again under that lock: see `Scheduler.locked(timer:)`.
    @inline(__always)
    static func find(_ id: UInt64) -> (timer: TimerPointer, owner: SchedulerPointer)? {
        guard let (chunk, timer) = locate(id), let owner = owner(timer, chunk, id) else { return nil }
        return (timer, owner)
    }

    /// Where the timer of a handle is, if it is current. Reads nothing of it.
    @inline(__always)
    static func locate(_ id: UInt64) -> (chunk: UnsafeMutablePointer<TimerChunk>, timer: TimerPointer)? {
        guard Handle.isKind(id, .timer), let chunks else { return nil }
        let index = Handle.index(id)
        let chunk = chunks + Int(index >> shift)
        guard let base = chunk.pointee.base.load(ordering: .acquiring) else { return nil }
        return (chunk, base.assumingMemoryBound(to: TimerSlot.self) + Int(index & (perChunk &- 1)))
    }

    /// The scheduler of a located timer, if the handle is current.
    @inline(__always)
    static func owner(_ timer: TimerPointer, _ chunk: UnsafeMutablePointer<TimerChunk>, _ id: UInt64) -> SchedulerPointer? {
        guard isCurrent(timer, id) else { return nil }
        return chunk.pointee.owner.load(ordering: .acquiring)?.assumingMemoryBound(to: Scheduler.self)
    }

    @inline(__always)
    static func isCurrent(_ timer: TimerPointer, _ id: UInt64) -> Bool {
        isCurrent(timer.pointee.head.load(ordering: .acquiring), id)
    }

    /// The same for a head that has been read.
    @inline(__always)
    static func isCurrent(_ head: UInt64, _ id: UInt64) -> Bool {
        head & ~(Handle.stateMask & ~Handle.inUse) == Handle.head(id)
    }

    /// Whether the handle is current and has not ended. Takes no lock.
    @inline(__always)
    static func isValid(_ id: UInt64) -> Bool {
        guard let chunks else { return false }
        let index = Handle.index(id)
        guard let base = (chunks + Int(index >> shift)).pointee.base.load(ordering: .acquiring) else { return false }
        let timer = base.assumingMemoryBound(to: TimerSlot.self) + Int(index & (perChunk &- 1))
        let head = timer.pointee.head.load(ordering: .acquiring)
        // Kind and generation in one comparison, as they stand side by side in the handle.
        let name = head >> Handle.stateBits | Handle.Kind.timer.rawValue << 33
        return name == id >> Handle.indexBits && head & (Handle.inUse | TimerBits.ended) == Handle.inUse
    }

    /// The handle of a timer in use.
    @inline(__always)
    static func id(_ index: UInt32, _ timer: TimerPointer) -> UInt64 {
        Handle.make(.timer, index: index, generation: timer.bits >> Handle.stateBits)
    }

    enum Refusal { case memory, limit }

    /// Gives the scheduler a chunk of free timers: one that a dead scheduler left, or a new one.
    ///
    /// One that `isGrowing`, beyond its first chunk, will use all of the next soon.
    static func acquireChunk(for owner: UnsafeMutableRawPointer, isGrowing: Bool) -> Result<UInt32, Refusal> {
        lock.lock()
        defer { lock.unlock() }
        var index = freeChunk
        if index != 0 {
            index &-= 1
            freeChunk = chunk(index).pointee.next
        } else {
            index = usedChunks
            if index == chunkLimit { return .failure(.limit) }
            guard let memory = Memory.map(Int(perChunk) &* MemoryLayout<TimerSlot>.stride, atOnce: isGrowing) else {
                return .failure(.memory)
            }
            chunk(index).pointee.base.store(memory, ordering: .releasing)
            usedChunks = index &+ 1
        }
        chunk(index).pointee.next = 0
        chunk(index).pointee.owner.store(owner, ordering: .releasing)
        return .success(index)
    }

    /// Takes a chunk back whose timers are all free.
    static func giveBack(chunk index: UInt32) {
        lock.lock()
        chunk(index).pointee.owner.store(nil, ordering: .releasing)
        chunk(index).pointee.next = freeChunk
        freeChunk = index &+ 1
        lock.unlock()
    }

    /// In a forked child: the parent's timers are out of reach for ever.
    static func abandon() {
        lock.abandon()
        freeChunk = 0
        guard chunks != nil else { return }
        var index: UInt32 = 0
        while index < usedChunks {
            chunk(index).pointee.base.store(nil, ordering: .relaxed)
            chunk(index).pointee.owner.store(nil, ordering: .relaxed)
            index &+= 1
        }
    }
}

extension Timers.Refusal: Error {}
