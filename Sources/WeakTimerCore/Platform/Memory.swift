import CPlatform
import Synchronization

/// Where all memory of the library comes from.
enum Memory {
    #if WTM_FAULTS
        static var refused: Bool { Faults.strikes(.memory) }
    #else
        @inline(__always) static var refused: Bool { false }
    #endif

    /// Zeroed pages that are never given back, or nil. With `atOnce` they are there already, not only when they are touched.
    static func map(_ bytes: Int, atOnce: Bool = false) -> UnsafeMutableRawPointer? {
        refused ? nil : wtmp_map(bytes, atOnce)
    }

    /// Memory of unspecified contents, to be given to `free`, or nil.
    static func allocate(_ bytes: Int) -> UnsafeMutableRawPointer? {
        refused ? nil : malloc(bytes)
    }
}
