import CPlatform
import CWeakTimer
import Synchronization

extension UnsafeMutablePointer where Pointee: ~Copyable, Pointee == Scheduler {
    /// What `wtm_timer_get_info` tells. The caller holds the lock.
    func info(_ index: UInt32, _ timer: TimerPointer) -> wtm_timer_info {
        var info = wtm_timer_info()
        info.size = UInt32(MemoryLayout<wtm_timer_info>.size)
        info.state = state(timer).rawValue
        info.clock = UInt32(timer.clock)
        info.missed_policy = timer.policy
        info.next_ns = next(timer)
        info.interval_ns = timer.interval
        info.tolerance_ns = timer.tolerance
        if timer.has(TimerBits.bound) {
            info.target = wtm_target(id: Targets.at(Bindings.at(timer.bindingIndex).pointee.target).pointee.id)
        }
        guard let record = timer.record else {
            if timer.has(TimerBits.running) {
                info.ticks = 1
                info.max_lateness_ns = runningLateness(index)
            }
            return info
        }
        info.ticks = record.pointee.ticks
        info.missed = record.pointee.missed
        info.dropped = record.pointee.dropped
        info.max_lateness_ns = record.pointee.maxLateness
        info.max_callback_ns = record.pointee.maxCallback
        withUnsafeMutableBytes(of: &info.name) { to in
            withUnsafeBytes(of: &record.pointee.name) { to.copyMemory(from: $0) }
        }
        return info
    }

    private func state(_ timer: TimerPointer) -> wtm_timer_state {
        if timer.has(TimerBits.running) { return WTM_STATE_RUNNING }
        if timer.has(TimerBits.queued) { return WTM_STATE_QUEUED }
        if timer.has(TimerBits.paused) { return WTM_STATE_PAUSED }
        return timer.has(TimerBits.armed) ? WTM_STATE_ARMED : WTM_STATE_IDLE
    }

    private func runningLateness(_ index: UInt32) -> UInt64 {
        var frame = pointee.frames
        while let f = frame {
            if f.pointee.timer == index &+ 1 { return f.pointee.lateness }
            frame = f.pointee.next
        }
        return 0
    }

    /// What `wtm_scheduler_get_stats` tells. The caller holds the lock.
    func statistics() -> wtm_scheduler_stats {
        var out = wtm_scheduler_stats()
        out.size = UInt32(MemoryLayout<wtm_scheduler_stats>.size)
        out.live = pointee.stats.live
        out.created = pointee.stats.created
        out.ticks = pointee.stats.ticks
        out.missed = pointee.stats.missed
        out.dropped = pointee.stats.dropped
        out.wakeups = pointee.stats.wakeups
        out.ended = pointee.stats.ended
        withUnsafeMutableBytes(of: &out.lateness_log2) { to in
            withUnsafeBytes(of: &pointee.stats.lateness) { to.copyMemory(from: $0) }
        }
        withUnsafeMutableBytes(of: &out.callback_log2) { to in
            withUnsafeBytes(of: &pointee.stats.callback) { to.copyMemory(from: $0) }
        }
        out.max_lateness_ns = pointee.stats.maxLateness
        out.max_callback_ns = pointee.stats.maxCallback
        return out
    }
}
