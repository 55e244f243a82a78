internal import CWeakTimer

extension TimerScheduler {
    /// Who makes a scheduler's time pass.
    public enum Drive: Hashable, Sendable {
        /// A thread of the scheduler's own.
        case thread
        /// An event loop of yours, which watches `fileDescriptor` or asks for `nextDelay`, and calls `runDue()`.
        case host
        /// Nobody but `advance(by:)`: time stands still between its calls.
        case manual

        var drive: wtm_drive {
            switch self {
            case .thread: WTM_DRIVE_THREAD
            case .host: WTM_DRIVE_HOST
            case .manual: WTM_DRIVE_MANUAL
            }
        }
    }

    /// A scheduler whose time only `advance(by:)` moves. Its clocks begin at zero, the calendar on 1 January 1970.
    public static func manual() -> TimerScheduler {
        do {
            return try TimerScheduler(drive: .manual)
        } catch {
            stop("no scheduler could be made: \(error)")
        }
    }

    /// Moves a manual scheduler's time, and runs every callback that falls due on the way: in order, each at its own virtual time, to
    /// completion, on the calling thread, before this returns. It neither sleeps nor yields.
    ///
    /// Callbacks on pools and serial queues are waited for; those on actors other than the caller's main actor, and on queues of your
    /// own, are handed over. Stops the program with a message if the scheduler is not a manual one, and from inside a callback of the
    /// same scheduler.
    ///
    /// - Parameter duration: How far; zero runs what is due now. Less than zero is zero.
    /// - Returns: How many callbacks were run or handed over; 0 if the scheduler is shut down.
    @discardableResult
    public func advance(by duration: Duration) -> Int {
        var ran: UInt64 = 0
        let status = wtm_scheduler_advance(handle, Nanoseconds.from(duration), &ran)
        status.trapIfMistake("advance(by:) is for manual schedulers, and not for their callbacks")
        return Int(count: ran)
    }

    /// Sets a manual scheduler's calendar, as somebody might set the machine's: wall timers are reckoned anew, `onClockJump` is told.
    ///
    /// Stops the program with a message if the scheduler is not a manual one.
    public func setWall(_ instant: TimerClock.Instant) {
        wtm_scheduler_set_wall(handle, instant.nanoseconds).trapIfMistake("setWall(_:) is for manual schedulers")
    }

    /// The descriptor of a host-driven scheduler, readable while something is due; nil for every other.
    public var fileDescriptor: Int32? {
        let descriptor = wtm_scheduler_fd(handle)
        return descriptor < 0 ? nil : descriptor
    }

    /// How long until the scheduler wakes next, zero if something is due; nil when it has nothing to wake for.
    public var nextDelay: Duration? {
        var delay: UInt64 = 0
        guard wtm_scheduler_next_delay(handle, &delay) == WTM_OK, delay != Nanoseconds.never else { return nil }
        return Nanoseconds.duration(delay)
    }

    /// Runs what is due on a host-driven scheduler.
    ///
    /// Stops the program with a message if the scheduler is not host-driven, and from inside a callback of the same scheduler.
    ///
    /// - Parameter maxTicks: How many callbacks at most, none if it is zero or less; nil for no limit.
    /// - Returns: How many callbacks were run or handed over.
    @discardableResult
    public func runDue(maxTicks: Int? = nil) -> Int {
        var ran: UInt32 = 0
        if let maxTicks, maxTicks <= 0 { return 0 }
        // The engine takes zero for no limit.
        let limit = maxTicks.map { UInt32(clamping: $0) } ?? 0
        wtm_scheduler_run_due(handle, limit, &ran)
            .trapIfMistake("runDue() is for host-driven schedulers, and not for their callbacks")
        return Int(ran)
    }
}
