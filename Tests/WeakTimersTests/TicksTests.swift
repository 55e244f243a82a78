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

    // covers: time.fire
    func testWhatWasFiredIsNoneOfTheGrid() async {
        for missed in [MissedTicks.coalesce, .delay] {
            let scheduler = TimerScheduler.manual()
            var iterator = scheduler.ticks(every: .seconds(1), missed: missed).makeAsyncIterator()
            scheduler.advance(by: .seconds(1))
            for _ in 0..<2 {
                scheduler.timers.first?.fire()
                scheduler.advance(by: .zero)
            }
            scheduler.advance(by: .seconds(1))
            scheduler.shutdown()
            var ticks: [Tick] = []
            for _ in 0..<3 { if let tick = await iterator.next() { ticks.append(tick) } }
            XCTAssertEqual(ticks.map(\.isFired), [true, true, false])
            XCTAssertEqual(ticks.map(\.missed), [0, 0, missed == .coalesce ? 1 : 0])
            XCTAssertEqual(ticks.map(\.ordinal), [1, 1, 2])
        }
    }

    // covers: time.range
    func testTheCountStopsAtTheLargestNumber() async {
        let scheduler = TimerScheduler.manual()
        var iterator = scheduler.ticks(every: .nanoseconds(1)).makeAsyncIterator()
        let timer = scheduler.timers[0]
        timer.pause()
        scheduler.advance(by: .seconds(10_000_000_000))
        timer.resume()
        for _ in 0..<2 {
            timer.nextFire = TimerClock.Instant(nanoseconds: 1)
            scheduler.advance(by: .zero)
        }
        let tick = await iterator.next()
        XCTAssertEqual(tick?.missed, .max)
    }

    @MainActor func testWhatIsThereIsTakenWithoutLeavingTheActor() async {
        var iterator = scheduler.ticks(every: .seconds(1), missed: .burst).makeAsyncIterator()
        scheduler.advance(by: .seconds(3))
        var others = 0
        Task { @MainActor in others += 1 }
        for ordinal in 1...3 {
            let tick = await iterator.next(isolation: MainActor.shared)
            XCTAssertEqual(tick?.ordinal, ordinal)
        }
        scheduler.shutdown()
        let end = await iterator.next(isolation: MainActor.shared)
        XCTAssertNil(end)
        XCTAssertEqual(others, 0)
        await settled { others == 1 }
    }

    func testACancelledTaskGetsNothingThatWaits() async {
        let ticks = scheduler.ticks(every: .seconds(1), missed: .burst)
        scheduler.advance(by: .seconds(3))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = ticks.makeAsyncIterator()
            return await iterator.next() == nil
        }
        let isOver = await task.value
        XCTAssertTrue(isOver)
        XCTAssertEqual(scheduler.statistics.live, 0)
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

    func testABurstIsFetchedInOrderAcrossManySends() async {
        var iterator = scheduler.ticks(every: .seconds(1), missed: .burst).makeAsyncIterator()
        var sent = 0, fetched = 0
        for round in 0..<40 {
            let more = round * 37 % 100
            scheduler.advance(by: .seconds(more))
            sent += more
            for _ in 0..<min(sent - fetched, round * 53 % 90) {
                fetched += 1
                let tick = await iterator.next()
                XCTAssertEqual(tick?.ordinal, fetched)
            }
        }
        scheduler.shutdown()
        while let tick = await iterator.next() {
            fetched += 1
            XCTAssertEqual(tick.ordinal, fetched)
        }
        XCTAssertEqual(fetched, sent)
    }
}
