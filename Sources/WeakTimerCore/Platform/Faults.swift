import Synchronization

/// Refusals of the system, by order, for tests. Compiled in by `WTM_FAULTS` only; otherwise nothing is ever refused.
enum Faults {
    enum Kind: Int { case memory = 0, thread, event, timer, epoll }

    #if WTM_FAULTS
        private static let countdown = (Atomic<UInt64>(0), Atomic<UInt64>(0), Atomic<UInt64>(0), Atomic<UInt64>(0), Atomic<UInt64>(0))
        private static let counts = (Atomic<UInt64>(0), Atomic<UInt64>(0), Atomic<UInt64>(0), Atomic<UInt64>(0), Atomic<UInt64>(0))

        /// Counts a request; true when it is the one to refuse.
        static func strikes(_ kind: Kind) -> Bool {
            switch kind {
            case .memory: strikes(counts.0, countdown.0)
            case .thread: strikes(counts.1, countdown.1)
            case .event: strikes(counts.2, countdown.2)
            case .timer: strikes(counts.3, countdown.3)
            case .epoll: strikes(counts.4, countdown.4)
            }
        }

        private static func strikes(_ count: borrowing Atomic<UInt64>, _ countdown: borrowing Atomic<UInt64>) -> Bool {
            count.wrappingAdd(1, ordering: .relaxed)
            if countdown.load(ordering: .relaxed) == 0 { return false }
            return countdown.wrappingSubtract(1, ordering: .relaxed).newValue == 0
        }

        static func inject(_ kind: Int, _ nth: UInt64) {
            switch kind {
            case 0: countdown.0.store(nth, ordering: .relaxed)
            case 1: countdown.1.store(nth, ordering: .relaxed)
            case 2: countdown.2.store(nth, ordering: .relaxed)
            case 3: countdown.3.store(nth, ordering: .relaxed)
            case 4: countdown.4.store(nth, ordering: .relaxed)
            default: break
            }
        }

        static func count(_ kind: Int) -> UInt64 {
            switch kind {
            case 0: counts.0.load(ordering: .relaxed)
            case 1: counts.1.load(ordering: .relaxed)
            case 2: counts.2.load(ordering: .relaxed)
            case 3: counts.3.load(ordering: .relaxed)
            case 4: counts.4.load(ordering: .relaxed)
            default: 0
            }
        }
    #else
        @inline(__always) static func strikes(_ kind: Kind) -> Bool { false }
    #endif

    /// The answer of a refused request for a descriptor, or nil to ask the system.
    @inline(__always)
    static func descriptor(_ kind: Kind) -> Int32? { strikes(kind) ? -1 : nil }
}

#if WTM_FAULTS
    /// Refuses the nth request of a kind from now on (0: none).
    @_cdecl("wtm_fault_inject") public func wtm_fault_inject(_ kind: Int32, _ nth: UInt64) { Faults.inject(Int(kind), nth) }
    /// How many requests of a kind there were.
    @_cdecl("wtm_fault_count") public func wtm_fault_count(_ kind: Int32) -> UInt64 { Faults.count(Int(kind)) }
    /// Adds to what a clock reads (0 monotonic, 1 boottime, 2 wall); wraps.
    @_cdecl("wtm_fault_shift_clock") public func wtm_fault_shift_clock(_ clock: Int32, _ by: UInt64) {
        switch clock {
        case 0: SystemClock.shift.0 &+= by
        case 1: SystemClock.shift.1 &+= by
        default: SystemClock.shift.2 &+= by
        }
    }
#endif
