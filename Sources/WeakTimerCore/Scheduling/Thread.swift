import CPlatform
import CWeakTimer
import Synchronization

/// Values of `Scheduler.park`.
enum Parking {
    static let awake: UInt32 = 0
    static let futex: UInt32 = 1
    static let poll: UInt32 = 2
    /// The thread has not said yet that it is there.
    static let starting: UInt32 = 3
}

/// When ticks come so fast that a system call for each handful would cost more than they do: a thread that has run so many since it slept
/// rests for about as long as the library's own work for them took. The ticks of a dense time are late by so much more at most, as the last
/// of such a pass is anyway, and a slot of the wheel is served whole. A scheduler that spins does not rest.
enum Dense {
    static let ticks: UInt64 = 8
    static let each: UInt64 = 64
    static let least: UInt64 = 10_000
    static let usual: UInt64 = 50_000
    static let most: UInt64 = 1_000_000

    /// The slack that the user allows, if any is given, is a limit for this, too.
    static func rest(_ ticks: UInt64, slack: UInt64) -> UInt64 {
        max(min(ticks &* each, slack == 0 ? usual : min(slack, most)), least)
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// The body of a scheduler's own thread.
    func runThread() {
        let record = CurrentThread.record()
        nameThread(pointee.name)
        wtmp_thread_slack(max(pointee.slack, 1))
        pointee.park.store(Parking.awake, ordering: .releasing)
        wtmp_futex_wake(futexAddress(pointee.park), 1)
        if let start = pointee.hooks.onThreadStart {
            guard callHook({ start($0) }) else { return }
        }
        var frame = Frame(.tick, thread: record)
        let goesOn = withUnsafeMutablePointer(to: &frame) { loop($0) }
        if !goesOn { return }
        if pointee.watchdog.isRunning {
            pointee.lock.unlock()
            joinWatchdog()
            pointee.lock.lock()
        }
        // Until `hasThread` is false a hook may have been given to this thread.
        while !pointee.hookList.isEmpty {
            guard withUnsafeMutablePointer(to: &frame, { runListedHook($0) }) else { return }
        }
        pointee.isDriven = false
        pointee.driver = nil
        pointee.hasThread = false
        if !pointee.hasJoiner { wtmp_thread_detach(pointee.thread) }
        pointee.holds &-= 1
        unlockAndSettle()
    }

    /// Waits until the thread has begun, so that whoever looks finds it named and with its signals blocked. No lock is held.
    func awaitThread() {
        while pointee.park.load(ordering: .acquiring) == Parking.starting {
            _ = wtmp_futex_wait(futexAddress(pointee.park), Parking.starting, .never)
        }
    }

    /// Passes and sleeps until the scheduler shuts down. Returns with the lock held; false in a forked child.
    private func loop(_ frame: FramePointer) -> Bool {
        pointee.lock.lock()
        pointee.driver = frame.pointee.thread
        pointee.isDriven = true
        // Ticks since the last sleep.
        var ran: UInt64 = 0
        while true {
            pointee.lock.giveWayIfWanted()
            guard pass(limit: 0, ran: &ran, frame: frame) else { return false }
            if pointee.state != .up { return true }
            reckonWake()
            if spreadAhead(Ahead.portion) || pointee.wakeAt.0 == 0 { continue }
            expectStarts()
            var until = pointee.wakeAt.0
            if until != .never {
                let now = SystemClock.monotonic()
                if until <= now { continue }
                if ran >= Dense.ticks, pointee.spin == 0 { until = max(until, now.saturatingAdd(Dense.rest(ran, slack: pointee.slack))) }
            }
            sleep(until)
            ran = 0
        }
    }

    /// Sleeps until `wake` or a wake-up. The lock is held, and free meanwhile.
    private func sleep(_ wake: UInt64) {
        let until = early(wake)
        let moments = (wake, pointee.wakeAt.1, pointee.wakeAt.2)
        let polls = pointee.usesDescriptors
        pointee.isParked = true
        pointee.park.store(polls ? Parking.poll : Parking.futex, ordering: .relaxed)
        if polls { armClocks() }
        let event = pointee.descriptors.event.load(ordering: .relaxed) &- 1
        let boottime = pointee.descriptors.boottime.load(ordering: .relaxed) &- 1
        let wall = pointee.descriptors.wall.load(ordering: .relaxed) &- 1
        pointee.lock.unlock()
        if polls {
            let now = SystemClock.monotonic()
            let delay = until == .never ? .never : until.saturatingSubtract(now)
            if delay != 0 { _ = wtmp_poll3(event, boottime, wall, delay) }
        } else {
            _ = wtmp_futex_wait(futexAddress(pointee.park), Parking.futex, until)
        }
        if pointee.spin != 0 { spin(moments) }
        pointee.lock.lock()
        pointee.isParked = false
        pointee.wakeRequest = false
        pointee.park.store(Parking.awake, ordering: .relaxed)
        pointee.stats.wakeups.count()
        if polls {
            _ = wtmp_drain(event)
            if boottime >= 0 { _ = wtmp_drain(boottime) }
            if wall >= 0 { _ = wtmp_drain(wall) }
        }
    }

    /// Spins until one of the moments has come, by its own clock, or somebody wakes the thread. No lock is held.
    @inline(never)
    private func spin(_ moments: (UInt64, UInt64, UInt64)) {
        while pointee.park.load(ordering: .relaxed) != Parking.awake {
            let nearest = min(left(moments.0, 0), left(moments.1, 1), left(moments.2, 2))
            // Far from all of them: it was another descriptor that ended the sleep, as when the calendar was stepped.
            if nearest == 0 || nearest > pointee.spin { return }
            wtmp_cpu_relax()
        }
    }

    @inline(__always)
    private func left(_ moment: UInt64, _ clock: Int) -> UInt64 {
        moment == .never ? .never : moment.saturatingSubtract(now(clock))
    }

    /// Wakes the thread that sleeps, or moves the host's descriptor forward. No lock is held.
    func wakeSleeper() {
        switch pointee.drive {
        case .thread:
            switch pointee.park.exchange(Parking.awake, ordering: .acquiringAndReleasing) {
            case Parking.futex: wtmp_futex_wake(futexAddress(pointee.park), 1)
            case Parking.poll:
                // A shutdown closes the descriptor under the same lock, so the number is not another's by now.
                pointee.armLock.lock()
                let event = pointee.descriptors.event.load(ordering: .acquiring)
                if event != 0 { wtmp_eventfd_signal(event &- 1) }
                pointee.armLock.unlock()
            default: break
            }
        case .host: armHost()
        case .manual: break
        }
    }

    /// Calls one of the scheduler's own hooks, as user code of the scheduler. No lock is held. False in a forked child.
    func callHook(_ body: (UnsafeMutableRawPointer?) -> Void) -> Bool {
        var frame = Frame(.scheduler)
        return withUnsafeMutablePointer(to: &frame) { frame in
            pointee.lock.lock()
            link(frame)
            pointee.holds &+= 1
            let context = pointee.hooks.context
            pointee.lock.unlock()
            frame.push()
            body(context)
            if frame.isInherited { return false }
            frame.pop()
            pointee.lock.lock()
            unlink(frame)
            pointee.holds &-= 1
            unlockAndSettle()
            return true
        }
    }
}

/// Gives the calling thread a name of up to 15 bytes.
func nameThread(_ name: (UInt64, UInt64)) {
    var name = name
    withUnsafeBytes(of: &name) {
        wtmp_thread_name($0.baseAddress.unsafelyUnwrapped.assumingMemoryBound(to: CChar.self))
    }
}
