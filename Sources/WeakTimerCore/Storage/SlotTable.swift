import CPlatform
import Synchronization

/// What every slot begins with.
///
/// The head does not come first: the thread sanitizer takes a change of any part of a struct for one of its first bytes, and the
/// head is read by threads that hold no lock.
struct SlotHeader: ~Copyable {
    /// The next free slot plus one, while this one is free.
    var nextFree: UInt32
    private var other: UInt32
    /// Generation (33 bits) and state (31 bits).
    let head: Atomic<UInt64>
}

/// The shape of a table, known at compile time.
protocol SlotLayout {
    static var kind: Handle.Kind { get }
    static var slotBytes: Int { get }
    /// log2 of the slots of a chunk, and of the chunks of the table.
    static var chunkShift: UInt32 { get }
    static var chunksShift: UInt32 { get }
}

/// Type-stable slots of one size, found by index.
///
/// Memory is mapped in chunks, zeroed, and never unmapped, so any thread may read the head of any slot at any time without a
/// lock. Slots are recycled through a free list. A slot of zeroes is one that was never used.
struct SlotTable<Layout: SlotLayout>: ~Copyable, @unchecked Sendable {
    private let lock = Lock()
    /// The chunks' addresses; nil until first used, and in a child for what the parent had.
    let directory = Atomic<UnsafeMutablePointer<UnsafeMutableRawPointer?>?>(nil)
    /// Slots ever used. Grows only; guarded by `lock` for writers.
    let used = Atomic<UInt32>(0)
    private let free = Atomic<UInt32>(0)

    @inline(__always) private var chunkShift: UInt32 { Layout.chunkShift }
    @inline(__always) private var chunksShift: UInt32 { Layout.chunksShift }
    @inline(__always) private var slotBytes: Int { Layout.slotBytes }
    @inline(__always) private var kind: Handle.Kind { Layout.kind }

    /// The slot of an index, or nil when there never was one (or only in the parent of this process).
    @inline(__always)
    func slot(_ index: UInt32) -> UnsafeMutableRawPointer? {
        // Acquire pairs with the release in `grow`: a published chunk is seen zeroed.
        guard let chunks = directory.load(ordering: .acquiring), index >> (chunkShift &+ chunksShift) == 0 else { return nil }
        guard let chunk = chunkAddress(chunks, index >> chunkShift) else { return nil }
        return chunk + Int(index & (1 << chunkShift &- 1)) &* slotBytes
    }

    @inline(__always)
    private func chunkAddress(
        _ chunks: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ chunk: UInt32
    ) -> UnsafeMutableRawPointer? {
        UnsafeMutableRawPointer(chunks + Int(chunk)).assumingMemoryBound(to: Atomic<UnsafeMutableRawPointer?>.self)
            .pointee.load(ordering: .acquiring)
    }

    @inline(__always)
    func isSlot(_ slot: UnsafeMutableRawPointer, _ id: UInt64) -> Bool { Self.isCurrent(slot, id) }

    /// Whether the handle is that of the slot, which is in use.
    @inline(__always)
    static func isCurrent(_ slot: UnsafeMutableRawPointer, _ id: UInt64) -> Bool {
        header(slot).pointee.head.load(ordering: .acquiring) & ~(Handle.stateMask & ~Handle.inUse) == Handle.head(id)
    }

    @inline(__always)
    static func header(_ slot: UnsafeMutableRawPointer) -> UnsafeMutablePointer<SlotHeader> {
        slot.assumingMemoryBound(to: SlotHeader.self)
    }

    /// The slot that a handle names, if it is in use.
    @inline(__always)
    func find(_ id: UInt64) -> UnsafeMutableRawPointer? {
        guard Handle.isKind(id, kind), let slot = slot(Handle.index(id)) else { return nil }
        return Self.isCurrent(slot, id) ? slot : nil
    }

    /// Whether the handle was given out by this process once (and may be current or stale).
    func wasGivenOut(_ id: UInt64) -> Bool {
        guard Handle.isKind(id, kind), let slot = slot(Handle.index(id)) else { return false }
        let head = Self.header(slot).pointee.head.load(ordering: .acquiring)
        let generation = Handle.generation(id), current = head >> Handle.stateBits
        if generation == 0 { return false }
        return generation < current || (generation == current && head & Handle.inUse != 0)
    }

    /// Takes a free slot: its index and address. The caller publishes it with `publish`.
    func allocate() -> (index: UInt32, slot: UnsafeMutableRawPointer)? {
        lock.lock()
        defer { lock.unlock() }
        let first = free.load(ordering: .relaxed)
        if first != 0, let slot = slot(first &- 1) {
            free.store(Self.header(slot).pointee.nextFree, ordering: .relaxed)
            return (first &- 1, slot)
        }
        let index = used.load(ordering: .relaxed)
        guard index >> (chunkShift &+ chunksShift) == 0, grow(index), let slot = slot(index) else { return nil }
        used.store(index &+ 1, ordering: .releasing)
        return (index, slot)
    }

    /// Whether a refusal of `allocate` is for want of indices rather than of memory.
    var isExhausted: Bool { used.load(ordering: .relaxed) >> (chunkShift &+ chunksShift) != 0 }

    private func grow(_ index: UInt32) -> Bool {
        var chunks = directory.load(ordering: .acquiring)
        if chunks == nil {
            guard let raw = Memory.map(8 << Int(chunksShift)) else { return false }
            chunks = raw.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            directory.store(chunks, ordering: .releasing)
        }
        let chunk = index >> chunkShift
        if chunkAddress(chunks!, chunk) != nil { return true }
        guard let memory = Memory.map(slotBytes << Int(chunkShift)) else { return false }
        UnsafeMutableRawPointer(chunks! + Int(chunk)).assumingMemoryBound(to: Atomic<UnsafeMutableRawPointer?>.self)
            .pointee.store(memory, ordering: .releasing)
        return true
    }

    /// Makes the slot current and gives its handle. The release pairs with the acquire in `find`.
    func publish(_ index: UInt32, _ slot: UnsafeMutableRawPointer) -> UInt64 {
        let header = Self.header(slot)
        var generation = header.pointee.head.load(ordering: .relaxed) >> Handle.stateBits
        if generation == 0 { generation = 1 }
        header.pointee.head.store(generation << Handle.stateBits | Handle.inUse, ordering: .releasing)
        return Handle.make(kind, index: index, generation: generation)
    }

    /// Makes the slot's handle stale at once; the slot can be given back later.
    func retire(_ slot: UnsafeMutableRawPointer) {
        let header = Self.header(slot)
        let generation = header.pointee.head.load(ordering: .relaxed) >> Handle.stateBits
        header.pointee.head.store((generation &+ 1) << Handle.stateBits, ordering: .releasing)
    }

    /// Gives a retired slot back, unless its generations are used up.
    func recycle(_ index: UInt32, _ slot: UnsafeMutableRawPointer) {
        let header = Self.header(slot)
        if header.pointee.head.load(ordering: .relaxed) >> Handle.stateBits >= Handle.generationMask { return }
        lock.lock()
        header.pointee.nextFree = free.load(ordering: .relaxed)
        free.store(index &+ 1, ordering: .relaxed)
        lock.unlock()
    }

    /// In a forked child: the parent's slots are out of reach for ever, and no index of theirs is used again.
    func abandon() {
        lock.abandon()
        free.store(0, ordering: .relaxed)
        let base = used.load(ordering: .relaxed)
        let chunks = (base &+ (1 << chunkShift) &- 1) >> chunkShift
        used.store(chunks << chunkShift, ordering: .relaxed)
        guard let directory = directory.load(ordering: .relaxed) else { return }
        var chunk: UInt32 = 0
        while chunk < chunks {
            directory[Int(chunk)] = nil
            chunk &+= 1
        }
    }
}
