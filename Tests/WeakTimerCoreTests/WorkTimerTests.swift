import CWeakTimer
import WeakTimerCore
import XCTest

/// Which timer a number stands for that a custom executor was given.
final class WorkTimerTests: XCTestCase {
    private final class Works {
        var numbers: [UInt64] = []
        var run: (@convention(c) (UInt64) -> Void)?
    }

    func testANumberNamesItsTimerWhileItsTickWaits() {
        let works = Works()
        var ops = wtm_executor_ops()
        ops.size = UInt32(MemoryLayout<wtm_executor_ops>.size)
        ops.submit = { context, run, number in
            let works = Unmanaged<Works>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
            works.numbers.append(number)
            works.run = run
            return true
        }
        var executor = wtm_executor()
        XCTAssertEqual(
            wtm_executor_create_custom(&ops, Unmanaged.passUnretained(works).toOpaque(), nil, &executor), WTM_OK)
        var options = wtm_scheduler_options()
        options.size = UInt32(MemoryLayout<wtm_scheduler_options>.size)
        options.drive = WTM_DRIVE_MANUAL.rawValue
        options.executor = executor
        var scheduler = wtm_scheduler()
        XCTAssertEqual(wtm_scheduler_create(&options, &scheduler), WTM_OK)
        var timers = [wtm_timer(), wtm_timer()]
        for index in timers.indices {
            XCTAssertEqual(wtm_timer_every(scheduler, 1_000, { _, _, _ in }, nil, nil, &timers[index]), WTM_OK)
        }
        XCTAssertEqual(wtm_scheduler_advance(scheduler, 1_000, nil), WTM_OK)
        XCTAssertEqual(works.numbers.map(timer(ofQueuedTick:)), timers.map(\.id))
        for number in [0, 1, .max, works.numbers[0] ^ 1 << 40] { XCTAssertEqual(timer(ofQueuedTick: number), 0) }
        // Begun, moved, ended: it stands for nothing any more.
        works.run?(works.numbers[0])
        XCTAssertEqual(works.numbers.map(timer(ofQueuedTick:)), [0, timers[1].id])
        XCTAssertEqual(wtm_timer_reschedule(timers[1], 10), WTM_OK)
        XCTAssertEqual(works.numbers.map(timer(ofQueuedTick:)), [0, 0])
        XCTAssertEqual(wtm_scheduler_advance(scheduler, 10, nil), WTM_OK)
        XCTAssertEqual(works.numbers.map(timer(ofQueuedTick:)), [0, 0, timers[1].id])
        XCTAssertEqual(wtm_timer_invalidate(timers[1]), WTM_OK)
        XCTAssertEqual(works.numbers.map(timer(ofQueuedTick:)), [0, 0, 0])
        XCTAssertEqual(wtm_scheduler_shutdown(scheduler, UInt64.max), WTM_OK)
        XCTAssertEqual(wtm_executor_shutdown(executor, UInt64.max), WTM_OK)
        withExtendedLifetime(works) {}
    }
}
