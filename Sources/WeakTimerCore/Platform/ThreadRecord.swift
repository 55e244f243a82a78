import CPlatform
import Synchronization

/// What the library knows of a thread: which of its callbacks it is in, and what it waits for.
///
/// Made the first time a thread runs user code or waits; given back when the thread ends.
struct ThreadRecord {
    /// The innermost callback, hook or other user code of the library that runs on this thread.
    var frame: UnsafeMutablePointer<Frame>?
    /// What the thread sleeps for; guarded by `WaitGraph.lock`.
    var wait: UnsafeMutablePointer<Wait>?
    /// The search for cycles has come through here; guarded by `WaitGraph.lock`.
    var isOnPath: Bool
    /// The log sink runs on this thread: what it causes is not logged.
    var inLogSink: Bool
}

typealias ThreadPointer = UnsafeMutablePointer<ThreadRecord>

enum CurrentThread {
    nonisolated(unsafe) private static var key: UInt32 = 0

    /// Once, before any other use. False when the system has no key left.
    static func prepare() -> Bool {
        // A search for cycles may be looking at the record, whose thread has left all frames: it holds this lock meanwhile.
        wtmp_key_create(&key) {
            WaitGraph.lock.lock()
            free($0)
            WaitGraph.lock.unlock()
        } == 0
    }

    @inline(__always)
    static var existing: ThreadPointer? {
        wtmp_key_get(key)?.assumingMemoryBound(to: ThreadRecord.self)
    }

    /// The record of this thread, made if need be; nil when memory is refused.
    static func record() -> ThreadPointer? {
        if let known = existing { return known }
        guard let raw = Memory.allocate(MemoryLayout<ThreadRecord>.size) else { return nil }
        let made = raw.bindMemory(to: ThreadRecord.self, capacity: 1)
        made.initialize(to: ThreadRecord(frame: nil, wait: nil, isOnPath: false, inLogSink: false))
        if wtmp_key_set(key, raw) != 0 {
            free(raw)
            return nil
        }
        return made
    }

    /// In a forked child the frames of the parent mean nothing.
    static func forget() {
        _ = wtmp_key_set(key, nil)
    }
}
