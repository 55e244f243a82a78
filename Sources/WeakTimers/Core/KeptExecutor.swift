internal import CWeakTimer
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An executor that the library keeps for itself, and uses again and again. A forked child finds it gone, with all that was the parent's, and
/// makes it anew, since nobody else could.
final class KeptExecutor: ExecutorOwner, @unchecked Sendable {
    let function: SubmitFunction
    private let process = Atomic(getpid())

    private static let renewal = Locked(())

    init(_ function: SubmitFunction) {
        self.function = function
        super.init(Self.makeCustom(function), keeping: nil)
    }

    override func renew(_ gone: wtm_executor) -> Bool {
        let process = getpid()
        return Self.renewal.withLock { _ in
            // Another thread was here first.
            if handle.id != gone.id { return true }
            // In the process that made it, it is not the executor that is gone.
            if self.process.load(ordering: .relaxed) == process { return false }
            function.forgetParent()
            replace(by: Self.makeCustom(function))
            self.process.store(process, ordering: .relaxed)
            return true
        }
    }
}
