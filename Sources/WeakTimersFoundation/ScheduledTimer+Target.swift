public import Foundation
public import WeakTimers

extension ScheduledTimer {
    /// A timer that runs: it calls a method of an object, `action: Model.tick`, which it does not retain.
    ///
    /// - Parameters:
    ///   - interval: Seconds between two ticks, and to the first. Zero or less means 0.1 ms; NaN stops the program with a message.
    ///   - target: The object to call. Its death ends the timer.
    ///   - action: The method.
    ///   - userInfo: Something to carry; kept until the end.
    ///   - repeats: Whether it ticks again and again; else once.
    ///   - tolerance: How many seconds later than its time a tick may come.
    ///   - dispatchQueue: Where it calls; see the class.
    ///   - name: A name for lists and logs. A named timer that ends since its target died is logged.
    ///   - scheduler: Whose time it goes by.
    @discardableResult
    @_disfavoredOverload
    public static func scheduledTimer<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        action: @escaping @Sendable (Target) -> @isolated(any) () -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue? = nil, name: String? = nil,
        scheduler: TimerScheduler = .shared
    ) -> ScheduledTimer {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: action(target).isolation, queue: dispatchQueue), clock: scheduler.clock)
        let timer = ScheduledTimer(plan, target: target, call: Self.calling(action))
        timer.start(plan, isOwned: false)
        return timer
    }

    /// The same for a method that takes the timer.
    @discardableResult
    @_disfavoredOverload
    public static func scheduledTimer<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        action: @escaping @Sendable (Target) -> @isolated(any) (ScheduledTimer) -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue? = nil, name: String? = nil,
        scheduler: TimerScheduler = .shared
    ) -> ScheduledTimer {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: action(target).isolation, queue: dispatchQueue), clock: scheduler.clock)
        let timer = ScheduledTimer(plan, target: target, call: Self.calling(action))
        timer.start(plan, isOwned: false)
        return timer
    }

    /// The same with a closure, which gets the object: `action: { model in … }`.
    @discardableResult
    public static func scheduledTimer<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        @_inheritActorContext
        action: @escaping @isolated(any) @Sendable (Target) -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, name: String? = nil, scheduler: TimerScheduler = .shared
    ) -> ScheduledTimer {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: action.isolation, queue: nil), clock: scheduler.clock)
        let timer = ScheduledTimer(plan, target: target, call: Self.calling(action))
        timer.start(plan, isOwned: false)
        return timer
    }

    /// The same with a closure that runs on a queue.
    @discardableResult
    public static func scheduledTimer<Target: AnyObject>(
        timeInterval interval: TimeInterval, target: Target,
        action: @escaping @Sendable (Target) -> Void,
        userInfo: Any? = nil, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue?, name: String? = nil,
        scheduler: TimerScheduler = .shared
    ) -> ScheduledTimer {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: userInfo, name: name,
            place: Place(isolation: nil, queue: dispatchQueue), clock: scheduler.clock)
        let timer = ScheduledTimer(plan, target: target, call: Self.calling(action))
        timer.start(plan, isOwned: false)
        return timer
    }
}
