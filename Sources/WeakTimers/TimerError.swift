internal import CWeakTimer

/// What a call that reports can fail with: one case for each failing status of the C functions.
public enum TimerError: Error, Hashable, Sendable, CaseIterable {
    /// An option is out of range, or two options contradict each other.
    case invalid
    /// The timer, scheduler or executor has ended, or never was.
    case gone
    /// The target has died.
    case targetGone
    /// The scheduler or executor is shutting down.
    case shutDown
    /// The wait could not end, since the caller's own callback is what it waits for.
    case wouldDeadlock
    /// The time limit passed first.
    case timedOut
    /// A limit is reached, such as the scheduler's `maxTimers`.
    case limit
    /// This kind of scheduler cannot do that.
    case unsupported
    /// The system refused a thread, a descriptor or memory.
    case system
}

extension TimerError: CustomStringConvertible {
    /// The library's own message for the error, in English.
    public var description: String { String(cString: wtm_status_message(status)) }

    var status: wtm_status {
        switch self {
        case .invalid: WTM_ERR_INVALID
        case .gone: WTM_ERR_GONE
        case .targetGone: WTM_ERR_TARGET_GONE
        case .shutDown: WTM_ERR_SHUT_DOWN
        case .wouldDeadlock: WTM_ERR_WOULD_DEADLOCK
        case .timedOut: WTM_ERR_TIMED_OUT
        case .limit: WTM_ERR_LIMIT
        case .unsupported: WTM_ERR_UNSUPPORTED
        case .system: WTM_ERR_SYSTEM
        }
    }

    /// Nil for a success.
    init?(_ status: wtm_status) {
        if status.rawValue >= 0 { return nil }
        self = Self.allCases.first { $0.status == status } ?? .system
    }
}

extension wtm_status {
    /// Throws what the status stands for, unless it is a success.
    func check() throws(TimerError) {
        if let error = TimerError(self) { throw error }
    }

    /// Stops the program with a message that names the mistake, if the status is one that only a mistake can cause.
    func trapIfMistake(_ what: @autoclosure () -> String) {
        switch self {
        case WTM_ERR_INVALID, WTM_ERR_UNSUPPORTED, WTM_ERR_WOULD_DEADLOCK:
            stop("\(what()): \(String(cString: wtm_status_message(self)))")
        default: break
        }
    }
}
