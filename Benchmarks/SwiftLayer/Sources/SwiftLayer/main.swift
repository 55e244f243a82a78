// swift run -c release --package-path Benchmarks/SwiftLayer SwiftLayer
//
// field report: 94
// The Swift layer against the C functions that it stands on: nanoseconds per operation, the least of many alternated rounds, and the
// allocations of a start. The limits are the project's: it exits with 1 if one is exceeded.
import CWeakTimer
import Glibc
import WeakTimers

final class Target: Sendable {
    let other: Target?
    init(_ other: Target? = nil) { self.other = other }
    func step() {}
}

/// Nanoseconds of processor time of this thread, so that what other programs take does not count.
nonisolated func processorTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

nonisolated func measure(_ count: Int, _ body: (Int) -> Void) -> Double {
    let start = processorTime()
    for index in 0..<count { body(index) }
    return Double(processorTime() - start) / Double(count)
}

/// Both sides in turn, often; the least of each is what it costs when nothing else disturbs it.
nonisolated func compare(_ what: String, limit: Double?, rounds: Int = 60, c: () -> Double, swift: () -> Double) -> Bool {
    var base: [Double] = []
    var layer: [Double] = []
    for _ in 0..<rounds {
        base.append(c())
        layer.append(swift())
    }
    let added = layer.min()! - base.min()!
    let isWithin = limit.map { added <= $0 } ?? true
    let bound = limit.map { " (at most \(Int($0)))" } ?? ""
    print("\(what): C \(tenths(base.min()!)) ns, Swift \(tenths(layer.min()!)) ns, added \(tenths(added)) ns\(bound)\(isWithin ? "" : " EXCEEDED")")
    return isWithin
}

nonisolated func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

nonisolated func run() -> Bool {
    let manual = TimerScheduler.manual()
    var options = wtm_scheduler_options()
    options.size = UInt32(MemoryLayout<wtm_scheduler_options>.size)
    options.drive = WTM_DRIVE_MANUAL.rawValue
    var scheduler = wtm_scheduler()
    guard wtm_scheduler_create(&options, &scheduler) == WTM_OK else { return false }
    defer { _ = wtm_scheduler_shutdown(scheduler, UInt64.max) }

    let count = 20_000
    let hour: UInt64 = 3_600_000_000_000
    let target = Target()
    let nothing: wtm_tick_fn = { _, _, _ in }
    var handles = [wtm_timer](repeating: wtm_timer(), count: count)
    var timers = [WeakTimer](repeating: .none, count: count)
    var isGood = true

    // Warm: the slots, the object's own weak bookkeeping, the caches.
    func startC() -> Double {
        measure(count) { _ = wtm_timer_after(scheduler, hour, nothing, nil, nil, &handles[$0]) }
    }
    func startSwift() -> Double {
        measure(count) { timers[$0] = WeakTimer.after(.seconds(3600), target: target, scheduler: manual) { _ in } }
    }
    func endC() -> Double { measure(count) { _ = wtm_timer_invalidate(handles[$0]) } }
    func endSwift() -> Double { measure(count) { timers[$0].invalidate() } }
    _ = (startC(), startSwift(), endC(), endSwift())

    isGood =
        compare(
            "start, weak target", limit: nil,
            c: {
                defer { _ = endC() }; return startC()
            },
            swift: {
                defer { _ = endSwift() }; return startSwift()
            }) && isGood

    _ = (startC(), startSwift())
    isGood =
        compare(
            "reschedule", limit: 15,
            c: {
                measure(count) { _ = wtm_timer_reschedule(handles[$0], hour + UInt64($0)) }
            },
            swift: {
                measure(count) { timers[$0].reschedule(after: .nanoseconds(Int64(hour) + Int64($0))) }
            }) && isGood
    isGood =
        compare(
            "is valid", limit: 15,
            c: {
                measure(count) { _ = wtm_timer_is_valid(handles[$0]) }
            },
            swift: {
                measure(count) { _ = timers[$0].isValid }
            }) && isGood
    _ = (endC(), endSwift())
    // What invalidating a Swift timer gives back (the closure, the box) is the closure's cost; the call itself is measured on handles that ended.
    isGood = compare("invalidate", limit: 15, c: endC, swift: endSwift) && isGood
    isGood =
        compare(
            "invalidate, closure given back", limit: nil,
            c: {
                _ = startC(); return endC()
            },
            swift: {
                _ = startSwift(); return endSwift()
            }) && isGood

    // Ticks: one timer, a tick each nanosecond of manual time.
    let ticks: UInt64 = 20_000
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    nonisolated(unsafe) let counter = calls
    func tickC() -> Double {
        var timer = wtm_timer()
        _ = wtm_timer_every(
            scheduler, 1000,
            { _, _, context in
                context!.assumingMemoryBound(to: Int.self).pointee += 1
            }, counter, nil, &timer)
        defer { _ = wtm_timer_invalidate(timer) }
        return measure(1) { _ in _ = wtm_scheduler_advance(scheduler, ticks * 1000, nil) } / Double(ticks)
    }
    func tickSwift() -> Double {
        let timer = WeakTimer.every(.microseconds(1), target: target, scheduler: manual) { _ in counter.pointee += 1 }
        defer { timer.invalidate() }
        return measure(1) { _ in manual.advance(by: .microseconds(ticks)) } / Double(ticks)
    }
    func tickSwiftWithTick() -> Double {
        let timer = WeakTimer.every(.microseconds(1), target: target, scheduler: manual) { _, tick in counter.pointee += tick.missed + 1 }
        defer { timer.invalidate() }
        return measure(1) { _ in manual.advance(by: .microseconds(ticks)) } / Double(ticks)
    }
    func tickClosure() -> Double {
        let timer = WeakTimer.every(.microseconds(1), scheduler: manual) { counter.pointee += 1 }
        defer { timer.invalidate() }
        return measure(1) { _ in manual.advance(by: .microseconds(ticks)) } / Double(ticks)
    }
    isGood = compare("tick, weak target", limit: 60, c: tickC, swift: tickSwift) && isGood
    isGood = compare("tick, weak target, with the tick", limit: 60, c: tickC, swift: tickSwiftWithTick) && isGood
    isGood = compare("tick, closure", limit: nil, c: tickC, swift: tickClosure) && isGood

    // On an actor whose jobs run where they are enqueued, so that the hop is counted and no other thread is waited for.
    let place = Place()
    func startOnActor() -> Double {
        measure(count) { timers[$0] = WeakTimer.after(.seconds(3600), target: place, scheduler: manual) { place in place.step() } }
    }
    func tickOnActor() -> Double {
        let timer = WeakTimer.every(.microseconds(1), target: place, scheduler: manual) { place in place.step() }
        defer { timer.invalidate() }
        return measure(1) { _ in manual.advance(by: .microseconds(ticks)) } / Double(ticks)
    }
    func tickOnMain() -> Double {
        let timer = WeakTimer.every(.microseconds(1), target: target, scheduler: manual) { @MainActor target in target.step() }
        defer { timer.invalidate() }
        return measure(1) { _ in manual.advance(by: .microseconds(ticks)) } / Double(ticks)
    }
    isGood =
        compare(
            "start, actor", limit: nil,
            c: {
                defer { _ = endC() }; return startC()
            },
            swift: {
                defer { _ = endSwift() }; return startOnActor()
            }) && isGood
    isGood = compare("tick, actor", limit: nil, c: tickC, swift: tickOnActor) && isGood
    isGood = compare("tick, main actor", limit: nil, c: tickC, swift: tickOnMain) && isGood
    return countAllocations() && isGood
}

/// One kind of work, so often, for counting from outside: instructions by callgrind. The difference between two numbers is that of the work
/// alone.
nonisolated func repeatOne(_ what: String, _ count: Int) {
    let manual = TimerScheduler.manual()
    let target = Target()
    let captured = Target()
    switch what {
    case "starts":
        for _ in 0..<count {
            WeakTimer.after(.seconds(3600), target: target, scheduler: manual) { _ in captured.step() }.invalidate()
        }
    case "starts-actor":
        let place = Place()
        for _ in 0..<count {
            WeakTimer.after(.seconds(3600), target: place, scheduler: manual) { place in place.step() }.invalidate()
        }
    case "ticks-weak":
        WeakTimer.every(.microseconds(1), target: target, scheduler: manual) { target in target.step() }
        manual.advance(by: .microseconds(count))
    case "ticks-closure":
        WeakTimer.every(.microseconds(1), scheduler: manual) { captured.step() }
        manual.advance(by: .microseconds(count))
    default:
        print("starts, starts-actor, ticks-weak or ticks-closure")
    }
}

if CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]) {
    repeatOne(CommandLine.arguments[1], count)
} else if !run() {
    exit(1)
}
