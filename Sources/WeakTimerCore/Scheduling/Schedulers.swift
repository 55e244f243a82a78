import CPlatform
import CWeakTimer
import Synchronization

/// The schedulers of the process.
enum Schedulers {
    enum Layout: SlotLayout {
        static var kind: Handle.Kind { .scheduler }
        static var slotBytes: Int { MemoryLayout<Scheduler>.stride }
        static var chunkShift: UInt32 { 5 }
        static var chunksShift: UInt32 { 15 }
    }
    static let table = SlotTable<Layout>()
    private static let defaultID = Atomic<UInt64>(0)
    private static let defaultLock = Lock()

    static func find(_ id: UInt64) -> SchedulerPointer? {
        table.find(id)?.assumingMemoryBound(to: Scheduler.self)
    }

    /// The scheduler that a handle names (zero: the default one, made if `creating`), with its lock held.
    @inline(__always)
    static func locked(_ id: UInt64, creating: Bool = true) -> Result<SchedulerPointer, StatusError> {
        if id == 0 { return lockedDefault(creating) }
        guard let scheduler = find(id) else { return .failure(StatusError(WTM_ERR_GONE)) }
        scheduler.pointee.lock.lock()
        if find(id) != nil { return .success(scheduler) }
        scheduler.pointee.lock.unlock()
        return .failure(StatusError(WTM_ERR_GONE))
    }

    private static func lockedDefault(_ creating: Bool) -> Result<SchedulerPointer, StatusError> {
        while true {
            let known = defaultID.load(ordering: .acquiring)
            if known != 0, case .success(let scheduler) = locked(known) { return .success(scheduler) }
            if !creating { return .failure(StatusError(WTM_ERR_GONE)) }
            guard Process.prepare() else { return .failure(StatusError(WTM_ERR_SYSTEM)) }
            defaultLock.lock()
            if defaultID.load(ordering: .relaxed) != known {
                defaultLock.unlock()
                continue
            }
            let made = create(SchedulerOptions())
            if case .success(let id) = made { defaultID.store(id, ordering: .releasing) }
            defaultLock.unlock()
            if case .failure(let error) = made { return .failure(error) }
        }
    }

    /// The default scheduler if it has been made; it may have ended since. Otherwise 0.
    @inline(__always)
    static var knownDefault: UInt64 { defaultID.load(ordering: .acquiring) }

    static var `default`: UInt64 {
        let known = knownDefault
        if known != 0, find(known) != nil { return known }
        guard case .success(let scheduler) = lockedDefault(true) else { return 0 }
        defer { scheduler.pointee.lock.unlock() }
        return scheduler.pointee.id
    }

    static func forgetDefault() {
        defaultID.store(0, ordering: .relaxed)
        defaultLock.abandon()
    }

    /// In a forked child: closes what the parent's schedulers had open.
    static func closeDescriptors() {
        var index: UInt32 = 0
        let used = table.used.load(ordering: .relaxed)
        while index < used {
            if let slot = table.slot(index) { slot.assumingMemoryBound(to: Scheduler.self).closeAll() }
            index &+= 1
        }
    }
}

/// A status as the failure of a `Result`.
struct StatusError: Error {
    var status: wtm_status
    init(_ status: wtm_status) { self.status = status }
    init(_ refusal: Timers.Refusal) { status = refusal == .limit ? WTM_ERR_LIMIT : WTM_ERR_SYSTEM }
}

/// Options for a scheduler, checked.
struct SchedulerOptions {
    var drive = Scheduler.Drive.thread
    var hooks = SchedulerHooks()
    var maxTimers: UInt64 = 0
    var executorID: UInt64 = 0
    var slowCallback: UInt64 = 0
    var stackBytes: UInt64 = 0
    var slack: UInt64 = 0
    var spin: UInt64 = 0
    var name: (UInt64, UInt64) = Names.scheduler
}

enum Names {
    /// "wtm-scheduler" and "wtm-pool", as the bytes of two words.
    static let scheduler = (word("wtm-sche"), word("duler"))
    static let pool = (word("wtm-pool"), UInt64(0))

    private static func word(_ text: StaticString) -> UInt64 {
        var word: UInt64 = 0
        var i = 0
        while i < text.utf8CodeUnitCount {
            word |= UInt64(text.utf8Start[i]) << UInt64(i &* 8)
            i &+= 1
        }
        return word
    }

    /// Up to 15 bytes of a name, cut at the beginning of a character.
    static func short(_ text: UnsafePointer<CChar>, or standard: (UInt64, UInt64)) -> (UInt64, UInt64) {
        if text[0] == 0 { return standard }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { copy(text, to: $0) }
        return words
    }

    /// Copies a name and at least one final zero.
    static func copy(_ text: UnsafePointer<CChar>, to bytes: UnsafeMutableRawBufferPointer) {
        var length = 0
        while length < bytes.count &- 1, text[length] != 0 { length &+= 1 }
        // A byte 10xxxxxx goes on a character, of four bytes at most: do not cut one in two. What is no text is cut where it must be.
        if text[length] != 0 {
            var cut = length
            while cut > length &- 4, UInt8(bitPattern: text[cut]) & 0xc0 == 0x80 { cut &-= 1 }
            if cut > length &- 4 { length = cut }
        }
        var i = 0
        while i < bytes.count {
            bytes[i] = i < length ? UInt8(bitPattern: text[i]) : 0
            i &+= 1
        }
    }
}
