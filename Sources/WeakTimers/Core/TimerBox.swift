internal import CWeakTimer

/// What stands behind a timer's context pointer: the body, and what it needs. The engine holds the one strong reference and
/// gives it back through the release hook, exactly once, after the last callback.
class TimerBox: @unchecked Sendable {
    /// Kept so that the executor outlives its timers.
    final var executor: ExecutorOwner?
    /// Called once, when the timer has ended.
    final var onEnd: EndHandler?
    /// The name that a log line gives, if this box is to write one when the target has died.
    final var name: String?

    /// Where the ticks are to be brought, in place of what was asked for.
    func place(_ asked: TimerExecutor.Place) -> TimerExecutor.Place { asked }

    func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        stop("a box without a body")
    }

    func ended(_ timer: WeakTimer, _ reason: EndReason) {
        if let name, reason == .targetGone {
            TimerScheduler.shared.log?(.info, "timer \"\(name)\" ended: its target has died")
        }
        onEnd?(timer, reason)
    }
}

/// A body without a target.
final class PlainBox: TimerBox, @unchecked Sendable {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) { body() }
}

/// A body without a target, which is told about the tick.
final class TickBox: TimerBox, @unchecked Sendable {
    private let body: (Tick) -> Void

    init(_ body: @escaping (Tick) -> Void) { self.body = body }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) { body(Tick(timer, tick)) }
}

func timerTicked(_ timer: wtm_timer, _ tick: UnsafePointer<wtm_tick>, _ context: UnsafeMutableRawPointer?) {
    Unmanaged<TimerBox>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
        $0.tick(WeakTimer(timer), tick)
    }
}

func timerEnded(_ timer: wtm_timer, _ reason: wtm_reason, _ context: UnsafeMutableRawPointer?) {
    Unmanaged<TimerBox>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
        $0.ended(WeakTimer(timer), EndReason(reason))
    }
}

func timerReleased(_ context: UnsafeMutableRawPointer?) {
    Unmanaged<TimerBox>.fromOpaque(context.unsafelyUnwrapped).release()
}
