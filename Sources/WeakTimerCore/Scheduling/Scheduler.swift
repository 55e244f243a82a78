import CPlatform
import CWeakTimer
import Synchronization

/// A scheduler's state. Guarded by `lock` unless a comment says otherwise.
struct Scheduler: ~Copyable {
    var nextFree: UInt32
    var index: UInt32
    let head: Atomic<UInt64>
    let lock: Lock
    var state: State
    var id: UInt64

    // Fixed at creation.
    var drive: Drive
    var epoch: UInt32
    var hooks: SchedulerHooks
    var maxTimers: UInt64
    var executorID: UInt64
    /// Up, without a limit and without an executor: a plain timer needs no further look.
    var isPlain: Bool
    var slowCallback: UInt64
    var spin: UInt64
    /// As asked for; 0 for the least.
    var slack: UInt64
    var name: (UInt64, UInt64)

    // Timers: free slots of the scheduler's own chunks.
    var freeSlot: TimerPointer?
    var secondFreeSlot: TimerPointer?
    var bump: UInt32
    var bumpEnd: UInt32
    var chunks: UInt32
    /// Timers that have ended and are still in use, for their last callback or their hooks.
    var zombies: UInt64
    /// Numbers armings, and by the first arming the creations.
    var sequence: UInt64
    /// For what counts from now. A recycled slot keeps the rate.
    var counterClock: CounterClock
    /// 1: it can tell the time. Read without the lock, as a hint.
    let counterHint: Atomic<UInt32>

    // What is due.
    var wheels: (WheelPointer?, WheelPointer?, WheelPointer?)
    var ready: (TimerList, TimerList, TimerList)
    /// The times of the pass under way, by clock: what is in `ready` was due then.
    var passNow: (UInt64, UInt64, UInt64)
    var fires: TimerList
    /// Fires asked for and not begun, of all timers.
    var firesPending: UInt64
    var hookList: TimerList

    // Time.
    var manualNow: UInt64
    /// Under manual time: what the wall clock was set to, and when.
    var wallBase: UInt64
    var wallSetAt: UInt64
    /// Otherwise: wall minus boottime as last seen, wrapping.
    var wallOffset: UInt64

    // The thread, or whoever drives.
    var driver: ThreadPointer?
    var isDriven: Bool
    var isParked: Bool
    var usesDescriptors: Bool
    var thread: pthread_t
    var hasThread: Bool
    var hasJoiner: Bool
    /// The futex that the thread sleeps on: 1 while it does.
    let park: Atomic<UInt32>
    /// When the sleeper wakes by itself, on the monotonic clock (and on the others, by their descriptors).
    var wakeAt: (UInt64, UInt64, UInt64)
    /// When the thread wakes instead, where it is about to sleep again since timers with tolerances were started.
    var soon: (UInt64, UInt64, UInt64)
    /// The sleeper must be told that it has to wake earlier, once the lock is free.
    var wakeRequest: Bool
    let armLock: Lock
    let descriptors: Descriptors

    /// Where the processor's counter stood when the clock was last read for callbacks.
    var passMark: UInt64

    // Who is inside user code of this scheduler.
    var frames: FramePointer?
    /// For when a host's monotonic and boottime descriptors are armed; guarded by `armLock`. New ones are not.
    var armed: (UInt64, UInt64)
    /// The thread that ends all timers for a shutdown.
    var drainer: ThreadPointer?
    let event: EventCount
    /// What keeps a scheduler that shuts down from its end, beside timers: thread, drivers, sweeps, stays.
    var holds: UInt32
    /// Ticks and hooks that pools and serial queues have not finished.
    var handedOver: UInt64
    /// The records of those that have not begun or not finished their callback.
    var handed: RecordPointer?

    var stats: Statistics
    var log: LogState
    var watchdog: Watchdog
    /// The futex that the watchdog sleeps on; a change wakes it.
    let watchdogPark: Atomic<UInt32>

    enum State { case up, shuttingDown, down }
    enum Drive: UInt32 { case thread = 0, host = 1, manual = 2 }
}

typealias SchedulerPointer = UnsafeMutablePointer<Scheduler>

/// The user's functions of a scheduler.
struct SchedulerHooks {
    var onThreadStart: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
    var onClockJump: (@convention(c) (UnsafeMutableRawPointer?, Int64) -> Void)?
    var log: (@convention(c) (UnsafeMutableRawPointer?, wtm_log_level, UnsafePointer<CChar>) -> Void)?
    var logLevel: UInt32 = 0
    var context: UnsafeMutableRawPointer?
    var release: wtm_release_fn?
}

/// The descriptors of a scheduler, plus one; 0 for none. Written under `Process.forkGuard`, so that a child can close them.
struct Descriptors: ~Copyable {
    let event: Atomic<Int32>
    let monotonic: Atomic<Int32>
    let boottime: Atomic<Int32>
    let wall: Atomic<Int32>
    let epoll: Atomic<Int32>
}

/// The counters of `wtm_scheduler_stats`.
struct Statistics {
    var created: UInt64 = 0
    var ticks: UInt64 = 0
    var missed: UInt64 = 0
    var dropped: UInt64 = 0
    var wakeups: UInt64 = 0
    var ended: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
    var lateness = Histogram()
    var callback = Histogram()
    var maxLateness: UInt64 = 0
    var maxCallback: UInt64 = 0

    /// Timers that have not ended.
    var live: UInt64 { created &- (ended.0 &+ ended.1 &+ ended.2 &+ ended.3 &+ ended.4) }
}

/// Counts by powers of two, in single steps that never come round in 64 bits: bucket i holds [2^i, 2^(i+1)), bucket 0 also 0, bucket 31 everything above.
struct Histogram {
    private typealias Eight = (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)
    private var buckets: (Eight, Eight, Eight, Eight) = (
        (0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0, 0, 0)
    )

    @inline(__always)
    mutating func add(_ value: UInt64) {
        let bucket = min(31, 63 &- (value | 1).leadingZeroBitCount)
        withUnsafeMutableBytes(of: &buckets) {
            let word = $0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: UInt64.self) + bucket
            word.pointee &+= 1
        }
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The wheel of a clock; nil when no timer of that clock was ever started here.
    @inline(__always)
    func wheel(_ clock: Int) -> WheelPointer? {
        withUnsafeMutablePointer(to: &pointee.wheels) {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: WheelPointer?.self)[clock]
        }
    }

    @inline(__always)
    func withReady<R>(_ clock: Int, _ body: (inout TimerList) -> R) -> R {
        switch clock {
        case 0: body(&pointee.ready.0)
        case 1: body(&pointee.ready.1)
        default: body(&pointee.ready.2)
        }
    }

    @inline(__always)
    func nextSequence() -> UInt64 {
        pointee.sequence &+= 1
        return pointee.sequence
    }

    /// The current time of a clock. Needs no lock for a driven one; for a manual one the lock must be held.
    @inline(never)
    func now(_ clock: Int) -> UInt64 {
        if pointee.drive != .manual { return SystemClock.read(UInt32(truncatingIfNeeded: clock)) }
        return clock == 2 ? wall(at: pointee.manualNow) : pointee.manualNow
    }

    /// The wall time of a moment of manual time.
    func wall(at moment: UInt64) -> UInt64 {
        min(pointee.wallBase.saturatingAdd(moment &- pointee.wallSetAt), .never &- 1)
    }

    // Frames. The caller holds the lock.

    @inline(__always)
    func link(_ frame: FramePointer) {
        frame.pointee.scheduler = self
        frame.pointee.prev = nil
        frame.pointee.next = pointee.frames
        pointee.frames?.pointee.prev = frame
        pointee.frames = frame
    }

    @inline(__always)
    func unlink(_ frame: FramePointer) {
        if let prev = frame.pointee.prev { prev.pointee.next = frame.pointee.next } else { pointee.frames = frame.pointee.next }
        frame.pointee.next?.pointee.prev = frame.pointee.prev
        frame.pointee.next = nil
        frame.pointee.prev = nil
    }
}
