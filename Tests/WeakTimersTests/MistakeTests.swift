import Testing
import WeakTimers

/// The short forms stop the program on a programmer's error, with a message that names it. XCTest cannot look at a program that stops.
struct MistakeTests {
    private func message(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    /* field report: 73 */
    @Test func anIntervalOfZero() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            WeakTimer.every(.zero) {}
        }
        #expect(message(result).contains("WeakTimer.every: the interval must be more than zero"))
    }

    @Test func anIntervalBelowZero() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            WeakTimer.every(.seconds(-1), scheduler: .manual()) {}
        }
        #expect(message(result).contains("must be more than zero, not -1.0 seconds"))
    }

    @Test func aLimitOfZero() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            WeakTimer.every(.seconds(1), limit: 0) {}
        }
        #expect(message(result).contains("the limit must be more than zero"))
    }

    @Test func ticksWithoutAnInterval() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = TimerScheduler.manual().ticks(every: .zero)
        }
        #expect(message(result).contains("ticks: the interval must be more than zero"))
    }

    @Test func advancingAnAdvance() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scheduler = TimerScheduler.manual()
            WeakTimer.after(.zero, scheduler: scheduler) { scheduler.advance(by: .seconds(1)) }
            scheduler.advance(by: .zero)
        }
        #expect(message(result).contains("not for their callbacks"))
    }

    @Test func advancingRealTime() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            TimerScheduler.shared.advance(by: .seconds(1))
        }
        #expect(message(result).contains("manual schedulers"))
    }

    @Test func aSerialQueueWithoutAPool() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = TimerExecutor.serial(on: .inline)
        }
        #expect(message(result).contains("a serial queue needs a pool"))
    }

    @Test func rates() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FrameRate(60, 0)
        }
        #expect(message(result).contains("a frame rate is made of two numbers"))
        await #expect(processExitsWith: .failure) { _ = FrameRate(2_000_000_000, 1) }
        await #expect(processExitsWith: .success) { _ = FrameRate(1_000_000_000, 1) }
    }

    @Test func aThrottleWithoutAnInterval() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Throttle(.zero) {}
        }
        #expect(message(result).contains("Throttle: the interval must be more than zero"))
    }
}
