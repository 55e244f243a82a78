import CWeakTimer
import Synchronization

/// A stay in user code: a callback, a hook, a `submit`. Lives on the stack of the thread that makes it.
///
/// A frame is in the list of its scheduler (or is its target's hook frame) from before the call until after it, so that a wait
/// can tell which threads it depends on, and it is on its thread's own chain, so that a thread can tell where it is.
struct Frame {
    var thread: ThreadPointer?
    var parent: FramePointer?
    var next: FramePointer?
    var prev: FramePointer?
    var kind: Kind
    var scheduler: SchedulerPointer?
    /// The timer whose callback or hook this is, index plus one; 0 for none.
    var timer: UInt32 = 0
    var target: TargetPointer?
    var executor: ExecutorPointer?
    /// The hand-over that the tick came by.
    var carrier: RecordPointer?
    /// The ideal deadline of the tick that runs.
    var scheduled: UInt64 = 0
    /// When the call began, on the scheduler's monotonic clock.
    var began: UInt64 = 0
    /// The processor's counter when the clock was read after the callback; 0 when that has been taken note of.
    var counter: UInt64 = 0
    var lateness: UInt64 = 0
    /// The watchdog has told of this callback; guarded by the scheduler's lock.
    var isReported = false
    /// Hooks, or a sink, have run since the clock was last read.
    var isLate = false
    /// The tick that runs was asked for by `fire`.
    var isFired = false
    /// A tick has begun: not set while a weak reference is looked up, nor when it turns out to be dead.
    var isTick = false
    /// The fork epoch in which it was entered.
    var epoch: UInt32

    enum Kind { case tick, hook, targetHook, submit, scheduler, executor, visit }

    init(_ kind: Kind, thread: ThreadPointer? = CurrentThread.record()) {
        self.kind = kind
        self.thread = thread
        self.epoch = Process.epoch
    }
}

typealias FramePointer = UnsafeMutablePointer<Frame>

extension UnsafeMutablePointer where Pointee == Frame {
    /// The process was forked inside this frame, and this is the child: nothing of the parent's may be touched.
    @inline(__always) var isInherited: Bool { pointee.epoch != Process.epoch }

    /// Puts the frame on its thread's chain.
    @inline(__always)
    func push() {
        guard let thread = pointee.thread else { return }
        pointee.parent = thread.pointee.frame
        thread.pointee.frame = self
    }

    @inline(__always)
    func pop() {
        guard let thread = pointee.thread, !isInherited else { return }
        thread.pointee.frame = pointee.parent
    }
}

/// Whether the current thread is inside a callback, hook or other user code of the scheduler.
func isInside(_ scheduler: SchedulerPointer) -> Bool {
    var frame = CurrentThread.existing?.pointee.frame
    while let f = frame {
        if f.pointee.scheduler == scheduler, f.pointee.kind != .visit { return true }
        frame = f.pointee.parent
    }
    return false
}
