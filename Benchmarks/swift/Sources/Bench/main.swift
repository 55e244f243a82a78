import Harness
import WeakTimers

/// The state of the driver: one scheduler, and the timers by index.
nonisolated(unsafe) var scheduler = TimerScheduler.shared
nonisolated(unsafe) var timers: UnsafeMutablePointer<WeakTimer>!

private func duration(_ ns: UInt64) -> Duration { .nanoseconds(Int64(ns)) }

@_cdecl("peer_open")
public func peerOpen(_ capacity: Int, _ threaded: Bool) {
    timers = .allocate(capacity: capacity)
    timers.initialize(repeating: .none, count: capacity)
}

@_cdecl("peer_start")
public func peerStart(_ i: Int, _ delay: UInt64) {
    timers[i] = WeakTimer.after(duration(delay), scheduler: scheduler) { bench_tick(i) }
}

@_cdecl("peer_start_every")
public func peerStartEvery(_ i: Int, _ interval: UInt64) {
    timers[i] = WeakTimer.every(duration(interval), scheduler: scheduler) { (tick: Tick) in
        if tick.missed != 0 { bench_skipped(i, UInt64(tick.missed)) }
        bench_tick(i)
    }
}

@_cdecl("peer_start_tolerant")
public func peerStartTolerant(_ i: Int, _ delay: UInt64, _ tolerance: UInt64) {
    timers[i] = WeakTimer.after(duration(delay), tolerance: duration(tolerance), scheduler: scheduler) { bench_tick(i) }
}

@_cdecl("peer_start_every_tolerant")
public func peerStartEveryTolerant(_ i: Int, _ interval: UInt64, _ tolerance: UInt64) {
    timers[i] = WeakTimer.every(duration(interval), tolerance: duration(tolerance), scheduler: scheduler) { bench_tick(i) }
}

@_cdecl("peer_cancel")
public func peerCancel(_ i: Int) { timers[i].invalidate() }

@_cdecl("peer_move")
public func peerMove(_ i: Int, _ delay: UInt64) { timers[i].reschedule(after: duration(delay)) }

@_cdecl("peer_move_tolerant")
public func peerMoveTolerant(_ i: Int, _ delay: UInt64) { peerMove(i, delay) }

_ = bench_main(CommandLine.argc, CommandLine.unsafeArgv)
