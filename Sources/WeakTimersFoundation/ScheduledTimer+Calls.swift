import Foundation
import WeakTimers

// The forms of a callback, made into one. By the time they run, the tick is on the actor of an isolated one.
extension ScheduledTimer {
    static func calling<Target: AnyObject>(
        _ action: @escaping @Sendable (Target) -> @isolated(any) () -> Void
    ) -> Call {
        { target, _ in
            guard let target else { return }
            unisolated(action(unsafeDowncast(target, to: Target.self)))()
        }
    }

    static func calling<Target: AnyObject>(
        _ action: @escaping @Sendable (Target) -> @isolated(any) (ScheduledTimer) -> Void
    ) -> Call {
        { target, timer in
            guard let target else { return }
            unisolated(action(unsafeDowncast(target, to: Target.self)))(timer)
        }
    }

    static func calling<Target: AnyObject>(_ action: @escaping @isolated(any) @Sendable (Target) -> Void) -> Call {
        let call = unisolated(action)
        return { target, _ in
            guard let target else { return }
            call(unsafeDowncast(target, to: Target.self))
        }
    }

    static func calling(_ block: @escaping @isolated(any) @Sendable (ScheduledTimer) -> Void) -> Call {
        let call = unisolated(block)
        return { _, timer in call(timer) }
    }
}
