public import Foundation
public import WeakTimers

extension ScheduledTimer {
    /// A timer that waits for `schedule()` or `RunLoop.add(_:forMode:)`, and belongs to whoever holds it: given up, it ends.
    ///
    /// The parameters are those of `scheduledTimer(timeInterval:target:action:userInfo:repeats:)`.
    @_disfavoredOverload
    public convenience init<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        action: @escaping @Sendable (Target) -> @isolated(any) () -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue? = nil, name: String? = nil,
        scheduler: TimerScheduler = .shared
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: action(target).isolation, queue: dispatchQueue), clock: scheduler.clock)
        self.init(plan, target: target, call: Self.calling(action))
        start(plan, isOwned: true)
    }

    /// The same for a method that takes the timer.
    @_disfavoredOverload
    public convenience init<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        action: @escaping @Sendable (Target) -> @isolated(any) (ScheduledTimer) -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue? = nil, name: String? = nil,
        scheduler: TimerScheduler = .shared
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: action(target).isolation, queue: dispatchQueue), clock: scheduler.clock)
        self.init(plan, target: target, call: Self.calling(action))
        start(plan, isOwned: true)
    }

    /// The same with a closure, which gets the object: `action: { model in … }`.
    public convenience init<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        @_inheritActorContext
        action: @escaping @isolated(any) @Sendable (Target) -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, name: String? = nil, scheduler: TimerScheduler = .shared
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: action.isolation, queue: nil), clock: scheduler.clock)
        self.init(plan, target: target, call: Self.calling(action))
        start(plan, isOwned: true)
    }

    /// The same with a closure that runs on a queue.
    public convenience init<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        action: @escaping @Sendable (Target) -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue?, name: String? = nil,
        scheduler: TimerScheduler = .shared
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: nil, queue: dispatchQueue), clock: scheduler.clock)
        self.init(plan, target: target, call: Self.calling(action))
        start(plan, isOwned: true)
    }
}
