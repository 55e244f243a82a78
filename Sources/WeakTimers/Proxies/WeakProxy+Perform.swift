extension WeakProxy {
    /// Does something with the object while it lives, and keeps it alive meanwhile.
    ///
    /// - Returns: What `body` returned; nil after the object's death.
    /// - Throws: What `body` threw.
    @discardableResult
    @_disfavoredOverload
    public func perform<Result, Failure: Error>(
        _ body: (Target) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let target else { return nil }
        return try body(target)
    }

    /// Calls an unbound method of the object while it lives: `perform(Model.refresh)`. A method with arguments needs a closure:
    /// `perform { model in model.add(1) }`.
    ///
    /// - Returns: What the method returned; nil after the object's death.
    /// - Throws: What the method threw.
    @discardableResult
    public func perform<Result, Failure: Error>(
        _ method: (Target) -> () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let target else { return nil }
        return try method(target)()
    }

    /// The same for a method of the main actor, which calls it there: from elsewhere with `await`.
    @discardableResult
    @MainActor
    public func perform<Result, Failure: Error>(
        _ method: (Target) -> @MainActor () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let target else { return nil }
        return try method(target)()
    }
}

extension WeakProxy where Target: Sendable {
    /// The same for an asynchronous method. The object lives on at least until the method has returned.
    @discardableResult
    @_disfavoredOverload
    public func perform<Result, Failure: Error>(
        _ method: @Sendable (Target) -> () async throws(Failure) -> Result
    ) async throws(Failure) -> Result? {
        guard let target else { return nil }
        return try await method(target)()
    }
}

// A method that none of the above can call is a function from the object to a function, and would pass for a body that returns one: nothing
// would happen. These come in pairs, which differ in an argument that nobody gives, so that the compiler finds a use ambiguous and refuses it.
// (Forms that are marked unavailable would not do: the compiler prefers what is available.)
extension WeakProxy {
    /// Refused by the compiler: call a method with arguments in a closure, `perform { model in model.add(1) }`.
    @discardableResult
    public func perform<each Argument, Result, Failure: Error>(
        _ method: (Target) -> (repeat each Argument) throws(Failure) -> Result, needsAClosure: Never? = nil
    ) -> Result? { nil }

    /// Refused by the compiler: call a method with arguments in a closure, `perform { model in model.add(1) }`.
    @discardableResult
    public func perform<each Argument, Result, Failure: Error>(
        _ method: (Target) -> (repeat each Argument) throws(Failure) -> Result, wantsAClosure: Never? = nil
    ) -> Result? { nil }

    /// Refused by the compiler: call an asynchronous method with arguments, or of an object that is not `Sendable`, on the `target` itself.
    @discardableResult
    public func perform<each Argument, Result, Failure: Error>(
        _ method: (Target) -> (repeat each Argument) async throws(Failure) -> Result, needsTheTarget: Never? = nil
    ) -> Result? { nil }

    /// Refused by the compiler: call an asynchronous method with arguments, or of an object that is not `Sendable`, on the `target` itself.
    @discardableResult
    public func perform<each Argument, Result, Failure: Error>(
        _ method: (Target) -> (repeat each Argument) async throws(Failure) -> Result, wantsTheTarget: Never? = nil
    ) -> Result? { nil }
}
