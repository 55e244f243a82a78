import CWeakTimer

@_cdecl("wtm_target_create") @implementation
public func wtm_target_create(
    _ context: UnsafeMutableRawPointer?, _ release: wtm_release_fn?, _ out: UnsafeMutablePointer<wtm_target>?
) -> wtm_status {
    guard let out else { return WTM_ERR_INVALID }
    out.pointee.id = 0
    guard Process.prepare() else { return WTM_ERR_SYSTEM }
    switch Targets.create(context, release) {
    case .success(let id):
        out.pointee.id = id
        return WTM_OK
    case .failure(let refusal): return StatusError(refusal).status
    }
}

/// The target, alive and with its lock held; nil when it is dead or was none.
private func alive(_ t: wtm_target) -> TargetPointer? {
    guard let target = Targets.locked(t.id) else { return nil }
    if !target.isDead { return target }
    target.pointee.lock.unlock()
    return nil
}

@_cdecl("wtm_target_retain") @implementation
public func wtm_target_retain(_ t: wtm_target) -> wtm_status {
    guard let target = alive(t) else { return WTM_ERR_GONE }
    defer { target.pointee.lock.unlock() }
    if target.pointee.strong == .max { return WTM_ERR_LIMIT }
    target.pointee.strong &+= 1
    return WTM_OK
}

@_cdecl("wtm_target_release") @implementation
public func wtm_target_release(_ t: wtm_target) -> wtm_status {
    guard let target = alive(t) else { return WTM_ERR_GONE }
    target.pointee.strong &-= 1
    if target.pointee.strong == 0 { target.die() } else { target.pointee.lock.unlock() }
    return WTM_OK
}

@_cdecl("wtm_target_try_retain") @implementation
public func wtm_target_try_retain(
    _ t: wtm_target, _ out_context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> wtm_status {
    guard let out_context else { return WTM_ERR_INVALID }
    out_context.pointee = nil
    guard let target = alive(t) else { return WTM_ERR_GONE }
    defer { target.pointee.lock.unlock() }
    if target.pointee.strong == .max { return WTM_ERR_LIMIT }
    target.pointee.strong &+= 1
    out_context.pointee = target.pointee.context
    return WTM_OK
}

@_cdecl("wtm_target_is_alive") @implementation
public func wtm_target_is_alive(_ t: wtm_target) -> Bool { Targets.isAlive(t.id) }

@_cdecl("wtm_target_invalidate_timers") @implementation
public func wtm_target_invalidate_timers(_ t: wtm_target) -> wtm_status {
    guard let target = alive(t) else { return WTM_ERR_GONE }
    target.endTimers(WTM_REASON_INVALIDATED)
    return WTM_OK
}

@_cdecl("wtm_target_close") @implementation
public func wtm_target_close(_ t: wtm_target, _ timeout_ns: UInt64) -> wtm_status {
    guard let target = Targets.locked(t.id) else { return WTM_ERR_GONE }
    let deadline = Wait.deadline(timeout_ns)
    let isFirst = !target.isDead
    let epoch = Process.epoch
    if isFirst { target.die() } else { target.pointee.lock.unlock() }
    if Process.epoch != epoch { return WTM_ERR_GONE }
    let status = Wait.until(.target(target, t.id), deadline, target.pointee.event)
    return status == WTM_OK && !isFirst ? WTM_ERR_GONE : status
}
