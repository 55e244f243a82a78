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
        await #expect(processExitsWith: .failure) { _ = FrameRate(1_000_000_001, 1) }
        await #expect(processExitsWith: .failure) { _ = FrameRate(4_000_000_001, 4) }
        await #expect(processExitsWith: .success) {
            _ = FrameRate(1_000_000_000, 1)
            _ = FrameRate(4_000_000_000, 4)
            _ = FrameRate(Int(UInt32.max), Int(UInt32.max))
        }
    }

    @Test func aThrottleWithoutAnInterval() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Throttle(.zero) {}
        }
        #expect(message(result).contains("Throttle: the interval must be more than zero"))
    }

    // What is confined to one actor, and what belongs to another.
    @Test func aBodyOfAnotherActor() async {
        await #expect(processExitsWith: .success) { await Archive().start(.own) }
        for mistake in Archive.Body.allCases where mistake != .own {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake = mistake as Archive.Body] in
                await Archive().start(mistake)
            }
            #expect(message(result).contains("and the body to another one"))
        }
    }
}

private actor Archive {
    enum Body: CaseIterable, Codable { case own, function, variable, frame }

    private let page = Page()
    private let scheduler = TimerScheduler.manual()
    private var saved = 0

    func start(_ body: Body) {
        let turn: @MainActor (Page, Tick) -> Void = { _, _ in }
        switch body {
        case .own:
            WeakTimer.every(.seconds(1), target: page, scheduler: scheduler) { page in self.saved += 1 }
            WeakTimer.every(.seconds(1), target: page, scheduler: scheduler, action: Page.turn)
            _ = FrameTimer(rate: FrameRate(1), target: page, scheduler: scheduler) { page, frame in self.saved += 1 }
        case .function: WeakTimer.every(.seconds(1), target: page, scheduler: scheduler, show)
        case .variable: WeakTimer.after(.seconds(1), target: page, scheduler: scheduler, turn)
        case .frame: _ = FrameTimer(rate: FrameRate(1), target: page, scheduler: scheduler, show)
        }
    }
}

private final class Page {
    func turn() {}
}

@MainActor private func show(_ page: Page) {}
@MainActor private func show(_ page: Page, _ frame: FrameTimer) {}
