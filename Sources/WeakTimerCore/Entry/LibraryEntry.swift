import CWeakTimer

/// A C string that lives as long as the process.
private func constant(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

@_cdecl("wtm_version_number") @implementation
public func wtm_version_number() -> UInt32 {
    UInt32(WTM_VERSION_MAJOR) << 16 | UInt32(WTM_VERSION_MINOR) << 8 | UInt32(WTM_VERSION_PATCH)
}

@_cdecl("wtm_version_string") @implementation
public func wtm_version_string() -> UnsafePointer<CChar> { constant("0.1.0") }

@_cdecl("wtm_status_name") @implementation
public func wtm_status_name(_ status: wtm_status) -> UnsafePointer<CChar> {
    switch status {
    case WTM_OK: constant("WTM_OK")
    case WTM_RUNNING: constant("WTM_RUNNING")
    case WTM_ERR_INVALID: constant("WTM_ERR_INVALID")
    case WTM_ERR_GONE: constant("WTM_ERR_GONE")
    case WTM_ERR_TARGET_GONE: constant("WTM_ERR_TARGET_GONE")
    case WTM_ERR_SHUT_DOWN: constant("WTM_ERR_SHUT_DOWN")
    case WTM_ERR_WOULD_DEADLOCK: constant("WTM_ERR_WOULD_DEADLOCK")
    case WTM_ERR_TIMED_OUT: constant("WTM_ERR_TIMED_OUT")
    case WTM_ERR_LIMIT: constant("WTM_ERR_LIMIT")
    case WTM_ERR_UNSUPPORTED: constant("WTM_ERR_UNSUPPORTED")
    case WTM_ERR_SYSTEM: constant("WTM_ERR_SYSTEM")
    default: constant("WTM_UNKNOWN")
    }
}

@_cdecl("wtm_status_message") @implementation
public func wtm_status_message(_ status: wtm_status) -> UnsafePointer<CChar> {
    switch status {
    case WTM_OK: constant("success")
    case WTM_RUNNING: constant("success, and a last callback is still running")
    case WTM_ERR_INVALID: constant("an argument is invalid")
    case WTM_ERR_GONE: constant("the handle names nothing that still exists")
    case WTM_ERR_TARGET_GONE: constant("the target has died")
    case WTM_ERR_SHUT_DOWN: constant("the scheduler or executor is shutting down")
    case WTM_ERR_WOULD_DEADLOCK: constant("the wait could never end")
    case WTM_ERR_TIMED_OUT: constant("the time limit ran out")
    case WTM_ERR_LIMIT: constant("a limit is reached")
    case WTM_ERR_UNSUPPORTED: constant("not supported by a scheduler of this drive")
    case WTM_ERR_SYSTEM: constant("the system refused a thread, a descriptor or memory")
    default: constant("unknown status")
    }
}
