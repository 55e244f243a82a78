import CWeakTimer

/// Offsets at which a struct has two 32-bit fields side by side.
typealias FieldPairs = (Int, Int, Int)

/// Reading the caller's structs, of any size, and writing them.
enum Input {
    /// How much longer than today's a struct may be.
    static let slack = 1024

    /// Copies a sized struct over `value`, which holds the defaults. False: the size or the tail is invalid.
    ///
    /// `pairs` are the offsets at which two 32-bit fields share eight bytes; every other field has eight. A field that the caller's
    /// size cuts is left at its default.
    static func read<T>(_ raw: UnsafeRawPointer, into value: inout T, pairs: FieldPairs) -> Bool {
        let size = Int(raw.loadUnaligned(as: UInt32.self))
        let known = MemoryLayout<T>.size
        if size < 4 || size > known &+ slack { return false }
        if size > known {
            var i = known
            while i < size {
                if raw.loadUnaligned(fromByteOffset: i, as: UInt8.self) != 0 { return false }
                i &+= 1
            }
        }
        let whole = size >= known ? known : wholeFields(size, pairs)
        withUnsafeMutableBytes(of: &value) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: whole))
        }
        return true
    }

    private static func wholeFields(_ size: Int, _ pairs: FieldPairs) -> Int {
        let eights = size & ~7
        if size &- eights < 4 { return eights }
        let isPair = pairs.0 == eights || pairs.1 == eights || pairs.2 == eights
        return isPair ? eights &+ 4 : eights
    }
}

/// The caller's result struct, of any size.
struct Output {
    private let raw: UnsafeMutableRawPointer
    private let size: Int

    /// Nil: the caller's size is invalid, and nothing is written.
    init?(_ raw: UnsafeMutableRawPointer, known: Int) {
        self.raw = raw
        size = Int(raw.loadUnaligned(as: UInt32.self))
        if size < 4 || size > known &+ Input.slack { return nil }
    }

    /// Writes everything after `size`, as much as there is room for, and zeroes what the library does not know.
    func write<T>(_ value: T) {
        var value = value
        let known = MemoryLayout<T>.size
        withUnsafeBytes(of: &value) { from in
            var i = 4
            while i < size {
                raw.storeBytes(of: i < known ? from[i] : 0, toByteOffset: i, as: UInt8.self)
                i &+= 1
            }
        }
    }

    func clear() {
        var i = 4
        while i < size {
            raw.storeBytes(of: 0, toByteOffset: i, as: UInt8.self)
            i &+= 1
        }
    }
}
