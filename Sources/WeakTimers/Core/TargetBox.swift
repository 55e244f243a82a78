internal import CWeakTimer

/// A body with a weak target. The engine locks the target before each tick and unlocks it after, through the functions below;
/// a target that is found dead ends the timer.
class WeakBox: TimerBox, @unchecked Sendable {
    final weak var target: AnyObject?

    init(target: AnyObject?) { self.target = target }
}

/// The target's type is known to the subclass, so that neither a cast nor a closure round the body is needed.
final class TargetBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    private let body: (Target) -> Void

    init(_ target: Target, _ body: @escaping (Target) -> Void) {
        self.body = body
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { body($0) }
    }
}

/// The same for a body that is told about the tick.
final class TargetTickBox<Target: AnyObject>: WeakBox, @unchecked Sendable {
    private let body: (Target, Tick) -> Void

    init(_ target: Target, _ body: @escaping (Target, Tick) -> Void) {
        self.body = body
        super.init(target: target)
    }

    override func tick(_ timer: WeakTimer, _ tick: UnsafePointer<wtm_tick>) {
        lockedTarget(of: tick, as: Target.self)._withUnsafeGuaranteedRef { body($0, Tick(timer, tick)) }
    }
}

/// The target that the engine has locked for the length of this tick.
func lockedTarget<Target: AnyObject>(
    of tick: UnsafePointer<wtm_tick>, as type: Target.Type
) -> Unmanaged<Target> {
    Unmanaged.fromOpaque(tick.pointee.target.unsafelyUnwrapped)
}

private func lockTarget(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<WeakBox>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef { box in
        box.target.map { Unmanaged.passRetained($0).toOpaque() }
    }
}

private func unlockTarget(_ target: UnsafeMutableRawPointer?) {
    Unmanaged<AnyObject>.fromOpaque(target.unsafelyUnwrapped).release()
}

/// Swift's weak references, as the engine wants them.
nonisolated(unsafe) let weakReferenceOps: UnsafePointer<wtm_weak_ops> = {
    var ops = wtm_weak_ops()
    ops.size = UInt32(MemoryLayout<wtm_weak_ops>.size)
    ops.lock = lockTarget
    ops.unlock = unlockTarget
    let pointer = UnsafeMutablePointer<wtm_weak_ops>.allocate(capacity: 1)
    pointer.initialize(to: ops)
    return UnsafePointer(pointer)
}()
