#if WTM_EXPLORE
    /// The schedule explorer of the tests: called at every taking and giving back of a lock, so that threads can be made to take turns
    /// at exactly these points. Set before the threads start.
    nonisolated(unsafe) private var hook: (@convention(c) () -> Void)?

    @_cdecl("wtm_explore")
    public func wtm_explore(_ yield: (@convention(c) () -> Void)?) { hook = yield }

    @inline(never)
    func explorerYield() { hook?() }
#endif
