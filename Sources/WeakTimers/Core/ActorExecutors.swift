/// One executor for each actor that timers run on, made at the first start and shared by all of the actor's timers. Their ticks wait in one
/// queue, out of which the engine takes each by its own number; it keeps the ticks of one timer apart on any executor.
///
/// An executor that has no timer left is kept for the next start, until the table is full; then all such are dropped. The table therefore
/// holds at most twice as many as were in use when it was last cleared, or the least size, however many actors come and go.
final class ActorExecutors: Sendable {
    fileprivate struct Entry {
        let function: ActorFunction
        var owner: KeptExecutor
    }

    fileprivate struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        var capacity = leastCapacity
    }

    fileprivate static let leastCapacity = 64
    private let table = Locked(Table())

    /// The executor of an actor. Whoever holds it keeps it up; a timer does so until its release hook.
    func owner(for actor: any Actor) -> KeptExecutor {
        // What is dropped goes when the lock is free again.
        let (owner, _) = table.withLock { table in
            if let known = table.owner(for: actor) { return (known, []) }
            var dropped = table.makeRoom()
            return (table.add(actor, replacing: &dropped), dropped)
        }
        return owner
    }
}

extension ActorExecutors.Table {
    // An actor that has died may have left its address to another. The entry tells: it refers weakly to the object, not to the address, and
    // finds nothing then. The caller keeps the actor alive, so looking at the reference is not what ends it.
    fileprivate func owner(for actor: any Actor) -> KeptExecutor? {
        guard let entry = entries[ObjectIdentifier(actor)], entry.function.runs(on: actor) else { return nil }
        return entry.owner
    }

    fileprivate mutating func add(
        _ actor: any Actor, replacing dropped: inout [ActorExecutors.Entry]
    ) -> KeptExecutor {
        let function = ActorFunction(actor)
        let entry = ActorExecutors.Entry(function: function, owner: KeptExecutor(function))
        if let old = entries.updateValue(entry, forKey: ObjectIdentifier(actor)) { dropped.append(old) }
        return entry.owner
    }

    /// Takes out what nobody uses, if the table is full. An owner that only the table refers to stays so meanwhile: others get theirs from the
    /// table, whose lock the caller holds. No actor is looked at, since a look that outlasts all others would end it under the lock.
    fileprivate mutating func makeRoom() -> [ActorExecutors.Entry] {
        if entries.count < capacity { return [] }
        var idle: [ObjectIdentifier] = []
        var position = entries.startIndex
        while position != entries.endIndex {
            if isKnownUniquelyReferenced(&entries.values[position].owner) { idle.append(entries[position].key) }
            entries.formIndex(after: &position)
        }
        let dropped = idle.compactMap { entries.removeValue(forKey: $0) }
        capacity = max(ActorExecutors.leastCapacity, 2 * entries.count)
        return dropped
    }
}
