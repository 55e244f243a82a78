import CWeakTimer
import Synchronization
import XCTest

@testable import WeakTimerCore

/// Ends of a target's numbers that four thousand million calls would be needed to come to.
final class TargetLimitTests: XCTestCase {
    private func create(_ hooks: UnsafeMutablePointer<Int>) -> wtm_target {
        var target = wtm_target()
        let hook: wtm_release_fn = { $0!.assumingMemoryBound(to: Int.self).pointee += 1 }
        XCTAssertEqual(wtm_target_create(UnsafeMutableRawPointer(hooks), hook, &target), WTM_OK)
        return target
    }

    private func setStrong(_ count: UInt32, _ target: wtm_target) throws {
        let inner = try XCTUnwrap(Targets.locked(target.id))
        inner.pointee.strong = count
        inner.pointee.lock.unlock()
    }

    // covers: life.release.once
    func testNoReferenceIsCountedBeyondTheLast() throws {
        let hooks = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        hooks.initialize(to: 0)
        defer { hooks.deallocate() }
        let target = create(hooks)
        try setStrong(.max, target)
        XCTAssertEqual(wtm_target_retain(target), WTM_ERR_LIMIT)
        var context: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(hooks)
        XCTAssertEqual(wtm_target_try_retain(target, &context), WTM_ERR_LIMIT)
        XCTAssertNil(context)
        XCTAssertTrue(wtm_target_is_alive(target))
        try setStrong(.max - 1, target)
        XCTAssertEqual(wtm_target_retain(target), WTM_OK, "the last that there is")
        XCTAssertEqual(wtm_target_retain(target), WTM_ERR_LIMIT)
        try setStrong(1, target)
        XCTAssertEqual(wtm_target_release(target), WTM_OK)
        XCTAssertEqual(hooks.pointee, 1)
    }

    func testASlotWithItsLastGenerationIsRetiredWithItsTarget() throws {
        let hooks = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        hooks.initialize(to: 0)
        defer { hooks.deallocate() }
        let first = create(hooks)
        let index = Handle.index(first.id)
        let slot = try XCTUnwrap(Targets.table.slot(index))
        let header = SlotTable<Targets.Layout>.header(slot)
        header.pointee.head.store((Handle.generationMask - 1) << Handle.stateBits | Handle.inUse, ordering: .releasing)
        XCTAssertFalse(wtm_target_is_alive(first), "the handle of another generation")
        let last = wtm_target(id: Handle.make(.target, index: index, generation: Handle.generationMask - 1))
        try setIdentity(last)
        XCTAssertEqual(wtm_target_release(last), WTM_OK)
        XCTAssertEqual(hooks.pointee, 1)
        XCTAssertEqual(wtm_target_retain(last), WTM_ERR_GONE)

        var others: [wtm_target] = []
        for _ in 0..<600 { others.append(create(hooks)) }
        XCTAssertFalse(others.contains { Handle.index($0.id) == index }, "the slot is gone for good")
        for other in others { XCTAssertEqual(wtm_target_release(other), WTM_OK) }
        XCTAssertEqual(wtm_target_retain(last), WTM_ERR_GONE)
    }

    /// A target knows its own handle, which has to be the one that the test made up.
    private func setIdentity(_ target: wtm_target) throws {
        let inner = try XCTUnwrap(Targets.locked(target.id))
        inner.pointee.id = target.id
        inner.pointee.lock.unlock()
    }
}
