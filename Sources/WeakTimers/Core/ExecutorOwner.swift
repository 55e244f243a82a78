internal import CWeakTimer
import Synchronization

/// Shuts an executor down when nobody uses it any more. Every timer that uses it keeps the owner.
class ExecutorOwner: @unchecked Sendable {
    private let id: Atomic<UInt64>
    private let base: ExecutorOwner?

    final var handle: wtm_executor { wtm_executor(id: id.load(ordering: .acquiring)) }

    /// - Parameter base: What the executor runs on.
    init(_ handle: wtm_executor, keeping base: ExecutorOwner?) {
        id = Atomic(handle.id)
        self.base = base
    }

    // Never waits: the last reference may go inside one of its own callbacks.
    deinit { _ = wtm_executor_shutdown(handle, 0) }

    /// Makes an executor in the place of one that a start has found gone, if that is right. False: it stays gone.
    func renew(_ gone: wtm_executor) -> Bool { false }

    final func replace(by handle: wtm_executor) { id.store(handle.id, ordering: .releasing) }

    static func custom(_ function: SubmitFunction) -> ExecutorOwner {
        ExecutorOwner(makeCustom(function), keeping: nil)
    }

    static func makeCustom(_ function: SubmitFunction) -> wtm_executor {
        var ops = wtm_executor_ops()
        ops.size = UInt32(MemoryLayout<wtm_executor_ops>.size)
        ops.submit = submitWork
        var handle = wtm_executor()
        let context = Unmanaged.passRetained(function)
        let status = wtm_executor_create_custom(&ops, context.toOpaque(), releaseFunction, &handle)
        if status != WTM_OK {
            context.release()
            stop("no executor could be made: \(TimerError(status) ?? .system)")
        }
        return handle
    }
}

/// What stands behind a custom executor's context pointer.
class SubmitFunction: @unchecked Sendable {
    private let function: @Sendable (@escaping TimerExecutor.Work) -> Bool

    init(_ function: @escaping @Sendable (@escaping TimerExecutor.Work) -> Bool) {
        self.function = function
    }

    func submit(_ work: QueuedWork) -> Bool {
        function { work.run() }
    }

    /// In a forked child, before the executor is made anew. For those that keep something of the parent's.
    func forgetParent() {}
}

/// A number that the engine gave out, and the function that runs it.
struct QueuedWork: Sendable {
    let function: @convention(c) (UInt64) -> Void
    let number: UInt64

    func run() { function(number) }
}

private func submitWork(
    _ context: UnsafeMutableRawPointer?, _ run: @convention(c) (UInt64) -> Void, _ number: UInt64
) -> Bool {
    guard let context else { return false }
    return Unmanaged<SubmitFunction>.fromOpaque(context)._withUnsafeGuaranteedRef {
        $0.submit(QueuedWork(function: run, number: number))
    }
}

private func releaseFunction(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<SubmitFunction>.fromOpaque(context).release()
}

/// Calls `body` with the string's bytes, or with nil.
func withOptionalCString<Result>(_ string: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let string else { return body(nil) }
    return string.withCString(body)
}
