import CWeakTimer

private func give(_ result: Result<UInt64, StatusError>, _ out: UnsafeMutablePointer<wtm_executor>) -> wtm_status {
    switch result {
    case .success(let id):
        out.pointee.id = id
        return WTM_OK
    case .failure(let error): return error.status
    }
}

@_cdecl("wtm_executor_create_pool") @implementation
public func wtm_executor_create_pool(
    _ threads: UInt32, _ name: UnsafePointer<CChar>?, _ out: UnsafeMutablePointer<wtm_executor>?
) -> wtm_status {
    guard let out else { return WTM_ERR_INVALID }
    out.pointee.id = 0
    if threads > Executors.threadLimit { return WTM_ERR_LIMIT }
    return give(Executors.createPool(threads, name.map { Names.short($0, or: Names.pool) } ?? Names.pool), out)
}

@_cdecl("wtm_executor_create_serial") @implementation
public func wtm_executor_create_serial(_ pool: wtm_executor, _ out: UnsafeMutablePointer<wtm_executor>?) -> wtm_status {
    guard let out else { return WTM_ERR_INVALID }
    out.pointee.id = 0
    return give(Executors.createSerial(pool.id), out)
}

@_cdecl("wtm_executor_create_custom") @implementation
public func wtm_executor_create_custom(
    _ ops: UnsafePointer<wtm_executor_ops>?, _ context: UnsafeMutableRawPointer?, _ release: wtm_release_fn?,
    _ out: UnsafeMutablePointer<wtm_executor>?
) -> wtm_status {
    guard let out else { return WTM_ERR_INVALID }
    out.pointee.id = 0
    guard let ops else { return WTM_ERR_INVALID }
    var given = wtm_executor_ops()
    guard Input.read(ops, into: &given, pairs: (0, 0, 0)), let submit = given.submit else { return WTM_ERR_INVALID }
    return give(Executors.createCustom(submit, context, release), out)
}

@_cdecl("wtm_executor_work_timer") @implementation
public func wtm_executor_work_timer(_ work: UInt64) -> wtm_timer {
    wtm_timer(id: Executors.timer(ofWork: work))
}

@_cdecl("wtm_executor_shutdown") @implementation
public func wtm_executor_shutdown(_ e: wtm_executor, _ timeout_ns: UInt64) -> wtm_status {
    Executors.shutDown(e.id, timeout_ns)
}
