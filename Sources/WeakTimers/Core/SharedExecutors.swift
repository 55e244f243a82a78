/// One executor for each place of a kind, such as a queue, shared by all who ask for it while anybody uses it. A forked child makes its own.
package final class SharedExecutors<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        weak var owner: ExecutorOwner?
    }

    private struct Table {
        var entries: [Key: Entry] = [:]
        var capacity = leastCapacity
    }

    private static var leastCapacity: Int { 64 }
    private let table = Locked(Table())

    package init() {}

    /// How many are in the table, those that have gone since it was last cleared included.
    package var count: Int { table.withLock { $0.entries.count } }

    /// The executor of that place, made if nobody uses one.
    ///
    /// - Parameter submit: Gives what hands over work there, and keeps alive what the key stands for, so that nothing else goes by the key while
    ///   there is an executor for it. Called under a lock.
    package func executor(
        for key: Key, submit: () -> @Sendable (_ work: @escaping TimerExecutor.Work) -> Void
    ) -> TimerExecutor {
        // What is looked at may thereby be used last here: it goes when the lock is free again.
        let (owner, _) = table.withLock { table -> (ExecutorOwner, [ExecutorOwner]) in
            if let known = table.entries[key]?.owner { return (known, []) }
            let looked = Self.makeRoom(&table)
            let submit = submit()
            let owner = KeptExecutor(
                SubmitFunction {
                    submit($0)
                    return true
                })
            table.entries[key] = Entry(owner: owner)
            return (owner, looked)
        }
        return TimerExecutor(place: .handle(owner))
    }

    /// Takes out what has gone, if the table is full.
    private static func makeRoom(_ table: inout Table) -> [ExecutorOwner] {
        if table.entries.count < table.capacity { return [] }
        var owners: [ExecutorOwner] = []
        table.entries = table.entries.filter { _, entry in
            guard let owner = entry.owner else { return false }
            owners.append(owner)
            return true
        }
        table.capacity = max(leastCapacity, 2 * table.entries.count)
        return owners
    }
}
