import CPlatform
import CWeakTimer
import Synchronization

extension Schedulers {
    /// Makes a scheduler, its wheel, and what its drive needs. A failure leaves nothing behind.
    static func create(_ options: SchedulerOptions) -> Result<UInt64, StatusError> {
        guard Process.prepare() else { return .failure(StatusError(WTM_ERR_SYSTEM)) }
        guard let (index, slot) = table.allocate() else {
            return .failure(StatusError(table.isExhausted ? WTM_ERR_LIMIT : WTM_ERR_SYSTEM))
        }
        let scheduler = slot.assumingMemoryBound(to: Scheduler.self)
        scheduler.pointee.lock.lock()
        scheduler.reset(index, options)
        // The wheels of a recycled slot are used again.
        let wheel = scheduler.prepareWheel(0)
        scheduler.pointee.lock.unlock()
        if !wheel { return giveUp(index, scheduler) }
        if options.drive == .host {
            guard scheduler.makeHostDescriptors() else { return giveUp(index, scheduler) }
        }
        if options.drive != .manual, options.hooks.onClockJump != nil {
            scheduler.pointee.lock.lock()
            let isReady = scheduler.prepareWheel(2)
            scheduler.pointee.lock.unlock()
            guard isReady, scheduler.prepareClock(2) else { return giveUp(index, scheduler) }
            scheduler.pointee.usesDescriptors = true
        }
        scheduler.pointee.lock.lock()
        let id = table.publish(index, slot)
        scheduler.pointee.id = id
        scheduler.pointee.state = .up
        scheduler.pointee.isPlain = options.maxTimers == 0 && options.executorID == 0
        if options.drive == .thread {
            // The threads' first act is to take the lock. The watchdog goes first: when one of them is refused, nothing of the user's has
            // been called.
            guard scheduler.startWatchdog(), startThread(scheduler, options.stackBytes) else {
                scheduler.pointee.state = .down
                table.retire(slot)
                scheduler.pointee.id = 0
                let isWatched = scheduler.pointee.watchdog.isRunning
                scheduler.pointee.lock.unlock()
                if isWatched { scheduler.joinWatchdog() }
                return giveUp(index, scheduler)
            }
        }
        scheduler.pointee.isParked = options.drive == .host
        let isWatched = scheduler.pointee.watchdog.isRunning
        scheduler.pointee.lock.unlock()
        if options.drive == .thread { scheduler.awaitThread() }
        if isWatched { scheduler.awaitWatchdog() }
        if options.drive == .host { scheduler.armHost() }
        return .success(id)
    }

    private static func giveUp(_ index: UInt32, _ scheduler: SchedulerPointer) -> Result<UInt64, StatusError> {
        scheduler.closeDescriptors()
        table.recycle(index, UnsafeMutableRawPointer(scheduler))
        return .failure(StatusError(WTM_ERR_SYSTEM))
    }

    private static func startThread(_ scheduler: SchedulerPointer, _ stackBytes: UInt64) -> Bool {
        if Faults.strikes(.thread) { return false }
        let body: wtmp_thread_fn = { raw in
            raw.unsafelyUnwrapped.assumingMemoryBound(to: Scheduler.self).runThread()
            return nil
        }
        scheduler.pointee.park.store(Parking.starting, ordering: .relaxed)
        var thread = pthread_t()
        let stack = Int(truncatingIfNeeded: min(stackBytes, UInt64(Int.max)))
        guard wtmp_thread_start(&thread, body, UnsafeMutableRawPointer(scheduler), stack) == 0 else { return false }
        scheduler.pointee.thread = thread
        scheduler.pointee.hasThread = true
        scheduler.pointee.holds &+= 1
        return true
    }
}

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Makes the wheel of a clock, if there is none. The caller holds the lock. False: no memory.
    func prepareWheel(_ clock: Int) -> Bool {
        if wheel(clock) == nil {
            guard let memory = Memory.map(Wheel.bytes, atOnce: true) else { return false }
            let made = WheelPointer.make(in: memory)
            switch clock {
            case 0: pointee.wheels.0 = made
            case 1: pointee.wheels.1 = made
            default: pointee.wheels.2 = made
            }
        }
        let wheel = wheel(clock).unsafelyUnwrapped
        if wheel.isEmpty {
            wheel.reset()
            wheel.pointee.current = now(clock) >> wheel.pointee.shift
        }
        // Under manual time nobody waits meanwhile, and few timers are on other clocks.
        wheel.pointee.ahead.cost = clock == 0 && pointee.drive != .manual ? Ahead.usualCost : 0
        if clock == 2, pointee.drive != .manual { pointee.wallOffset = CalendarOffset.read().middle }
        return true
    }

    fileprivate func reset(_ index: UInt32, _ options: SchedulerOptions) {
        pointee.index = index
        pointee.state = .down
        pointee.isPlain = false
        pointee.id = 0
        pointee.drive = options.drive
        pointee.epoch = Process.epoch
        pointee.hooks = options.hooks
        pointee.maxTimers = options.maxTimers
        pointee.executorID = options.executorID
        pointee.slowCallback = options.slowCallback
        pointee.spin = options.spin
        pointee.slack = options.slack
        pointee.name = options.name
        // The wheels of a recycled slot are empty, but stand where they were left.
        pointee.wheels.0?.reset()
        pointee.wheels.1?.reset()
        pointee.wheels.2?.reset()
        pointee.freeSlot = nil
        pointee.secondFreeSlot = nil
        pointee.bump = 0
        pointee.bumpEnd = 0
        pointee.chunks = 0
        pointee.zombies = 0
        pointee.sequence = 0
        pointee.ready = (TimerList(), TimerList(), TimerList())
        pointee.passNow = (0, 0, 0)
        pointee.fires = TimerList()
        pointee.firesPending = 0
        pointee.hookList = TimerList()
        pointee.manualNow = 0
        pointee.wallBase = 0
        pointee.wallSetAt = 0
        pointee.driver = nil
        pointee.drainer = nil
        pointee.isDriven = false
        pointee.isParked = false
        pointee.usesDescriptors = false
        pointee.hasThread = false
        pointee.hasJoiner = false
        pointee.watchdog = Watchdog()
        pointee.passMark = 0
        pointee.wakeAt = (.never, .never, .never)
        pointee.soon = (.never, .never, .never)
        pointee.wakeRequest = false
        pointee.frames = nil
        pointee.holds = 0
        pointee.handedOver = 0
        pointee.handed = nil
        pointee.stats = Statistics()
        pointee.log = LogState()
    }
}
