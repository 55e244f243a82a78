internal import CWeakTimer

extension TimerScheduler {
    /// The timers that live, in the order in which they were started.
    public var timers: [WeakTimer] { snapshots.map(\.timer) }

    /// What is known of each timer that lives, in the order in which they were started.
    public var snapshots: [TimerInfo] {
        let list = SnapshotList()
        let context = Unmanaged.passUnretained(list).toOpaque()
        _ = withExtendedLifetime(list) {
            wtm_scheduler_for_each(
                handle,
                { timer, info, context in
                    Unmanaged<SnapshotList>.fromOpaque(context.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
                        $0.found.append(TimerInfo(WeakTimer(timer), info.pointee))
                    }
                    return true
                }, context)
        }
        return list.found
    }

    /// The live timers of that name: more than one shows that a replaced timer was not stopped.
    public func timers(named name: String) -> [WeakTimer] {
        snapshots.filter { $0.name == name }.map(\.timer)
    }
}

private final class SnapshotList {
    var found: [TimerInfo] = []
}
