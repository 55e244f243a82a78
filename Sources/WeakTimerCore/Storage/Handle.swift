/// A handle is a number: kind (3 bits), generation (33 bits), index (28 bits), from the top.
///
/// A slot's own word has the same generation above 31 bits of state, so that one comparison tells whether a handle is
/// current. Generations start at 1 and a slot whose last one is used up is never used again: staleness is exact.
enum Handle {
    enum Kind: UInt64 {
        case scheduler = 1
        case timer = 2
        case target = 3
        case executor = 4
        case internalRecord = 5
    }

    static let indexBits: UInt64 = 28
    static let indexMask: UInt64 = (1 << 28) - 1
    static let generationMask: UInt64 = (1 << 33) - 1
    static let stateBits: UInt64 = 31
    static let stateMask: UInt64 = (1 << 31) - 1
    /// The state bit that every slot in use has.
    static let inUse: UInt64 = 1 << 30

    @inline(__always)
    static func make(_ kind: Kind, index: UInt32, generation: UInt64) -> UInt64 {
        kind.rawValue << 61 | generation << indexBits | UInt64(index)
    }

    @inline(__always) static func isKind(_ id: UInt64, _ kind: Kind) -> Bool { id >> 61 == kind.rawValue }
    @inline(__always) static func index(_ id: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: id & indexMask) }
    @inline(__always) static func generation(_ id: UInt64) -> UInt64 { id >> indexBits & generationMask }

    /// The head of a slot in use that this handle names, but for its state.
    @inline(__always) static func head(_ id: UInt64) -> UInt64 { generation(id) << stateBits | inUse }
}
