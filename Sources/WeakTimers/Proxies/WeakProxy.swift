/// Stands for an object without keeping it alive: to be given to whoever would retain it.
///
///     let proxy = WeakProxy(model)
///     proxy.title            // String?, nil after the model's death
///     proxy.title = "new"    // written through while it lives, forgotten after
///     proxy.perform(Model.refresh)
///
/// Two proxies are equal if they were made for the same object, and a proxy's hash never changes, whether the object lives or not: the
/// proxy keeps the object's address from being used again (the bare memory; the object itself is destroyed as ever).
///
/// It may be used from every thread if its target may.
@dynamicMemberLookup
public final class WeakProxy<Target: AnyObject> {
    private weak var reference: Target?
    /// Holds the memory, not the object: as long as this is here no other object gets its address.
    private unowned let anchor: Target
    private let identity: ObjectIdentifier

    /// A proxy for `target`.
    public init(_ target: Target) {
        reference = target
        anchor = target
        identity = ObjectIdentifier(target)
    }

    /// The object, while it lives.
    public var target: Target? { reference }

    /// Whether the object lives.
    public var isAlive: Bool { reference != nil }

    /// A property of the object; nil after its death.
    public subscript<Value>(dynamicMember member: KeyPath<Target, Value>) -> Value? {
        reference?[keyPath: member]
    }

    /// A property of the object that is itself optional; nil after the object's death, too.
    public subscript<Value>(dynamicMember member: KeyPath<Target, Value?>) -> Value? {
        reference?[keyPath: member]
    }

    /// A property of the object, written through while it lives. Writing nil, or to a dead object, does nothing.
    public subscript<Value>(dynamicMember member: ReferenceWritableKeyPath<Target, Value>) -> Value? {
        get { reference?[keyPath: member] }
        set { if let newValue { reference?[keyPath: member] = newValue } }
    }

    /// An optional property of the object, written through while it lives. Writing to a dead object does nothing.
    public subscript<Value>(dynamicMember member: ReferenceWritableKeyPath<Target, Value?>) -> Value? {
        get { reference?[keyPath: member] }
        set { reference?[keyPath: member] = newValue }
    }

    /// Whether the object lives and is of that type.
    public func isKind<Kind>(of type: Kind.Type) -> Bool { reference is Kind }
}

// Both fields are set once; loading a weak reference is atomic.
extension WeakProxy: @unchecked Sendable where Target: Sendable {}

extension WeakProxy: Hashable {
    /// Whether both were made for the same object, dead or alive.
    public static func == (left: WeakProxy, right: WeakProxy) -> Bool { left.identity == right.identity }

    /// Whether the proxy was made for that object.
    public static func == (left: WeakProxy, right: Target) -> Bool { left.identity == ObjectIdentifier(right) }

    /// Feeds the object's identity, which outlives it.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

extension WeakProxy: CustomReflectable {
    /// The object, or nil after its death: `dump`, mirrors and testing tools see nothing else. (To read `anchor` of a dead object would stop
    /// the program.)
    public var customMirror: Mirror { Mirror(self, children: ["target": reference as Any], displayStyle: .class) }
}

extension WeakProxy: CustomStringConvertible, CustomDebugStringConvertible {
    /// The object's own description; after its death, that it is dead.
    public var description: String { reference.map { String(describing: $0) } ?? epitaph }

    /// The object's own debug description; after its death, that it is dead.
    public var debugDescription: String { reference.map { String(reflecting: $0) } ?? epitaph }

    private var epitaph: String { "WeakProxy<\(Target.self)>(dead)" }
}
