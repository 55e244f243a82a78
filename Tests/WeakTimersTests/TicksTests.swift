import WeakTimers
import XCTest

final class TicksTests: XCTestCase {
    private let scheduler = TimerScheduler.manual()

    func testTicksArriveInOrder() async {
        let ticks = scheduler.ticks(every: .seconds(1))
        var iterator = ticks.makeAsyncIterator()
        for ordinal in 1...5 {
            scheduler.advance(by: .seconds(1))
            let tick = await iterator.next()
            XCTAssertEqual(tick?.ordinal, ordinal)
            XCTAssertEqual(tick?.missed, 0)
        }
    }

    /* field report: 56, 57 */
    // covers: time.missed
    func testASlowConsumerGetsOneTickThatSaysHowManyItMissed() async {
        var iterator = scheduler.ticks(every: .seconds(1)).makeAsyncIterator()
        scheduler.advance(by: .seconds(7))
        let tick = await iterator.next()
        XCTAssertEqual(tick?.ordinal, 7)
        XCTAssertEqual(tick?.missed, 6)
        scheduler.advance(by: .seconds(1))
        let next = await iterator.next()
        XCTAssertEqual(next?.ordinal, 8)
        XCTAssertEqual(next?.missed, 0)
    }

    func testTheOtherPolicies() async {
        var burst = scheduler.ticks(every: .seconds(1), missed: .burst).makeAsyncIterator()
        var delay = scheduler.ticks(every: .seconds(1), tolerance: .zero, missed: .delay).makeAsyncIterator()
        scheduler.advance(by: .seconds(3))
        for ordinal in 1...3 {
            let tick = await burst.next()
            XCTAssertEqual(tick?.ordinal, ordinal)
        }
        let tick = await delay.next()
        XCTAssertEqual(tick?.ordinal, 3)
        XCTAssertEqual(tick?.missed, 0)
    }

    func testAWaitingTaskIsWoken() async {
        let ticks = scheduler.ticks(every: .seconds(1))
        let seen = Record<Int>()
        let task = Task {
            for await tick in ticks {
                seen.append(tick.ordinal)
                if tick.ordinal == 3 { break }
            }
        }
        for count in 1...3 {
            scheduler.advance(by: .seconds(1))
            await settled { seen.all.count == count }
        }
        await task.value
        XCTAssertEqual(seen.all, [1, 2, 3])
    }

    func testItEndsWithItsTask() async {
        let ticks = scheduler.ticks(every: .seconds(1))
        let seen = Counter()
        let task = Task { for await _ in ticks { seen.increment() } }
        scheduler.advance(by: .seconds(1))
        await settled { seen.value == 1 }
        task.cancel()
        await task.value
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testItEndsWithItsScheduler() async {
        let ticks = scheduler.ticks(every: .seconds(1))
        let seen = Counter()
        let task = Task { for await _ in ticks { seen.increment() } }
        scheduler.advance(by: .seconds(1))
        await settled { seen.value == 1 }
        scheduler.shutdown()
        await task.value
        var late = scheduler.ticks(every: .seconds(1)).makeAsyncIterator()
        let tick = await late.next()
        XCTAssertNil(tick)
    }

    func testItEndsWithItsTarget() async {
        let deaths = Counter()
        var model: Model? = Model(deaths: deaths)
        let ticks = scheduler.ticks(every: .seconds(1), target: model!)
        let seen = Counter()
        let task = Task { for await _ in ticks { seen.increment() } }
        scheduler.advance(by: .seconds(1))
        await settled { seen.value == 1 }
        model = nil
        XCTAssertEqual(deaths.value, 1)
        scheduler.advance(by: .seconds(1))
        await task.value
        XCTAssertEqual(seen.value, 1)
        var late = ticks.makeAsyncIterator()
        let tick = await late.next()
        XCTAssertNil(tick)
    }

    func testItEndsWithItsSequence() async {
        do {
            let ticks = scheduler.ticks(every: .seconds(1))
            XCTAssertEqual(scheduler.statistics.live, 1)
            withExtendedLifetime(ticks) {}
        }
        XCTAssertEqual(scheduler.statistics.live, 0)
    }

    func testEveryIteratorHasATimer() async {
        let ticks = scheduler.ticks(every: .seconds(1))
        var first = ticks.makeAsyncIterator()
        var second = ticks.makeAsyncIterator()
        XCTAssertEqual(scheduler.statistics.live, 2)
        scheduler.advance(by: .seconds(1))
        let one = await first.next()
        let two = await second.next()
        XCTAssertEqual(one?.ordinal, 1)
        XCTAssertEqual(two?.ordinal, 1)
    }

    func testARealOne() async {
        let start = TimerClock.monotonic.now
        var count = 0
        for await tick in TimerScheduler.shared.ticks(every: .milliseconds(1)) {
            XCTAssertGreaterThanOrEqual(tick.now, start.advanced(by: .milliseconds(1)))
            count += 1
            if count == 3 { break }
        }
        XCTAssertEqual(count, 3)
    }
}
