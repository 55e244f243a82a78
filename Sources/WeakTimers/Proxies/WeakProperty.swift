/// A weak "stored property" for extensions, which cannot have stored ones.
///
///     extension View {
///         private static let presenters = WeakProperty<View, Presenter>()
///         var presenter: Presenter? {
///             get { Self.presenters[self] }
///             set { Self.presenters[self] = newValue }
///         }
///     }
///
/// It may be used from every thread. Whoever reads or writes a value holds its owner; where owner or value is not `Sendable`, that is to
/// be where both belong, as with a stored property, and the compiler cannot see to it.
///
/// It keeps neither the owner nor the value alive. What is kept for owners that died is dropped as others are stored: the
/// memory is proportional to the owners that live.
public final class WeakProperty<Owner: AnyObject, Value: AnyObject> {
    private struct Entry {
        weak var owner: Owner?
        weak var value: Value?
    }

    private struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        var sweepAt = 16

        /// Drops what is dead. To look at a weak reference is to hold its object for a moment; should that be the object's last, its
        /// deinit must not run under the lock. Hence the caller gets all that was held, also an owner whose value has died.
        mutating func sweep() -> [AnyObject] {
            var held: [AnyObject] = []
            entries = entries.filter { _, entry in
                let owner = entry.owner, value = entry.value
                if let owner { held.append(owner) }
                if let value { held.append(value) }
                return owner != nil && value != nil
            }
            sweepAt = max(16, entries.count * 2)
            return held
        }
    }

    private let table = Locked(Table())

    /// A property that no owner has a value for.
    public init() {}

    /// The owner's value, while both live. Setting nil forgets it.
    public subscript(owner: Owner) -> Value? {
        get {
            let found = table.withLock { $0.entries[ObjectIdentifier(owner)].map { ($0.owner, $0.value) } }
            // An entry under this address may be another owner's, who died.
            guard let found, found.0 === owner else { return nil }
            return found.1
        }
        set {
            let held = table.withLock { table -> [AnyObject] in
                guard let newValue else {
                    table.entries[ObjectIdentifier(owner)] = nil
                    return []
                }
                let held = table.entries.count >= table.sweepAt ? table.sweep() : []
                table.entries[ObjectIdentifier(owner)] = Entry(owner: owner, value: newValue)
                return held
            }
            withExtendedLifetime(held) {}
        }
    }

    /// How many owners are remembered, those among them that died and were not dropped yet.
    public var count: Int { table.withLock { $0.entries.count } }
}

// Whoever reads or writes a value holds its owner, so that value and owner belong to the same actor or thread, as with a stored property.
// What all owners share, the table, is locked. With a condition on owners and values an extension of a plain class could have no weak property.
extension WeakProperty: @unchecked Sendable {}
