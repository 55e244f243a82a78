internal import CWeakTimer

/// Ends its timers when it goes: stored in an object, it ends them in the object's deinit, before the memory is given back.
///
/// Without a scope a timer whose target died ends at its next tick, since Swift's own weak references tell only who asks.
///
///     final class Connection: Sendable {
///         private let timers = TimerScope()
///         …
///         WeakTimer.every(.seconds(30), target: self, action: Connection.keepAlive).store(in: timers)
///     }
///
/// Every member may be called from every thread, and from inside every callback. Timers that end by themselves are forgotten: the
/// memory is proportional to the timers that live, and storing costs a constant on average.
public final class TimerScope: Sendable {
    private struct Registry {
        var timers: [WeakTimer] = []
        var sweepAt = 16

        mutating func sweep() {
            // One that was stored twice is one timer.
            var seen = Set<WeakTimer>()
            timers.removeAll { !$0.isValid || !seen.insert($0).inserted }
            sweepAt = max(16, timers.count * 2)
        }
    }

    private let registry = Locked(Registry())

    /// An empty scope.
    public init() {}

    deinit { invalidateAll() }

    /// How many of its timers have not ended.
    public var count: Int {
        registry.withLock { registry in
            registry.sweep()
            return registry.timers.count
        }
    }

    /// Ends all of its timers; the scope lives on. Like `WeakTimer.invalidate()` it does not wait for callbacks.
    public func invalidateAll() {
        let timers = registry.withLock { registry in
            defer { registry = Registry() }
            return registry.timers
        }
        // Outside the lock: giving a closure back may run code of the user, which may come here again.
        for timer in timers { timer.invalidate() }
    }

    func insert(_ timer: WeakTimer) {
        registry.withLock { registry in
            if registry.timers.count >= registry.sweepAt { registry.sweep() }
            registry.timers.append(timer)
        }
    }
}
