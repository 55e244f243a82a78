extension WeakTimer {
    /// Everything that can be said about a timer's schedule. Start from `Options.after`, `.every`, `.at` or `.rate`, and set the rest.
    ///
    ///     var options = WeakTimer.Options.every(.milliseconds(250))
    ///     options.startsPaused = true
    ///     let timer = try WeakTimer.start(options, target: model) { model, tick in … }
    public struct Options: Sendable {
        /// Time from the start to the first tick; nil for a repeating timer is one interval. Zero or less is at once.
        public var delay: Duration?
        /// When the first tick is due, on the timer's clock, in place of `delay`. In the past, the ticks since then are due.
        public var deadline: TimerClock.Instant?
        /// Time between two ticks, more than zero; nil for a one-shot.
        public var interval: Duration?
        /// Ticks per second, in place of `interval`; exact for ever.
        public var rate: FrameRate?
        /// How much later than its time a tick may come, so that timers share wake-ups. At most half the interval counts.
        public var tolerance: Duration
        /// What becomes of ticks that could not be delivered in time.
        public var missed: MissedTicks
        /// After how many callbacks the timer ends, fired ones aside; more than zero, nil for no limit.
        public var limit: Int?
        /// Whether a repeating timer ticks at once, too. Not together with `delay` or `deadline`.
        public var immediate: Bool
        /// Which kind of clock the timer goes by. Only the kind counts; the time is that of the timer's scheduler.
        public var clock: TimerClock
        /// A name for lists and logs, cut to 47 bytes.
        public var name: String?
        /// Whether the timer waits for `resume()` or `fire()`.
        public var startsPaused = false
        /// Whether a one-shot stays valid after its tick, to be rescheduled.
        public var staysAfterTick = false
        /// Whether callbacks of this timer may overlap; it needs a pool in `on:`.
        public var isConcurrent = false
        /// Called once when the timer has ended, with the reason: where its last callback ran, or on the thread that ended it.
        public var onEnd: (@Sendable (WeakTimer, EndReason) -> Void)?

        /// What the arguments say; a one-shot without a delay if they say nothing.
        public init(
            delay: Duration? = nil, interval: Duration? = nil, tolerance: Duration = .zero,
            missed: MissedTicks = .coalesce, limit: Int? = nil, immediate: Bool = false, clock: TimerClock = .monotonic,
            name: String? = nil
        ) {
            self.delay = delay
            self.interval = interval
            self.tolerance = tolerance
            self.missed = missed
            self.limit = limit
            self.immediate = immediate
            self.clock = clock
            self.name = name
        }

        /// A one-shot after a delay.
        public static func after(_ delay: Duration) -> Options { Options(delay: delay) }

        /// A one-shot at an instant of the timer's clock.
        public static func at(_ deadline: TimerClock.Instant) -> Options {
            var options = Options()
            options.deadline = deadline
            return options
        }

        /// A repeating timer.
        public static func every(_ interval: Duration) -> Options { Options(interval: interval) }

        /// A repeating timer with so many ticks a second.
        public static func rate(_ rate: FrameRate) -> Options {
            var options = Options()
            options.rate = rate
            return options
        }
    }
}
