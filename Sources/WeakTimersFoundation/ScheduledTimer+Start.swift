import Foundation
import WeakTimers

extension ScheduledTimer {
    /// Where a timer calls back.
    enum Place {
        case main
        case executor(TimerExecutor)

        /// The main actor's own code stays on it; a queue that was asked for is next; then the thread that makes the timer decides.
        init(isolation: (any Actor)?, queue: DispatchQueue?) {
            if let isolation, isolation === MainActor.shared {
                self = .main
            } else if let executor = TimerExecutor.of(isolation) {
                self = .executor(executor)
            } else if let queue {
                self = .executor(.queue(queue))
            } else {
                self = Thread.isMainThread ? .main : .executor(.inline)
            }
        }

        var executor: TimerExecutor {
            switch self {
            case .main: .mainActor
            case .executor(let executor): executor
            }
        }
    }

    /// What a timer is made from.
    struct Plan {
        var interval: TimeInterval
        var repeats: Bool
        var tolerance: TimeInterval
        var userInfo: Any?
        var name: String?
        var place: Place
        var scheduler: TimerScheduler

        init(
            _ interval: TimeInterval, repeats: Bool, tolerance: TimeInterval, userInfo: Any?, name: String?, place: Place,
            scheduler: TimerScheduler
        ) {
            require(!interval.isNaN, "ScheduledTimer: the interval is not a number")
            // As Foundation documents it.
            self.interval = interval > 0 ? interval : 0.0001
            self.repeats = repeats
            self.tolerance = tolerance
            self.userInfo = userInfo
            self.name = name
            self.place = place
            self.scheduler = scheduler
        }

        func options(paused: Bool) -> WeakTimer.Options {
            let duration = Duration(timeInterval: interval, "an interval")
            var options = repeats ? WeakTimer.Options.every(duration) : .after(duration)
            options.tolerance = Duration(timeInterval: tolerance, "a tolerance")
            options.name = name
            options.startsPaused = paused
            return options
        }
    }

    /// - Parameter isOwned: Whether the timer ends when nobody holds this object any more.
    func start(_ plan: Plan, isOwned: Bool) {
        var options = plan.options(paused: isOwned)
        options.onEnd = { [weak self] _, _ in self?.ended() }
        let resolve = isOwned ? { [weak self] in self } : { [self] in self }
        do {
            let timer =
                if let target {
                    try WeakTimer.startUnchecked(
                        options, target: target, on: plan.place.executor, scheduler: plan.scheduler
                    ) { target, tick in resolve()?.deliver(target, from: tick.timer) }
                } else {
                    try WeakTimer.startUnchecked(
                        options, on: plan.place.executor, scheduler: plan.scheduler
                    ) { tick in resolve()?.deliver(nil, from: tick.timer) }
                }
            state.withLock { $0.timer = timer }
        } catch {
            // The scheduler is down or full: a timer that has ended.
            ended()
        }
    }
}
