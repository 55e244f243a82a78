import Foundation
import WeakTimers

// The forms of a callback, made into one. By the time they run, the tick is on the actor of an isolated one, so that the call may be made
// directly: that is what the casts say. An `@isolated(any)` function differs from a plain one in the type alone.
extension ScheduledTimer {
    static func calling<Target: AnyObject>(
        _ action: @escaping @Sendable (Target) -> @isolated(any) () -> Void
    ) -> Call {
        { target, _ in
            guard let target else { return }
            unsafeBitCast(action(unsafeDowncast(target, to: Target.self)), to: (() -> Void).self)()
        }
    }

    static func calling<Target: AnyObject>(
        _ action: @escaping @Sendable (Target) -> @isolated(any) (ScheduledTimer) -> Void
    ) -> Call {
        { target, timer in
            guard let target else { return }
            unsafeBitCast(action(unsafeDowncast(target, to: Target.self)), to: ((ScheduledTimer) -> Void).self)(timer)
        }
    }

    static func calling<Target: AnyObject>(_ action: @escaping @isolated(any) @Sendable (Target) -> Void) -> Call {
        let call = unsafeBitCast(action, to: ((Target) -> Void).self)
        return { target, _ in
            guard let target else { return }
            call(unsafeDowncast(target, to: Target.self))
        }
    }

    static func calling(_ block: @escaping @isolated(any) @Sendable (ScheduledTimer) -> Void) -> Call {
        let call = unsafeBitCast(block, to: ((ScheduledTimer) -> Void).self)
        return { _, timer in call(timer) }
    }
}
