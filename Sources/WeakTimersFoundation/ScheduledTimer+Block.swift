public import Foundation
public import WeakTimers

extension ScheduledTimer {
    /// A timer that runs: it calls a block. It keeps what the block captures until it ends.
    ///
    /// The block runs where it was written: on its actor if it has one; else see the class.
    ///
    /// - Parameters:
    ///   - interval: Seconds between two ticks, and to the first. Zero or less means 0.1 ms; NaN stops the program with a message.
    ///   - repeats: Whether it ticks again and again, until it is invalidated; else once.
    ///   - tolerance: How many seconds later than its time a tick may come.
    ///   - name: A name for lists and logs.
    ///   - scheduler: Whose time it goes by.
    ///   - block: What to do; it gets the timer.
    @discardableResult
    public static func scheduledTimer(
        withTimeInterval interval: TimeInterval, repeats: Bool, tolerance: TimeInterval = 0, name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext block: @escaping @isolated(any) @Sendable (ScheduledTimer) -> Void
    ) -> ScheduledTimer {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: nil, name: name,
            place: Place(isolation: block.isolation, queue: nil), clock: scheduler.clock)
        let timer = ScheduledTimer(plan, target: nil, call: calling(block))
        timer.start(plan, isOwned: false)
        return timer
    }

    /// The same for a block that runs on a queue.
    @discardableResult
    public static func scheduledTimer(
        withTimeInterval interval: TimeInterval, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue?, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        block: @escaping @Sendable (ScheduledTimer) -> Void
    ) -> ScheduledTimer {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: nil, name: name,
            place: Place(isolation: nil, queue: dispatchQueue), clock: scheduler.clock)
        let timer = ScheduledTimer(plan, target: nil, call: calling(block))
        timer.start(plan, isOwned: false)
        return timer
    }

    /// A timer with a block that waits for `schedule()` or `RunLoop.add(_:forMode:)`, and belongs to whoever holds it: given up, it ends.
    public convenience init(
        timeInterval interval: TimeInterval, repeats: Bool, tolerance: TimeInterval = 0, name: String? = nil, scheduler: TimerScheduler = .shared,
        @_inheritActorContext block: @escaping @isolated(any) @Sendable (ScheduledTimer) -> Void
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: nil, name: name,
            place: Place(isolation: block.isolation, queue: nil), clock: scheduler.clock)
        self.init(plan, target: nil, call: Self.calling(block))
        start(plan, isOwned: true)
    }

    /// The same for a block that runs on a queue.
    public convenience init(
        timeInterval interval: TimeInterval, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue?, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        block: @escaping @Sendable (ScheduledTimer) -> Void
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: nil, name: name,
            place: Place(isolation: nil, queue: dispatchQueue), clock: scheduler.clock)
        self.init(plan, target: nil, call: Self.calling(block))
        start(plan, isOwned: true)
    }

    /// A timer with a block that waits for `schedule()` or `RunLoop.add(_:forMode:)`, fires at a date first, and then, if it repeats, every
    /// interval. It belongs to whoever holds it.
    ///
    /// - Parameters:
    ///   - date: When it fires first; if the date has passed when it is scheduled, at once.
    ///   - interval: Seconds between two ticks. Zero or less means 0.1 ms; NaN stops the program with a message.
    ///   - repeats: Whether it ticks again and again, until it is invalidated; else once.
    ///   - tolerance: How many seconds later than its time a tick may come.
    ///   - name: A name for lists and logs.
    ///   - scheduler: Whose time it goes by.
    ///   - block: What to do; it gets the timer.
    public convenience init(
        fire date: Date, interval: TimeInterval, repeats: Bool, tolerance: TimeInterval = 0, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        @_inheritActorContext block: @escaping @isolated(any) @Sendable (ScheduledTimer) -> Void
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: nil, name: name,
            place: Place(isolation: block.isolation, queue: nil), clock: scheduler.clock)
        self.init(plan, target: nil, call: Self.calling(block))
        start(plan, isOwned: true)
        fireDate = date
    }

    /// The same for a block that runs on a queue.
    public convenience init(
        fire date: Date, interval: TimeInterval, repeats: Bool, tolerance: TimeInterval = 0, dispatchQueue: DispatchQueue?, name: String? = nil,
        scheduler: TimerScheduler = .shared,
        block: @escaping @Sendable (ScheduledTimer) -> Void
    ) {
        let plan = Plan(
            interval, repeats: repeats, tolerance: tolerance, userInfo: nil, name: name,
            place: Place(isolation: nil, queue: dispatchQueue), clock: scheduler.clock)
        self.init(plan, target: nil, call: Self.calling(block))
        start(plan, isOwned: true)
        fireDate = date
    }
}
