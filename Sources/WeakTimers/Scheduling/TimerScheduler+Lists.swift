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

    /// The live timers of that name: more than one shows that a replaced timer was not stopped. A name of more than 47 bytes is that of all
    /// timers with the same 47, since that is what they keep of it.
    public func timers(named name: String) -> [WeakTimer] {
        let kept = Self.cut(name)
        return snapshots.filter { $0.name == kept }.map(\.timer)
    }

    /// What a timer keeps of a name: up to a zero, and at most 47 bytes of whole characters.
    private static func cut(_ name: String) -> String {
        let bytes = Array(name.utf8.prefix { $0 != 0 })
        if bytes.count <= 47 { return String(decoding: bytes, as: UTF8.self) }
        // A byte 10xxxxxx goes on a character.
        var end = 47
        while bytes[end] & 0xc0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}

private final class SnapshotList {
    var found: [TimerInfo] = []
}
