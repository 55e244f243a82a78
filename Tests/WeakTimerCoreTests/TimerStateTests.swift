import CWeakTimer
import XCTest

/// The states of a timer, walked through the C functions: every sequence of five calls, against a model of thirty lines.
final class TimerStateTests: XCTestCase {
    private enum Call: Int, CaseIterable {
        case pause, resume, reschedule, setNextAhead, setNextPast, fire, advance, invalidate
    }

    private enum Shape: CaseIterable { case oneShot, kept, repeating }

    private static let interval: UInt64 = 10

    /// What the contract says of one timer under manual time.
    private struct Model {
        let shape: Shape
        var now: UInt64
        var isEnded = false
        var isPaused = false
        /// The deadline, or nil for none.
        var next: UInt64?
        /// While paused: the time that is left to the deadline; nil for an absolute one.
        var remaining: UInt64?
        var fires: UInt64 = 0
        var ticks: UInt64 = 0

        init(_ shape: Shape, now: UInt64) {
            self.shape = shape
            self.now = now
            next = now + TimerStateTests.interval
        }

        mutating func call(_ call: Call) -> wtm_status {
            if call == .advance {
                advance()
                return WTM_OK
            }
            if isEnded { return WTM_ERR_GONE }
            switch call {
            case .pause:
                if !isPaused, let next { remaining = next > now ? next - now : 0 }
                isPaused = true
            case .resume:
                if isPaused, let remaining { next = now + remaining }
                isPaused = false
                remaining = nil
            case .reschedule: (next, remaining) = (now + 4, isPaused ? 4 : nil)
            case .setNextAhead: (next, remaining) = (now + 7, nil)
            case .setNextPast: (next, remaining) = (now - 25, nil)
            case .fire: fires += 1
            case .invalidate: isEnded = true
            case .advance: break
            }
            return WTM_OK
        }

        private mutating func advance() {
            if !isEnded, fires > 0 {
                ticks += shape == .oneShot ? 1 : fires
                fires = 0
                isEnded = shape == .oneShot
            }
            let end = now + 6
            while !isEnded, !isPaused, let due = next, due <= end {
                now = max(now, due)
                ticks += 1
                switch shape {
                case .oneShot: isEnded = true
                case .kept: next = nil
                case .repeating: next = due + ((now - due) / TimerStateTests.interval + 1) * TimerStateTests.interval
                }
            }
            now = end
        }

        var visibleNext: UInt64 { isPaused ? UInt64.max : next ?? .max }
    }

    private func start(_ shape: Shape, on scheduler: wtm_scheduler, counting count: UnsafeMutablePointer<UInt64>) -> wtm_timer {
        var options = wtm_timer_options()
        options.size = UInt32(MemoryLayout<wtm_timer_options>.size)
        options.fn = { _, _, context in context!.assumingMemoryBound(to: UInt64.self).pointee += 1 }
        options.context = UnsafeMutableRawPointer(count)
        switch shape {
        case .oneShot: options.delay_ns = Self.interval
        case .kept: (options.delay_ns, options.flags) = (Self.interval, UInt32(WTM_TIMER_KEEP))
        case .repeating: options.interval_ns = Self.interval
        }
        var timer = wtm_timer()
        XCTAssertEqual(wtm_timer_start(scheduler, &options, &timer), WTM_OK)
        return timer
    }

    private func perform(_ call: Call, _ timer: wtm_timer, _ scheduler: wtm_scheduler, now: UInt64) -> wtm_status {
        switch call {
        case .pause: wtm_timer_pause(timer)
        case .resume: wtm_timer_resume(timer)
        case .reschedule: wtm_timer_reschedule(timer, 4)
        case .setNextAhead: wtm_timer_set_next(timer, now + 7)
        case .setNextPast: wtm_timer_set_next(timer, now - 25)
        case .fire: wtm_timer_fire(timer)
        case .invalidate: wtm_timer_invalidate(timer)
        case .advance: wtm_scheduler_advance(scheduler, 6, nil)
        }
    }

    /// Every sequence of calls of this length on a timer of this shape.
    private func walk(_ shape: Shape, length: Int) {
        var options = wtm_scheduler_options()
        options.size = UInt32(MemoryLayout<wtm_scheduler_options>.size)
        options.drive = WTM_DRIVE_MANUAL.rawValue
        var scheduler = wtm_scheduler()
        XCTAssertEqual(wtm_scheduler_create(&options, &scheduler), WTM_OK)
        XCTAssertEqual(wtm_scheduler_advance(scheduler, 1_000, nil), WTM_OK)
        defer { XCTAssertEqual(wtm_scheduler_shutdown(scheduler, .max), WTM_OK) }

        let count = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
        defer { count.deallocate() }
        let calls = Call.allCases.count
        var sequences = 1
        for _ in 0..<length { sequences *= calls }
        for sequence in 0..<sequences {
            count.pointee = 0
            var model = Model(shape, now: wtm_scheduler_now(scheduler, WTM_CLOCK_MONOTONIC))
            let timer = start(shape, on: scheduler, counting: count)
            var rest = sequence, trace: [Call] = []
            for _ in 0..<length {
                let call = Call.allCases[rest % calls]
                rest /= calls
                trace.append(call)
                let status = perform(call, timer, scheduler, now: model.now)
                if let difference = differences(model.call(call), status, model, timer, count.pointee) {
                    XCTFail("\(shape), \(trace): \(difference)")
                    return
                }
            }
            _ = wtm_timer_invalidate(timer)
        }
    }

    private func differences(_ wanted: wtm_status, _ status: wtm_status, _ model: Model, _ timer: wtm_timer, _ ticks: UInt64) -> String? {
        if status != wanted { return "status \(status.rawValue), not \(wanted.rawValue)" }
        if ticks != model.ticks { return "\(ticks) ticks, not \(model.ticks)" }
        if wtm_timer_is_valid(timer) == model.isEnded { return model.isEnded ? "it is still valid" : "it has ended" }
        var next: UInt64 = 0
        let answer = wtm_timer_get_next(timer, &next)
        if answer != (model.isEnded ? WTM_ERR_GONE : WTM_OK) { return "get_next says \(answer.rawValue)" }
        if next != (model.isEnded ? 0 : model.visibleNext) { return "next is \(next), not \(model.visibleNext)" }
        return nil
    }

    // covers: stop.sticky time.pause time.fire
    func testEverySequenceOnAOneShot() { walk(.oneShot, length: 5) }

    // covers: stop.sticky time.pause time.fire
    func testEverySequenceOnAKeptOneShot() { walk(.kept, length: 5) }

    // covers: stop.sticky time.pause time.fire time.missed
    func testEverySequenceOnARepeatingTimer() { walk(.repeating, length: 5) }
}
