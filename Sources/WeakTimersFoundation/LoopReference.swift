import Foundation
import WeakTimers

/// A run loop may be handed work from any thread, though its type does not say so.
final class LoopReference: @unchecked Sendable {
    private let loop: RunLoop
    private let mode: RunLoop.Mode
    private let waker: LoopWaker

    init(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        self.loop = loop
        self.mode = mode
        waker = LoopWaker.of(loop, mode)
    }

    func perform(_ work: @escaping TimerExecutor.Work) {
        loop.perform(inModes: [mode]) { work() }
        waker.wake()
    }
}

/// `perform` alone does not wake a run loop that sleeps; to move a timer of its own does.
///
/// All executors of a run loop share one for each mode, and with the last of them it leaves the loop, which ends when it has nothing left. The main
/// loop's common modes never are empty, so there it stays: Foundation's timers leave memory behind on Linux.
package final class LoopWaker: @unchecked Sendable {
    private struct Key: Hashable {
        let loop: ObjectIdentifier
        let mode: RunLoop.Mode
    }

    private struct Entry {
        weak var waker: LoopWaker?
        /// Set for one that stays.
        var kept: LoopWaker?
    }

    private struct Table {
        var entries: [Key: Entry] = [:]
        var clearAt = 64
        var made = 0
    }

    private static let table = Locked(Table())

    private weak var loop: RunLoop?
    private let mode: RunLoop.Mode
    private let timer: Timer

    private init(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        self.loop = loop
        self.mode = mode
        timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in }
        loop.add(timer, forMode: mode)
    }

    /// On the loop's own thread, where its leaving is noticed: a loop that sleeps with nothing left would not wake for it.
    deinit {
        nonisolated(unsafe) let timer = timer
        loop?.perform(inModes: [mode]) { timer.invalidate() }
        timer.fireDate = Date()
    }

    static func of(_ loop: RunLoop, _ mode: RunLoop.Mode) -> LoopWaker {
        table.withLock { table in
            let key = Key(loop: ObjectIdentifier(loop), mode: mode)
            // Another loop may have had the same address.
            if let known = table.entries[key]?.waker, known.loop === loop { return known }
            if table.entries.count >= table.clearAt {
                table.entries = table.entries.filter { $0.value.waker != nil }
                table.clearAt = max(64, 2 * table.entries.count)
            }
            let made = LoopWaker(loop, mode)
            let stays = loop === RunLoop.main && (mode == .default || mode == .common)
            table.entries[key] = Entry(waker: made, kept: stays ? made : nil)
            table.made += 1
            return made
        }
    }

    /// How many were made so far.
    package static var made: Int { table.withLock { $0.made } }
    /// How many places the table has, of those that have gone some.
    package static var count: Int { table.withLock { $0.entries.count } }

    func wake() { timer.fireDate = Date() }
}
