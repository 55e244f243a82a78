/// A place in an executor's queue: that of a record (a tick or a hook handed over) or of a serial queue with work.
///
/// Guarded by the lock of the executor (a serial queue uses its pool's).
struct QueueNode {
    var next: UnsafeMutablePointer<QueueNode>?
    var prev: UnsafeMutablePointer<QueueNode>?
    var record: RecordPointer?
    var serial: ExecutorPointer?
    var state: State = .free
    var work: Work = .tick

    enum State { case free, queued, taken }
    enum Work { case tick, hook }
}

typealias QueueNodePointer = UnsafeMutablePointer<QueueNode>

/// A queue of nodes, doubly linked so that a tick can be taken back.
struct NodeQueue {
    var first: QueueNodePointer?
    var last: QueueNodePointer?

    var isEmpty: Bool { first == nil }

    mutating func append(_ node: QueueNodePointer) {
        node.pointee.next = nil
        node.pointee.prev = last
        if let last { last.pointee.next = node } else { first = node }
        last = node
        node.pointee.state = .queued
    }

    mutating func remove(_ node: QueueNodePointer) {
        let next = node.pointee.next, prev = node.pointee.prev
        if let prev { prev.pointee.next = next } else { first = next }
        if let next { next.pointee.prev = prev } else { last = prev }
        node.pointee.next = nil
        node.pointee.prev = nil
        node.pointee.state = .free
    }

    mutating func takeFirst() -> QueueNodePointer? {
        guard let node = first else { return nil }
        remove(node)
        return node
    }
}

/// The number by which a custom executor knows a piece of work: index of the record and number of the hand-over.
enum WorkNumber {
    static func make(_ record: RecordPointer) -> UInt64 {
        record.pointee.seq << Handle.indexBits | UInt64(record.pointee.index)
    }

    static func matches(_ work: UInt64, _ seq: UInt64) -> Bool {
        work >> Handle.indexBits == seq & ((1 << 36) &- 1)
    }
}
