import Foundation
import Synchronization

/// Counts the objects that the calling thread allocates: instances of classes, contexts of closures, boxes.
///
/// The runtime keeps its allocator behind a function pointer, for tools such as this one, and goes through it while a flag is set. Other
/// threads may pass through here meanwhile, hence the atomics.
enum AllocationCount {
    /// How many objects `body` allocates on this thread; nil where they cannot be counted.
    static func of(_ body: () throws -> Void) rethrows -> Int? {
        guard let hook else { return nil }
        count.store(0, ordering: .relaxed)
        counted.store(currentThread(), ordering: .relaxed)
        hook.install()
        defer { hook.remove() }
        try body()
        return count.load(ordering: .relaxed)
    }
}

private typealias Allocator = @convention(c) (UnsafeMutableRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

private let counted = Atomic<UInt>(0)
private let count = Atomic<Int>(0)
private let hook = Hook()

private func currentThread() -> UInt { UInt(pthread_self()) }

private func allocate(_ metadata: UnsafeMutableRawPointer?, _ size: Int, _ alignment: Int) -> UnsafeMutableRawPointer? {
    if counted.load(ordering: .relaxed) == currentThread() { count.wrappingAdd(1, ordering: .relaxed) }
    return hook?.original(metadata, size, alignment)
}

private struct Hook: @unchecked Sendable {
    private let slot: UnsafeMutablePointer<Allocator>
    private let flag: UnsafeMutablePointer<Bool>
    let original: Allocator

    /// Nil where the runtime has none.
    init?() {
        // Nil names the program itself with everything that it has loaded.
        let program = dlopen(nil, RTLD_NOW)
        guard let slot = dlsym(program, "_swift_allocObject"),
            let flag = dlsym(program, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")
        else { return nil }
        self.slot = slot.assumingMemoryBound(to: Allocator.self)
        self.flag = flag.assumingMemoryBound(to: Bool.self)
        original = self.slot.pointee
    }

    func install() {
        slot.pointee = allocate
        flag.pointee = true
    }

    func remove() {
        flag.pointee = false
        slot.pointee = original
    }
}
