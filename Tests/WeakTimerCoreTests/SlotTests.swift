import Synchronization
import XCTest

@testable import WeakTimerCore

/// Handles and the tables that they point into.
final class SlotTests: XCTestCase {
    /// Sixteen slots in four chunks.
    private enum Tiny: SlotLayout {
        static var kind: Handle.Kind { .internalRecord }
        static var slotBytes: Int { 32 }
        static var chunkShift: UInt32 { 2 }
        static var chunksShift: UInt32 { 2 }
    }
    private let table = SlotTable<Tiny>()

    private func take() throws -> (id: UInt64, index: UInt32, slot: UnsafeMutableRawPointer) {
        let (index, slot) = try XCTUnwrap(table.allocate())
        return (table.publish(index, slot), index, slot)
    }

    private func giveBack(_ index: UInt32, _ slot: UnsafeMutableRawPointer) {
        table.retire(slot)
        table.recycle(index, slot)
    }

    func testAHandleIsItsParts() {
        for kind in [Handle.Kind.scheduler, .timer, .target, .executor, .internalRecord] {
            for index in [0, 1, 1 << 27, (1 << 28) - 1] as [UInt32] {
                for generation in [1, 2, 1 << 32, Handle.generationMask] {
                    let id = Handle.make(kind, index: index, generation: generation)
                    XCTAssertNotEqual(id, 0)
                    XCTAssertTrue(Handle.isKind(id, kind))
                    XCTAssertEqual(Handle.index(id), index)
                    XCTAssertEqual(Handle.generation(id), generation)
                }
            }
        }
    }

    func testTheTableEndsWhereItsIndicesEnd() throws {
        var ids = Set<UInt64>()
        for _ in 0..<16 { ids.insert(try take().id) }
        XCTAssertEqual(ids.count, 16)
        XCTAssertNil(table.allocate())
        XCTAssertTrue(table.isExhausted)
        for id in ids { XCTAssertNotNil(table.find(id)) }
    }

    func testAHandleIsStaleOnceItsSlotIsRetired() throws {
        let (id, index, slot) = try take()
        XCTAssertEqual(table.find(id), slot)
        table.retire(slot)
        XCTAssertNil(table.find(id))
        table.recycle(index, slot)
        let again = try take()
        XCTAssertEqual(again.index, index, "the slot is used again")
        XCTAssertNotEqual(again.id, id)
        XCTAssertNil(table.find(id))
        XCTAssertEqual(table.find(again.id), slot)
    }

    func testWhatWasGivenOut() throws {
        let (id, index, slot) = try take()
        let next = Handle.make(.internalRecord, index: index, generation: Handle.generation(id) + 1)
        XCTAssertTrue(table.wasGivenOut(id))
        XCTAssertFalse(table.wasGivenOut(next))
        giveBack(index, slot)
        XCTAssertTrue(table.wasGivenOut(id))
        XCTAssertFalse(table.wasGivenOut(next), "not before it is in use")
        XCTAssertEqual(try take().id, next)
        XCTAssertTrue(table.wasGivenOut(next))
        XCTAssertFalse(table.wasGivenOut(0))
        XCTAssertFalse(table.wasGivenOut(Handle.make(.internalRecord, index: index, generation: 0)))
        XCTAssertFalse(table.wasGivenOut(Handle.make(.internalRecord, index: 15, generation: 1)), "a slot never used")
    }

    func testForgedHandlesFindNothing() throws {
        let (id, index, _) = try take()
        let generation = Handle.generation(id)
        for kind in [Handle.Kind.scheduler, .timer, .target, .executor] {
            XCTAssertNil(table.find(Handle.make(kind, index: index, generation: generation)))
            XCTAssertFalse(table.wasGivenOut(Handle.make(kind, index: index, generation: generation)))
        }
        for forged in [0, .max, id + 1, id | 1 << 27, id ^ 1 << 28, id ^ 1 << 60] as [UInt64] { XCTAssertNil(table.find(forged)) }
    }

    func testASlotWhoseGenerationsAreUsedUpIsNeverUsedAgain() throws {
        let (_, index, slot) = try take()
        let header = SlotTable<Tiny>.header(slot)
        header.pointee.head.store((Handle.generationMask - 1) << Handle.stateBits, ordering: .relaxed)
        let last = table.publish(index, slot)
        XCTAssertEqual(Handle.generation(last), Handle.generationMask - 1)
        XCTAssertNotNil(table.find(last))
        giveBack(index, slot)
        XCTAssertNil(table.find(last))
        for _ in 0..<15 { XCTAssertNotEqual(try take().index, index) }
        XCTAssertNil(table.allocate(), "the slot is gone for good")
        XCTAssertNil(table.find(last))
    }

    // covers: world.fork
    func testWhatIsAbandonedIsOutOfReachAndItsIndicesAreNotUsedAgain() throws {
        let old = try (0..<3).map { _ in try take() }
        table.abandon()
        for (id, _, _) in old {
            XCTAssertNil(table.find(id))
            XCTAssertFalse(table.wasGivenOut(id))
        }
        let fresh = try take()
        XCTAssertFalse(old.contains { $0.index == fresh.index })
        XCTAssertNotNil(table.find(fresh.id))
    }
}
