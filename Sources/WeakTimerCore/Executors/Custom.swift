import CWeakTimer
import Synchronization

extension Executors {
    /// Wraps the caller's own way of running things.
    static func createCustom(
        _ submit: @escaping @convention(c) (UnsafeMutableRawPointer?, @convention(c) (UInt64) -> Void, UInt64) -> Bool,
        _ context: UnsafeMutableRawPointer?, _ release: wtm_release_fn?
    ) -> Result<UInt64, StatusError> {
        guard Process.prepare() else { return .failure(StatusError(WTM_ERR_SYSTEM)) }
        switch make(.custom) {
        case .failure(let refusal): return .failure(StatusError(refusal))
        case .success(let made):
            made.pointee.submit = submit
            made.pointee.context = context
            made.pointee.release = release
            return .success(publish(made))
        }
    }
}
