import Synchronization

/// Refusals of the system, by order, for tests. Compiled in by `WTM_FAULTS` only; otherwise nothing is ever refused.
enum Faults {
    enum Kind: Int { case memory = 0, thread, event, timer, epoll }

    #if WTM_FAULTS
        /// How many requests of one kind there were, and how many more until the one that is refused.
        struct Counter: ~Copyable {
            let seen = Atomic<UInt64>(0)
            let countdown = Atomic<UInt64>(0)

            func strikes() -> Bool {
                seen.wrappingAdd(1, ordering: .relaxed)
                if countdown.load(ordering: .relaxed) == 0 { return false }
                return countdown.wrappingSubtract(1, ordering: .relaxed).newValue == 0
            }
        }

        private static let memory = Counter()
        private static let thread = Counter()
        private static let event = Counter()
        private static let timer = Counter()
        private static let epoll = Counter()

        private static func with<R>(_ kind: Kind, _ body: (borrowing Counter) -> R) -> R {
            switch kind {
            case .memory: body(memory)
            case .thread: body(thread)
            case .event: body(event)
            case .timer: body(timer)
            case .epoll: body(epoll)
            }
        }

        /// Counts a request; true when it is the one to refuse.
        static func strikes(_ kind: Kind) -> Bool { with(kind) { $0.strikes() } }

        static func inject(_ kind: Int, _ nth: UInt64) {
            guard let kind = Kind(rawValue: kind) else { return }
            with(kind) { $0.countdown.store(nth, ordering: .relaxed) }
        }

        static func count(_ kind: Int) -> UInt64 {
            guard let kind = Kind(rawValue: kind) else { return 0 }
            return with(kind) { $0.seen.load(ordering: .relaxed) }
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
