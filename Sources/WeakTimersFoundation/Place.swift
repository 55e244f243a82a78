import Dispatch
import Foundation
import WeakTimers

extension ScheduledTimer {
    /// Where a timer calls back.
    struct Place {
        enum Kind {
            case main
            case executor(TimerExecutor)
            case loop(RunLoop, TimerExecutor)
        }

        var kind: Kind
        /// Whether the code or the caller says where, not the thread on which the timer was made.
        var isGiven: Bool

        /// The main actor's own code stays on it; a queue that was asked for is next; then the thread that makes the timer decides.
        init(isolation: (any Actor)?, queue: DispatchQueue?) {
            isGiven = true
            if let isolation, isolation === MainActor.shared {
                kind = .main
            } else if let executor = TimerExecutor.of(isolation) {
                kind = .executor(executor)
            } else if let queue {
                kind = MainQueue.isSame(queue) ? .main : .executor(.shared(by: queue))
            } else {
                kind = MainQueue.isHere ? .main : .executor(.inline)
                isGiven = false
            }
        }

        init(_ loop: RunLoop, _ mode: RunLoop.Mode) {
            kind = .loop(loop, .shared(by: loop, mode))
            isGiven = true
        }

        var executor: TimerExecutor {
            switch kind {
            case .main: .mainActor
            case .executor(let executor), .loop(_, let executor): executor
            }
        }

        /// Whether the caller is on the one thread on which the timer calls.
        var isHere: Bool {
            switch kind {
            case .main: MainQueue.isHere
            case .executor: false
            case .loop(let loop, _): loop === (Thread.isMainThread ? RunLoop.main : RunLoop.current)
            }
        }
    }
}

/// Where the main actor is. In a program whose `main` is async and has been suspended once, that is a thread of Dispatch's, and never again the
/// one on which the program began.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isHere: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }

    static func isSame(_ queue: DispatchQueue) -> Bool { queue.getSpecific(key: key) == true }
}
