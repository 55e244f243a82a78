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
/// A run loop has one for each mode, for as long as it lives: Foundation's timers leave memory behind on Linux, so one for each executor would
/// leak.
package final class LoopWaker: @unchecked Sendable {
    private struct Key: Hashable {
        let loop: ObjectIdentifier
        let mode: RunLoop.Mode
    }

    private struct Table {
        var wakers: [Key: LoopWaker] = [:]
        var clearAt = 64
    }

    private static let table = Locked(Table())

    private weak var loop: RunLoop?
    private let timer: Timer

    private init(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        self.loop = loop
        timer = Timer(fire: .distantFuture, interval: .greatestFiniteMagnitude, repeats: true) { _ in }
        loop.add(timer, forMode: mode)
    }

    deinit { timer.invalidate() }

    static func of(_ loop: RunLoop, _ mode: RunLoop.Mode) -> LoopWaker {
        table.withLock { table in
            let key = Key(loop: ObjectIdentifier(loop), mode: mode)
            // Another loop may have had the same address.
            if let known = table.wakers[key], known.loop === loop { return known }
            if table.wakers.count >= table.clearAt {
                table.wakers = table.wakers.filter { $0.value.loop != nil }
                table.clearAt = max(64, 2 * table.wakers.count)
            }
            let made = LoopWaker(loop, mode)
            table.wakers[key] = made
            return made
        }
    }

    /// How many there are, those of loops that have gone since the table was last cleared included.
    package static var count: Int { table.withLock { $0.wakers.count } }

    func wake() { timer.fireDate = Date() }
}
