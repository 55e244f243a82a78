import CPlatform
import CWeakTimer
import Synchronization

/// Making, arming and closing the descriptors that wall and boottime timers and host-driven schedulers need.
extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// Makes what a scheduler needs to sleep on other clocks. No lock is held. False: the system refuses.
    func prepareClock(_ clock: Int) -> Bool {
        if pointee.drive == .manual { return true }
        Process.forkGuard.lock()
        defer { Process.forkGuard.unlock() }
        if pointee.drive == .thread {
            if pointee.descriptors.event.load(ordering: .acquiring) == 0 {
                let fd = Faults.descriptor(.event) ?? wtmp_eventfd()
                if fd < 0 { return false }
                pointee.descriptors.event.store(fd &+ 1, ordering: .releasing)
            }
        }
        if clock == 1 {
            guard makeTimer(boottime: true) else { return false }
        } else if clock == 2 {
            guard makeTimer(boottime: false) else { return false }
        }
        return true
    }

    private func makeTimer(boottime: Bool) -> Bool {
        let known =
            boottime
            ? pointee.descriptors.boottime.load(ordering: .acquiring) : pointee.descriptors.wall.load(ordering: .acquiring)
        if known != 0 { return true }
        let fd =
            Faults.descriptor(.timer)
            ?? wtmp_timerfd(boottime ? SystemClock.linuxBoottime : SystemClock.linuxRealtime)
        if fd < 0 { return false }
        if pointee.drive == .host, !addToEpoll(fd) { return false }
        if boottime {
            pointee.descriptors.boottime.store(fd &+ 1, ordering: .releasing)
        } else {
            pointee.descriptors.wall.store(fd &+ 1, ordering: .releasing)
        }
        return true
    }

    private func addToEpoll(_ fd: Int32) -> Bool {
        if wtmp_epoll_add(pointee.descriptors.epoll.load(ordering: .acquiring) &- 1, fd) == 0 { return true }
        wtmp_close(fd)
        return false
    }

    /// The descriptors of a host-driven scheduler. No lock is held.
    func makeHostDescriptors() -> Bool {
        Process.forkGuard.lock()
        defer { Process.forkGuard.unlock() }
        let epoll = Faults.descriptor(.epoll) ?? wtmp_epoll()
        if epoll < 0 { return false }
        pointee.descriptors.epoll.store(epoll &+ 1, ordering: .releasing)
        let timer = Faults.descriptor(.timer) ?? wtmp_timerfd(SystemClock.linuxMonotonic)
        if timer < 0 || !addToEpoll(timer) { return false }
        pointee.descriptors.monotonic.store(timer &+ 1, ordering: .releasing)
        pointee.armed = (.never, .never)
        return true
    }

    /// Arms the descriptors of the other clocks, by `spin` early. The caller is the only one to sleep on them.
    func armClocks() {
        let boottime = pointee.descriptors.boottime.load(ordering: .acquiring)
        if boottime != 0 { _ = wtmp_timerfd_arm(boottime &- 1, early(pointee.wakeAt.1), false) }
        let wall = pointee.descriptors.wall.load(ordering: .acquiring)
        if wall != 0 { _ = wtmp_timerfd_arm(wall &- 1, early(pointee.wakeAt.2), true) }
    }

    /// When to stop sleeping for what is due at `wake`.
    func early(_ wake: UInt64) -> UInt64 { wake == .never ? .never : wake.saturatingSubtract(pointee.spin) }

    /// Arms a host's descriptors for the moments that hold now. No lock is held.
    ///
    /// Two threads may come here in any order: each arms for the newest moments, as read while it holds the arming lock.
    func armHost() {
        pointee.armLock.lock()
        pointee.lock.lock()
        let moments = pointee.wakeAt
        pointee.lock.unlock()
        let monotonic = pointee.descriptors.monotonic.load(ordering: .acquiring)
        if monotonic != 0, moments.0 != pointee.armed.0 {
            pointee.armed.0 = moments.0
            _ = wtmp_timerfd_arm(monotonic &- 1, moments.0, false)
        }
        let boottime = pointee.descriptors.boottime.load(ordering: .acquiring)
        if boottime != 0, moments.1 != pointee.armed.1 {
            pointee.armed.1 = moments.1
            _ = wtmp_timerfd_arm(boottime &- 1, moments.1, false)
        }
        // A step of the calendar may have disarmed this one.
        let wall = pointee.descriptors.wall.load(ordering: .acquiring)
        if wall != 0 { _ = wtmp_timerfd_arm(wall &- 1, moments.2, true) }
        pointee.armLock.unlock()
    }

    func closeDescriptors() {
        pointee.armLock.lock()
        Process.forkGuard.lock()
        closeAll()
        Process.forkGuard.unlock()
        pointee.armLock.unlock()
    }

    /// Also in a forked child, where the parent's stay open.
    func closeAll() {
        close(pointee.descriptors.event.exchange(0, ordering: .acquiringAndReleasing))
        close(pointee.descriptors.monotonic.exchange(0, ordering: .acquiringAndReleasing))
        close(pointee.descriptors.boottime.exchange(0, ordering: .acquiringAndReleasing))
        close(pointee.descriptors.wall.exchange(0, ordering: .acquiringAndReleasing))
        close(pointee.descriptors.epoll.exchange(0, ordering: .acquiringAndReleasing))
    }

    private func close(_ fd: Int32) {
        if fd != 0 { wtmp_close(fd &- 1) }
    }
}
