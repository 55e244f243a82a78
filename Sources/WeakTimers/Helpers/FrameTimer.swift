/// The shape of a display link: calls its body at a rational rate, without drift, for an object that it holds weakly.
///
///     link = FrameTimer(rate: FrameRate(60_000, 1_001), target: self) { view, link in
///         view.draw(for: link.targetTimestamp)
///     }
///
/// It ends when its target dies, when it goes itself, or by `invalidate()`; whichever comes first, nothing is left behind. Frames that could
/// not be delivered in time are skipped and counted. Every member may be called from every thread, and from inside the body.
public final class FrameTimer: Sendable {
    private struct State {
        var timer = WeakTimer.none
        var isPaused = false
        var timestamp = TimerClock.Instant.zero
        var targetTimestamp = TimerClock.Instant.never
        var frame = 0
        var skipped = 0
    }

    /// Frames per second.
    public let rate: FrameRate
    private let state = Locked(State())

    init(rate: FrameRate) { self.rate = rate }

    deinit { state.withLock { $0.timer }.invalidate() }

    /// Starts the timer behind it. The body gets the frame timer, which it must not keep alive, hence the weak capture in `box`.
    func start(_ box: TimerBox, options: WeakTimer.Options, executor: TimerExecutor, scheduler: TimerScheduler) {
        let now = scheduler.now
        let timer = Launch.startOrTrap(options, on: executor, scheduler: scheduler, box, isWeak: true, "FrameTimer")
        state.withLock { state in
            state.timer = timer
            guard state.frame == 0 else { return }
            state.timestamp = now
            state.targetTimestamp = now.advanced(by: rate.interval)
        }
    }

    func note(_ tick: Tick) {
        state.withLock { state in
            // The first frame may come before the start has returned.
            state.timer = tick.timer
            state.timestamp = tick.scheduled
            state.targetTimestamp = tick.next
            state.frame = tick.ordinal
            let (skipped, overflow) = state.skipped.addingReportingOverflow(tick.missed)
            state.skipped = overflow ? .max : skipped
        }
    }

    /// When the current frame was due; before the first one, when the timer was made.
    public var timestamp: TimerClock.Instant { state.withLock { $0.timestamp } }

    /// When the next frame is due: what is drawn now should be drawn for then.
    public var targetTimestamp: TimerClock.Instant {
        // It may have been moved, or held, since the last frame.
        state.withLock { $0.timer.nextFire ?? $0.targetTimestamp }
    }

    /// The number of the current frame, skipped ones counted; zero before the first.
    public var frame: Int { state.withLock { $0.frame } }

    /// How many frames were skipped so far.
    public var skippedFrames: Int { state.withLock { $0.skipped } }

    /// The time from one frame to the next, rounded up to a nanosecond.
    public var duration: Duration { rate.interval }

    /// Whether it is held. Setting it back lets the time that remained until the next frame pass first.
    public var isPaused: Bool {
        get { state.withLock { state in state.timer.info.map { $0.next == .never } ?? state.isPaused } }
        set {
            // One step, so that the last of several threads decides both.
            state.withLock { state in
                state.isPaused = newValue
                _ = newValue ? state.timer.pause() : state.timer.resume()
            }
        }
    }

    /// Whether it has not ended.
    public var isValid: Bool { state.withLock { $0.timer }.isValid }

    /// Ends it. When this returns, the body is not called any more.
    @discardableResult
    public func invalidate() -> StopResult { state.withLock { $0.timer }.invalidate() }

    /// The timer behind it.
    public var timer: WeakTimer { state.withLock { $0.timer } }
}
