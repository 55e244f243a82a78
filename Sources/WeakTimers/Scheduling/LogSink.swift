internal import CWeakTimer

/// How grave a line of the log is.
public enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// For whoever debugs the library.
    case debug
    /// Worth knowing: a named timer ended since its target died.
    case info
    /// Worth a look: a callback was slow.
    case warning
    /// Something failed.
    case error

    /// Whether the left level is less grave.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    var level: wtm_log_level {
        switch self {
        case .debug: WTM_LOG_DEBUG
        case .info: WTM_LOG_INFO
        case .warning: WTM_LOG_WARNING
        case .error: WTM_LOG_ERROR
        }
    }

    init(_ level: wtm_log_level) {
        self = Self.allCases.first { $0.level == level } ?? .error
    }
}

extension TimerScheduler {
    /// Gets one line of the log.
    public typealias LogHandler = @Sendable (_ level: LogLevel, _ message: String) -> Void
}

/// What stands behind a scheduler's context pointer.
final class LogSink: Sendable {
    private let current: Locked<TimerScheduler.LogHandler?>
    private let onThreadStart: (@Sendable () -> Void)?
    private let onClockJump: (@Sendable (Duration) -> Void)?

    init(
        _ handler: TimerScheduler.LogHandler?, onThreadStart: (@Sendable () -> Void)? = nil,
        onClockJump: (@Sendable (Duration) -> Void)? = nil
    ) {
        current = Locked(handler)
        self.onThreadStart = onThreadStart
        self.onClockJump = onClockJump
    }

    var handler: TimerScheduler.LogHandler? {
        get { current.withLock { $0 } }
        set {
            // Given back after the lock: what the old one held may come here again.
            let old = current.withLock { handler in
                defer { handler = newValue }
                return handler
            }
            withExtendedLifetime(old) {}
        }
    }

    /// Sets the hooks; the engine gets a strong reference, which it gives back after the last of them.
    func install(in options: inout wtm_scheduler_options) {
        options.context = Unmanaged.passRetained(self).toOpaque()
        options.release = { Unmanaged<LogSink>.fromOpaque($0.unsafelyUnwrapped).release() }
        options.log = { context, level, message in
            let sink = Unmanaged<LogSink>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
            sink.handler?(LogLevel(level), String(cString: message))
        }
        if onThreadStart != nil {
            options.on_thread_start = {
                Unmanaged<LogSink>.fromOpaque($0.unsafelyUnwrapped).takeUnretainedValue().onThreadStart?()
            }
        }
        if onClockJump != nil {
            options.on_clock_jump = { context, delta in
                let sink = Unmanaged<LogSink>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
                sink.onClockJump?(.nanoseconds(delta))
            }
        }
    }

    /// Undoes `install` after the engine has refused it.
    func giveBack() { Unmanaged.passUnretained(self).release() }
}
