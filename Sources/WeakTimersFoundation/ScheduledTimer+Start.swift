import Foundation
import WeakTimers

extension ScheduledTimer {
    /// What a timer is made from.
    struct Plan {
        var interval: TimeInterval
        var repeats: Bool
        var tolerance: TimeInterval
        var userInfo: Any?
        var name: String?
        var place: Place
        var clock: TimerClock

        init(
            _ interval: TimeInterval, repeats: Bool, tolerance: TimeInterval, userInfo: Any?, name: String?, place: Place,
            clock: TimerClock
        ) {
            require(!interval.isNaN, "ScheduledTimer: the interval is not a number")
            // As Foundation documents it.
            self.interval = interval > 0 ? interval : 0.0001
            self.repeats = repeats
            self.tolerance = tolerance
            self.userInfo = userInfo
            self.name = name
            self.place = place
            self.clock = clock
        }

        /// As the engine has it.
        var effectiveTolerance: TimeInterval { max(repeats ? min(tolerance, interval / 2) : tolerance, 0) }

        func options(paused: Bool) -> WeakTimer.Options {
            let duration = Duration(timeInterval: interval, "an interval")
            var options = repeats ? WeakTimer.Options.every(duration) : .after(duration)
            options.tolerance = Duration(timeInterval: tolerance, "a tolerance")
            options.name = name
            options.startsPaused = paused
            return options
        }
    }

    /// - Parameter isOwned: Whether the timer ends when nobody holds this object any more, and waits until it is scheduled.
    func start(_ plan: Plan, isOwned: Bool) {
        state.withLock { state in
            if isOwned {
                state.waiting = Waiting(name: plan.name)
            } else {
                state.dates.begin(interval)
            }
        }
        do {
            let timer = try launch(plan, isOwned: isOwned, isPaused: isOwned)
            state.withLock { $0.timer = timer }
        } catch {
            // The scheduler is down or full: a timer that has ended.
            ended()
        }
    }

    /// Starts a timer of the engine for this object.
    func launch(_ plan: Plan, isOwned: Bool, isPaused: Bool) throws(TimerError) -> WeakTimer {
        var options = plan.options(paused: isPaused)
        options.onEnd = { [weak self] timer, _ in self?.ended(timer) }
        let resolve = isOwned ? { [weak self] in self } : { [self] in self }
        if hasTarget {
            // A target that has died meanwhile cannot be started on.
            guard let target else { throw .targetGone }
            return try WeakTimer.startUnchecked(
                options, target: target, on: plan.place.executor, schedulerOf: plan.clock
            ) { target, tick in resolve()?.deliver(target, tick) }
        }
        return try WeakTimer.startUnchecked(
            options, on: plan.place.executor, schedulerOf: plan.clock
        ) { tick in resolve()?.deliver(nil, tick) }
    }
}
