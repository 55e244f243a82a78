import WeakTimers
import XCTest

/// The helpers for an actor: their bodies are isolated to it, and they do not keep it alive.
final class HelperActorTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    private actor Document {
        var saves = 0
        var frames: [Int] = []
        private var debouncer: Debouncer?
        private var throttle: Throttle?
        private var link: FrameTimer?
        private var other: FrameTimer?

        func begin(_ scheduler: TimerScheduler) {
            debouncer = Debouncer(.seconds(1), target: self, scheduler: scheduler) { document in document.saves += 1 }
            throttle = Throttle(.seconds(1), target: self, scheduler: scheduler) { document in document.saves += 10 }
            link = FrameTimer(rate: FrameRate(1), target: self, scheduler: scheduler) { document, link in document.frames.append(link.frame) }
            other = FrameTimer(rate: FrameRate(1), target: self, scheduler: scheduler) { document in document.saves += 100 }
        }

        func change() {
            debouncer?.call()
            throttle?.call()
        }
    }

    func testTheirBodiesAreIsolatedToIt() async {
        let document = Document()
        await document.begin(scheduler)
        await document.change()
        scheduler.advance(by: .seconds(1))
        await settled { await document.saves == 111 }
        await settled { await document.frames == [1] }
    }

    // covers: life.weak
    func testTheyDoNotKeepItAlive() async {
        var document: Document? = Document()
        weak let seen = document
        await document?.begin(scheduler)
        await document?.change()
        document = nil
        await settled { seen == nil }
        scheduler.advance(by: .seconds(1))
        await settled { scheduler.statistics.live == 0 }
    }
}
