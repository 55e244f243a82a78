internal import CWeakTimer

/// What `invalidate()` found. Of all threads that invalidate one timer, exactly one gets something other than `alreadyEnded`.
public enum StopResult: Hashable, Sendable {
    /// The timer has been ended, and no callback of it was running.
    case stopped
    /// The timer has been ended while its last callback is running; it will not be called again.
    case stillRunning
    /// The timer had ended before, or never was.
    case alreadyEnded

    init(_ status: wtm_status) {
        self =
            switch status {
            case WTM_OK: .stopped
            case WTM_RUNNING: .stillRunning
            default: .alreadyEnded
            }
    }
}

/// What a call that ends something and waits for the last callback found.
public enum WaitResult: Hashable, Sendable {
    /// Ended by this call; nothing of it runs any more.
    case stopped
    /// Ended before, by somebody else; nothing of it runs any more.
    case alreadyEnded
    /// Ended, but the caller is (or is waited for by) the callback it would have to wait for.
    case wouldDeadlock
    /// Ended, but the last callback was still running when the time limit passed.
    case timedOut

    init(_ status: wtm_status) {
        self =
            switch status {
            case WTM_OK: .stopped
            case WTM_ERR_WOULD_DEADLOCK: .wouldDeadlock
            case WTM_ERR_TIMED_OUT: .timedOut
            default: .alreadyEnded
            }
    }
}

/// Why a timer ended.
public enum EndReason: Hashable, Sendable {
    /// It has ticked as often as it should.
    case completed
    /// Somebody invalidated it.
    case invalidated
    /// Its target died.
    case targetGone
    /// Its scheduler was shut down.
    case shutDown

    init(_ reason: wtm_reason) {
        self =
            switch reason {
            case WTM_REASON_COMPLETED: .completed
            case WTM_REASON_TARGET_GONE: .targetGone
            case WTM_REASON_SHUTDOWN: .shutDown
            default: .invalidated
            }
    }
}
